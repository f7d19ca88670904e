package ui

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/charmbracelet/x/ansi"

	"github.com/confab-tui/confab/engine/chat"
	"github.com/confab-tui/confab/ui/text"
)

// finder is the search in the focused chat.
type finder struct {
	term string
	e    editor
}

// findSheet asks for the term.
type findSheet struct{ e *editor }

func (s *findSheet) line() (string, *editor) { return "find", s.e }

func (r *root) openFind() {
	r.find.e.set(r.find.term)
	r.sheet = &findSheet{&r.find.e}
	r.pane().view.reading = true
	if r.focus != focusText {
		r.pane().view.read()
	}
	r.focus = focusText
}

// findInChat finds words in the chat, or asks for them.
func (r *root) findInChat(words string) tea.Cmd {
	switch {
	case words == "":
		r.openFind()
		return nil
	case r.noScreen:
		return r.sayFound(words)
	}
	v := &r.pane().view
	if hits, _ := v.hits(words); len(hits) == 0 {
		return r.fail("%s is not in this chat", inQuotes(words))
	}
	r.focus = focusText
	v.read()
	r.find.term, v.search = words, words
	r.nextHit(0)
	return nil
}

// sayFound says the lines with some words, each with who wrote it.
func (r *root) sayFound(words string) tea.Cmd {
	var lines []string
	for _, t := range r.pane().conv.turns {
		who := "you"
		if t.m.Role == chat.Assistant {
			who = t.model()
		}
		for l := range strings.SplitSeq(t.doc.Source(), "\n") {
			if len(text.Find(l, text.Fold(words))) > 0 {
				lines = append(lines, who+": "+strings.TrimSpace(l))
			}
		}
	}
	if len(lines) == 0 {
		return r.fail("%s is not in this chat", inQuotes(words))
	}
	r.say(toneQuiet, strings.Join(lines, "\n"))
	return nil
}

func (s *findSheet) draw(*root, int, int) ([]string, *tea.Cursor) { return nil, nil }

func (s *findSheet) hints() []string {
	return []string{"enter find", "then n N", "esc leave"}
}

func (s *findSheet) paste(t string) { s.e.insert(strings.ReplaceAll(t, "\n", " ")) }

func (s *findSheet) key(r *root, key string, k tea.KeyPressMsg) (bool, tea.Cmd) {
	switch key {
	case "enter":
		r.sheet = nil
		if r.find.term != "" {
			r.nextHit(0)
		}
		return true, nil
	case "esc":
		r.sheet = nil
		r.clearFind()
		return true, nil
	case "down", "ctrl+n":
		r.nextHit(1)
		return true, nil
	case "up", "ctrl+p":
		r.nextHit(-1)
		return true, nil
	}
	done, cmd := r.editKey(&r.find.e, key, k)
	if !done {
		return false, nil
	}
	r.find.term = r.find.e.s
	r.pane().view.search = r.find.term
	if r.find.term != "" {
		r.nextHit(0)
	}
	return true, cmd
}

func (r *root) clearFind() {
	r.find.term = ""
	for _, t := range r.tabs {
		for _, p := range t.panes {
			p.view.search = ""
		}
	}
}

// goTo shows a message of the chat in focus, another version than the one in sight where
// it must be, and marks what was looked for there.
func (r *root) goTo(to target) {
	p := r.pane()
	c, v := p.conv, &p.view
	if to.message == 0 || r.noScreen {
		return
	}
	at := func() int { return slices.IndexFunc(c.turns, func(t *turn) bool { return t.m.ID == to.message }) }
	if at() < 0 && !c.running() {
		c.chat.Switch(to.message)
		c.walk()
	}
	i := at()
	if i < 0 {
		return
	}
	l := r.layout()
	if n := r.tab().focus - l.first; n >= 0 && n < len(l.panes) {
		v.w, v.h = l.panes[n].w, l.panes[n].h-l.header-1
	}
	v.reading, r.focus = true, focusText
	v.cursor = place{i, 0}
	for _, word := range append([]string{strings.ReplaceAll(to.words, `"`, "")}, strings.Fields(strings.ReplaceAll(to.words, `"`, " "))...) {
		hits, _ := v.hits(word)
		if n := slices.IndexFunc(hits, func(h place) bool { return h.turn == i }); n >= 0 {
			r.find.term, v.search, v.cursor = word, word, hits[n]
			v.show(v.cursor)
			r.sayHit(hits, n)
			return
		}
	}
	v.show(v.cursor)
}

