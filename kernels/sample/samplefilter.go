package sample

import (
	"math"
	"slices"

	"github.com/confab-tui/confab/kernels/rowwise"
)

// tokenRank is a token's place in the order of a row: smaller is likelier, ties go
// to the lower id. It is the complement of the logit's bits, made to order as
// integers, above the id, so that ranks compare, select and sort as integers.
type tokenRank uint64

func rankOf(logit float32, id int32) tokenRank {
	return tokenRank(^orderedBits(logit))<<32 | tokenRank(uint32(id))
}

func (r tokenRank) id() int32 { return int32(uint32(r)) }

// orderedBits are larger for a larger v; both zeros give the same.
func orderedBits(v float32) uint32 {
	bits := math.Float32bits(v + 0)
	if bits>>31 != 0 {
		return ^bits
	}
	return bits | 1<<31
}

// lastRank is the place after every token with a logit above minus infinity.
func lastRank() tokenRank {
	return rankOf(float32(math.Inf(-1)), 0) - 1
}

// filter applies temperature, top-k, top-p and min-p: it sets what draw says.
func (s *SampleScratch) filter(logits []float32, p *SampleParams, first tokenRank) {
	s.draw = drawRule{cut: lastRank(), best: logits[first.id()], temperature: p.Temperature}
	temperature := p.Temperature // as the filters see it
	if p.TemperatureLast {
		temperature = 1
	}
	least := float32(math.Inf(-1)) // a scaled logit below this is out by min-p
	if p.MinP > 0 {
		least = s.draw.best/temperature + float32(min(0, math.Log(float64(p.MinP))))
	}
	var few []tokenRank // all that is left, in order, where it is few
	switch topK := p.TopK > 0 && p.TopK < len(logits); {
	case topK:
		few = s.likeliest(logits, p.TopK)
		if p.TopP < 1 {
			few, _ = s.topP(logits, few, temperature, s.massOf(logits, few, temperature), p.TopP)
		}
	case p.TopP < 1:
		few = s.topPOfAll(logits, temperature, p.TopP)
	case p.MinP <= 0:
		s.draw.mass = rowwise.ExpMass(logits, s.draw.best, s.draw.temperature)
		return
	}
	if len(few) == 0 {
		s.survey(logits, temperature, least)
		return
	}
	n := len(few)
	for n > 1 && logits[few[n-1].id()]/temperature < least {
		n--
	}
	s.draw.cut = few[n-1]
	s.draw.mass = s.massOf(logits, few[:n], s.draw.temperature)
}

// survey drops what is below least from what the cut has left, and sums the rest.
func (s *SampleScratch) survey(logits []float32, temperature, least float32) {
	last := tokenRank(0)
	for b, top := range s.maxima {
		if top/temperature < least || rankOf(top, 0) > s.draw.cut {
			continue
		}
		start := b * rowwise.MaximaBlock
		for i, logit := range logits[start:min(start+rowwise.MaximaBlock, len(logits))] {
			if r := rankOf(logit, int32(start+i)); r <= s.draw.cut && logit/temperature >= least {
				last = max(last, r)
				s.draw.mass += weight(logit, s.draw.best, s.draw.temperature)
			}
		}
	}
	s.draw.cut = last
}

// topP is how many of ranks, in order, it takes to reach the share p of a mass, and
// whether they do.
func (s *SampleScratch) topP(logits []float32, ranks []tokenRank, temperature float32, mass float64, p float32) ([]tokenRank, bool) {
	var sum float64
	for i, r := range ranks {
		sum += weight(logits[r.id()], s.draw.best, temperature)
		if sum >= float64(p)*mass {
			return ranks[:i+1], true
		}
	}
	return ranks, false
}

// The histogram of topPOfAll: buckets of equal width in scaled logits below the
// best; the last one takes all the rest, which have no mass to speak of.
const (
	massBuckets      = 1024
	bucketsPerUnit   = 32
	topPAtFirstSight = 256
)

// topPOfAll returns the fewest likeliest tokens of all whose mass reaches p, or nil
// and the cut in draw where they are many. Most often a few tokens do; if not, a
// histogram of the mass finds the bucket with the last one, so that nothing else
// needs sorting.
func (s *SampleScratch) topPOfAll(logits []float32, temperature, p float32) []tokenRank {
	mass := rowwise.ExpMass(logits, s.draw.best, temperature)
	if few, ok := s.topP(logits, s.likeliest(logits, topPAtFirstSight), temperature, mass, p); ok {
		return few
	}
	at, sum := s.crossing(logits, temperature, float64(p)*mass)
	s.pool = s.pool[:0]
	for start := 0; start < len(logits); start += rowwise.MaximaBlock {
		block := logits[start:min(start+rowwise.MaximaBlock, len(logits))]
		for i, d := range s.distances(block, temperature) {
			if r := rankOf(block[i], int32(start+i)); bucketOf(d) == at && r <= lastRank() {
				s.pool = append(s.pool, r)
			}
		}
	}
	slices.Sort(s.pool)
	for _, r := range s.pool {
		s.draw.cut = r
		if sum += weight(logits[r.id()], s.draw.best, temperature); sum >= float64(p)*mass {
			break
		}
	}
	return nil
}

// crossing is the bucket in which the mass, summed from the best token on, reaches a
// limit, and the mass before it.
func (s *SampleScratch) crossing(logits []float32, temperature float32, limit float64) (int, float64) {
	if s.masses == nil {
		s.masses = make([]float64, massBuckets)
	}
	clear(s.masses)
	var odds [rowwise.MaximaBlock]float32
	for start := 0; start < len(logits); start += rowwise.MaximaBlock {
		distances := s.distances(logits[start:min(start+rowwise.MaximaBlock, len(logits))], temperature)
		rowwise.SumExp(odds[:len(distances)], distances, 0)
		for i, d := range distances {
			s.masses[bucketOf(d)] += float64(odds[i])
		}
	}
	var sum float64
	at := 0
	for at < massBuckets-1 && sum+s.masses[at] < limit {
		sum += s.masses[at]
		at++
	}
	return at, sum
}

// distances are how far a block's scaled logits are from the best, 0 or less; they
// last until the next block.
func (s *SampleScratch) distances(block []float32, temperature float32) []float32 {
	out := s.block[:len(block)]
	rowwise.Centre(out, block, s.draw.best, 1/temperature)
	return out
}

// bucketOf is where a distance belongs in the histogram.
func bucketOf(distance float32) int {
	if below := -bucketsPerUnit * distance; below >= 0 && below < massBuckets-1 {
		return int(below)
	}
	return massBuckets - 1
}

func (s *SampleScratch) massOf(logits []float32, ranks []tokenRank, temperature float32) float64 {
	var sum float64
	for _, r := range ranks {
		sum += weight(logits[r.id()], s.draw.best, temperature)
	}
	return sum
}

// weight is a token's probability relative to the best one's.
func weight(logit, best, temperature float32) float64 {
	return math.Exp(float64(logit/temperature - best/temperature))
}
