package ui

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// keymap is the keys in force: those of the tables, with what the config file
// says instead.
type keymap struct {
	writing, reading, selecting, knobs *area
	// all are in the order of the help.
	all []*area
	// words are how actions are asked for where there are no keys, nil where there are.
	words map[action]string
}

// KeyFault is what is wrong with the keys of a config file.
type KeyFault struct {
	Action  string // as the file has it
	Problem string
}

func (f KeyFault) String() string { return "keys: " + f.Problem }

// CheckKeys tells what is wrong with keys given by the names of actions: unknown
// actions, what is no key, and keys that would mean two things.
func CheckKeys(given map[string][]string) []KeyFault {
	_, faults := newKeymap(given)
	return faults
}

// Action is something that a key can be given to.
type Action struct {
	Name string
	Keys []string
	Help string
}

// Actions are all of them with the keys that they have where nothing else is
// said. Those that share a line of the help share its words.
func Actions() []Action {
	m, _ := newKeymap(nil)
	var out []Action
	for _, a := range m.all {
		for i := range a.bindings {
			b := &a.bindings[i]
			if b.name != "" {
				out = append(out, Action{b.name, strings.Fields(b.keys), a.helpOf(b)})
			}
		}
	}
	return out
}

// helpOf is what a binding does, in the words of the line that it shares where it
// has none.
func (a *area) helpOf(b *binding) string {
	for i := range a.bindings {
		if o := &a.bindings[i]; b.help == "" && o.with == b.do && o.help != "" {
			return o.help
		}
	}
	return b.help
}

// newKeymap lays what was given over the tables. What is wrong is told and left
// out; a key that two actions ask for goes to the one that was given it.
func newKeymap(given map[string][]string) (*keymap, []KeyFault) {
	m := &keymap{writing: keysInput.copy(), reading: keysText.copy(), selecting: keysSelect.copy(), knobs: keysPanel.copy()}
	tabs, panes, views := keysTabs.copy(), keysPanes.copy(), keysViews.copy()
	tabs.everywhere, panes.everywhere, views.everywhere = true, true, true
	m.writing.written = true
	m.all = []*area{m.writing, m.reading, m.selecting, tabs, panes, views, m.knobs}
	var faults []KeyFault
	changed := map[string]bool{}
	for _, name := range sortedNames(given) {
		a, b := m.find(name)
		if b == nil {
			faults = append(faults, KeyFault{name, fmt.Sprintf("there is no action %q; nearest is %q", name, nearestOf(name, m.names()))})
			continue
		}
		keys, fault := a.keysOf(name, given[name])
		if fault != "" {
			faults = append(faults, KeyFault{name, fault})
			continue
		}
		b.keys, changed[name] = strings.Join(keys, " "), true
		if b.help == "" {
			continue
		}
		b.show = ""
	}
	return m, append(faults, m.index(changed)...)
}

func (a *area) copy() *area {
	c := *a
	c.bindings = slices.Clone(a.bindings)
	c.byKey = map[string]action{}
	return &c
}

func (m *keymap) find(name string) (*area, *binding) {
	for _, a := range m.all {
		for i := range a.bindings {
			if b := &a.bindings[i]; b.name == name && name != "" {
				return a, b
			}
		}
	}
	return nil, nil
}

func (m *keymap) names() []string {
	var out []string
	for _, a := range m.all {
		for i := range a.bindings {
			if n := a.bindings[i].name; n != "" {
				out = append(out, n)
			}
		}
	}
	return out
}

// keysOf reads the keys of an action, or says which of them is none.
func (a *area) keysOf(name string, given []string) (keys []string, fault string) {
	for _, g := range given {
		for _, s := range strings.Fields(g) {
			k, ok := readKey(s)
			switch {
			case !ok:
				return nil, fmt.Sprintf("%q for %s is no key: write it as ctrl+x, alt+enter, f5 or a character", s, name)
			case (a.everywhere || a.written) && (utf8.RuneCountInString(k) == 1 || k == "space"):
				return nil, fmt.Sprintf("%q for %s is needed to write text: add ctrl+ or alt+", s, name)
			}
			keys = append(keys, k)
		}
	}
	return keys, ""
}

