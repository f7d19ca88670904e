package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
)

// movements are the keys that move the cursor, and the byte to which; with shift
// they select.
var movements = map[string]func(*editor) int{
	"left": (*editor).left, "ctrl+b": (*editor).left,
	"right": (*editor).right, "ctrl+f": (*editor).right,
	"ctrl+left": (*editor).wordLeft, "alt+left": (*editor).wordLeft, "alt+b": (*editor).wordLeft,
	"ctrl+right": (*editor).wordRight, "alt+right": (*editor).wordRight, "alt+f": (*editor).wordRight,
	"home": (*editor).lineStart, "end": (*editor).lineEnd, "ctrl+e": (*editor).lineEnd,
	"ctrl+home": func(*editor) int { return 0 },
	"ctrl+end":  func(e *editor) int { return len(e.s) },
}

// editKey moves the cursor or changes the text; it reports false for keys that
// do neither.
func (r *root) editKey(e *editor, key string, k tea.KeyPressMsg) (bool, tea.Cmd) {
	if to, ok := movements[key]; ok {
		from, end := e.selection()
		switch {
		case from < end && key == "left":
			e.goTo(from)
		case from < end && key == "right":
			e.goTo(end)
		default:
			e.goTo(to(e))
		}
		return true, nil
	}
	if to, ok := movements[strings.Replace(key, "shift+", "", 1)]; ok {
		e.selecting(func() { e.goTo(to(e)) })
		return true, nil
	}
	switch key {
	case "ctrl+x", "shift+delete", "ctrl+c", "ctrl+v":
		return r.clipKey(e, key)
	case "ctrl+a":
		e.home()
	case "backspace", "ctrl+h", "shift+backspace":
		e.backspace()
	case "delete":
		e.delete()
	case "ctrl+w", "alt+backspace", "ctrl+backspace":
		e.wordBack()
		r.wordGone = key == "ctrl+w"
	case "alt+d", "ctrl+delete", "alt+delete":
		e.wordAhead()
	case "ctrl+u":
		e.killToStart()
	case "ctrl+_", "ctrl+-":
		e.undo()
	default:
		if k.Text == "" || k.Mod&^tea.ModShift != 0 && k.Mod&tea.ModAlt != 0 {
			return false, nil
		}
		e.insert(k.Text)
	}
	return true, nil
}

// clipKey cuts, copies and pastes. What the terminal does not give back is there
// still: what was copied last in this program.
func (r *root) clipKey(e *editor, key string) (bool, tea.Cmd) {
	if key == "ctrl+v" {
		if r.copied == "" {
			r.say(toneQuiet, "nothing was copied here yet; your terminal's own key pastes from elsewhere")
			return true, nil
		}
		return true, r.onPaste(r.copied)
	}
	s := e.selected()
	switch {
	case s == "" && key == "ctrl+x":
		r.say(toneQuiet, "nothing is selected "+r.th.mark.dot+" shift and the arrows select")
		return true, nil
	case s == "":
		return false, nil
	}
	if key == "ctrl+c" {
		return true, r.copy(s, "the selection")
	}
	e.delete()
	return true, r.copy(s, "what was cut")
}
