package ui

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	tea "charm.land/bubbletea/v2"

	"github.com/confab-tui/confab/engine/chat"
	"github.com/confab-tui/confab/ui/text"
)

// numbered is a list of which a line is chosen by its number.
type numbered interface {
	sheet
	// ready tells that the list is complete.
	isReady() bool
	// count is how many lines can be chosen, choose takes one of them.
	count() int
	pick(r *root, i int) tea.Cmd
	// entry is line i in words.
	entry(r *root, i int) string
}

// speak says what has changed since it was last called.
func (p *plain) speak() {
	p.model()
	p.toast()
	p.answers()
	p.toast()
	p.view()
	if !p.quit && !p.prompted && p.turn == nil && !p.busy() {
		if p.mute {
			p.line("done.")
		}
		p.out.prompt("you: ")
		p.prompted = true
	}
}

// toast says what the program tells, but not in the middle of an answer.
func (p *plain) toast() {
	if r := p.r; p.turn == nil && r.toast.text != "" {
		p.line(r.toast.text)
		r.toast = toast{}
	}
}

// model says which model answers, that it is loaded, or why not.
func (p *plain) model() {
	b := p.r.back()
	now := ""
	switch {
	case b.err != "":
		now = "error: " + b.err
	case b.loading != 0:
		now = "loading the model"
	case b.engine != nil:
		now = text.CleanLine(b.info.Name) + " answers, on " + text.CleanLine(b.info.Backend) + "."
	}
	if now != p.told && now != "" {
		p.line(now)
	}
	p.told = now
}

// answers says what came of the focused chat's answer, and those of other panes
// once they are complete.
func (p *plain) answers() {
	focused := p.r.pane()
	if p.turn == nil {
		if t := focused.conv.last(); t != nil && t.m.Role == chat.Assistant && !p.spoken[t] {
			p.turn, p.said, p.thinking = t, 0, false
			if p.prompted {
				p.line("")
			}
			p.out.put(p.paneName(p.r.tab().focus, t) + ": ")
			p.mute = false
		}
	}
	if t := p.turn; t != nil {
		p.more(t)
		if t.running() {
			return
		}
		p.out.put("\n")
		p.ended(t)
		p.spoken[t], p.turn = true, nil
	}
	for i, pn := range p.r.tab().panes {
		if t := pn.conv.last(); t != nil && t.answer != nil && !t.running() && !p.spoken[t] {
			p.spoken[t] = true
			p.line(p.paneName(i, t) + ": " + t.plain())
			p.ended(t)
		}
	}
}

func (p *plain) name(t *turn) string {
	if t.m.Role != chat.Assistant {
		return "you"
	}
	return t.model()
}

// paneName is who speaks, and where several answer what tells them apart.
func (p *plain) paneName(i int, t *turn) string {
	tab := p.r.tab()
	if len(tab.panes) < 2 {
		return p.name(t)
	}
	s := fmt.Sprintf("pane %d, %s", i+1, p.name(t))
	if tab.compare && t.answer != nil {
		s += fmt.Sprintf(", temperature %.2f", t.answer.start.Temperature)
	}
	return s
}

// more says the text that came since.
func (p *plain) more(t *turn) {
	if t.thought.Len() > 0 && !p.thinking {
		p.thinking = true
		p.out.put("thinking.\n")
	}
	if s := t.doc.Source(); len(s) > p.said {
		p.out.put(s[p.said:])
		p.said = len(s)
	}
}

// ended says why an answer is not complete, in the words of the screen.
func (p *plain) ended(t *turn) {
	if t.answer == nil {
		return
	}
	pg := page{t: t, th: p.r.th, width: 400}
	pg.ended(t.answer)
	for _, r := range pg.rows.All() {
		if s := strings.TrimSpace(ansi.Strip(r.s)); s != "" {
			p.line("(" + s + ")")
		}
	}
}

// view says a view that was opened, and leaves it; of a list a line can be
// chosen next.
func (p *plain) view() {
	s := p.r.sheet
	if s == nil || !p.ready() {
		return
	}
	p.r.sheet = nil
	if list, ok := s.(numbered); ok {
		for i := range list.count() {
			p.line(fmt.Sprintf("%d. %s", i+1, list.entry(p.r, i)))
		}
		if list.count() == 0 {
			p.line("the list is empty.")
			return
		}
		p.line("a number chooses one; anything else leaves the list.")
		p.sheet = s
		return
	}
	if _, ok := s.(*helpSheet); ok { // there are no keys here
		for i := range commands {
			p.line(strings.TrimSpace("/"+commands[i].name+" "+commands[i].args) + ": " + commands[i].help)
		}
		p.line("/transcript: the whole chat from its beginning")
		return
	}
	if _, ok := s.(writable); ok {
		p.line("write it behind the command, for example /rename TITLE or /system TEXT.")
		return
	}
	if tokens, ok := s.(*tokenSheet); ok {
		for _, l := range tokens.spoken() {
			p.line(l)
		}
		return
	}
	lines, _ := s.draw(p.r, plainWhole, 1<<20)
	for _, l := range lines {
		if l = legible(ansi.Strip(l), &p.r.th.mark); l != "" {
			p.line(l)
		}
	}
}

// ready tells that all of a view can be said.
func (p *plain) ready() bool {
	switch s := p.r.sheet.(type) {
	case numbered:
		return s.isReady()
	case *replaySheet:
		return !s.y.running()
	}
	return true
}

// legible leaves out of a drawn line what is only to be looked at: bars, rules
// and maps.
func legible(s string, m *marks) string {
	pictures := m.bar + m.empty + m.shades[0] + m.shades[1] + m.rule + m.fill + m.track + m.divider + strings.Join(m.eighths, "")
	var out []string
	for _, word := range strings.Fields(s) {
		if len(word) > 2 && strings.Trim(word, pictures) == "" {
			continue
		}
		out = append(out, word)
	}
	return strings.Join(out, " ")
}

// choose takes a line of a list by its number.
func (p *plain) choose(list numbered, s string) bool {
	n, err := strconv.Atoi(strings.TrimSpace(s))
	if err != nil {
		return false
	}
	if n < 1 || n > list.count() {
		p.line(fmt.Sprintf("there is no line %d; there are %d.", n, list.count()))
		return true
	}
	p.sheet = nil
	p.begin(list.pick(p.r, n-1))
	return true
}

// transcript says the chat from its beginning.
func (p *plain) transcript() {
	turns := p.r.pane().conv.turns
	for _, t := range turns {
		p.line(p.name(t) + ": " + t.plain())
	}
	if len(turns) == 0 {
		p.line("the chat is empty.")
	}
}
