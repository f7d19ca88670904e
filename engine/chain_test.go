package engine

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/confab-tui/confab/engine/cpu"
	"github.com/confab-tui/confab/engine/gguf"
	"github.com/confab-tui/confab/engine/model"
)

const chainCells = 400

// narrow is a half that takes fewer rows than it could.
type narrow struct {
	*cpu.Executor
	rows int
}

func (n narrow) Rows() int { return n.rows }

func onCPU(t *testing.T, p *model.Program, cells int) *cpu.Executor {
	t.Helper()
	e, err := cpu.New(p, cpu.Options{Threads: 2, Cells: cells})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

// inHalves runs a program in two halves, both on the CPU, in steps of at most so many rows.
func inHalves(t *testing.T, p *model.Program, at model.Placement, cells, rows int) *chain {
	t.Helper()
	device, host := p.Split(at)
	return newChain(narrow{onCPU(t, device, cells), rows}, onCPU(t, host, cells), device, host, "placed")
}

func loadProgram(t *testing.T, path string) *model.Program {
	t.Helper()
	f, err := gguf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	p, err := model.Load(f)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// placements are all that divide a program.
func placements(p *model.Program) []model.Placement {
	var all []model.Placement
	for _, layers := range p.MayPlace() {
		for experts := range p.MostHostExperts(layers) + 1 {
			if at := (model.Placement{Layers: layers, HostExperts: experts}); !whole(at, p.Spec.Layers) {
				all = append(all, at)
			}
		}
	}
	return all
}

// some are at most three of the divisions, spread over all.
func some(all []model.Placement) []model.Placement {
	const most = 3
	if len(all) <= most {
		return all
	}
	var few []model.Placement
	for i := range most {
		few = append(few, all[i*(len(all)-1)/(most-1)])
	}
	return few
}

// Wherever a program is divided, its halves give what it gives whole, to the last bit.
func TestChainEqualsWhole(t *testing.T) {
	paths, _ := filepath.Glob("../testdata/models/*.gguf")
	if len(paths) == 0 {
		t.Fatal("no models in testdata")
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".gguf"), func(t *testing.T) {
			chainEqualsWhole(t, loadProgram(t, path))
		})
	}
	t.Run("rows for each layer", func(t *testing.T) {
		chainEqualsWhole(t, withLayerRows(loadProgram(t, "../testdata/models/tiny-gemma3-f32.gguf")))
	})
}

func chainEqualsWhole(t *testing.T, p *model.Program) {
	want := answersTo(t, onCPU(t, p, chainCells), p)
	all := placements(p)
	if testing.Short() {
		all = some(all)
	}
	for _, at := range all {
		for i, got := range answersTo(t, inHalves(t, p, at, chainCells, 11), p) {
			if !reflect.DeepEqual(got, want[i]) {
				t.Fatalf("%+v: output %d is %v, whole %v", at, i, got.Tokens, want[i].Tokens)
			}
		}
	}
}

// withLayerRows has a row for each layer made of the token's embedding before the first
// layer, and every layer add its own, as some of Gemma 4 do: those layers cannot be divided
// where the small one's are.
func withLayerRows(p *model.Program) *model.Program {
	embed := p.Ops[0].(*model.Embed)
	width, layers := p.Spec.Width, p.Spec.Layers
	own := len(p.Buffers)
	p.Buffers = append(p.Buffers, model.Buffer{Name: "own", Width: width * layers})
	var ops []model.Op
	for layer := range layers {
		ops = append(ops, &model.Embed{Out: model.Ref{Buf: own, At: layer * width, Width: width}, Table: embed.Table, Scale: float32(layer)})
	}
	ops = append(ops, p.Ops[:p.Layers[0]]...)
	starts := append([]int(nil), p.Layers...)
	for layer := range layers {
		p.Layers[layer] = len(ops)
		ops = append(ops, &model.Add{Out: embed.Out, A: embed.Out, B: model.Ref{Buf: own, At: layer * width, Width: width}})
		ops = append(ops, p.Ops[starts[layer]:starts[layer+1]]...)
	}
	p.Layers[layers] = len(ops)
	p.Ops = append(ops, p.Ops[starts[layers]:]...)
	return p
}