// claim is an action that asks for a key.
type claim struct {
	a       *area
	b       *binding
	changed bool
}

// index fills the areas' look-up tables and tells the keys that two actions
// share where both would hold.
func (m *keymap) index(changed map[string]bool) []KeyFault {
	taken := map[string][]claim{}
	var faults []KeyFault
	for _, first := range []bool{true, false} { // what was given goes first
		for _, a := range m.all {
			for i := range a.bindings {
				b := &a.bindings[i]
				if changed[b.name] != first {
					continue
				}
				for _, k := range strings.Fields(b.keys) {
					c := claim{a, b, first}
					if other, ok := clash(taken[k], c); ok {
						faults = append(faults, conflict(k, other, c))
						b.drop(k)
						continue
					}
					taken[k] = append(taken[k], c)
					a.byKey[k] = b.do
				}
			}
		}
	}
	return faults
}

// drop takes a key from a binding.
func (b *binding) drop(key string) {
	keys := slices.DeleteFunc(strings.Fields(b.keys), func(k string) bool { return k == key })
	b.keys = strings.Join(keys, " ")
	if b.help != "" {
		b.show = ""
	}
}

// clash finds who has a key already in a place where c would hold too. What the
// tables share on purpose, such as a key that leads into an area and out of it,
// is none.
func clash(taken []claim, c claim) (claim, bool) {
	for _, t := range taken {
		if t.b.do == c.b.do || !t.changed && !c.changed {
			continue
		}
		if t.a == c.a || t.a.everywhere || c.a.everywhere {
			return t, true
		}
	}
	return claim{}, false
}

func conflict(key string, has, asks claim) KeyFault {
	name := asks.b.name
	if !asks.changed {
		name = has.b.name
	}
	return KeyFault{name, fmt.Sprintf("%s is both %s and %s: it stays with %s", key, has.b.name, asks.b.name, has.b.name)}
}

// anywhere looks a key up among those that hold whatever has the focus.
func (m *keymap) anywhere(key string) action {
	for _, a := range m.all {
		if do, ok := a.byKey[key]; ok && a.everywhere {
			return do
		}
	}
	return doNothing
}

// key is the key that asks for an action, by the area it is looked for in first;
// where it has none, a word for that.
func (m *keymap) key(do action, areas ...*area) string {
	if m.words != nil {
		return m.words[do]
	}
	for _, a := range append(areas, m.all...) {
		for i := range a.bindings {
			if b := &a.bindings[i]; b.do == do && b.keys != "" {
				k, _, _ := strings.Cut(b.keys, " ")
				return k
			}
		}
	}
	return "(no key)"
}

// allOf are all keys of an action, parted by spaces.
func (m *keymap) allOf(do action) string {
	for _, a := range m.all {
		for i := range a.bindings {
			if a.bindings[i].do == do {
				return a.bindings[i].keys
			}
		}
	}
	return ""
}

// shown is what help says of a binding's keys: its own first one, and that of
// the one with which it shares the line.
func (a *area) shown(b *binding) string {
	if b.show != "" && (b.with == doNothing || a.untouched(b.with)) {
		return b.show
	}
	out, _, _ := strings.Cut(b.keys, " ")
	for i := range a.bindings {
		if w := &a.bindings[i]; b.with != doNothing && w.do == b.with {
			k, _, _ := strings.Cut(w.keys, " ")
			out = strings.TrimSpace(out + " " + k)
		}
	}
	if out == "" {
		return "(no key)"
	}
	return out
}

// untouched tells whether an action still has the keys of the tables.
func (a *area) untouched(do action) bool {
	for _, t := range []*area{keysInput, keysText, keysSelect, keysTabs, keysPanes, keysViews, keysPanel} {
		if t.title != a.title {
			continue
		}
		for i := range t.bindings {
			if t.bindings[i].do == do {
				return t.bindings[i].keys == a.bindings[i].keys
			}
		}
	}
	return true
}

func sortedNames(m map[string][]string) []string {
	out := make([]string, 0, len(m))
	for name := range m {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

func nearestOf(s string, words []string) string {
	return slices.MinFunc(words, func(a, b string) int { return Distance(s, a) - Distance(s, b) })
}
