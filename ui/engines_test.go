package ui

import (
	"context"
	"testing"

	"github.com/confab-tui/confab/engine"
)

// twoModels is a machine with a second model that takes 6.5 GiB.
type twoModels struct {
	path   string
	second *fake
	free   int64
	opened []string
}

func (m *twoModels) setup(t testing.TB) func(*Options, *fake) {
	m.path = modelFileAt(t, "Llama-3.2-3B-Q4_K_M.gguf")
	m.free = 16 << 30
	return func(o *Options, f *fake) {
		m.second = newFake(f.clock)
		m.second.info.ID, m.second.info.Name, m.second.info.Quant, m.second.info.Path = "llama", "Llama 3.2 3B", "Q4_K_M", m.path
		m.second.info.FileBytes, m.second.info.Cells = 6<<30, 8192
		m.second.script = func(engine.Request) reply { return reply{text: "It is Tokyo.", reason: engine.ReasonStop} }
		o.Open = func(ctx context.Context, c engine.Config, p func(engine.Progress)) (Engine, error) {
			m.opened = append(m.opened, c.Model)
			if c.Model == "" {
				return f.open(ctx, c, p)
			}
			return m.second.open(ctx, c, p)
		}
		o.room = func(engine.Config) (int64, bool) { return m.free, true }
		o.need = func(c engine.Config) int64 {
			if c.Model == "" {
				return 1 << 20
			}
			return 13 << 29
		}
	}
}

// TestTwoModelsSideBySide: a second model opens beside the first where it fits,
// and every number is that of the model whose chat has the focus.
func TestTwoModelsSideBySide(t *testing.T) {
	var m twoModels
	b := newBench(t, 160, 40, m.setup(t))
	b.keys("alt+s")
	b.runCommand("/model " + m.path)
	b.settle()
	if b.f.closed || len(m.opened) != 2 {
		t.Fatalf("opened %q, the first closed: %v", m.opened, b.f.closed)
	}
	b.keys("alt+a")
	b.ask("Capital of Japan?")
	if len(b.f.asked) != 1 || len(m.second.asked) != 1 {
		t.Fatalf("%d and %d requests", len(b.f.asked), len(m.second.asked))
	}
	b.shows("confab tiny · T 0.80", "Llama 3.2 3B · T 0.80", "Llama 3.2 3B Q4_K_M", "of 8,192", "It is Tokyo.", "hear and see.")
	b.keys("alt+left")
	b.shows("confab tiny Q8_0 · CPU", "of 65,536")
	b.keys("ctrl+p")
	b.shows("also open: Llama 3.2 3B")
	b.keys("esc alt+w")
	b.runCommand("/model " + m.path)
	b.shows("Llama 3.2 3B answers here already")
	if b.f.closed || len(m.opened) != 2 {
		t.Error("a model that is open already was opened again")
	}
}

// TestIdleModelMakesRoom: what does not fit beside the other closes it, says so,
// and a message to its chat opens it again.
func TestIdleModelMakesRoom(t *testing.T) {
	var m twoModels
	b := newBench(t, 160, 40, m.setup(t))
	m.free = 1 << 30
	b.r.models.all[0].info.FileBytes = 8 << 30
	b.ask("one")
	b.keys("ctrl+n")
	b.runCommand("/model " + m.path)
	b.shows("confab tiny is closed to make room for", "Llama-3.2-3B-Q4_K_M")
	if !b.f.closed {
		t.Fatal("the idle model is still open")
	}
	b.ask("two")
	if len(m.second.asked) != 1 {
		t.Fatalf("%d requests of the second", len(m.second.asked))
	}
	b.keys("alt+1")
	b.shows("confab tiny (closed)", "confab tiny is closed: a message opens it")
	b.ask("three")
	if len(b.f.asked) != 2 || m.second.closed || len(m.opened) != 3 {
		t.Errorf("%d requests, opened %q, the second closed: %v", len(b.f.asked), m.opened, m.second.closed)
	}
}

// TestBusyModelStays: nobody's answer is broken off for another chat's model.
func TestBusyModelStays(t *testing.T) {
	var m twoModels
	b := newBench(t, 160, 40, m.setup(t))
	m.free = 1 << 30
	b.write("one")
	b.keys("enter")
	b.frames(8)
	b.keys("ctrl+n")
	b.runCommand("/model " + m.path)
	b.shows("needs 6.5 GiB, 1.0 GiB free, and confab tiny is answering", "going back")
	b.settle()
	if b.f.closed || len(m.opened) != 1 || b.r.tabs[0].pane().conv.last().answer.reason != engine.ReasonStop {
		t.Errorf("closed: %v, opened %q", b.f.closed, m.opened)
	}
	b.ask("two")
	b.shows("hear and see.")
}

