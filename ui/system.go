package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
)

// systemSheet edits the system prompt of the focused chat.
type systemSheet struct {
	e     editor
	width int
}

func newSystem(r *root) *systemSheet {
	s := &systemSheet{}
	s.e.set(r.pane().conv.chat.System)
	return s
}

func (s *systemSheet) draw(r *root, w, h int) ([]string, *tea.Cursor) {
	th := r.th
	s.width = min(w-4, measure)
	lines := []string{spaces(w),
		fit("  "+th.strong.draw("System prompt")+th.dim.draw(r.ofPanes()+"  what the model is told before the chat; holds from the next answer on"), w), spaces(w)}
	rows := s.e.rows(s.width)
	y, x := s.e.locate(rows)
	show := max(min(h-len(lines), len(rows)), 1)
	top := min(max(y-show+1, 0), len(rows)-show)
	cursor := tea.NewCursor(min(2+x, w-1), len(lines)+y-top)
	cursor.Shape, cursor.Blink = tea.CursorBar, false
	for i := top; i < top+show; i++ {
		lines = append(lines, fit("  "+s.e.draw(rows[i], th.accent, th.selected), w))
	}
	return lines, cursor
}

func (s *systemSheet) key(r *root, key string, k tea.KeyPressMsg) (bool, tea.Cmd) {
	switch key {
	case "ctrl+s", "ctrl+y":
		r.setSystem(strings.TrimSpace(s.e.value()))
		r.sheet = nil
	case "enter", "ctrl+j", "shift+enter", "alt+enter":
		s.e.insert("\n")
	case "up":
		s.e.vertical(-1, s.width)
	case "down":
		s.e.vertical(1, s.width)
	case "shift+up":
		s.e.selectRows(-1, s.width)
	case "shift+down":
		s.e.selectRows(1, s.width)
	default:
		return r.editKey(&s.e, key, k)
	}
	return true, nil
}

func (s *systemSheet) paste(text string) { s.e.insert(text) }

func (s *systemSheet) hints() []string {
	return []string{"ctrl+s save", "esc leave as it was"}
}

// setSystem changes the system prompt of the chats that are written to.
func (r *root) setSystem(prompt string) {
	for _, p := range r.targets() {
		p.conv.chat.SetSystem(prompt)
		p.conv.walk()
	}
	if prompt == "" {
		r.say(toneQuiet, "no system prompt"+r.ofPanes()+" any more")
		return
	}
	r.say(toneQuiet, "the system prompt"+r.ofPanes()+" holds from the next answer on")
}

// ofPanes says whose system prompt it is where a tab has several chats.
func (r *root) ofPanes() string {
	switch n := len(r.targets()); {
	case n > 1:
		return " of all " + plural(n, "pane", "panes")
	case len(r.tab().panes) > 1:
		return " of pane " + group(r.tab().focus+1)
	}
	return ""
}

// renameSheet asks for a title.
type renameSheet struct{ e editor }

func newRename(r *root) *renameSheet {
	s := &renameSheet{}
	s.e.set(r.pane().conv.chat.Title)
	return s
}

func (s *renameSheet) line() (string, *editor) { return "title", &s.e }

func (s *renameSheet) draw(*root, int, int) ([]string, *tea.Cursor) { return nil, nil }

func (s *renameSheet) key(r *root, key string, k tea.KeyPressMsg) (bool, tea.Cmd) {
	if key == "enter" {
		r.rename(s.e.value())
		r.sheet = nil
		return true, nil
	}
	return r.editKey(&s.e, key, k)
}

func (s *renameSheet) paste(text string) { s.e.insert(strings.ReplaceAll(text, "\n", " ")) }

func (s *renameSheet) hints() []string { return []string{"enter rename", "esc leave it"} }

func (r *root) rename(title string) {
	if title = strings.Join(strings.Fields(title), " "); title != "" {
		r.pane().conv.chat.SetTitle(title)
	}
}
