package kernels

import (
	"math"
	"slices"
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

// filter applies temperature, top-k, top-p and min-p: it leaves in draw what is
// kept, and in kept the tokens of it that can be drawn.
func (s *SampleScratch) filter(logits []float32, p *SampleParams, first tokenRank) {
	s.draw = drawRule{cut: lastRank(), best: logits[first.id()], scale: 1 / p.Temperature}
	scale := s.draw.scale
	if p.TemperatureLast {
		scale = 1
	}
	least := float32(math.Inf(-1)) // a scaled logit below this is out by min-p
	if p.MinP > 0 {
		least = s.draw.best*scale + float32(math.Log(float64(p.MinP)))
	}
	topK := p.TopK > 0 && p.TopK < len(logits)
	if !topK && p.TopP >= 1 {
		s.keepAbove(logits, scale, least, p.MinP > 0)
		return
	}
	if topK {
		s.kept = append(s.kept[:0], s.likeliest(logits, p.TopK)...)
		if p.TopP < 1 {
			s.kept = s.kept[:s.topP(logits, s.kept, scale, s.massOf(logits, s.kept, scale), p.TopP)]
		}
	} else {
		s.keepTopP(logits, scale, p.TopP)
	}
	n := len(s.kept)
	for n > 1 && logits[s.kept[n-1].id()]*scale < least {
		n--
	}
	s.kept = s.kept[:n]
	s.draw.cut = first
	if n > 0 {
		s.draw.cut = s.kept[n-1]
	}
	s.draw.mass = s.massOf(logits, s.kept, s.draw.scale)
}

// keepAbove keeps every token whose scaled logit is at least least; where min-p
// does not say what that is, those that can be drawn.
func (s *SampleScratch) keepAbove(logits []float32, scale, least float32, minP bool) {
	if !minP {
		s.draw.mass = expMass(logits, s.draw.best, s.draw.scale)
		scale, least = s.draw.scale, s.draw.best*s.draw.scale-noiseSpan
	}
	s.kept = s.kept[:0]
	for b, top := range s.maxima {
		if top*scale < least {
			continue
		}
		start := b * maximaBlock
		for i, v := range logits[start:min(start+maximaBlock, len(logits))] {
			if v*scale >= least && rankOf(v, 0) <= lastRank() {
				s.kept = append(s.kept, rankOf(v, int32(start+i)))
			}
		}
	}
	if minP && len(s.kept) > 0 {
		s.draw.mass = s.massOf(logits, s.kept, s.draw.scale)
		s.draw.cut = slices.Max(s.kept)
	}
}

// keepTopP keeps the fewest likeliest tokens of all whose mass reaches p.
func (s *SampleScratch) keepTopP(logits []float32, scale, p float32) {
	mass := expMass(logits, s.draw.best, scale)
	for n := 64; ; n *= 8 {
		s.kept = append(s.kept[:0], s.likeliest(logits, min(n, len(logits)))...)
		kept := s.topP(logits, s.kept, scale, mass, p)
		if kept < len(s.kept) || n >= len(logits) || len(s.kept) < n {
			s.kept = s.kept[:kept]
			return
		}
	}
}

// topP is how many of ranks, in order, it takes to reach the share p of a mass.
func (s *SampleScratch) topP(logits []float32, ranks []tokenRank, scale float32, mass float64, p float32) int {
	var sum float64
	for i, r := range ranks {
		sum += s.weight(logits, r, scale)
		if sum >= float64(p)*mass {
			return i + 1
		}
	}
	return len(ranks)
}

func (s *SampleScratch) massOf(logits []float32, ranks []tokenRank, scale float32) float64 {
	var sum float64
	for _, r := range ranks {
		sum += s.weight(logits, r, scale)
	}
	return sum
}

// weight is a token's unnormalised probability.
func (s *SampleScratch) weight(logits []float32, r tokenRank, scale float32) float64 {
	return math.Exp(float64(scale) * float64(logits[r.id()]-s.draw.best))
}