// TestChatOffersItsModel: a chat that is opened again offers the model it had.
func TestChatOffersItsModel(t *testing.T) {
	var m twoModels
	dir := onDisk(t)
	b := newBench(t, 120, 32, m.setup(t), dir)
	b.runCommand("/model " + m.path)
	b.ask("Capital of Japan?")
	b.r.remember()
	if err := b.r.store.Flush(b.r.ctx); err != nil {
		t.Fatal(err)
	}
	var n twoModels
	second := newBench(t, 120, 32, n.setup(t), dir, func(o *Options, _ *fake) { n.path = m.path; n.second.info.Path = m.path })
	second.shows("this chat was written with Llama 3.2 3B", "alt+o opens it again, or confab tiny goes on")
	second.keys("alt+o")
	second.settle()
	second.hides("was written with")
	second.shows("Llama 3.2 3B Q4_K_M")
	second.ask("And of France?")
	if len(n.second.asked) != 1 || len(n.second.asked[0].Messages) != 3 {
		t.Errorf("%d requests", len(n.second.asked))
	}
	if !second.f.closed {
		t.Error("a model that no chat uses stays open")
	}
}

// TestModelsQueue: one model opens at a time; one that nobody waits for any more
// is closed when it comes.
func TestModelsQueue(t *testing.T) {
	var m twoModels
	b := newBench(t, 120, 32, m.setup(t))
	b.r.chooseModel("/nowhere/slow.gguf") // whose load does not end
	slow := b.r.back()
	b.keys("alt+s")
	b.runCommand("/model " + m.path)
	b.write("hello")
	b.keys("enter")
	if len(m.opened) != 1 || b.r.back().loading == 0 {
		t.Fatalf("opened %q while another model is opening", m.opened)
	}
	b.send(openedMsg{number: slow.number, err: errTest})
	b.settle()
	b.shows("going back", "It is Tokyo.")
	if len(m.second.asked) != 1 || len(b.r.models.all) != 2 {
		t.Errorf("%d requests, %d models", len(m.second.asked), len(b.r.models.all))
	}
	b.r.chooseModel("/nowhere/slow.gguf")
	slow = b.r.back()
	number := slow.number
	b.runCommand("/model " + m.path)
	late := newFake(b.clock)
	b.send(openedMsg{number: number, engine: late})
	if !late.closed || b.r.back().engine != m.second {
		t.Error("a model that came too late is kept")
	}
}

// TestModelNeed: the built-in model's bytes and its cells, as many as are asked
// for; what is no model needs nothing.
func TestModelNeed(t *testing.T) {
	in, err := engine.Inspect("")
	if err != nil {
		t.Fatal(err)
	}
	weights := in.Bytes + in.Bytes/roomOver
	for _, c := range []struct {
		config engine.Config
		want   int64
	}{
		{engine.Config{}, weights + int64(in.Context)*in.CellBytes},
		{engine.Config{Cells: 100_000}, weights + 100_000*in.CellBytes},
		{engine.Config{Context: 512, CellType: "f32"}, weights + 512*2*in.CellBytes},
		{engine.Config{Context: 1 << 20}, weights + longChat*in.CellBytes},
		{engine.Config{Model: "/no/such/file.gguf"}, 0},
	} {
		if got := modelNeed(c.config); got != c.want {
			t.Errorf("%+v needs %d bytes, want %d", c.config, got, c.want)
		}
	}
}

// TestCompareModels: the same prompt goes to models by their names; those for
// which there is no memory at once answer one after the other.
func TestCompareModels(t *testing.T) {
	var m twoModels
	b := newBench(t, 160, 40, m.setup(t), func(o *Options, _ *fake) {
		o.Models = func() []modelFile {
			return []modelFile{{Path: m.path, Name: "Llama-3.2-3B-Q4_K_M"}, {Path: "/m/llama-1b.gguf", Name: "llama3.2:1b"}}
		}
	})
	b.runCommand("/compare llama builtin")
	b.shows("may be Llama-3.2-3B-Q4_K_M, llama3.2:1b: write more of its name")
	b.keys("ctrl+u")
	b.runCommand("/compare mistral builtin")
	b.shows(`no model of this machine has "mistral"`)
	b.keys("ctrl+u")
	b.ask("Capital of Japan?")
	m.free = 1 << 30
	b.r.models.all[0].info.FileBytes = 8 << 30
	b.runCommand("/compare builtin LLAMA-3.2-3B")
	if b.f.asked = b.f.asked[1:]; len(b.f.asked) != 1 || len(m.second.asked) != 0 {
		t.Fatalf("%d and %d requests before there is memory", len(b.f.asked), len(m.second.asked))
	}
	b.keys("alt+right")
	b.shows("waits for memory: confab tiny is answering")
	b.settle()
	if !b.f.closed || len(m.second.asked) != 1 || m.second.asked[0].Messages[0].Content != "Capital of Japan?" {
		t.Errorf("closed: %v, asked the second %v", b.f.closed, m.second.asked)
	}
	b.shows("hear and see.", "It is Tokyo.", "Llama 3.2 3B")
}
