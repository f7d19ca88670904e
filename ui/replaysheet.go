package ui

import (
	"fmt"
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"github.com/confab-tui/confab/engine"
	"github.com/confab-tui/confab/ui/text"
)

// replaySheet shows how a replay goes: the text up to where it differs, both ways
// from there on, and what the answer was made with then and now.
type replaySheet struct{ y *replay }

const (
	replayName = 12 // cells for what a line is about
	replayTail = 4  // lines of text before a difference
)

func (s *replaySheet) draw(r *root, w, h int) ([]string, *tea.Cursor) {
	th, y := r.th, s.y
	line := func(l string) string { return fit("  "+l, w) }
	dot := " " + th.mark.dot + " "
	a := &y.then
	head := th.strong.draw("Replay") + th.dim.draw("  of the answer by "+a.model+dot+fmt.Sprintf("seed %d", a.seed)+dot+plural(len(a.changes), "change", "changes")+" of the knobs")
	lines := []string{spaces(w), line(head), spaces(w), line(s.verdict(r)), spaces(w)}
	table := s.table(r, w)
	room := h - len(lines) - len(table) - 1
	body := s.body(th, r.column(w-2*gutter), max(room, 1))
	for _, l := range body {
		lines = append(lines, line(l))
	}
	lines = append(lines, spaces(w))
	return append(lines, table...), nil
}

func (s *replaySheet) verdict(r *root) string {
	th, y := r.th, s.y
	v, t := y.verdict()
	switch {
	case y.running():
		share := float64(y.came) / float64(max(len(y.want), 1))
		if y.now.state == engine.StateWaiting {
			v = "waiting for " + plural(y.now.counts.WaitingFor, "cell", "cells")
		}
		return th.meter(share, 16) + "  " + th.dim.draw(v)
	case y.matches():
		return th.good.draw(th.mark.unread+" same text") + th.dim.draw(strings.TrimPrefix(v, "same text"))
	}
	return [...]pen{th.dim, th.warn, th.bad}[t].draw(v)
}

// body is the text: all of it where it is the same, else both ends.
func (s *replaySheet) body(th *theme, w, room int) []string {
	y := s.y
	then, now := y.t.doc.Source(), y.t.givenText()+y.said.Source()
	if y.same < y.came && y.t.thought.Source() != y.thought.Source() && y.thought.Len() > 0 {
		then, now = y.t.thought.Source(), y.thought.Source()
	}
	if y.running() && y.same == y.came || y.matches() {
		return last(text.Wrap(now, w), room)
	}
	n := commonBytes(then, now)
	both := last(text.Wrap(then[:n], w), replayTail)
	pair := func(name string, s string, p pen) {
		for i, l := range first(text.Wrap(strings.TrimLeft(s, " \n"), w-replayName), max((room-replayTail-2)/2, 1)) {
			label := ""
			if i == 0 {
				label = name
			}
			both = append(both, th.dim.draw(fit(label, replayName))+p.draw(l))
		}
	}
	both = append(both, "")
	pair("then", ended(then[n:]), "")
	more := ""
	if y.now.reason == engine.ReasonLength { // no more tokens were asked for than there were
		more = th.mark.ellipsis
	}
	pair("now", ended(now[n:]+more), th.accent)
	return first(both, room)
}

// givenText is the text of the tokens that a person gave.
func (t *turn) givenText() string {
	if t.answer.given == 0 {
		return ""
	}
	return t.givenPart().Content
}

func ended(s string) string {
	if s == "" {
		return "(it ends here)"
	}
	return s
}

func last(l []string, n int) []string  { return l[max(len(l)-n, 0):] }
func first(l []string, n int) []string { return l[:min(max(n, 0), len(l))] }

// commonBytes is how far two texts are the same, to the beginning of the word in
// which they part.
func commonBytes(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	for n > 0 && n < len(a) && !utf8.RuneStart(a[n]) {
		n--
	}
	if n < len(a) || n < len(b) {
		if i := strings.LastIndexAny(a[:n], " \n"); i >= 0 {
			n = i
		}
	}
	return n
}

// table lists what the answer was made with, then and now.
func (s *replaySheet) table(r *root, w int) []string {
	th, y := r.th, s.y
	var out []string
	half := (min(w, measure) - replayName - 2*gutter) / 2
	out = append(out, fit("  "+th.dim.draw(fit("", replayName)+fit("then", half)+"now"), w))
	for _, f := range y.facts() {
		then, now := text.Truncate(text.CleanLine(f.then), half-2, th.mark.ellipsis), text.Truncate(text.CleanLine(f.now), half, th.mark.ellipsis)
		pn, shown := th.dim, th.dim.draw("the same")
		if f.unknown {
			then, shown = "not recorded", th.dim.draw(now)
		}
		if f.differs() {
			pn, shown = th.warn, th.warn.draw(now)
		}
		out = append(out, fit("  "+th.dim.draw(fit(f.name, replayName))+pn.draw(fit(then, half))+shown, w))
	}
	if y.end != nil && y.end.Err == nil && y.same < max(y.came, len(y.want)) && y.end.Reason != engine.ReasonCancel {
		out = append(out, spaces(w))
		for _, l := range text.Wrap("why: "+y.why(), r.column(w-2*gutter)) {
			out = append(out, fit("  "+th.warn.draw(l), w))
		}
	}
	return out
}

func (s *replaySheet) key(r *root, key string, _ tea.KeyPressMsg) (bool, tea.Cmd) {
	switch {
	case key == "esc" && s.y.running():
		s.y.stream.Cancel()
	case key == "enter" && !s.y.running() && !s.y.matches():
		s.keep(r)
	default:
		return false, nil
	}
	return true, nil
}

// keep makes the replay a version beside the answer.
func (s *replaySheet) keep(r *root) {
	y := s.y
	c := y.p.conv
	if c.running() || y.end.Err != nil || y.end.Message.Content == "" && y.end.Message.Thinking == "" {
		r.say(toneWarn, "there is nothing to keep now")
		return
	}
	y.now.tokens = text.List[token]{} // their places in the text are not known
	c.chat.BeginAnswer(y.t.m.Parent, y.now.facts()).Finish(y.end.Message, y.now.facts(), nil)
	c.walk()
	r.sheet = nil
	r.say(toneQuiet, "kept as another version")
}

func (s *replaySheet) hints() []string {
	switch {
	case s.y.running():
		return []string{"esc stop"}
	case !s.y.matches() && s.y.end.Err == nil:
		return []string{"enter keep as a version", "esc back"}
	}
	return []string{"esc back"}
}
