package cpu

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/confab-tui/confab/engine/gguf"
	"github.com/confab-tui/confab/engine/model"
)

// golden is the reference implementation's answer for one model: the logits of some
// of the prompt's positions and the greedy continuation.
type golden struct {
	Vocab     int       `json:"n_vocab"`
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

// folders are where models and their logits may be: the project's own test data, and
// the larger set that a checkout may have beside it.
var folders = []string{"../../testdata", "../../../shared/testdata"}

// goldenModels lists the models with golden logits of architectures that Load knows.
func goldenModels(t *testing.T) map[string]string {
	t.Helper()
	models := map[string]string{}
	for _, folder := range folders {
		paths, err := filepath.Glob(filepath.Join(folder, "models", "*.gguf"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			models[strings.TrimSuffix(filepath.Base(path), ".gguf")] = path
		}
	}
	if len(models) == 0 {
		t.Skip("no test models present")
	}
	return models
}

func logitsOf(path, suffix string) string {
	name := strings.TrimSuffix(filepath.Base(path), ".gguf")
	return filepath.Join(filepath.Dir(path), "..", "logits", name+suffix)
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

func start(t testing.TB, p *model.Program, o Options) *Executor {
	t.Helper()
	e, err := New(p, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

// supported says whether Load knows a file's architecture.
func supported(t *testing.T, path string) bool {
	t.Helper()
	f, err := gguf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	arch, _ := f.String("general.architecture")
	for _, known := range model.Architectures() {
		if known == arch {
			return true
		}
	}
	return false
}

// tolerance is how far logits may be from the reference's of the same rounding.
func tolerance(name string) float64 {
	switch {
	case strings.HasSuffix(name, "-f32"):
		return 1e-4
	case strings.HasSuffix(name, "-f16"):
		return 1e-3
	}
	return 2e-2
}

func TestGoldenLogits(t *testing.T) {
	for name, path := range goldenModels(t) {
		if !supported(t, path) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			p := load(t, path)
			compare(t, p, Options{Threads: 2, Cells: 128, F32Cells: true}, readGolden(t, logitsOf(path, "")), tolerance(name))
		})
	}
}

// TestGoldenExact compares with the reference run on weights read back to float32.
func TestGoldenExact(t *testing.T) {
	for name, path := range goldenModels(t) {
		if !supported(t, path) || strings.HasSuffix(name, "-f32") {
			continue
		}
		t.Run(name, func(t *testing.T) {
			p := load(t, path)
			compare(t, p, Options{Threads: 2, Cells: 128, F32Cells: true, Exact: true}, readGolden(t, logitsOf(path, ".exact")), 1e-4)
		})
	}
}

// compare evaluates the prompt and goes on greedily.
func compare(t *testing.T, p *model.Program, o Options, g *golden, allow float64) {
	t.Helper()
	e := start(t, p, o)
	s := newSequence(len(g.Tokens) + len(g.Greedy))
	res, err := e.Run(s.step(g.Tokens, g.Positions...))
	if err != nil {
		t.Fatal(err)
	}
	var got []float32
	for _, out := range res.Outputs {
		got = append(got, out.Logits...)
	}
	if off := distance(got, g.logits); !(off <= allow) {
		t.Errorf("logits differ by %.2g; allowed %.2g", off, allow)
	}
	t.Logf("distance %.2g", distance(got, g.logits))
	spread := rootMeanSquare(g.logits)
	next := res.Outputs[len(res.Outputs)-1].Tokens[0].ID
	for i, want := range g.Greedy {
		if next != want {
			if float64(g.Gap[i]) > 8*allow*spread {
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
