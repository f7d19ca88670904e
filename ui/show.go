package ui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/confab-tui/confab/engine/chat"
	"github.com/confab-tui/confab/ui/text"
)

// renderer is an engine that shows the prompt which a conversation becomes.
type renderer interface {
	Render(msgs []chat.Message, think *bool) (string, []int32, error)
}

// showCommand is /show: what the model is, what it is told, and the very prompt.
func (r *root) showCommand(arg string) tea.Cmd {
	switch arg {
	case "", "info":
		return r.showInfo()
	case "parameters", "knobs":
		if r.noScreen {
			r.say(toneQuiet, r.knobWords())
			return nil
		}
		r.panel.open, r.focus = true, focusPanel
		return nil
	case "system":
		return r.do(doSystem)
	case "prompt", "template":
		return r.showPrompt()
	}
	if why := elsewhere["show "+arg]; why != "" {
		r.say(toneWarn, why)
		return nil
	}
	return r.fail("write /show info, parameters, system or prompt")
}

func (r *root) showInfo() tea.Cmd {
	if r.back().engine == nil {
		return r.fail("no model is open")
	}
	i := &r.back().info
	name := i.Path
	if name == "" {
		name = "inside this program"
	}
	r.say(toneQuiet, text.Clean(fmt.Sprintf("%s, %s %s, %s parameters, %s\ncontext %s, trained for %s, template %s\n%s, %s",
		i.Name, i.Arch, i.Quant, group(int(i.Params)), name, group(i.Context), group(i.TrainedContext), orNone(i.TemplateID),
		i.Backend, size(r.back().bytes()))))
	return nil
}

// knobWords are the knobs of the focused chat, and where each value comes from.
func (r *root) knobWords() string {
	var out []string
	for k := range knobCount {
		v, from := r.pane().conv.layers.get(r.base(), k)
		out = append(out, fmt.Sprintf("%s %s, by %s", knobs[k].label, knobs[k].write(v), r.base().origin(k, from)))
	}
	return strings.Join(out, "\n")
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

// showPrompt asks the engine for the prompt of the focused chat.
func (r *root) showPrompt() tea.Cmd {
	e, ok := r.back().engine.(renderer)
	c := r.pane().conv
	if !ok || len(c.turns) == 0 {
		return r.fail("there is no prompt yet: it is what the messages of a chat become")
	}
	msgs, think := c.messages(c.chat.Leaf()), c.think
	return func() tea.Msg {
		prompt, ids, err := e.Render(msgs, think)
		return promptMsg{prompt, len(ids), err}
	}
}

// promptMsg is a conversation as the model gets it.
type promptMsg struct {
	prompt string
	tokens int
	err    error
}

func (m promptMsg) apply(r *root) tea.Cmd {
	if m.err != nil {
		r.say(toneBad, text.CleanLine(m.err.Error()))
		return nil
	}
	r.sheet = &promptSheet{source: text.Clean(m.prompt), tokens: m.tokens}
	return nil
}

// promptSheet shows the prompt, control tokens spelled out.
type promptSheet struct {
	source            string
	tokens            int
	top, lines, shown int
}

func (s *promptSheet) draw(r *root, w, h int) ([]string, *tea.Cursor) {
	th := r.th
	out := []string{spaces(w), fit("  "+th.strong.draw("Prompt")+th.dim.draw("  what the model is given, "+plural(s.tokens, "token", "tokens")), w), spaces(w)}
	all := text.WrapLines(strings.TrimRight(s.source, "\n"), r.column(w-2*gutter))
	s.lines, s.shown = len(all), max(h-len(out), 1)
	s.wheel(r, 0)
	for _, l := range all[s.top:min(s.top+s.shown, len(all))] {
		out = append(out, fit("  "+l.Text, w))
	}
	return out, nil
}

func (s *promptSheet) key(r *root, key string, _ tea.KeyPressMsg) (bool, tea.Cmd) {
	switch key {
	case "j", "down":
		s.wheel(r, 1)
	case "k", "up":
		s.wheel(r, -1)
	case "space", "pgdown", "d":
		s.wheel(r, s.shown-2)
	case "pgup", "u":
		s.wheel(r, 2-s.shown)
	case "y":
		return true, r.copy(s.source, "the prompt")
	default:
		return false, nil
	}
	return true, nil
}

func (s *promptSheet) hints() []string { return []string{"j k scroll", "y copy", "esc back"} }

func (s *promptSheet) click(*root, int, int) tea.Cmd { return nil }
func (s *promptSheet) wheel(_ *root, n int)          { s.top = max(min(s.top+n, s.lines-s.shown), 0) }
