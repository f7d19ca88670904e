package store

import (
	"context"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Hit is a message, or a chat's title (Message 0), that a search found.
type Hit struct {
	Chat    ID
	Message ID
	Title   string
	// Snippet is the text around the first matches, on one line; Marks are the
	// byte ranges in it that match.
	Snippet string
	Marks   [][2]int
}

// The index finds pieces of three characters and more, in every script;
// shorter words are looked for one message after another.
const (
	indexed     = 3
	snippetSpan = 40 // characters before the first match
	snippetSize = 160
)

// Search finds the chats and messages that contain every word of the query,
// newest first; "quoted words" must follow each other. Letters of either case
// and with or without accents are the same. Deleted chats are not searched.
func (s *Store) Search(ctx context.Context, query string, limit int) ([]Hit, error) {
	terms := searchTerms(query)
	if len(terms) == 0 || limit <= 0 {
		return nil, nil
	}
	s.settle(ctx)
	if err := s.index(ctx); err != nil {
		return nil, explain(s.path, err)
	}
	hits, err := s.searchTitles(ctx, terms, limit)
	if err == nil && len(hits) < limit {
		var more []Hit
		more, err = s.searchMessages(ctx, terms, limit-len(hits))
		hits = append(hits, more...)
	}
	if err != nil {
		return nil, explain(s.path, err)
	}
	return hits, nil
}

// index brings the index up to the messages.
func (s *Store) index(ctx context.Context) error {
	var behind bool
	if err := s.db.QueryRowContext(ctx, "SELECT EXISTS(SELECT 1 FROM messages WHERE indexed = 0)").Scan(&behind); err != nil || !behind {
		return err
	}
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	for _, q := range []string{
		"DELETE FROM search WHERE rowid IN (SELECT id FROM messages WHERE indexed = 0)",
		"INSERT INTO search(rowid, content, thinking) SELECT id, content, thinking FROM messages WHERE indexed = 0",
		"UPDATE messages SET indexed = 1 WHERE indexed = 0",
	} {
		if _, err := tx.ExecContext(ctx, q); err != nil {
			return err
		}
	}
	return tx.Commit()
}

func (s *Store) searchTitles(ctx context.Context, terms []string, limit int) ([]Hit, error) {
	where, args := []string{"deleted = 0"}, []any{}
	for _, t := range terms {
		where, args = append(where, `title LIKE ? ESCAPE '\'`), append(args, like(t))
	}
	return s.hits(ctx, terms, "SELECT id, 0, title, title, '' FROM chats WHERE "+
		strings.Join(where, " AND ")+" ORDER BY updated DESC LIMIT ?", append(args, limit)...)
}

func (s *Store) searchMessages(ctx context.Context, terms []string, limit int) ([]Hit, error) {
	where, args := []string{"c.deleted = 0", "m.removed = 0"}, []any{}
	var match []string
	for _, t := range terms {
		if utf8.RuneCountInString(t) >= indexed {
			match = append(match, `"`+strings.ReplaceAll(t, `"`, `""`)+`"`)
			continue
		}
		where = append(where, `(m.content LIKE ? ESCAPE '\' OR m.thinking LIKE ? ESCAPE '\')`)
		args = append(args, like(t), like(t))
	}
	if len(match) > 0 {
		where = append(where, "m.id IN (SELECT rowid FROM search WHERE search MATCH ?)")
		args = append(args, strings.Join(match, " AND "))
	}
	return s.hits(ctx, terms, "SELECT c.id, m.id, c.title, m.content, m.thinking FROM messages m JOIN chats c ON c.id = m.chat WHERE "+
		strings.Join(where, " AND ")+" ORDER BY m.id DESC LIMIT ?", append(args, limit)...)
}

func (s *Store) hits(ctx context.Context, terms []string, query string, args ...any) ([]Hit, error) {
	rows, err := s.db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []Hit
	for rows.Next() {
		var h Hit
		var content, thinking string
		if err := rows.Scan(&h.Chat, &h.Message, &h.Title, &content, &thinking); err != nil {
			return nil, err
		}
		if h.Snippet, h.Marks = snippet(content, terms); len(h.Marks) == 0 && thinking != "" {
			if text, marks := snippet(thinking, terms); len(marks) > 0 {
				h.Snippet, h.Marks = text, marks
			}
		}
		all = append(all, h)
	}
	return all, rows.Err()
}

// searchTerms splits a query at spaces outside of double quotes. What is typed
// is text: it has no operators.
func searchTerms(query string) []string {
	var terms []string
	for i, part := range strings.Split(strings.ToValidUTF8(query, "\uFFFD"), `"`) {
		part = strings.ReplaceAll(part, "\x00", " ")
		if i%2 == 1 {
			if part = strings.TrimSpace(part); part != "" {
				terms = append(terms, part)
			}
			continue
		}
		terms = append(terms, strings.Fields(part)...)
	}
	return terms
}

// like makes a LIKE pattern that finds text anywhere.
func like(text string) string {
	return "%" + strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(text) + "%"
}

// snippet cuts out the first match with what is around it and marks all matches
// there. Accented spellings that the index takes for the same go unmarked.
func snippet(text string, terms []string) (string, [][2]int) {
	lower := foldRunes(text)
	runes := []rune(text)
	var folded [][]rune
	first := -1
	for _, t := range terms {
		f := foldRunes(t)
		folded = append(folded, f)
		if at := indexRunes(lower, f, 0); at >= 0 && (first < 0 || at < first) {
			first = at
		}
	}
	from := max(0, first-snippetSpan)
	to := min(len(runes), from+snippetSize)
	cut := runes[from:to]
	marked := make([]bool, len(cut))
	for _, f := range folded {
		for at := indexRunes(lower[from:to], f, 0); at >= 0; at = indexRunes(lower[from:to], f, at+len(f)) {
			for i := range f {
				marked[at+i] = true
			}
		}
	}
	return draw(cut, marked, from > 0, to < len(runes))
}

// draw writes the cut on one line, with an ellipsis where text was left out.
func draw(cut []rune, marked []bool, before, after bool) (string, [][2]int) {
	var b strings.Builder
	var marks [][2]int
	if before {
		b.WriteString("…")
	}
	for i, r := range cut {
		if unicode.IsSpace(r) || unicode.IsControl(r) {
			r = ' '
		}
		start := b.Len()
		b.WriteRune(r)
		switch {
		case !marked[i]:
		case i > 0 && marked[i-1]:
			marks[len(marks)-1][1] = b.Len()
		default:
			marks = append(marks, [2]int{start, b.Len()})
		}
	}
	if after {
		b.WriteString("…")
	}
	return b.String(), marks
}

// foldRunes makes the letters lower case, one rune for one.
func foldRunes(text string) []rune {
	r := []rune(text)
	for i := range r {
		r[i] = unicode.ToLower(r[i])
	}
	return r
}

func indexRunes(in, what []rune, from int) int {
search:
	for at := from; len(what) > 0 && at+len(what) <= len(in); at++ {
		for i, r := range what {
			if in[at+i] != r {
				continue search
			}
		}
		return at
	}
	return -1
}