// answersTo runs steps of prompts in pieces of random length, with drafts.
func answersTo(t *testing.T, exec executor, p *model.Program) []model.Sampled {
	t.Helper()
	const seqs, length = 5, 60
	rnd := rand.New(rand.NewPCG(1, 2))
	var done [seqs]int32
	var all []model.Sampled
	for range 24 {
		step := &model.Step{}
		for i := range seqs {
			n := min(rnd.Int32N(8), length-done[i])
			if n == 0 {
				continue
			}
			seq := model.Seq{First: len(step.Rows), Count: int(n), Slot: i}
			out := model.Output{Row: len(step.Rows) + rnd.IntN(int(n)), Logits: true}
			for pos := range done[i] + n {
				seq.Cells = append(seq.Cells, 1+(int32(i)*length+pos)*11%(chainCells-1))
			}
			for pos := done[i]; pos < done[i]+n; pos++ {
				row := model.Row{Token: (pos*31 + int32(i)*7) % int32(p.Spec.Vocab), Pos: pos, Cell: seq.Cells[pos]}
				if len(step.Rows) > out.Row {
					out.Draft = append(out.Draft, row.Token)
				}
				step.Rows = append(step.Rows, row)
			}
			out.Sampling = model.SamplingRow{Sampling: model.DefaultSampling(), Seed: 3, Pos: step.Rows[out.Row].Pos + 1, Alternatives: 2}
			step.Seqs, step.Outputs = append(step.Seqs, seq), append(step.Outputs, out)
			done[i] += n
		}
		if len(step.Rows) == 0 {
			continue
		}
		result, err := exec.Run(step)
		if err != nil {
			t.Fatal(err)
		}
		for _, out := range result.Outputs {
			all = append(all, kept(out))
		}
	}
	return all
}

// A crowd of chats says over the halves of a model what each says alone over the whole,
// also where the pool is too small for all.
func TestChainCrowd(t *testing.T) {
	const chats, words, most = 24, 40, 24
	for name, at := range map[string]model.Placement{
		"tiny-gemma3-f32": {Layers: 2}, "tiny-qwen35-f32": {Layers: 2}, "tiny-qwen3moe-q4_k_m": {Layers: 2, HostExperts: 1},
		"tiny-gpt-oss-mxfp4": {Layers: 1},
	} {
		t.Run(name, func(t *testing.T) {
			alone := openTiny(t, name, 500)
			p := loadProgram(t, "../testdata/models/"+name+".gguf")
			exec := inHalves(t, p, at, chats*(words+most)/5, 64)
			e, err := parts{info: alone.Info(), words: alone.words, place: func(*Engine) (executor, error) { return exec, nil }}.start()
			if err != nil {
				t.Fatal(err)
			}
			defer e.Close()
			ask := func(i int) Request {
				r := Request{Conversation: fmt.Sprint(i), MaxTokens: most, IgnoreEnd: true}
				r.Sampling = Sampling{Temperature: float32(i % 2), TopP: 0.95, TopK: 40, Seed: int64(i), RepeatPenalty: 1.1, RepeatLastN: 20}
				for j := range words {
					r.Tokens = append(r.Tokens, int32(3+(j*j+i/3*j+i%3)%150))
				}
				return r
			}
			var streams []*Stream
			for i := range chats {
				streams = append(streams, e.Generate(context.Background(), ask(i)))
			}
			for i, s := range streams {
				got, want := finish(t, s), finish(t, alone.Generate(context.Background(), ask(i)))
				if got.End.Reason != ReasonLength || !slices.Equal(ids(got.Tokens), ids(want.Tokens)) {
					t.Errorf("chat %d ended with %q, %v, says %v, alone %v", i, got.End.Reason, got.End.Err, ids(got.Tokens), ids(want.Tokens))
				}
			}
		})
	}
}

// A step is cut between sequences and within them, and not between a row and its draft.
func TestCut(t *testing.T) {
	step := &model.Step{Rows: make([]model.Row, 10), Seqs: []model.Seq{{Count: 6, Cells: make([]int32, 8)}, {First: 6, Count: 4, Cells: make([]int32, 4)}},
		Outputs: []model.Output{{Row: 2, Draft: make([]int32, 2)}, {Row: 7}, {Row: 9}}}
	for i := range step.Rows {
		step.Rows[i].Pos = int32(i + 2)
		if i >= 6 {
			step.Rows[i].Pos = int32(i - 6)
		}
	}
	var got []string
	for _, s := range cut(step, 4) {
		text := fmt.Sprintf("%d rows:", len(s.Rows))
		for _, q := range s.Seqs {
			text += fmt.Sprintf(" %d+%d of %d", q.First, q.Count, len(q.Cells))
		}
		for _, o := range s.Outputs {
			text += fmt.Sprintf(", %d and %d", o.Row, len(o.Draft))
		}
		got = append(got, text)
	}
	want := []string{"2 rows: 0+2 of 4", "4 rows: 0+4 of 8, 0 and 2", "4 rows: 0+4 of 4, 1 and 0, 3 and 0"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// What the loop finds to be an idler or not: a signature that changes would go unnoticed.
var _ = []idler{(*cpu.Executor)(nil), (*chain)(nil)}

// busyHalf has so many pieces to do between steps.
type busyHalf struct {
	half
	left int
}

func (h *busyHalf) Idle() bool {
	h.left--
	return h.left > 0
}

// The time between steps of a divided program is the host's.
func TestChainIdle(t *testing.T) {
	host := &busyHalf{left: 2}
	c := &chain{host: host}
	if !c.Idle() || host.left != 1 {
		t.Errorf("the host has %d of 2 pieces left after one", host.left)
	}
	if c.Idle() {
		t.Error("there is more to do after the host's last piece")
	}
	if (&chain{host: struct{ half }{}}).Idle() {
		t.Error("a host that has no use for the time has more to do")
	}
}
