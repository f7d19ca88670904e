//go:build cuda

package cuda

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/confab-tui/confab/kernels/attend"
)

// Whatever sequences a step has and however they share cells, every row meets each of its
// positions once, in its own cells, chunk by chunk as alone.
func TestAttendPlan(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for round := range 300 {
		p := &attendPlan{group: 4, dim: 128, kvHeads: 8}
		if round%4 == 3 {
			p.window = 1 + r.IntN(200)
		}
		spans, lists, rows := randomSpans(r)
		positions, cells := make([]int, rows), make([][]int32, rows)
		for _, s := range spans {
			for i := range s.rows {
				positions[s.row+i], cells[s.row+i] = s.pos+i, s.cells
			}
		}
		p.build(spans, rows, 4, 132, 1<<20, round%8 == 1)
		met := make([]map[int32]bool, rows)
		for _, it := range p.items {
			for i, row := range p.list[it.List : it.List+it.Rows] {
				if own := it.List + int32(i); it.Fresh != math.MaxInt32 && row != own {
					t.Fatalf("round %d: an item of one sequence lists row %d at %d", round, row, own)
				}
				parts := p.parts[row]
				if met[row] == nil {
					met[row] = map[int32]bool{}
				}
				if it.Chunk < parts.Chunk || it.Chunk >= parts.Chunk+parts.Count || met[row][it.Chunk] {
					t.Fatalf("round %d: row %d at %d meets chunk %d, of %+v", round, row, positions[row], it.Chunk, parts)
				}
				met[row][it.Chunk] = true
				chunk := p.chunk(positions[row])
				first, last := max(int(it.Chunk)*chunk, p.first(positions[row])), min((int(it.Chunk)+1)*chunk, positions[row]+1)
				if int(it.From) > first || int(it.To) < last || it.From%64 != 0 {
					t.Fatalf("round %d: row %d is to see %d to %d, the item has %d to %d", round, row, first, last, it.From, it.To)
				}
				for at := first; at < last; at++ {
					if lists[int(it.Cells)+at] != cells[row][at] {
						t.Fatalf("round %d: row %d reads cell %d at %d, its own is %d", round, row, lists[int(it.Cells)+at], at, cells[row][at])
					}
				}
			}
		}
		for row := range rows {
			if len(met[row]) != int(p.parts[row].Count) {
				t.Fatalf("round %d: row %d meets %d of %d chunks", round, row, len(met[row]), p.parts[row].Count)
			}
		}
	}
}

// A wide step's positions are cut where there are fewer items than multiprocessors, and its
// longest items come first.
func TestAttendPlanOfPrompts(t *testing.T) {
	for _, c := range []struct{ rows, pos, parts int }{{512, 0, 1}, {4096, 0, 1}, {512, 4000, 1}, {128, 4000, 4}, {70, 100, 1}} {
		p := &attendPlan{group: 4, dim: 128, kvHeads: 8}
		p.build([]span{{rows: c.rows, pos: c.pos, cells: make([]int32, c.pos+c.rows)}}, c.rows, 32, 132, 1<<20, true)
		most := 0
		for _, parts := range p.parts {
			most = max(most, int(parts.Count))
		}
		if most != c.parts {
			t.Errorf("%d rows at %d: up to %d parts a row, want %d", c.rows, c.pos, most, c.parts)
		}
		if !slices.IsSortedFunc(p.items, func(a, b attend.AttendItem) int { return int(b.To - b.From - a.To + a.From) }) {
			t.Errorf("%d rows at %d: a longer item comes after a shorter one", c.rows, c.pos)
		}
	}
}

// randomSpans makes spans of one to three rows, some of which begin with the cells of an
// earlier one, and the lists that they refer to.
func randomSpans(r *rand.Rand) (spans []span, lists []int32, rows int) {
	next := int32(1)
	for range 1 + r.IntN(12) {
		s := span{row: rows, rows: 1 + r.IntN(3), pos: r.IntN(500), at: len(lists)}
		for range s.pos + s.rows {
			s.cells = append(s.cells, next)
			next++
		}
		if len(spans) > 0 && r.IntN(3) > 0 {
			of := spans[r.IntN(len(spans))].cells
			copy(s.cells[:r.IntN(s.pos+1)], of)
		}
		rows += s.rows
		lists = append(lists, s.cells...)
		spans = append(spans, s)
	}
	return spans, lists, rows
}

// Eight rows over one prompt of 2,000 cells read it twice, four rows an item, and not
// eight times.
func TestAttendPlanShares(t *testing.T) {
	var spans []span
	for i := range 8 {
		s := span{row: i, rows: 1, pos: 2050, at: 2051 * i, cells: make([]int32, 2051)}
		for p := range s.cells {
			s.cells[p] = int32(p)
			if p >= 2000 {
				s.cells[p] += int32(100 * (i + 1))
			}
		}
		spans = append(spans, s)
	}
	p := &attendPlan{group: 4, dim: 128, kvHeads: 8}
	p.build(spans, 8, 4, 132, 1<<20, false)
	shared, apart := 0, 0
	for _, it := range p.items {
		if it.Rows > 1 {
			shared++
		} else {
			apart++
		}
	}
	if shared != 2*(2000/firstChunk) || apart != 8*2 {
		t.Errorf("%d items of several rows and %d of one, want %d and %d", shared, apart, 2*(2000/firstChunk), 8*2)
	}
}