// nextHit takes the cursor to a row with the term: the next one, the one
// before, or with 0 the nearest upwards, for one reads from the end.
func (r *root) nextHit(step int) {
	v := &r.pane().view
	if r.find.term == "" {
		r.say(toneQuiet, "nothing is searched for "+r.th.mark.dot+" "+r.keys.key(doFind)+" finds")
		return
	}
	hits, at := v.hits(r.find.term)
	if len(hits) == 0 {
		r.say(toneQuiet, inQuotes(r.find.term)+" is not in this chat")
		return
	}
	switch {
	case step > 0:
		at = (at + 1) % len(hits)
		if v.cursor.before(hits[0]) {
			at = 0
		}
	case step < 0 && at >= 0 && hits[at] == v.cursor:
		at = (at + len(hits) - 1) % len(hits)
	case at < 0:
		at = len(hits) - 1
	}
	v.cursor = hits[at]
	v.show(v.cursor)
	r.sayHit(hits, at)
}

// sayHit tells which of the rows with the term the cursor is on, and that it is folded.
func (r *root) sayHit(hits []place, at int) {
	v := &r.pane().view
	said := fmt.Sprintf("line %d of %s with %s", at+1, group(len(hits)), inQuotes(r.find.term))
	if v.c.turns[v.cursor.turn].hidden(v.rows(v.cursor.turn), v.cursor.row) != "" {
		said += " " + r.th.mark.dot + " folded: " + r.keys.key(doFold, r.keys.reading) + " opens it"
	}
	r.say(toneQuiet, said)
}

// inQuotes is what a person or a model wrote, in a sentence.
func inQuotes(s string) string { return `"` + text.CleanLine(s) + `"` }

// hits are the rows with a term or the begin of one, or that hide one, and the last of
// them at or above the cursor, -1 for none.
func (v *transcript) hits(term string) (all []place, at int) {
	at = -1
	term = text.Fold(term)
	for i, t := range v.c.turns {
		rows := v.rows(i)
		for j := range rows.Len() {
			if !holds(rows, j, term) && !strings.Contains(text.Fold(t.hidden(rows, j)), term) {
				continue
			}
			p := place{i, j}
			if !v.cursor.before(p) {
				at = len(all)
			}
			all = append(all, p)
		}
	}
	return all, at
}

// holds tells whether a folded term stands in a row, or begins there and ends
// in the next one.
func holds(rows *text.List[row], at int, term string) bool {
	s := rows.At(at).searched()
	if s == "" || strings.Contains(s, term) {
		return s != ""
	}
	if at+1 == rows.Len() || rows.At(at+1).kind != rows.At(at).kind {
		return false
	}
	next := rows.At(at + 1).searched()
	return !strings.Contains(next, term) && (strings.Contains(s+" "+next, term) || strings.Contains(s+next, term))
}

// searched is what a row says, folded.
func (r *row) searched() string {
	return text.Fold(strings.TrimSpace(ansi.TruncateLeft(ansi.Strip(r.s), r.lead, "")))
}

// hidden is the text that a row stands for while that is folded.
func (t *turn) hidden(rows *text.List[row], at int) string {
	r := rows.At(at)
	switch {
	case r.folds && at > 0:
		return t.doc.Source()[rows.At(at-1).end:]
	case r.kind == rowThought && r.lead == 0 && (at+1 == rows.Len() || rows.At(at+1).kind != rowThought):
		return t.thought.Source()
	}
	return ""
}
