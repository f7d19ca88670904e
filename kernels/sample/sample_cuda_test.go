//go:build cuda

package sample

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/confab-tui/confab/gpu"
	"github.com/confab-tui/confab/kernels"
	"github.com/confab-tui/confab/kernels/kerneltest"
)

// deviceSampler is room for draws of rows of logits.
type deviceSampler struct {
	q       *kernels.Queue
	room    SampleRoom
	history int
	count   gpu.Ptr
}

const sampledRows = 50

func newDeviceSampler(t *testing.T, q *kernels.Queue) *deviceSampler {
	return &deviceSampler{q: q, history: 256, room: SampleRoom{
		Drawn: kerneltest.Put(t, q, make([]Drawn, sampledRows)), Alternatives: kerneltest.Put(t, q, make([]Drawn, sampledRows*MaxAlternatives)),
		Saved: kerneltest.Put(t, q, make([]float32, sampledRows*256)), HistoryMax: 256,
		Scan: kerneltest.Put(t, q, make([]float32, sampledRows*ScanFloats))}}
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
	place := kerneltest.NewRows(t, s.q, len(params), n, n+3).Set(logits)
	s.room.Logits, s.room.Rows, s.room.History = place.Place(), kerneltest.Put(t, s.q, rows), kerneltest.Put(t, s.q, history)
	s.room.Count = kerneltest.Put(t, s.q, []int32{int32(len(params))})
	QueueSample(s.q, &s.room, n, sampledRows)
	kerneltest.Same(t, "logits after the draw", place.Get(), logits)
	return kerneltest.Fetch[Drawn](t, s.q, s.room.Drawn, len(params)), kerneltest.Fetch[Drawn](t, s.q, s.room.Alternatives, len(params)*MaxAlternatives)
}

// The device draws the tokens that the CPU draws.
func TestDeviceSample(t *testing.T) {
	q := kerneltest.OnDevice(t)
	s := newDeviceSampler(t, q)
	r := rand.New(rand.NewPCG(8, 9))
	var scratch SampleScratch
	differ, total := 0, 0
	rounds := 200
	if testing.Short() {
		rounds = 10
	}
	for round := range rounds {
		n := []int{32, 40, 300, 2048, 5000, 32, 300, 2048, 5000, 50000}[round%10]
		if round%50 == 49 && !testing.Short() {
			n = 262144
		}
		params, logits := make([]SampleParams, sampledRows), make([]float32, sampledRows*n)
		for i := range params {
			params[i] = randomParams(r, n)
			params[i].Alternatives = min(params[i].Alternatives, MaxAlternatives)
			params[i].History = params[i].History[:min(len(params[i].History), 256)]
			if i%10 == 0 {
				params[i].Temperature = 0
			}
			switch i % 7 {
			case 0:
				params[i].TopK = 600 + i
			case 1:
				params[i].TopK = 1
			case 2:
				params[i].TopP = 0
			case 3:
				params[i].TopP = 1
			case 4:
				params[i].MinP = 1
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
			checkDrawn(t, "drawn", drawn[i], want, p.Temperature)
			if t.Failed() {
				t.Fatalf("row %d of %d logits, %+v", i, n, p)
			}
			for j, o := range scratch.Alternatives {
				got := others[i*MaxAlternatives+j]
				if got.ID != o.ID {
					t.Fatalf("alternative %d of a row of %d is %d, want %d", j, n, got.ID, o.ID)
				}
				checkDrawn(t, "alternative", got, o, p.Temperature)
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

// 200,000 draws from one row fall as the softmax says: chi-square over 32 tokens.
func TestDeviceSampleDistribution(t *testing.T) {
	q := kerneltest.OnDevice(t)
	r := rand.New(rand.NewPCG(10, 11))
	const n, rows = 32, sampledRows
	draws := 200_000
	if testing.Short() {
		draws = 1000
	}
	row := kerneltest.Gaussians(r, n)
	sum := 0.0
	var logits []float32
	for range rows {
		logits = append(logits, row...)
	}
	for _, v := range row {
		sum += math.Exp(float64(v) / 0.8)
	}
	s := newDeviceSampler(t, q)
	place := kerneltest.NewRows(t, q, rows, n, n).Set(logits)
	seen := [n]int{}
	params := kerneltest.Put(t, q, make([]DrawRow, rows))
	s.room.Logits, s.room.Rows, s.room.History = place.Place(), params, kerneltest.Put(t, q, []int32{0})
	s.room.Count = kerneltest.Put(t, q, []int32{rows})
	drawn := make([]Drawn, rows)
	for at := 0; at < draws; at += rows {
		var block []DrawRow
		for i := range rows {
			// Half of the draws differ in the seed, half in the position.
			p := SampleParams{Temperature: 0.8, TopP: 1, Seed: 99, Pos: int32(at + i)}
			if at >= draws/2 {
				p.Seed, p.Pos = uint64(at+i), 7
			}
			block = append(block, DrawRowOf(&p, 0))
		}
		if err := q.Device.Upload(params, gpu.Bytes(block)); err != nil {
			t.Fatal(err)
		}
		QueueSample(q, &s.room, n, rows)
		kerneltest.Wait(t, q)
		if err := q.Device.Download(gpu.Bytes(drawn), s.room.Drawn); err != nil {
			t.Fatal(err)
		}
		for _, d := range drawn {
			seen[d.ID]++
		}
	}
	chi := 0.0
	for i, v := range row {
		want := float64(draws) * math.Exp(float64(v)/0.8) / sum
		chi += (float64(seen[i]) - want) * (float64(seen[i]) - want) / want
	}
	t.Logf("chi-square %.1f over %d draws", chi, draws)
	if !(chi < 61.1) { // one in a thousand at 31 degrees of freedom
		t.Errorf("chi-square %.1f over %d draws, at most 61.1: %v", chi, draws, seen)
	}
}

func checkDrawn(t *testing.T, what string, got, want Drawn, temperature float32) {
	t.Helper()
	allow := 1e-4
	if temperature > 0 {
		allow += 2.5e-6 / float64(temperature) // the last bit of a logit of 20 over the temperature
	}
	if !(math.Abs(float64(got.LogProb-want.LogProb)) <= 2e-5*(1+math.Abs(float64(want.LogProb)))) {
		t.Errorf("%s %d: log-probability %g, want %g", what, got.ID, got.LogProb, want.LogProb)
	}
	if !(math.Abs(float64(got.Prob-want.Prob)) <= allow*float64(want.Prob)+1e-12) {
		t.Errorf("%s %d: probability %g, want %g", what, got.ID, got.Prob, want.Prob)
	}
}
