package ui

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/confab-tui/confab/engine"
)

func TestLayersNearestWins(t *testing.T) {
	o := Options{
		Sampling: func(s engine.Sampling) engine.Sampling { s.TopK, s.TopP = 7, 0.5; return s },
		Sources:  map[string]string{"top-k": "config", "top-p": "flag"},
	}
	b := newBase(&o, engine.DefaultSampling(), ownPresets)
	var l layers
	check := func(k knobIndex, want float64, word string) {
		t.Helper()
		v, from := l.get(&b, k)
		if math.Abs(v-want) > 1e-6 || b.origin(k, from) != word {
			t.Errorf("%s is %v from %s, want %v from %s", knobs[k].label, v, b.origin(k, from), want, word)
		}
	}
	check(knobTemperature, 0.8, "model")
	check(knobTopK, 7, "config")
	check(knobTopP, 0.5, "flag")
	precise, _ := b.preset("precise")
	l.choose(precise)
	check(knobTopK, 20, "preset")
	check(knobSeed, -1, "model")
	l.put(knobTopK, 3, true)
	check(knobTopK, 3, "live")
	l.settle()
	check(knobTopK, 3, "chat")
	again := readLayers(l.save())
	if !reflect.DeepEqual(again, l) {
		t.Errorf("saved as %s, read as %+v", l.save(), again)
	}
	l.reset(knobTopK)
	check(knobTopK, 20, "preset")
}

func TestKnobsRoundTrip(t *testing.T) {
	s := settings{Sampling: engine.Sampling{Temperature: 1.25, TopK: 11, TopP: 0.5, MinP: 0.1, RepeatPenalty: 1.1,
		PresencePenalty: -0.5, FrequencyPenalty: 0.25, RepeatLastN: 128, TemperatureLast: true, Seed: 417}, MaxTokens: 99}
	if got := readKnobs(savedKnobs(s)); got != s {
		t.Errorf("%+v came back as %+v", s, got)
	}
	for k := range knobCount {
		kb := &knobs[k]
		for _, share := range []float64{0, 0.3, 1} {
			v := kb.at(share)
			if kb.entry || kb.toggle {
				continue
			}
			if got, err := kb.parse(kb.write(v)); err != nil || got != v {
				t.Errorf("%s: %v is written %q and read as %v, %v", kb.label, v, kb.write(v), got, err)
			}
		}
		for _, name := range append([]string{kb.key, kb.flag}, kb.alias...) {
			if i, ok := findKnob(name); !ok || i != k {
				t.Errorf("%q finds knob %d, want %d", name, i, k)
			}
		}
	}
	if _, err := knobs[knobTopP].parse("NaN"); err == nil {
		t.Error("NaN is taken for a value")
	}
}

func TestSimulatedOdds(t *testing.T) {
	alts := []engine.Alternative{}
	for i, p := range []float64{0.6, 0.25, 0.1, 0.05} {
		alts = append(alts, engine.Alternative{TokenProb: engine.TokenProb{ID: int32(i), LogProb: float32(math.Log(p))}})
	}
	neutral := settings{Sampling: engine.Sampling{Temperature: 1, TopP: 1}}
	odds := simulate(alts, neutral)
	if math.Abs(odds[0].share-0.6) > 1e-3 || odds[3].cut != "" {
		t.Errorf("at temperature 1 without filters: %+v", odds)
	}
	cut := func(s settings) []string {
		var out []string
		for _, o := range simulate(alts, s) {
			out = append(out, strings.SplitN(o.cut, " ", 2)[0])
		}
		return out
	}
	for name, c := range map[string]struct {
		s    engine.Sampling
		want []string
	}{
		"top-k":  {engine.Sampling{Temperature: 1, TopP: 1, TopK: 2}, []string{"", "", "top-k", "top-k"}},
		"top-p":  {engine.Sampling{Temperature: 1, TopP: 0.7}, []string{"", "", "top-p", "top-p"}},
		"min-p":  {engine.Sampling{Temperature: 1, TopP: 1, MinP: 0.3}, []string{"", "", "min-p", "min-p"}},
		"greedy": {engine.Sampling{Temperature: 0, TopP: 1}, []string{"", "temperature", "temperature", "temperature"}},
	} {
		if got := cut(settings{Sampling: c.s}); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s cuts %q, want %q", name, got, c.want)
		}
	}
	sum := 0.0
	for _, o := range simulate(alts, settings{Sampling: engine.Sampling{Temperature: 0.5, TopP: 1, TopK: 3}}) {
		if o.cut == "" {
			sum += o.share
		}
	}
	if math.Abs(sum-1) > 1e-6 {
		t.Errorf("what stays has %v together", sum)
	}
}

func TestCodeBlocks(t *testing.T) {
	got := codeBlocks("a\n```go\nx := 1\n```\nb\n~~~~\n```\nnot the end\n~~~~\n```\nunclosed")
	want := []string{"x := 1", "```\nnot the end", "unclosed"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %q", got)
	}
}

func TestWordDifferences(t *testing.T) {
	words := func(s string) (out []word) {
		for _, w := range strings.Fields(s) {
			out = append(out, word{s: w})
		}
		return out
	}
	got := common(words("the cat sat on the mat"), words("a cat sat by the mat"))
	if want := []bool{false, true, true, false, true, true}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v", got)
	}
}

func TestOwnPresetsOfAPerson(t *testing.T) {
	dir := t.TempDir()
	write := func(s string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, presetFile), []byte(s), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("[wild]\ntemp = 1.5\ntop-k = 0\nfoo = 1\n[bad]\ntop_p = 7\n")
	all, faults := readPresets(dir)
	if len(all) != len(ownPresets)+2 || len(faults) != 2 {
		t.Fatalf("%d presets, faults %q", len(all), faults)
	}
	wild := all[len(all)-1]
	if wild.name != "wild" || wild.values[knobTemperature] != 1.5 || len(wild.values) != 2 {
		t.Errorf("read %+v", wild)
	}
	write("this is no table")
	if _, faults := readPresets(dir); len(faults) != 1 {
		t.Errorf("a broken file gives %q", faults)
	}
}

