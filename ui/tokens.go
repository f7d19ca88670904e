package ui

import (
	"fmt"
	"math"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/confab-tui/confab/engine/chat"
	"github.com/confab-tui/confab/ui/text"
)

// tokenSheet shows an answer token by token, shaded by how likely each was, with
// the alternatives of the token under the cursor; one of them can be taken, and
// the answer goes on from there.
type tokenSheet struct {
	p  *pane
	t  *turn
	at int // the token under the cursor
	// alt is the chosen alternative.
	alt      int
	thinking bool // the tokens of the thinking are shown instead of the text's
	// from is the other end of a passage that is measured by itself, -1 for none.
	from  int
	top   int
	lines []tokenLine
	was   tokensSet
}

const tokenSide = 42 // cells for the alternatives

func (r *root) openTokens() {
	p := r.pane()
	t := p.view.current()
	for i := len(p.conv.turns) - 1; i >= 0 && (t == nil || t.answer == nil); i-- {
		t = p.conv.turns[i]
	}
	if p.conv.lastOf(chat.Assistant) == nil {
		r.say(toneQuiet, "there is no answer yet whose tokens could be shown")
		return
	}
	if t.recall(); t.answer == nil || t.answer.tokens.Len() == 0 {
		r.say(toneQuiet, "the odds of this answer are not known: confab did not write it, or an older one did")
		return
	}
	s := &tokenSheet{p: p, t: t, at: t.answer.tokens.Len() - 1, from: -1}
	s.alt = s.taken(s.at)
	s.thinking = t.answer.tokens.At(s.at).thinking
	r.sheet = s
}

func (s *tokenSheet) draw(r *root, w, h int) ([]string, *tea.Cursor) {
	th := r.th
	side := tokenSide
	left := min(w-side-5, measure)
	s.set(left - gutter)
	lines := []string{spaces(w), s.head(r, w), spaces(w)}
	room := h - len(lines) - 2
	y := s.lineOf(s.at)
	s.top = min(s.top, y)
	if y >= s.top+room {
		s.top = y - room + 1
	}
	right := s.alternatives(r, side)
	for i := 0; i < room; i++ {
		l := ""
		if s.top+i < len(s.lines) {
			l = s.drawLine(th, &s.lines[s.top+i])
		}
		a := ""
		if i < len(right) {
			a = right[i]
		}
		lines = append(lines, fit(spaces(gutter)+fit(l, left-gutter)+"   "+a, w))
	}
	return append(lines, spaces(w), fit("  "+s.legend(th), w)), nil
}

func (s *tokenSheet) head(r *root, w int) string {
	th := r.th
	a := s.t.answer
	dot := " " + th.mark.dot + " "
	line := "  " + th.strong.draw("Tokens") + th.dim.draw(fmt.Sprintf("  %s%sperplexity %.2f%sseed %d",
		plural(a.tokens.Len(), "token", "tokens"), dot, perplexity(&a.tokens, 0, a.tokens.Len()), dot, a.seed))
	if from, to, ok := s.passage(); ok {
		line += th.dim.draw(dot) + th.accent.draw(fmt.Sprintf("%.2f in this passage of %s", perplexity(&a.tokens, from, to), group(to-from)))
	}
	return fit(line, w)
}

// passage are the tokens from..to that are measured by themselves.
func (s *tokenSheet) passage() (from, to int, ok bool) {
	return min(s.from, s.at), max(s.from, s.at) + 1, s.from >= 0
}

// perplexity is how surprised the model was by its tokens from..to, on average.
func perplexity(tokens *text.List[token], from, to int) float64 {
	sum := 0.0
	for i := from; i < to; i++ {
		sum -= float64(tokens.At(i).logProb)
	}
	return math.Exp(sum / float64(max(to-from, 1)))
}

// likely is a token's probability under the model, before any knob.
func (t *token) likely() float64 { return math.Exp(float64(t.logProb)) }

// shade is how a token of some probability is set: plain where it was likely.
// Underlines stand with the colours, which never carry the meaning alone.
func (t *theme) shade(p float64) pen {
	switch {
	case p >= 0.5:
		return ""
	case p >= 0.1:
		return t.likelyPen
	}
	return t.unlikelyPen
}

func (s *tokenSheet) legend(th *theme) string {
	return th.dim.draw("plain: over 50 %   ") + th.likelyPen.draw("under 50 %") + th.dim.draw("   ") + th.unlikelyPen.draw("under 10 %")
}

