package ui

import (
	"strings"
	"testing"
)

// TestTablesOfKeys: every key of the tables is one that a config file could
// give, has an action with a name of its own, and does one thing in its area.
func TestTablesOfKeys(t *testing.T) {
	m, faults := newKeymap(nil)
	if len(faults) > 0 {
		t.Errorf("the tables have faults: %v", faults)
	}
	names := map[string]bool{}
	for _, a := range m.all {
		seen := map[string]bool{}
		for i := range a.bindings {
			b := &a.bindings[i]
			if b.keys == "" {
				continue
			}
			if b.name == "" || names[b.name] {
				t.Errorf("%s: the name %q of an action is empty or taken", a.title, b.name)
			}
			names[b.name] = true
			for _, k := range strings.Fields(b.keys) {
				if got, ok := readKey(k); !ok || got != k {
					t.Errorf("%s: %q reads as %q", b.name, k, got)
				}
				if seen[k] {
					t.Errorf("%s: %s is taken", b.name, k)
				}
				seen[k] = true
				if a.everywhere {
					continue
				}
				if do := m.anywhere(k); do != doNothing && do != b.do {
					t.Errorf("%s: %s never reaches it", b.name, k)
				}
			}
		}
	}
}

func TestReadKey(t *testing.T) {
	for in, want := range map[string]string{
		"ctrl+n": "ctrl+n", "Ctrl+N": "ctrl+n", "shift+alt+ctrl+up": "ctrl+alt+shift+up", "shift+j": "J", "F5": "f5",
		"+": "+", "ctrl++": "ctrl++", "Escape": "esc", "pagedown": "pgdown", "é": "é", "alt+.": "alt+.",
		"ctlr+n": "", "f25": "", "": "", "ab": "", "ctrl+": "", "\x1b": "",
	} {
		if got, ok := readKey(in); got != want || ok != (want != "") {
			t.Errorf("%q reads as %q, %v; want %q", in, got, ok, want)
		}
	}
}

func TestKeyFaults(t *testing.T) {
	for _, c := range []struct {
		name  string
		given map[string][]string
		want  string
	}{
		{"nothing", nil, ""},
		{"a free key", map[string][]string{"new-chat": {"f5"}}, ""},
		{"a swap", map[string][]string{"new-chat": {"alt+s"}, "split": {"ctrl+n"}}, ""},
		{"no key", map[string][]string{"mouse": {""}}, ""},
		{"unknown action", map[string][]string{"text.copi": {"Y"}}, `there is no action "text.copi"; nearest is "text.copy"`},
		{"not a key", map[string][]string{"new-chat": {"ctlr+n"}}, `"ctlr+n" for new-chat is no key`},
		{"a letter everywhere", map[string][]string{"new-chat": {"n"}}, `"n" for new-chat is needed to write text`},
		{"taken from a default", map[string][]string{"split": {"ctrl+n"}}, "ctrl+n is both split and new-chat: it stays with split"},
		{"two given", map[string][]string{"split": {"f5"}, "mouse": {"f5"}}, "f5 is both split and mouse: it stays with split"},
		{"in one area", map[string][]string{"text.copy": {"e"}}, "e is both text.copy and text.edit: it stays with text.copy"},
		{"in two areas", map[string][]string{"text.copy": {"ctrl+x"}, "knobs.undo": {"ctrl+x"}}, ""},
		{"over an area", map[string][]string{"pool": {"ctrl+u"}}, "ctrl+u is both pool and text.half-up: it stays with pool"},
	} {
		var all []string
		for _, f := range CheckKeys(c.given) {
			if f.Action == "" {
				t.Errorf("%s: a fault of no action", c.name)
			}
			all = append(all, f.String())
		}
		got := strings.Join(all, "; ")
		if c.want == "" && got != "" || c.want != "" && !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestOtherKeys: the program obeys the keys it was given, and says so in its
// hints and in its help.
func TestOtherKeys(t *testing.T) {
	b := newBench(t, 120, 60, func(o *Options, _ *fake) {
		o.Keys = map[string][]string{
			"send": {"alt+enter"}, "new-line": {"enter"}, "models": {"f6"}, "text.down": {"e"}, "quit": {"ctrl+q"}, "text.copi": {"x"},
		}
	})
	b.shows(`keys: there is no action "text.copi"`, "e is both text.down and text.edit", "alt+enter send", "f6     opens another model")
	b.write("one")
	b.keys("enter")
	b.write("two")
	if got := b.r.pane().input.value(); got != "one\ntwo" {
		t.Errorf("the input is %q", got)
	}
	b.keys("alt+enter")
	b.settle()
	if len(b.f.asked) != 1 {
		t.Fatal("alt+enter sent nothing")
	}
	b.keys("tab home")
	at := b.r.pane().view.cursor
	if b.keys("e"); b.r.pane().view.cursor == at {
		t.Error("e does not move down")
	}
	b.keys("tab ?")
	b.shows("alt+enter     send", "f6            models", "e k           by line", "ctrl+q        quit")
	b.keys("esc f6")
	b.shows("Models")
}

// TestTheKeyThatSendsRunsCommands: also where it would move among the offered commands,
// and enter, which is another action's then, runs none.
func TestTheKeyThatSendsRunsCommands(t *testing.T) {
	b := newBench(t, 80, 24, func(o *Options, _ *fake) {
		o.Keys = map[string][]string{"send": {"ctrl+n"}, "new-line": {"enter"}}
	})
	b.write("/theme")
	b.keys("ctrl+n")
	b.shows("there are terminal, dark, light")
	b.write("/fork")
	b.keys("enter")
	b.hides("there is nothing to fork yet")
	if got := b.r.pane().input.value(); got != "/fork\n" {
		t.Errorf("enter made %q", got)
	}
}

// TestHelpIsNotCutOff: what every key and command does fits a column of the help.
func TestHelpIsNotCutOff(t *testing.T) {
	m, _ := newKeymap(nil)
	check := func(what, help string) {
		if len(help) > helpColumn-helpKey-2 {
			t.Errorf("%s: %q is longer than a column's %d cells", what, help, helpColumn-helpKey-2)
		}
	}
	for _, a := range m.all {
		for _, b := range a.bindings {
			check(b.name, b.help)
		}
	}
	for _, c := range commands {
		check("/"+c.name, c.help)
	}
}