func TestNumbers(t *testing.T) {
	for n, want := range map[int]string{0: "0", 12: "12", 1234: "1,234", 1234567: "1,234,567", -1234: "-1,234", 100000: "100,000"} {
		if got := group(n); got != want {
			t.Errorf("%d is written %q, want %q", n, got, want)
		}
	}
}

// TestRestored leaves a program in the middle of things and begins it again.
func TestRestored(t *testing.T) {
	dir := t.TempDir()
	keep := func(o *Options, _ *fake) { o.DataDir = dir }
	a := newBench(t, 120, 32, keep)
	a.ask("Write a poem")
	a.keys("ctrl+k l l tab")
	a.keys("ctrl+n")
	a.write("half a thought")
	a.keys("alt+1 alt+s")
	a.write("in the pane")
	a.keys("alt+2")
	a.r.leave()

	b := newBench(t, 120, 32, keep)
	if len(b.r.tabs) != 2 || b.r.active != 1 {
		t.Fatalf("%d tabs, number %d active:\n%s", len(b.r.tabs), b.r.active, b.screen())
	}
	b.shows("half a thought")
	b.keys("alt+1")
	b.shows("Write a poem", "hear and see.", "0.90", "chat")
	if n := len(b.r.tab().panes); n != 2 {
		t.Errorf("%d panes", n)
	}
	an := b.r.tab().panes[0].conv.last().answer
	if an == nil || an.seed != a.r.tabs[0].panes[0].conv.last().answer.seed || an.start.Temperature != 0.8 {
		t.Errorf("the answer's record is %+v", an)
	}
	b.keys("ctrl+s")
	b.write("poem")
	b.shows("Write a poem", "2 messages")
}

// TestLostAnswerIsTold: a program that was killed leaves an answer that can be
// continued.
func TestLostAnswerIsTold(t *testing.T) {
	dir := t.TempDir()
	keep := func(o *Options, _ *fake) { o.DataDir = dir }
	a := newBench(t, 100, 30, keep)
	a.write("Write a poem")
	a.keys("enter")
	a.frames(10)
	if err := a.r.store.Flush(context.Background()); err != nil {
		t.Fatal(err)
	}
	b := newBench(t, 100, 30, keep)
	b.shows("I hear the", "confab ended before this answer did")
	b.keys("enter")
	b.settle()
	if len(b.f.asked) != 1 || !b.f.asked[0].Messages[1].Unfinished {
		t.Error("the lost answer cannot be continued")
	}
}

func TestDeleteForkAndUndo(t *testing.T) {
	b := newBench(t, 100, 30)
	b.f.script = echo
	b.ask("one")
	b.ask("two")
	b.keys("tab K K f")
	if len(b.r.tabs) != 2 || len(b.r.pane().conv.turns) != 2 {
		t.Fatalf("the fork has %d messages", len(b.r.pane().conv.turns))
	}
	b.keys("alt+1 tab K x")
	if n := len(b.r.pane().conv.turns); n != 2 {
		t.Errorf("%d messages after deleting the second question", n)
	}
	b.keys("alt+z")
	if n := len(b.r.pane().conv.turns); n != 4 {
		t.Errorf("%d messages after undo", n)
	}
}

func TestExport(t *testing.T) {
	b := newBench(t, 100, 30)
	dir := t.TempDir()
	b.ask("Write a poem")
	b.write("/export " + filepath.Join(dir, "poem.md"))
	b.keys("enter")
	b.shows("written to")
	got, err := os.ReadFile(filepath.Join(dir, "poem.md"))
	if err != nil || !strings.Contains(string(got), "# Write a poem") || !strings.Contains(string(got), "hear and see.") {
		t.Errorf("%v: %s", err, got)
	}
	b.write("/export " + filepath.Join(dir, "poem.md"))
	b.keys("enter")
	b.shows("is there already")
	b.keys("ctrl+u")
	b.write("/export " + filepath.Join(dir, "poem.json"))
	b.keys("enter")
	raw, err := os.ReadFile(filepath.Join(dir, "poem.json"))
	if err != nil || !json.Valid(raw) || !strings.Contains(string(raw), `"temperature":0.8`) && !strings.Contains(string(raw), `"temperature": 0.8`) {
		t.Errorf("%v: %s", err, raw)
	}
}

func TestLocaleWithoutUTF8(t *testing.T) {
	for env, want := range map[string]bool{"LANG=C.UTF-8": true, "LANG=de_DE.utf8": true, "LANG=C": false, "LC_ALL=POSIX": false, "TERM=linux": false, "X=1": true} {
		if got := richTerminal([]string{env}); got != want {
			t.Errorf("%s: %v", env, got)
		}
	}
}

// TestCellsAreToldApart: whatever the terminal draws, every kind of cell has a mark of
// its own.
func TestCellsAreToldApart(t *testing.T) {
	for _, rich := range []bool{true, false} {
		th := newTheme(themeNone, false, rich)
		seen := map[string]engine.CellKind{}
		for _, k := range []engine.CellKind{engine.CellFree, engine.CellCached, engine.CellHeld, engine.CellShared} {
			mark := ansi.Strip(kindMark(th, k))
			if other, taken := seen[mark]; taken {
				t.Errorf("kinds %v and %v are both drawn as %q", other, k, mark)
			}
			seen[mark] = k
		}
	}
}
