package sample

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/confab-tui/confab/kernels/kerneltest"
)

// sampleByDefinition draws as the comment on SampleParams says, with a full sort,
// and returns every token's probability too.
func sampleByDefinition(logits []float32, p SampleParams) (int32, []float64) {
	x := slices.Clone(logits)
	counts := map[int32]int{}
	for _, id := range p.History {
		counts[id]++
	}
	for id, n := range counts {
		if p.Repeat != 0 && x[id] > 0 {
			x[id] /= p.Repeat
		} else if p.Repeat != 0 {
			x[id] *= p.Repeat
		}
		x[id] -= float32(n)*p.Frequency + p.Presence
	}
	ids := make([]int32, len(x))
	for i := range ids {
		ids[i] = int32(i)
	}
	slices.SortStableFunc(ids, func(a, b int32) int {
		switch {
		case x[a] > x[b]:
			return -1
		case x[a] < x[b]:
			return 1
		}
		return 0
	})
	probs := make([]float64, len(x))
	if p.Temperature == 0 {
		probs[ids[0]] = 1
		return ids[0], probs
	}
	seen := float32(1)
	if !p.TemperatureLast {
		seen = p.Temperature
	}
	best := x[ids[0]]
	odds := func(id int32, temperature float32) float64 {
		return math.Exp(float64(x[id]/temperature - best/temperature))
	}
	if p.TopK > 0 && p.TopK < len(ids) {
		ids = ids[:p.TopK]
	}
	mass := 0.0
	for _, id := range ids {
		mass += odds(id, seen)
	}
	if p.TopP < 1 {
		sum := 0.0
		for n, id := range ids {
			if sum += odds(id, seen); sum >= float64(p.TopP)*mass {
				ids = ids[:n+1]
				break
			}
		}
	}
	for len(ids) > 1 && odds(ids[len(ids)-1], seen) < float64(p.MinP) {
		ids = ids[:len(ids)-1]
	}
	mass = 0
	for _, id := range ids {
		mass += odds(id, p.Temperature)
	}
	drawn, top := int32(-1), float32(0)
	slices.Sort(ids)
	for _, id := range ids {
		probs[id] = odds(id, p.Temperature) / mass
		if loud := x[id]/p.Temperature + GumbelNoise(p.Seed, p.Pos, id); drawn < 0 || loud > top {
			drawn, top = id, loud
		}
	}
	return drawn, probs
}

var sampleSizes = []int{1, 2, 63, 64, 65, 300, 3000, 20000}

func randomParams(rng *rand.Rand, n int) SampleParams {
	p := SampleParams{Temperature: float32(rng.ExpFloat64()), TopP: 1, Seed: rng.Uint64(), Pos: rng.Int32N(1000),
		TemperatureLast: rng.IntN(2) == 0, Alternatives: rng.IntN(6)}
	if rng.IntN(2) == 0 {
		p.TopK = rng.IntN(100)
	}
	if rng.IntN(2) == 0 {
		p.TopP = rng.Float32()
	}
	if rng.IntN(2) == 0 {
		p.MinP = rng.Float32() * rng.Float32()
	}
	if rng.IntN(8) == 0 {
		p.Temperature = 0
	}
	if rng.IntN(3) == 0 {
		p.Repeat, p.Presence, p.Frequency = 1+rng.Float32(), rng.Float32(), rng.Float32()
		for range rng.IntN(64) {
			p.History = append(p.History, rng.Int32N(int32(min(n, 40))))
		}
	}
	return p
}

func TestSampleDefinition(t *testing.T) {
	kerneltest.EachForm(t, func(t *testing.T) {
		rng, s := rand.New(rand.NewPCG(5, 6)), new(SampleScratch)
		for i := range 400 {
			n := sampleSizes[i%len(sampleSizes)]
			if n > 1000 && i > 8*len(sampleSizes) {
				continue
			}
			logits := make([]float32, n)
			kerneltest.Normals(rng, logits, 1+2*rng.Float64())
			for i := range logits {
				if rng.IntN(4) == 0 { // ties
					logits[i] = float32(math.Round(float64(logits[i])))
				}
			}
			before := slices.Clone(logits)
			p := randomParams(rng, n)
			got := Sample(logits, p, s)
			id, probs := sampleByDefinition(logits, p)
			if got.ID != id || math.Abs(float64(got.Prob)-probs[id]) > 1e-5*probs[id] {
				t.Fatalf("%d logits, %+v: drew %d with %g, want %d with %g", n, p, got.ID, got.Prob, id, probs[id])
			}
			if !slices.Equal(logits, before) {
				t.Fatalf("%+v: the logits are not as before", p)
			}
			checkAlternatives(t, logits, p, s, got, probs)
		}
	})
}

// checkAlternatives compares what a draw reports with the definition.
func checkAlternatives(t *testing.T, logits []float32, p SampleParams, s *SampleScratch, drawn Drawn, probs []float64) {
	t.Helper()
	sum := 0.0
	for _, v := range logits {
		sum += math.Exp(float64(v))
	}
	if len(s.Alternatives) != min(p.Alternatives, len(logits)) {
		t.Fatalf("%d alternatives, want %d of %d", len(s.Alternatives), p.Alternatives, len(logits))
	}
	for i, a := range append(slices.Clone(s.Alternatives), drawn) {
		if want := float64(logits[a.ID]) - math.Log(sum); math.Abs(float64(a.LogProb)-want) > 1e-5*(1+math.Abs(want)) {
			t.Fatalf("log-probability of %d is %g, want %g", a.ID, a.LogProb, want)
		}
		if math.Abs(float64(a.Prob)-probs[a.ID]) > 1e-5*probs[a.ID]+1e-37 {
			t.Fatalf("probability of %d is %g, want %g", a.ID, a.Prob, probs[a.ID])
		}
		if i > 0 && i < len(s.Alternatives) {
			b := s.Alternatives[i-1]
			if rankOf(logits[b.ID], b.ID) >= rankOf(logits[a.ID], a.ID) {
				t.Fatalf("alternatives %d and %d out of order", b.ID, a.ID)
			}
		}
	}
}

