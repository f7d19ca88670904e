package ui

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/confab-tui/confab/ui/text"
)

// keySheet lists the actions with their keys, and gives an action another key:
// the next one that is pressed. The choice is kept for next time and lies over
// the config file.
type keySheet struct {
	picker
	found []keyed
	first int
	// asking is set while a key is waited for, taken when one was pressed that
	// means something already, and is to be pressed again.
	asking bool
	taken  string
	say    string
}

// keyed is an action in its area.
type keyed struct {
	a *area
	b *binding
}

func (r *root) openKeys(filter string) {
	if r.noScreen {
		r.say(toneQuiet, "there are no keys where lines are written; /help lists the commands")
		return
	}
	s := &keySheet{}
	s.filter.set(filter)
	s.refilter(r)
	r.sheet = s
}

func (s *keySheet) refilter(r *root) {
	s.found = s.found[:0]
	for _, a := range r.keys.all {
		for i := range a.bindings {
			if b := &a.bindings[i]; b.name != "" && s.matches(b.name+" "+a.helpOf(b)+" "+b.keys+" "+a.title) {
				s.found = append(s.found, keyed{a, b})
			}
		}
	}
	s.n = len(s.found)
	s.move(0)
}

const (
	keyNameWidth = 24
	keyKeysWidth = 28
)

func (s *keySheet) draw(r *root, w, h int) ([]string, *tea.Cursor) {
	th := r.th
	head, cursor := s.headLine(r, "Keys", "type to filter", w)
	lines := []string{spaces(w), head, spaces(w)}
	if s.asking {
		cursor = nil
	}
	s.first = len(lines)
	s.scroll(h - len(lines))
	for i := s.top; i < min(s.top+s.shown, s.n); i++ {
		lines = append(lines, s.keyLine(r, i, w))
	}
	if s.n == 0 {
		lines = append(lines, fit("  "+th.dim.draw("nothing matches"), w))
	}
	return lines, cursor
}

func (s *keySheet) keyLine(r *root, i, w int) string {
	th, k := r.th, s.found[i]
	name, keys := pen(""), th.accent.draw(fit(text.Truncate(k.b.keys, keyKeysWidth-2, th.mark.ellipsis), keyKeysWidth))
	switch {
	case i == s.at && s.asking && s.say != "":
		name, keys = th.accentStrong, th.warn.draw(text.Truncate(s.say, w-6-keyNameWidth, th.mark.ellipsis))
		return fit(th.choiceMark(true)+"  "+name.draw(fit(k.b.name, keyNameWidth))+keys, w)
	case i == s.at && s.asking:
		keys = th.warn.draw(fit("press its key", keyKeysWidth))
	case k.b.keys == "":
		keys = th.dim.draw(fit("(no key)", keyKeysWidth))
	}
	if i == s.at {
		name = th.accentStrong
	}
	help := k.a.helpOf(k.b)
	if _, own := r.ownKeys[k.b.name]; own {
		help = "yours  " + help
	}
	return fit(th.choiceMark(i == s.at)+"  "+name.draw(fit(k.b.name, keyNameWidth))+keys+th.dim.draw(text.Truncate(help, max(w-6-keyNameWidth-keyKeysWidth, 0), th.mark.ellipsis)), w)
}

func (s *keySheet) key(r *root, key string, k tea.KeyPressMsg) (bool, tea.Cmd) {
	if s.asking {
		s.press(r, key)
		return true, nil
	}
	switch {
	case key == "enter" && s.at < s.n:
		s.asking, s.taken, s.say = true, "", ""
		return true, nil
	case key == "ctrl+d" && s.at < s.n:
		delete(r.ownKeys, s.found[s.at].b.name)
		r.buildKeys()
		s.refilter(r)
		return true, nil
	}
	done, filtered, cmd := s.picker.key(r, key, k)
	if filtered {
		s.refilter(r)
	}
	return done, cmd
}

// press takes the key for the chosen action. One that means something else must
// be pressed twice, and is taken away there.
func (s *keySheet) press(r *root, key string) {
	c := s.found[s.at]
	name, was := c.b.name, s.taken
	s.taken = ""
	if key == "esc" && name != "stop" {
		s.asking = false
		return
	}
	keys, fault := c.a.keysOf(name, []string{key})
	if fault != "" {
		s.say = fault
		return
	}
	others := r.keys.holders(keys[0], c)
	if what := meansAlso(keys[0], others); what != "" && was != key {
		s.taken, s.say = key, fmt.Sprintf("%s %s: once more takes it", key, what)
		return
	}
	for _, o := range others {
		r.ownKeys[o.b.name] = slices.DeleteFunc(strings.Fields(o.b.keys), func(k string) bool { return k == keys[0] })
	}
	r.ownKeys[name] = keys
	r.buildKeys()
	s.asking = false
	s.refilter(r)
	r.say(toneQuiet, fmt.Sprintf("%s is %s now, also next time; in the config file: [keys] %s = %q", name, keys[0], quoteKey(name), keys[0]))
}

// quoteKey is how a name stands in the config file.
func quoteKey(name string) string {
	if strings.Contains(name, ".") {
		return `"` + name + `"`
	}
	return name
}

// meansAlso says what a key does already, empty where it does nothing.
func meansAlso(key string, others []keyed) string {
	var names []string
	for _, o := range others {
		names = append(names, o.b.name)
	}
	if _, moves := movements[key]; moves && len(names) == 0 {
		return "moves the cursor where you write"
	}
	if len(names) == 0 {
		return ""
	}
	return "is " + strings.Join(names, " and ")
}

// holders are the other actions to which a key leads where c would hold too.
func (m *keymap) holders(key string, c keyed) []keyed {
	var out []keyed
	for _, a := range m.all {
		if a != c.a && !a.everywhere && !c.a.everywhere {
			continue
		}
		for i := range a.bindings {
			if b := &a.bindings[i]; b.do != c.b.do && slices.Contains(strings.Fields(b.keys), key) {
				out = append(out, keyed{a, b})
			}
		}
	}
	return out
}

// buildKeys makes the keys anew: those of the config file, with what was chosen
// in the program over them. It returns what is wrong with them.
func (r *root) buildKeys() []KeyFault {
	given := maps.Clone(r.options.Keys)
	if given == nil {
		given = map[string][]string{}
	}
	maps.Copy(given, r.ownKeys)
	var faults []KeyFault
	r.keys, faults = newKeymap(given)
	r.th.keys = r.keys
	r.th.build()
	return faults
}

func (s *keySheet) paste(t string) { s.picker.paste(t) }

func (s *keySheet) hints() []string {
	if s.asking {
		return []string{"press the key", "esc leaves it"}
	}
	return []string{"enter another key", "ctrl+d as before", "esc back"}
}

func (s *keySheet) click(r *root, _, y int) tea.Cmd {
	if i := s.top + y - s.first; y >= s.first && i < s.n && !s.asking {
		s.at = i
	}
	return nil
}

func (s *keySheet) wheel(_ *root, n int) {
	if !s.asking {
		s.move(n)
	}
}
