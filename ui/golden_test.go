package ui

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/confab-tui/confab/engine"
	"github.com/confab-tui/confab/engine/library"
)

// goldens are the screens that are kept: each is drawn at its sizes, and a file
// without an entry fails the test.
var goldens = []struct {
	name  string
	sizes [][2]int
	build func(b *bench)
}{
	{"empty", all, func(*bench) {}},
	{"loading", small, func(b *bench) {
		b.r.back().engine, b.r.back().loading = nil, b.r.back().number
		b.r.back().progress.Store(&engine.Progress{Stage: "weights", Done: 1200 << 20, Total: 3400 << 20})
	}},
	{"failed", small, func(b *bench) {
		b.r.back().loading = b.r.back().number
		b.send(openedMsg{number: b.r.back().number, err: errors.New("needs 21.4 GiB for weights and cells, 18.9 free: lower engine.cells to 90000")})
	}},
	{"answered", all, func(b *bench) { b.ask("Write a poem about the sea.") }},
	{"streaming", all, func(b *bench) {
		b.write("Write a poem about the sea.")
		b.keys("enter ctrl+k")
		b.frames(10)
		b.keys("H")
		b.frames(4)
	}},
	{"markdown", all, func(b *bench) { b.ask("Show me code") }},
	{"compare", all, func(b *bench) {
		b.write("Capital of Japan?")
		b.keys("alt+c")
		b.frames(10)
	}},
	{"differences", large, func(b *bench) {
		n := 0
		b.f.script = func(engine.Request) reply {
			n++
			return reply{text: []string{"Tokyo is the capital of Japan.", "The capital of Japan is Tokyo.", "It is Tokyo!", "Tokyo is the capital of Japan."}[n-1], reason: engine.ReasonStop}
		}
		b.write("Capital of Japan?")
		b.keys("alt+c")
		b.settle()
		b.keys("tab =")
	}},
	{"tokens", all, func(b *bench) {
		b.ask("Write a poem about the sea.")
		b.keys("ctrl+t left left left")
	}},
	{"chip", small, func(b *bench) {
		b.write("What is wrong here?")
		b.keys("ctrl+j")
		b.r.pane().input.attach("server.go · 4 KiB · 1,204 tokens", "package main")
		b.write("and here?")
		b.keys("ctrl+j")
		b.send(tea.PasteMsg{Content: strings.Repeat("a line of a log\n", 40)})
		b.keys("shift+home")
	}},
	{"keys", small, func(b *bench) {
		b.keys("? e")
		b.write("pane")
		b.keys("down enter ctrl+n")
	}},
	{"poolwaiting", [][2]int{{80, 24}, {120, 40}}, func(b *bench) {
		waits := false
		b.f.script = func(engine.Request) reply {
			r := reply{text: strings.Repeat(poem, 3), reason: engine.ReasonStop}
			if waits {
				r.waitAt, r.waitFor = 8, time.Minute
			}
			waits = true
			return r
		}
		b.write("Write a long poem.")
		b.keys("enter ctrl+n")
		b.write("And a story.")
		b.keys("enter")
		b.frames(24)
		b.keys("ctrl+p")
		b.frames(8)
	}},
	{"pool", all, func(b *bench) {
		b.ask("poem")
		b.keys("ctrl+n")
		b.ask("facts")
		b.keys("ctrl+p")
	}},
	{"help", all, func(b *bench) { b.keys("?") }},
	{"models", small, func(b *bench) { b.keys("ctrl+o") }},
	{"fetch", small, func(b *bench) {
		h := &fakeHub{}
		b.r.options.Hub = func() (Hub, error) { return h, nil }
		b.keys("ctrl+o ctrl+d")
		b.write("tiny/llama")
		b.keys("enter")
	}},
	{"fetching", small, func(b *bench) {
		f := &fetching{name: "tiny/llama:Q4_K_M", cancel: func() {}}
		f.progress.Store(&library.Fetching{Done: 1 << 30, Total: 4 << 30})
		b.r.fetches = []*fetching{f, {name: "tiny/other", over: true, err: "huggingface.co ended after 501 of 1000 bytes"}}
		b.keys("ctrl+o")
	}},
	{"history", small, func(b *bench) {
		b.ask("Write a poem about the sea.")
		b.keys("ctrl+n")
		b.ask("A second chat, with a longer title than the other")
		b.keys("ctrl+s")
	}},
	{"system", small, func(b *bench) {
		b.keys("ctrl+y")
		b.write("You are a poet.")
	}},
	{"commands", small, func(b *bench) { b.write("/s") }},
	{"thinking", small, func(b *bench) {
		b.write("think about it")
		b.keys("enter")
		b.frames(30)
	}},
	{"waiting", small, func(b *bench) {
		b.f.script = func(engine.Request) reply {
			return reply{text: poem, reason: engine.ReasonStop, waitAt: 8, waitFor: time.Minute}
		}
		b.write("go")
		b.keys("enter")
		b.frames(20)
	}},
	{"notices", small, func(b *bench) {
		n := 0
		b.f.script = func(engine.Request) reply {
			n++
			return []reply{
				{text: "It was cut", reason: engine.ReasonLength},
				{text: "The context is", reason: engine.ReasonContext},
				{text: "It failed", reason: engine.ReasonError, err: errors.New("cuda: out of memory: cells need 21.4 GiB, 18.9 free: lower engine.cells to 90000")},
				{text: "Some turns are gone.", reason: engine.ReasonStop, dropped: 4},
			}[n-1]
		}
		for _, s := range []string{"one", "two", "three", "four"} {
			b.ask(s)
		}
	}},
	{"twomodels", [][2]int{{120, 40}}, func(b *bench) {
		second := newFake(b.clock)
		second.info.ID, second.info.Name, second.info.Quant, second.info.Cells, second.info.Path = "llama", "Llama 3.2 3B", "Q4_K_M", 8192, modelFileAt(b, "Llama-3.2-3B-Q4_K_M.gguf")
		second.script = func(engine.Request) reply { return reply{text: "It is Tokyo.", reason: engine.ReasonStop} }
		b.r.models.open = second.open
		b.keys("alt+s")
		b.runCommand("/model " + second.info.Path)
		b.keys("alt+a")
		b.write("Capital of Japan?")
		b.keys("enter")
		b.frames(14)
	}},
	{"replay", all, func(b *bench) {
		b.write("Write a poem about the sea.")
		b.keys("enter ctrl+k")
		b.frames(12)
		b.keys("H esc")
		b.settle()
		b.runCommand("/replay")
		b.settle()
	}},
	{"replaydiffers", all, func(b *bench) {
		b.ask("Write a poem about the sea.")
		b.f.script = func(engine.Request) reply {
			return reply{text: strings.Replace(poem, "wild and free,\nThere is", "high above me.\nAll of it was", 1), reason: engine.ReasonStop}
		}
		b.f.info.Backend = "NVIDIA H200"
		b.runCommand("/replay")
		b.settle()
	}},
	{"reading", small, func(b *bench) {
		b.ask("Write a poem about the sea.")
		b.keys("tab k")
	}},
	{"selecting", small, func(b *bench) {
		b.ask("Write a poem about the sea.")
		b.keys("tab v k e e")
	}},
	{"find", small, func(b *bench) {
		b.ask("Write a poem about the sea.")
		b.keys("ctrl+f")
		b.write("wild")
	}},
	{"queued", small, func(b *bench) {
		b.write("Write a poem about the sea.")
		b.keys("enter")
		b.frames(8)
		b.write("And one about the sky.")
		b.keys("enter")
		b.write("First line,")
		b.keys("ctrl+j")
		b.write("second line")
	}},
	{"plain", small, func(b *bench) {
		b.r.th.mark = plainMarks
		b.r.th.build()
		b.ask("Write a poem about the sea.")
		b.keys("ctrl+k")
	}},
	{"narrow", [][2]int{{minWidth, minHeight}}, func(b *bench) {
		b.ask("Write a poem about the sea.")
		b.keys("ctrl+k k")
	}},
	{"toosmall", [][2]int{{minWidth - 4, minHeight}}, func(*bench) {}},
}

