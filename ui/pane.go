package ui

import (
	"fmt"
	"strings"

	"github.com/confab-tui/confab/engine"
	"github.com/confab-tui/confab/ui/store"
	"github.com/confab-tui/confab/ui/text"
)

// pane is one chat on the screen: its text and what is being written to it.
type pane struct {
	conv *conversation
	// model is the chat's, see root.backOf; before is the one to go back to while it
	// is being opened.
	model, before *backend
	view          transcript
	input         editor
	// editing is the message whose new version is in the input, kept what stood
	// there before.
	editing *turn
	kept    editor
	// readFrom is what was in sight where an edit was begun in the text.
	readFrom *sight
	// recall is the place in the history of prompts, 0 for none.
	recall int
	code   int // the code block that the next copy takes
}

func newPane(c *store.Chat, th *theme) *pane {
	p := &pane{conv: newConversation(c), input: editor{col: -1}}
	p.view = transcript{c: p.conv, th: th, follow: true}
	p.input.set(c.Draft)
	return p
}

// tab is one or more panes side by side.
type tab struct {
	panes []*pane
	focus int
	// broadcast sends what is written to all panes.
	broadcast bool
	// compare marks the preset that shows the same prompt under several
	// temperatures.
	compare bool
	// diff marks the words in which the panes differ from the focused one.
	diff bool
}

// maxPanes is how many panes one screen holds.
const maxPanes = 6

func (t *tab) pane() *pane { return t.panes[t.focus] }

func (t *tab) title() string {
	s := text.CleanLine(t.pane().conv.chat.Title)
	if t.compare && len(t.panes) > 1 {
		if i := strings.LastIndex(s, titlePart); i >= 0 {
			s = s[:i]
		}
		return strings.TrimSuffix("compare"+titlePart+s, titlePart)
	}
	if s == "" {
		s = "new chat"
	}
	if n := len(t.panes); n > 1 {
		s += fmt.Sprintf(" +%d", n-1)
	}
	return s
}

// mark says what goes on in a tab: answering, waiting, unread, or idle.
func (t *tab) mark(active bool, m *marks) string {
	busy, waiting, unread := false, false, false
	for _, p := range t.panes {
		switch {
		case p.conv.state() == engine.StateWaiting:
			waiting = true
		case p.conv.running():
			busy = true
		}
		unread = unread || p.conv.unread
	}
	switch {
	case busy:
		return m.busy
	case waiting:
		return m.wait
	case unread || active:
		return m.unread
	}
	return m.idle
}

func (t *tab) unread() bool {
	for _, p := range t.panes {
		if p.conv.unread {
			return true
		}
	}
	return false
}

// mixed tells whether the panes have different models.
func (t *tab) mixed(r *root) bool {
	for _, p := range t.panes {
		if r.backOf(p) != r.backOf(t.panes[0]) {
			return true
		}
	}
	return false
}

// header gives the two lines above a pane's text where several stand side by
// side: its number and what tells it from the others, and how far it is.
func (p *pane) header(r *root, w, number, least int) (string, string) {
	th := r.th
	pn, num := th.dim, th.dim
	if number == r.tab().focus {
		pn, num = th.accentStrong, th.accentStrong
	}
	const margin = 4 // the cells before either line
	line := p.heading(r, w-margin)
	return fit(" "+num.draw(fmt.Sprint(number+1))+"  "+pn.draw(line), w), fit(spaces(margin)+p.progress(th, least), w)
}

// nameLeast is the fewest cells in which a name says something.
const nameLeast = 8

// heading is what tells a pane from the others, in w cells. Names are cut short. A seed
// is left out where it has no room: a part of one would be read as another.
func (p *pane) heading(r *root, w int) string {
	t, b := r.tab(), r.backOf(p)
	dot, ellipsis := " "+r.th.mark.dot+" ", r.th.mark.ellipsis
	model, title := "", ""
	if t.mixed(r) {
		model = text.Truncate(b.name(), modelShort, ellipsis)
	}
	if !t.compare {
		title = text.CleanLine(p.conv.chat.Title)
	}
	s := p.conv.layers.settings(&b.base)
	line, seed := fmt.Sprintf("T %.2f", s.Temperature), ""
	if a := p.lastAnswer(); a != nil {
		seed = fmt.Sprintf("%sseed %d", dot, a.seed)
	} else if s.Seed >= 0 {
		seed = fmt.Sprintf("%sseed %d", dot, s.Seed)
	}
	used := 0
	if model != "" {
		used = nameLeast + text.Width(dot)
	}
	if text.Width(line+seed)+used <= w {
		line += seed
	}
	for _, name := range []string{model, title} {
		if room := w - text.Width(line+dot); name != "" && room >= nameLeast {
			line = text.Truncate(name, room, ellipsis) + dot + line
		}
	}
	return line
}

func (p *pane) lastAnswer() *answer {
	for i := len(p.conv.turns) - 1; i >= 0; i-- {
		if a := p.conv.turns[i].answer; a != nil {
			return a
		}
	}
	return nil
}

// tempo is how many tokens an answer has and how fast they come, the shorter way in
// a pane of w cells that has not room for more.
func tempo(tokens int, rate float64, w int, dot string) string {
	s := fmt.Sprintf("%4d tok", tokens)
	switch {
	case rate <= 0:
		return s
	case w < roomyPane:
		return s + fmt.Sprintf(" %4.0f/s", rate)
	}
	return s + fmt.Sprintf("%s%6s tok/s", dot, perSecond(rate))
}

// roomyPane is the width from which a pane's header says everything.
const roomyPane = 32

// progress is how far the last answer is: "◐  31 tok · 60.1 tok/s".
func (p *pane) progress(th *theme, w int) string {
	a := p.lastAnswer()
	if a == nil {
		return th.dim.draw("empty")
	}
	dot := " " + th.mark.dot + " "
	switch {
	case a.running() && a.state == engine.StateWaiting:
		return th.warn.draw(th.mark.wait + " waiting for " + plural(a.counts.WaitingFor, "cell", "cells"))
	case a.running() && a.counts.Generated == 0:
		return th.accent.draw(th.mark.busy) + th.dim.draw(" reading")
	case a.running():
		return th.accent.draw(th.mark.busy) + th.dim.draw(" "+tempo(a.counts.Generated, a.now(), w, dot))
	}
	word := "done"
	switch a.reason {
	case engine.ReasonStop:
	case engine.ReasonError:
		return th.bad.draw("failed")
	case engine.ReasonLength, engine.ReasonContext:
		word = "full"
	default:
		word = "cut "
	}
	return th.dim.draw(word + " " + tempo(a.counts.Generated, a.now(), w, dot))
}
