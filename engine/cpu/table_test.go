package cpu

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/confab-tui/confab/engine/model"
)

// With -table the tables of what runs are printed; with -write they also take the place of
// the old ones in the README.
var (
	table = flag.Bool("table", false, "print the tables of families and tensor types")
	write = flag.Bool("write", false, "put the tables into the README")
)

const (
	readme     = "../../README.md"
	tableStart = "<!-- made by make models -->\n"
	tableEnd   = "<!-- the end of what make models made -->\n"
)

// onGPU returns the logits of a prompt's positions on the GPU, in builds for one; nil where
// the machine has none.
var onGPU func(t *testing.T, p *model.Program, g *golden) []float32

// gpuType says which type a GPU keeps a tensor type as, in builds for one.
var gpuType func(uint32) uint32

// TestModelTable measures every family and every tensor type, if asked to. Otherwise it holds
// the README's tables against the families and types that there are.
func TestModelTable(t *testing.T) {
	if !*table && !*write {
		checkTables(t)
		return
	}
	text := familyTable(t) + testedOn() + typeTable(t)
	fmt.Print(text)
	if !*write {
		return
	}
	old, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(old), tableStart)
	_, after, there := strings.Cut(rest, tableEnd)
	if !ok || !there {
		t.Fatalf("%s lacks the line %q or %q", readme, tableStart, tableEnd)
	}
	if err := os.WriteFile(readme, []byte(before+tableStart+text+tableEnd+after), 0o644); err != nil {
		t.Fatal(err)
	}
}

func checkTables(t *testing.T) {
	text, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), tableStart)
	tables, _, _ := strings.Cut(rest, tableEnd)
	names := model.Architectures()
	for _, q := range readQuants(t) {
		names = append(names, q.of.String())
	}
	for _, name := range names {
		if !strings.Contains(tables, "\n| `"+name+"` |") {
			t.Errorf("the README's tables have no row for %s: run make models WRITE=1", name)
		}
	}
}

// family is what was measured of one architecture: for F32, F16 and quantised files the
// largest error of any of them.
type family struct {
	types        []string
	errors       [3]float64 // below 0: no such file
	exact        float64    // of quantised weights multiplied in float32
	largest      float64    // difference of a single logit
	same, wanted int        // greedy tokens up to the first that is too close to call
	gpu          float64    // below 0: not run there now
	// tested says that a file of the family is in the tree, where the GPU's tests find it.
	tested bool
}

func familyTable(t *testing.T) string {
	families := map[string]*family{}
	for name, path := range goldenModels(t) {
		if !supported(t, path) {
			continue
		}
		p := load(t, path)
		f := families[p.Spec.Arch]
		if f == nil {
			f = &family{errors: [3]float64{-1, -1, -1}, exact: -1, gpu: -1}
			families[p.Spec.Arch] = f
		}
		f.measure(t, name, path, p)
	}
	return familyText(t, families)
}

func (f *family) measure(t *testing.T, name, path string, p *model.Program) {
	for _, of := range p.Inventory().Types {
		if !slices.Contains(f.types, of.Type.String()) {
			f.types = append(f.types, of.Type.String())
		}
	}
	class := 2
	if i := slices.Index([]string{"f32", "f16"}, name[strings.LastIndex(name, "-")+1:]); i >= 0 {
		class = i
	}
	g := readGolden(t, logitsOf(path, ""))
	got, same, wanted := f.answer(t, p, g, Options{Threads: 2, Cells: 128, F32Cells: true}, tolerance(name))
	f.errors[class] = max(f.errors[class], distance(got, g.logits))
	f.same, f.wanted = f.same+same, f.wanted+wanted
	if class > 0 {
		exact := readGolden(t, logitsOf(path, ".exact"))
		got, _, _ := f.answer(t, p, exact, Options{Threads: 2, Cells: 128, F32Cells: true, Exact: true}, 1e-4)
		f.exact = max(f.exact, distance(got, exact.logits))
	}
	for i := range got {
		f.largest = max(f.largest, abs(float64(got[i])-float64(g.logits[i])))
	}
	if _, err := os.Stat(folders[0] + "/models/" + name + ".gguf"); err == nil {
		f.tested = true
	}
	if onGPU != nil {
		if got := onGPU(t, p, g); got != nil {
			f.gpu = max(f.gpu, distance(got, g.logits))
		}
	}
}

// answer evaluates the prompt and goes on greedily along the reference's tokens; it counts
// those that are the same, of those that led by more than the tolerance.
func (f *family) answer(t *testing.T, p *model.Program, g *golden, o Options, allow float64) (logits []float32, same, wanted int) {
	e := start(t, p, o)
	defer e.Close()
	s := newSequence(len(g.Tokens) + len(g.Greedy))
	res, err := e.Run(s.step(g.Tokens, g.Positions...))
	if err != nil {
		t.Fatal(err)
	}
	for _, out := range res.Outputs {
		logits = append(logits, out.Logits...)
	}
	next := res.Outputs[len(res.Outputs)-1].Tokens[0].ID
	spread := rootMeanSquare(g.logits)
	for i, want := range g.Greedy {
		if float64(g.Gap[i]) > 8*allow*spread {
			wanted++
			if next == want {
				same++
			}
		}
		if res, err = e.Run(s.step([]int32{want}, len(s.tokens))); err != nil {
			t.Fatal(err)
		}
		next = res.Outputs[0].Tokens[0].ID
	}
	return logits, same, wanted
}

func familyText(t *testing.T, families map[string]*family) string {
	var b strings.Builder
	b.WriteString("| family | tensor types | F32 | F16 | quantised | in float | largest | greedy | runs on |\n")
	b.WriteString("| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n")
	for _, arch := range model.Architectures() {
		f := families[arch]
		if f == nil {
			t.Errorf("no model of the architecture %s has golden logits here", arch)
			continue
		}
		slices.Sort(f.types)
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s | %s | %d of %d | %s |\n", arch, strings.Join(f.types, " "),
			figure(f.errors[0]), figure(f.errors[1]), figure(f.errors[2]), figure(f.exact), figure(f.largest), f.same, f.wanted, f.backends())
	}
	return b.String()
}

// testedOn says where the figures without one of the GPU beside them come from.
func testedOn() string {
	text, err := os.ReadFile("../../gpu/TESTED")
	if err != nil {
		return "\n"
	}
	first, _, _ := strings.Cut(string(text), "\n")
	words := strings.Fields(first)
	if len(words) < 3 {
		return "\n"
	}
	return fmt.Sprintf("\nWhere the GPU has no figure, the family's files in testdata/models passed its tests on %s, on an %s (sources %s).\n\n",
		words[0], strings.Join(words[2:], " "), words[1])
}

func (f *family) backends() string {
	switch {
	case f.gpu >= 0:
		return "CPU, GPU " + figure(f.gpu)
	case f.tested:
		return "CPU, GPU"
	}
	return "CPU"
}

// figure prints two digits, or nothing for what was not measured.
func figure(x float64) string {
	if x < 0 {
		return ""
	}
	return fmt.Sprintf("%.1e", x)
}

func abs(x float64) float64 { return max(x, -x) }