func TestSampleGreedy(t *testing.T) {
	rng, s := rand.New(rand.NewPCG(7, 8)), new(SampleScratch)
	for _, n := range sampleSizes {
		logits := make([]float32, n)
		kerneltest.Normals(rng, logits, 2)
		logits[n/2], logits[n-1] = 50, 50 // a tie
		for name, p := range map[string]SampleParams{
			"temperature 0": {TopP: 1},
			"top-k 1":       {Temperature: 2, TopK: 1, TopP: 1, Seed: 9},
			"top-p 0":       {Temperature: 2, TopP: 0, Seed: 9},
		} {
			if got := Sample(logits, p, s); int(got.ID) != n/2 || got.Prob != 1 {
				t.Errorf("%s of %d logits: drew %+v, want %d", name, n, got, n/2)
			}
		}
	}
}

// What a model gone wrong puts out may draw anything, but must end.
func TestSampleNonsense(t *testing.T) {
	s := new(SampleScratch)
	for _, v := range []float64{math.Inf(-1), math.Inf(1), math.NaN()} {
		for _, p := range []SampleParams{{}, {Temperature: 1, TopP: 1}, {Temperature: 1, TopP: 0.5}, {Temperature: 1, TopP: 1, MinP: 0.1}, {Temperature: 1, TopP: 0.9, TopK: 5, MinP: 0.1}} {
			logits := make([]float32, 200)
			for i := range logits {
				logits[i] = float32(v)
			}
			p.Alternatives = 3
			if got := Sample(logits, p, s); got.ID < 0 || int(got.ID) >= len(logits) {
				t.Errorf("drew %d", got.ID)
			}
		}
	}
}

// Draws at many positions follow the probabilities.
func TestSampleDistribution(t *testing.T) {
	logits := []float32{1, 2, 0.5, 3, -1, 2.5, 0, 1.5}
	s := new(SampleScratch)
	for _, p := range []SampleParams{
		{Temperature: 1, TopP: 1}, {Temperature: 0.7, TopP: 0.95}, {Temperature: 1.5, TopP: 1, TopK: 5}, {Temperature: 1, TopP: 1, MinP: 0.1},
	} {
		const draws = 8000
		counts := make([]float64, len(logits))
		p.Seed = 20261129
		for pos := range draws {
			p.Pos = int32(pos)
			counts[Sample(logits, p, s).ID]++
		}
		_, probs := sampleByDefinition(logits, p)
		chi, freedom := 0.0, -1.0
		for id, n := range counts {
			if probs[id] == 0 {
				if n > 0 {
					t.Errorf("%+v: drew %d, which is filtered", p, id)
				}
				continue
			}
			want := probs[id] * draws
			chi += (n - want) * (n - want) / want
			freedom++
		}
		// Five deviations of the chi-square distribution.
		if limit := freedom + 5*math.Sqrt(2*freedom); chi > limit {
			t.Errorf("%+v: chi-square %.1f of %g degrees of freedom", p, chi, freedom)
		}
	}
}

func TestSampleAllocates(t *testing.T) {
	logits := make([]float32, 30000)
	kerneltest.Normals(rand.New(rand.NewPCG(9, 10)), logits, 3)
	p := SampleParams{Temperature: 0.8, TopK: 40, TopP: 0.95, MinP: 0.05, Repeat: 1.1, History: []int32{1, 2, 3, 1}, Alternatives: 5}
	s := new(SampleScratch)
	Sample(logits, p, s)
	if n := testing.AllocsPerRun(20, func() { Sample(logits, p, s) }); n > 0 {
		t.Errorf("%g allocations a draw", n)
	}
}

func BenchmarkSample(b *testing.B) {
	logits := make([]float32, 151936)
	kerneltest.Normals(rand.New(rand.NewPCG(1, 2)), logits, 3)
	for i := range 20 {
		logits[i*7001] += 12 // a model's row has a few likely tokens
	}
	history := make([]int32, 64)
	for i := range history {
		history[i] = int32(i * 2000)
	}
	for _, c := range []struct {
		name string
		p    SampleParams
	}{
		{"greedy", SampleParams{TopP: 1}},
		{"usual", SampleParams{Temperature: 0.8, TopK: 40, TopP: 0.95, MinP: 0.05, Repeat: 1.1, History: history}},
		{"usual+10", SampleParams{Temperature: 0.8, TopK: 40, TopP: 0.95, MinP: 0.05, Alternatives: 10}},
		{"topP", SampleParams{Temperature: 1, TopP: 0.95}},
		{"minP", SampleParams{Temperature: 1, TopP: 1, MinP: 0.05}},
		{"all", SampleParams{Temperature: 1, TopP: 1}},
	} {
		b.Run(c.name, func(b *testing.B) {
			s := new(SampleScratch)
			b.SetBytes(int64(4 * len(logits)))
			for b.Loop() {
				c.p.Pos++
				Sample(logits, c.p, s)
			}
		})
	}
}
