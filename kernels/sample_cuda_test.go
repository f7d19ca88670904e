//go:build cuda

package kernels

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/confab-tui/confab/gpu"
)

// deviceSampler is room for draws of rows of logits.
type deviceSampler struct {
	q       *Queue
	room    SampleRoom
	history int
	count   gpu.Ptr
}

const sampledRows = 50

func newDeviceSampler(t *testing.T, q *Queue) *deviceSampler {
	return &deviceSampler{q: q, history: 256, room: SampleRoom{
		Drawn: put(t, q, make([]Drawn, sampledRows)), Alternatives: put(t, q, make([]Drawn, sampledRows*MaxAlternatives)),
		Saved: put(t, q, make([]float32, sampledRows*256)), HistoryMax: 256}}
}

// draw samples rows of n logits at once and checks that the logits are put back.
func (s *deviceSampler) draw(t *testing.T, logits []float32, n int, params []SampleParams) (drawn, others []Drawn) {
	t.Helper()
	var rows []DrawRow
	history := []int32{-1}
	for i := range params {
		rows = append(rows, DrawRowOf(&params[i], len(history)))
		history = append(history, params[i].History...)
	}
	place := newRows(t, s.q, len(params), n, n+3).set(logits)
	s.room.Logits, s.room.Rows, s.room.History = place.place(), put(t, s.q, rows), put(t, s.q, history)
	s.room.Count = put(t, s.q, []int32{int32(len(params))})
	s.q.Sample(&s.room, n, sampledRows)
	same(t, "logits after the draw", place.get(), logits)
	return fetch[Drawn](t, s.q, s.room.Drawn, len(params)), fetch[Drawn](t, s.q, s.room.Alternatives, len(params)*MaxAlternatives)
}

// The device draws the tokens that the CPU draws.
func TestDeviceSample(t *testing.T) {
	q := onDevice(t)
	s := newDeviceSampler(t, q)
	r := rand.New(rand.NewPCG(8, 9))
	var scratch SampleScratch
	differ, total := 0, 0
	for round := range 200 {
		n := []int{40, 300, 2048, 5000, 50000}[round%5]
		params, logits := make([]SampleParams, sampledRows), make([]float32, sampledRows*n)
		for i := range params {
			params[i] = randomParams(r, n)
			params[i].Alternatives = min(params[i].Alternatives, MaxAlternatives)
			params[i].History = params[i].History[:min(len(params[i].History), 256)]
			if i%10 == 0 {
				params[i].Temperature = 0
			}
			if i%7 == 0 {
				params[i].TopK = 600 + i
			}
			row := logits[i*n : (i+1)*n]
			for j := range row {
				row[j] = float32(r.NormFloat64() * 3)
				if i%5 == 1 {
					row[j] = float32(r.IntN(20)) // many equal ones
				}
				if i%5 == 2 && r.IntN(3) == 0 {
					row[j] = float32(math.Inf(-1))
				}
			}
		}
		drawn, others := s.draw(t, logits, n, params)
		for i, p := range params {
			want := Sample(logits[i*n:(i+1)*n], p, &scratch)
			total++
			if drawn[i].ID != want.ID {
				differ++
				if differ < 5 {
					t.Logf("row of %d with %+v: token %d (%g), want %d (%g)", n, p, drawn[i].ID, drawn[i].Prob, want.ID, want.Prob)
				}
				continue
			}
			checkDrawn(t, "drawn", drawn[i], want)
			if t.Failed() {
				t.Fatalf("row %d of %d logits, %+v", i, n, p)
			}
			for j, o := range scratch.Alternatives {
				got := others[i*MaxAlternatives+j]
				if got.ID != o.ID {
					t.Fatalf("alternative %d of a row of %d is %d, want %d", j, n, got.ID, o.ID)
				}
				checkDrawn(t, "alternative", got, o)
				if t.Failed() {
					t.Fatalf("row %d of %d logits, %+v", i, n, p)
				}
			}
		}
	}
	// Exponentials differ in their last bits, so a filter's edge may rarely fall on
	// the other side of a token.
	if differ*1000 > total {
		t.Errorf("%d of %d draws differ", differ, total)
	}
	t.Logf("%d of %d draws differ", differ, total)
}

func checkDrawn(t *testing.T, what string, got, want Drawn) {
	t.Helper()
	if !(math.Abs(float64(got.LogProb-want.LogProb)) <= 2e-5*(1+math.Abs(float64(want.LogProb)))) {
		t.Errorf("%s %d: log-probability %g, want %g", what, got.ID, got.LogProb, want.LogProb)
	}
	if !(math.Abs(float64(got.Prob-want.Prob)) <= 1e-4*float64(want.Prob)+1e-12) {
		t.Errorf("%s %d: probability %g, want %g", what, got.ID, got.Prob, want.Prob)
	}
}
