package ui

import (
	tea "charm.land/bubbletea/v2"
)

// knobUndoDepth is how many turns of a knob can be taken back.
const knobUndoDepth = 50

// panelKey is a key of a person who turns knobs.
func (r *root) panelKey(key string) tea.Cmd {
	if r.panel.typing {
		if r.entryKey(key) {
			return nil
		}
	}
	if len(key) == 1 && (key[0] >= '0' && key[0] <= '9' || key[0] == '.' || key[0] == '-' && knobs[r.panel.knob].min < 0) {
		r.panel.typing, r.panel.entry = true, key
		return nil
	}
	do, ok := r.keys.knobs.byKey[key]
	if !ok {
		if r.keys.writing.byKey[key] == doInterrupt {
			return r.do(doInterrupt)
		}
		r.noUse(key, r.keys.key(doHelp, r.keys.knobs)+" shows the keys that do")
		return nil
	}
	k := r.panel.knob
	kb := &knobs[k]
	switch do {
	case doKnobDown:
		r.panel.knob = (k + 1) % knobCount
	case doKnobUp:
		r.panel.knob = (k + knobCount - 1) % knobCount
	case doTurnLess:
		r.turn(k, -kb.step)
	case doTurnMore:
		r.turn(k, kb.step)
	case doTurnMuchLess:
		r.turn(k, -kb.coarse)
	case doTurnMuchMore:
		r.turn(k, kb.coarse)
	case doKnobReset:
		r.changeKnobs(func(l *layers) { l.reset(k) })
	case doKnobUndo:
		r.knobUndo()
	case doKnobEntry:
		if kb.toggle {
			r.toggleKnob(k)
		} else {
			r.panel.typing, r.panel.entry = true, ""
		}
	case doPresetModel, doPresetNeutral, doPresetPrecise, doPresetCreative:
		r.choosePreset(ownPresets[do-doPresetModel].name)
	default:
		return r.do(do)
	}
	return nil
}

// entryKey is a key while a number is typed; it reports false for keys that end
// the typing and mean something themselves.
func (r *root) entryKey(key string) bool {
	e := &r.panel.entry
	switch {
	case key == "enter":
		r.panel.typing = false
		if *e != "" {
			r.enterKnob(r.panel.knob, *e)
		}
		return true
	case key == "esc":
		r.panel.typing = false
		return true
	case key == "backspace":
		if len(*e) > 0 {
			*e = (*e)[:len(*e)-1]
		}
		return true
	case len(key) == 1 && (key[0] >= '0' && key[0] <= '9' || key == "." || key == "-" && *e == ""):
		if len(*e) < panelValue-1 || knobs[r.panel.knob].entry && len(*e) < 16 {
			*e += key
		}
		return true
	}
	r.panel.typing = false
	if *e != "" {
		r.enterKnob(r.panel.knob, *e)
	}
	return false
}

// enterKnob sets a knob to what was typed.
func (r *root) enterKnob(k knobIndex, s string) {
	v, err := knobs[k].parse(s)
	if err != nil {
		r.say(toneBad, err.Error())
		return
	}
	r.setKnob(k, v)
}

func (r *root) turn(k knobIndex, by float64) {
	if knobs[k].toggle {
		r.toggleKnob(k)
		return
	}
	v, _ := r.pane().conv.layers.get(r.base(), k)
	r.setKnob(k, v+by)
}

func (r *root) toggleKnob(k knobIndex) {
	v, _ := r.pane().conv.layers.get(r.base(), k)
	r.setKnob(k, 1-v)
}

// setKnob turns a knob of the focused chat; a running answer feels it with its
// very next token.
func (r *root) setKnob(k knobIndex, v float64) {
	c := r.pane().conv
	if now, _ := c.layers.get(r.base(), k); now == knobs[k].clamp(v) && c.layers.set[k] {
		return
	}
	r.changeKnobs(func(l *layers) { l.put(k, v, c.running()) })
}

func (r *root) choosePreset(name string) {
	p, _ := r.base().preset(name)
	r.changeKnobs(func(l *layers) { l.choose(p) })
}

func (r *root) changeKnobs(change func(*layers)) {
	c := r.pane().conv
	c.undo = append(c.undo, c.layers)
	if len(c.undo) > knobUndoDepth {
		c.undo = c.undo[1:]
	}
	change(&c.layers)
	c.tune(r.base())
}

func (r *root) knobUndo() {
	c := r.pane().conv
	if n := len(c.undo); n > 0 {
		c.layers = c.undo[n-1]
		c.undo = c.undo[:n-1]
		c.tune(r.base())
	} else {
		r.say(toneQuiet, "there is no turn of a knob to take back")
	}
}
