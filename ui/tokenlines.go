package ui

import (
	"slices"
	"strings"

	"github.com/confab-tui/confab/ui/text"
)

// tokenLine is a line of tokens: pieces of them, where a token spans lines.
type tokenLine struct{ pieces []tokenPiece }

// tokensSet is what lines were set for.
type tokensSet struct {
	width, count, bytes int
	thinking            bool
}

type tokenPiece struct {
	token int
	text  string
	x, w  int
}

// set breaks the tokens into lines of w cells, between words where it can.
func (s *tokenSheet) set(w int) {
	src := s.t.doc.Source()
	if s.thinking {
		src = s.t.thought.Source()
	}
	now := tokensSet{width: w, count: s.t.answer.tokens.Len(), bytes: len(src), thinking: s.thinking}
	if s.lines != nil && now == s.was {
		return
	}
	s.was = now
	s.lines = append(s.lines[:0], tokenLine{})
	for i, tok := range s.t.answer.tokens.All() {
		if tok.thinking != s.thinking || tok.end > len(src) {
			continue
		}
		for n, part := range strings.Split(src[tok.start:tok.end], "\n") {
			if n > 0 {
				s.lines = append(s.lines, tokenLine{})
			}
			if part != "" || n == 0 {
				part = text.Truncate(strings.ReplaceAll(part, "\t", "    "), w, "")
				s.put(tokenPiece{token: i, text: part, w: text.Width(part)}, w)
			}
		}
	}
}

// put sets a piece behind the last one; where it has no room, the word that it is
// part of begins the next line.
func (s *tokenSheet) put(p tokenPiece, w int) {
	line := &s.lines[len(s.lines)-1]
	if n := len(line.pieces); n > 0 {
		p.x = line.pieces[n-1].x + line.pieces[n-1].w
	}
	line.pieces = append(line.pieces, p)
	if p.x+p.w <= w || p.x == 0 {
		return
	}
	cut := len(line.pieces) - 1
	for cut > 0 && !strings.HasPrefix(line.pieces[cut].text, " ") {
		cut--
	}
	if cut == 0 || p.x+p.w-line.pieces[cut].x-1 > w { // a word that is longer than a line
		cut = len(line.pieces) - 1
	}
	rest := slices.Clone(line.pieces[cut:])
	line.pieces = line.pieces[:cut]
	rest[0].text = strings.TrimLeft(rest[0].text, " ")
	rest[0].w = text.Width(rest[0].text)
	x := 0
	for i := range rest {
		rest[i].x = x
		x += rest[i].w
	}
	s.lines = append(s.lines, tokenLine{rest})
}

func (s *tokenSheet) drawLine(th *theme, l *tokenLine) string {
	var b strings.Builder
	from, to, passage := s.passage()
	for i := range l.pieces {
		p := &l.pieces[i]
		pn := th.shade(s.t.answer.tokens.At(p.token).likely())
		if p.token == s.at || passage && p.token >= from && p.token < to {
			pn = th.selected
		}
		shown := p.text
		if shown == "" && p.token == s.at {
			shown = th.mark.empty
		}
		b.WriteString(pn.draw(shown))
	}
	return b.String()
}

func (s *tokenSheet) lineOf(token int) int {
	for y := range s.lines {
		for i := range s.lines[y].pieces {
			if s.lines[y].pieces[i].token == token {
				return y
			}
		}
	}
	return 0
}