// alternatives lists what else could have stood there.
func (s *tokenSheet) alternatives(r *root, w int) []string {
	th := r.th
	tok := s.t.answer.tokens.At(s.at)
	out := []string{th.dim.draw(fit(fmt.Sprintf("token %d of %d", s.at+1, s.t.answer.tokens.Len()), w)), ""}
	for i, a := range s.t.answer.others.of(tok) {
		p := math.Exp(float64(a.LogProb))
		pn, bar := pen(""), th.dim
		if a.ID == tok.id {
			pn, bar = th.accent, th.accent
		}
		if i == s.alt {
			pn = th.accentStrong
		}
		name := fit(text.Truncate(shownToken(a.Text), 13, th.mark.ellipsis), 14)
		fill, rest := th.thickBar(p, w-14-2-9)
		out = append(out, th.choiceMark(i == s.alt)+pn.draw(name)+bar.draw(fill)+spaces(rest)+th.dim.draw(right(percent(float32(p)), 9)))
	}
	if !s.listed(tok) {
		out = append(out, "  "+th.accent.draw(fit(text.Truncate(shownToken(s.pieceOf(tok)), 13, th.mark.ellipsis), w-2-9))+th.dim.draw(right(percent(float32(tok.likely())), 9)))
	}
	out = append(out, "", th.dim.draw(fit("  with the knobs it was drawn at "+strings.TrimSpace(percent(tok.prob)), w)))
	if before, after := s.t.answer.around(s.t.answer.lead + s.at); len(changed(before, after)) > 0 {
		for _, k := range changed(before, after) {
			out = append(out, "", th.accent.draw(fmt.Sprintf("%s %s → %s", knobs[k].label, knobs[k].write(knobs[k].get(&before)), knobs[k].write(knobs[k].get(&after)))))
		}
	}
	return out
}

func (s *tokenSheet) listed(tok *token) bool {
	for _, a := range s.t.answer.others.of(tok) {
		if a.ID == tok.id {
			return true
		}
	}
	return false
}

func (s *tokenSheet) pieceOf(tok *token) string {
	src := s.t.doc.Source()
	if tok.thinking {
		src = s.t.thought.Source()
	}
	return src[tok.start:min(tok.end, len(src))]
}

// around are the settings before and at a token.
func (a *answer) around(n int) (before, after settings) {
	before, after = a.start, a.start
	for i := range a.changes {
		if a.changes[i].Index < n {
			before.Sampling = a.changes[i].Sampling
		}
		if a.changes[i].Index <= n {
			after.Sampling = a.changes[i].Sampling
		}
	}
	return before, after
}

// branch takes the chosen alternative in place of the token and goes on from
// there, as a new version of the answer.
func (s *tokenSheet) branch(r *root) tea.Cmd {
	tok := s.t.answer.tokens.At(s.at)
	alts := s.t.answer.others.of(tok)
	if s.alt >= len(alts) || !r.ready(s.p) {
		return nil
	}
	n := s.t.answer.lead + s.at // its place in the message
	if len(s.t.m.Tokens) <= n || tok.thinking {
		r.say(toneWarn, "only the tokens of a finished answer's text can be replaced")
		return nil
	}
	alt := &alts[s.alt]
	m := s.t.m.Message
	m.Role = chat.Assistant
	m.Content = s.t.doc.Source()[:tok.start] + alt.Text
	m.Tokens = append(append([]int32(nil), m.Tokens[:n]...), alt.ID)
	m.ToolCalls, m.Unfinished = nil, true
	old := s.t.answer
	s.p.conv.chat.Add(s.t.m.Parent, m)
	s.p.conv.walk()
	t := s.p.conv.last()
	t.answer = old.until(s.at)
	t.answer.given = n + 1
	t.answer.tokens.Add(token{
		id: alt.ID, logProb: alt.LogProb, prob: alt.Prob, start: tok.start, end: t.doc.Len(), alts: t.answer.others.add(alts),
	})
	r.sheet = nil
	return r.goOn(s.p, t)
}

// until is the record up to the nth of the tokens that have one.
func (a *answer) until(n int) *answer {
	b := *a
	b.tokens, b.others = text.List[token]{}, candidates{}
	for i := range n {
		t := *a.tokens.At(i)
		t.alts = b.others.add(a.others.of(&t))
		b.tokens.Add(t)
	}
	b.changes = nil
	for _, c := range a.changes {
		if c.Index < a.lead+n {
			b.changes = append(b.changes, c)
		}
	}
	b.rate = rate{}
	return &b
}

func (s *tokenSheet) hints() []string {
	return []string{"left right token", "up down other", "enter branches there", "n unlikely", "v passage", "esc back"}
}
