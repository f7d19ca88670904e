package cpu

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/confab-tui/confab/kernels/matmul"
)

// TestProductCut checks that the workers' shares have every panel of every matrix once, in
// order, and about as many bytes each.
func TestProductCut(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		p := &product{e: &Executor{options: Options{Threads: 1 + r.IntN(9)}}}
		largest, total := 0.0, 0.0
		for range 1 + r.IntN(4) {
			n, k := 1+r.IntN(900), 32*(1+r.IntN(64))
			typ := []matmul.Type{matmul.Q4_0, matmul.Q8_0, matmul.F32}[r.IntN(3)]
			m, err := matmul.NewMatrix(typ, n, k)
			if err != nil {
				t.Fatal(err)
			}
			p.items = append(p.items, productItem{m: m})
			largest = max(largest, panelBytes(m))
			total += float64(m.Bytes())
		}
		p.cut()
		item, next := 0, 0
		for w := range p.e.options.Threads {
			bytes := 0.0
			for from, to := p.share(w); from < to; from++ {
				c := p.chunks[from]
				if next == p.items[item].m.Panels() {
					item, next = item+1, 0
				}
				if c.item != item || c.from != next || c.to <= c.from || c.end < c.to {
					t.Fatalf("worker %d has chunk %v, want one that begins at panel %d of matrix %d", w, c, next, item)
				}
				next = c.to
				bytes += float64(c.to-c.from) * panelBytes(p.items[item].m)
			}
			if even := total / float64(p.e.options.Threads); bytes < even-1.5*largest || bytes > even+1.5*largest {
				t.Errorf("worker %d of %d has %.0f bytes of %.0f, its panels up to %.0f", w, p.e.options.Threads, bytes, total, largest)
			}
		}
		if item != len(p.items)-1 || next != p.items[item].m.Panels() {
			t.Fatal(fmt.Sprint("the shares end at panel ", next, " of matrix ", item))
		}
	}
}

func panelBytes(m *matmul.Matrix) float64 { return float64(m.Bytes()) / float64(m.Panels()) }

// TestAhead checks that a waiting worker fetches what its share of the next product begins with,
// a little at a time, and comes to an end.
func TestAhead(t *testing.T) {
	e := &Executor{options: Options{Threads: 2}}
	var phases []phase
	for _, n := range []int{64, 4096} {
		m, err := matmul.NewMatrix(matmul.F32, n, 64)
		if err != nil {
			t.Fatal(err)
		}
		p := &product{e: e, items: []productItem{{m: m}}}
		p.cut()
		phases = append(phases, &rowPhase{}, p)
	}
	a := newAhead(phases, 2)
	for at, want := range []int{64 * 64 * 4 / 2, fetchMost, fetchMost, 0} {
		for worker := range 2 {
			a.asked[worker] = askedAhead{}
			steps := 0
			for a.fetch(at, worker) {
				steps++
			}
			if got := a.asked[worker].bytes; got != want || steps < want/fetchStep {
				t.Errorf("after phase %d worker %d fetched %d bytes in %d steps, want %d in steps of %d", at, worker, got, steps, want, fetchStep)
			}
		}
	}
}