var (
	all   = [][2]int{{80, 24}, {120, 40}, {200, 50}, {250, 60}}
	small = [][2]int{{80, 24}}
	large = [][2]int{{200, 50}}
)

func TestGoldenScreens(t *testing.T) {
	known := map[string]bool{}
	for _, g := range goldens {
		for _, size := range g.sizes {
			name := g.name + "-" + group(size[0]) + "x" + group(size[1])
			known[name+".golden"] = true
			t.Run(name, func(t *testing.T) {
				b := goldenBench(t, size, g.build)
				b.golden(name)
				if *pictures != "" {
					b.picture(name)
				}
				if size[0] >= minWidth {
					exact(t, b, name)
				}
			})
		}
	}
	files, err := filepath.Glob(filepath.Join("testdata", "*.golden"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !known[filepath.Base(f)] {
			if *update {
				os.Remove(f)
				continue
			}
			t.Errorf("%s belongs to no screen of this test: remove it", f)
		}
	}
}

func goldenBench(t *testing.T, size [2]int, build func(*bench)) *bench {
	b := newBench(t, size[0], size[1], func(o *Options, _ *fake) {
		o.Models = func() []library.Model { return demoModels }
	})
	b.f.script = func(r engine.Request) reply { return demoReply(r) }
	b.r.dice = func() int64 { return 417 }
	build(b)
	return b
}

// TestGoldensHoldNoControls: a golden is text, and shows no trace of sequences.
func TestGoldensHoldNoControls(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join("testdata", "*.golden"))
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if strings.ContainsAny(string(b), "\x1b\r\x07") {
			t.Errorf("%s holds control bytes", f)
		}
	}
}
