//go:build cuda

package cuda

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/confab-tui/confab/engine/model"
)

const (
	shareBranches = 8
	sharePrompt   = 150
	shareMore     = 50
)

// branch is a timeline whose first cells belong to others as well.
type branch struct {
	text  []int32
	alone [][]float32
	cells []int32
	own   int // its first cell that nobody else has
}

// A prompt's cells serve eight sequences that diverge and the source, which goes on;
// they rewind and start over, in cells that others have left, and every row has the
// bits that it has alone.
func TestSharing(t *testing.T) {
	p := load(t, builtin)
	const cells = 1 + sharePrompt + (shareBranches+1)*shareMore
	solo, e := start(t, p, Options{Cells: 1 + sharePrompt + shareMore}), start(t, p, Options{Cells: cells})
	r := rand.New(rand.NewPCG(11, 12))
	source := prompt(r, sharePrompt, p.Spec.Vocab)
	branches := make([]*branch, shareBranches+1)
	for i := range branches {
		b := &branch{text: append(slices.Clone(source), prompt(r, shareMore, p.Spec.Vocab)...)}
		s := newSequence(len(b.text))
		// The prompt in one step, as what is shared: wide steps round otherwise.
		if _, err := solo.Run(s.step(source)); err != nil {
			t.Fatal(err)
		}
		b.alone = make([][]float32, sharePrompt, len(b.text))
		for pos := sharePrompt; pos < len(b.text); pos++ {
			res, err := solo.Run(s.step(b.text[pos:pos+1], pos))
			if err != nil {
				t.Fatal(err)
			}
			b.alone = append(b.alone, res.Outputs[0].Logits)
		}
		branches[i] = b
	}
	free := &freeCells{e: e}
	for c := 1; c < cells; c++ {
		free.give(t, int32(c))
	}
	for range 4 {
		share(t, e, r, source, branches, free)
	}
}

// freeCells is the cells that nobody has; they are NaN.
type freeCells struct {
	e     *Executor
	cells []int32
}

func (f *freeCells) give(t *testing.T, cells ...int32) {
	t.Helper()
	for _, c := range cells {
		if err := f.e.Poison(c); err != nil {
			t.Fatal(err)
		}
	}
	f.cells = append(f.cells, cells...)
}

func (f *freeCells) take(r *rand.Rand, n int) []int32 {
	r.Shuffle(len(f.cells), func(i, j int) { f.cells[i], f.cells[j] = f.cells[j], f.cells[i] })
	taken := slices.Clone(f.cells[:n])
	f.cells = f.cells[n:]
	return taken
}

// share is one round: the prompt, its sharing, steps of random pieces, the end.
func share(t *testing.T, e *Executor, r *rand.Rand, source []int32, branches []*branch, free *freeCells) {
	t.Helper()
	shared := free.take(r, len(source))
	first := &sequence{cells: shared}
	if _, err := e.Run(first.step(source)); err != nil {
		t.Fatal(err)
	}
	for _, b := range branches {
		b.cells, b.own = slices.Clone(shared), len(shared)
	}
	for range 60 {
		st := &model.Step{}
		var checks [][]float32
		for _, i := range r.Perm(len(branches)) {
			b := branches[i]
			if r.IntN(3) == 0 {
				continue
			}
			if len(b.cells) == len(b.text) || r.IntN(12) == 0 {
				to := b.own + r.IntN(len(b.cells)-b.own+1)
				free.give(t, b.cells[to:]...)
				b.cells = slices.Clone(b.cells[:to])
			}
			n := min(1+r.IntN(4), len(b.text)-len(b.cells))
			if n == 0 {
				continue
			}
			at, row := len(b.cells), len(st.Rows)
			b.cells = append(b.cells, free.take(r, n)...)
			for j := range n {
				st.Rows = append(st.Rows, model.Row{Token: b.text[at+j], Pos: int32(at + j), Cell: b.cells[at+j]})
				st.Outputs = append(st.Outputs, model.Output{Row: row + j, Logits: true})
				checks = append(checks, b.alone[at+j])
			}
			st.Seqs = append(st.Seqs, model.Seq{First: row, Count: n, Cells: b.cells})
		}
		if len(st.Rows) == 0 {
			continue
		}
		res, err := e.Run(st)
		if err != nil {
			t.Fatal(err)
		}
		for k, want := range checks {
			if d := distance(res.Outputs[k].Logits, want); d != 0 {
				t.Fatalf("row %d of %d at position %d: logits differ by %.2g from those alone", k, len(st.Rows), st.Rows[k].Pos, d)
			}
		}
	}
	for _, b := range branches {
		free.give(t, b.cells[b.own:]...)
	}
	free.give(t, shared...)
}
