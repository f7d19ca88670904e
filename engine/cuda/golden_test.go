//go:build cuda

package cuda

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/confab-tui/confab/engine/cpu"
	"github.com/confab-tui/confab/engine/gguf"
	"github.com/confab-tui/confab/engine/model"
)

// golden is the reference implementation's answer for one model.
type golden struct {
	Tokens    []int32   `json:"tokens"`
	Positions []int     `json:"positions"`
	Greedy    []int32   `json:"greedy"`
	Gap       []float32 `json:"gap"`
	logits    []float32
}

func readGolden(t *testing.T, path string) *golden {
	t.Helper()
	text, err := os.ReadFile(path + ".json")
	if err != nil {
		t.Fatal(err)
	}
	g := &golden{}
	if err := json.Unmarshal(text, g); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(path + ".f32")
	if err != nil {
		t.Fatal(err)
	}
	for ; len(raw) > 0; raw = raw[4:] {
		g.logits = append(g.logits, math.Float32frombits(binary.LittleEndian.Uint32(raw)))
	}
	return g
}

// builtin is the model that ships with the program.
const builtin = "../builtin/confab-tiny-q8_0.gguf"

// models lists the models with golden logits.
func models(t *testing.T) map[string]string {
	t.Helper()
	if err := Available(); err != nil {
		t.Skip(err)
	}
	found := map[string]string{}
	for _, folder := range []string{"../../testdata", *testdata} {
		paths, err := filepath.Glob(filepath.Join(folder, "models", "*.gguf"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			f, err := gguf.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			if arch, _ := f.String("general.architecture"); slices.Contains(model.Architectures(), arch) {
				found[strings.TrimSuffix(filepath.Base(path), ".gguf")] = path
			}
			f.Close()
		}
	}
	return found
}

func load(t testing.TB, path string) *model.Program {
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

// runner is either executor.
type runner interface {
	Run(*model.Step) (model.Result, error)
	Close() error
}

func start(t testing.TB, p *model.Program, o Options) *Executor {
	t.Helper()
	if err := Available(); err != nil {
		t.Skip(err)
	}
	e, err := New(p, o)
	if err != nil {
		refused(t, err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

// refused skips a test of a model that the device has no kernels for, which is told by
// name, and fails it otherwise.
func refused(t testing.TB, err error) {
	t.Helper()
	if strings.Contains(err.Error(), "not supported") {
		t.Skip(err)
	}
	t.Fatal(err)
}

func startCPU(t testing.TB, p *model.Program, cells int) runner {
	t.Helper()
	e, err := cpu.New(p, cpu.Options{Cells: cells})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

// tolerance is how far logits may be from the reference's, whose cells are float32.
// Half-precision cells cost float models little; in front of quantised weights they
// make activations round the other way here and there, on the CPU as well, where they
// take the logits up to 0.025 away.
func tolerance(name string) float64 {
	if strings.HasSuffix(name, "-f32") || strings.HasSuffix(name, "-f16") {
		return 2e-3
	}
	return 4e-2
}

func TestGoldenLogits(t *testing.T) {
	for name, path := range models(t) {
		t.Run(name, func(t *testing.T) {
			p := load(t, path)
			base := strings.TrimSuffix(filepath.Base(path), ".gguf")
			g := readGolden(t, filepath.Join(filepath.Dir(path), "..", "logits", base))
			e := start(t, p, Options{Cells: 200})
			compare(t, e, g, tolerance(name))
			compareCPU(t, e, p, g, tolerance(name))
			if t.Failed() {
				firstDifference(t, p, g.Tokens, 5e-3)
			}
		})
	}
}

// compare evaluates the prompt and goes on greedily.
func compare(t *testing.T, e runner, g *golden, allow float64) {
	t.Helper()
	s := newSequence(len(g.Tokens) + len(g.Greedy))
	res, err := e.Run(s.step(g.Tokens, g.Positions...))
	if err != nil {
		t.Fatal(err)
	}
	var got []float32
	for _, out := range res.Outputs {
		got = append(got, out.Logits...)
	}
	d := distance(got, g.logits)
	if !(d <= allow) {
		t.Errorf("logits differ by %.2g; allowed %.2g", d, allow)
	}
	t.Logf("distance %.2g", d)
	next := res.Outputs[len(res.Outputs)-1].Tokens[0].ID
	for i, want := range g.Greedy {
		if next != want {
			if float64(g.Gap[i]) > 8*allow*rootMeanSquare(g.logits) {
				t.Errorf("greedy token %d is %d, want %d, which led by %g", i, next, want, g.Gap[i])
			}
			return
		}
		if res, err = e.Run(s.step([]int32{next}, len(s.tokens))); err != nil {
			t.Fatal(err)
		}
		next = res.Outputs[0].Tokens[0].ID
	}
}

// compareCPU sets the prompt's logits beside those of the CPU with the same cells.
func compareCPU(t *testing.T, e runner, p *model.Program, g *golden, allow float64) {
	t.Helper()
	var results [2][]float32
	for i, e := range []runner{e, startCPU(t, p, 200)} {
		res, err := e.Run(newSequence(len(g.Tokens)).step(g.Tokens, g.Positions...))
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range res.Outputs {
			results[i] = append(results[i], o.Logits...)
		}
	}
	d := distance(results[0], results[1])
	if !(d <= allow) {
		t.Errorf("logits differ from the CPU's by %.2g; allowed %.2g", d, allow)
	}
	t.Logf("from the CPU's %.2g", d)
}

// firstDifference runs ever longer parts of a program on both executors and tells the
// first operation whose results differ.
func firstDifference(t *testing.T, p *model.Program, tokens []int32, allow float64) {
	t.Helper()
	for n := 1; n <= len(p.Ops); n++ {
		part := *p
		part.Ops = p.Ops[:n]
		writes := p.Ops[n-1].Writes(nil)
		if len(writes) == 0 || p.Buffers[writes[0].Buf].Ints {
			continue
		}
		part.Logits = writes[0]
		results := make([][]float32, 2)
		cuda, err := New(&part, Options{Cells: 200, Context: 200, Eager: true})
		if err != nil {
			refused(t, err)
		}
		for i, e := range []runner{cuda, startCPU(t, &part, 200)} {
			s := newSequence(len(tokens))
			var all []int
			for j := range tokens {
				all = append(all, j)
			}
			res, err := e.Run(s.step(tokens, all...))
			if err != nil {
				t.Fatal(err)
			}
			for _, o := range res.Outputs {
				results[i] = append(results[i], o.Logits...)
			}
		}
		if err := cuda.Close(); err != nil {
			t.Fatal(err)
		}
		if d := distance(results[0], results[1]); !(d < allow) {
			t.Errorf("operation %d, %T %+v: differs by %.2g", n-1, p.Ops[n-1], writes[0], d)
			return
		}
	}
}

// distance is the root of the squared differences over the squared reference.
func distance(a, b []float32) float64 {
	if len(a) != len(b) {
		return math.Inf(1)
	}
	var diff, sum float64
	for i := range a {
		d := float64(a[i]) - float64(b[i])
		diff += d * d
		sum += float64(b[i]) * float64(b[i])
	}
	if diff == 0 {
		return 0
	}
	return math.Sqrt(diff / sum)
}

func rootMeanSquare(x []float32) float64 {
	var sum float64
	for _, v := range x {
		sum += float64(v) * float64(v)
	}
	return math.Sqrt(sum / float64(len(x)))
}

// sequence is one timeline of tokens with cells of its own, in scattered order.
type sequence struct {
	tokens []int32
	cells  []int32
}

// newSequence takes the cells 1 to n, the odd ones first.
func newSequence(n int) *sequence {
	s := &sequence{}
	for first := range 2 {
		for c := 1 + first; c <= n; c += 2 {
			s.cells = append(s.cells, int32(c))
		}
	}
	return s
}

// step appends tokens; outputs with logits are asked of the positions named.
func (s *sequence) step(tokens []int32, outputs ...int) *model.Step {
	st := &model.Step{}
	first := len(s.tokens)
	s.tokens = append(s.tokens, tokens...)
	for i, tok := range tokens {
		pos := first + i
		st.Rows = append(st.Rows, model.Row{Token: tok, Pos: int32(pos), Cell: s.cells[pos]})
	}
	st.Seqs = []model.Seq{{First: 0, Count: len(tokens), Cells: s.cells[:len(s.tokens)]}}
	for _, pos := range outputs {
		st.Outputs = append(st.Outputs, model.Output{Row: pos - first, Logits: true,
			Sampling: model.SamplingRow{Pos: int32(pos + 1)}})
	}
	return st
}
