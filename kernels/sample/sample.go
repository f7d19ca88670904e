package sample

import (
	"math"
	"slices"

	"github.com/confab-tui/confab/kernels"
	"github.com/confab-tui/confab/kernels/rowwise"
)

// SampleParams are the knobs of one draw. They apply in this order: penalties,
// temperature, top-k, top-p, min-p, draw; with TemperatureLast temperature comes
// right before the draw.
//
// Exactly: a token seen in History has its logit divided by Repeat where positive,
// multiplied where not, and lowered by Presence and by Frequency for each time it
// was seen. Tokens are ordered by that logit, ties to the lower id, and every filter
// keeps a prefix of this order. Filters see logit/Temperature, or the logit itself
// with TemperatureLast. Top-k keeps TopK tokens, top-p the fewest whose
// share of what top-k left reaches TopP, min-p those at least MinP times as likely
// as the first. The token drawn is the one among them with the largest
// logit/Temperature + GumbelNoise(Seed, Pos, id), both rounded to float32, as is
// their sum; ties go to the lower id. A logit of minus infinity is never drawn.
type SampleParams struct {
	// Temperature 0 takes the first token of the order; the filters and the noise
	// then have no say.
	Temperature float32
	TopK        int     // 0 keeps all
	TopP        float32 // 1 keeps all; the first token always stays
	MinP        float32 // 0 keeps all
	// Repeat 1 (or 0), Presence 0 and Frequency 0 are off.
	Repeat, Presence, Frequency float32
	TemperatureLast             bool
	Seed                        uint64
	// Pos is the position that the token will have.
	Pos int32
	// History holds the tokens that penalties look at, in any order.
	History []int32
	// Alternatives is how many tokens to report in SampleScratch.Alternatives.
	Alternatives int
}

// Drawn is a token and how likely it was.
type Drawn struct {
	ID int32
	// LogProb is the logarithm of the softmax over the raw logits.
	LogProb float32
	// Prob is the probability in the draw: 0 for what a filter removed.
	Prob float32
}

// SampleScratch is one worker's room for draws.
type SampleScratch struct {
	// Alternatives are the likeliest tokens by raw logit, likeliest first, until
	// the next draw.
	Alternatives []Drawn

	maxima  []float32                    // of each block of the logits, penalties applied
	pool    []tokenRank                  // room for selections
	masses  []float64                    // room for a histogram
	block   [rowwise.MaximaBlock]float32 // one block's noise or distances
	history []int32
	saved   []savedLogit
	draw    drawRule
}

// drawRule says which tokens are left for a draw, and how likely each is.
type drawRule struct {
	cut         tokenRank // the last token left
	best        float32   // the first one's logit
	temperature float32
	mass        float64 // sum of exp((logit-best)/temperature) over the tokens left
}

type savedLogit struct {
	id    int32
	logit float32
}

// Sample draws the token that follows a row of logits, which are finite or minus
// infinity. It changes the logits of tokens in the history, and puts them back.
func Sample(logits []float32, p SampleParams, s *SampleScratch) Drawn {
	s.maxima = kernels.Grow(s.maxima, (len(logits)+rowwise.MaximaBlock-1)/rowwise.MaximaBlock)
	rowwise.BlockMaxima(s.maxima, logits)
	top := rowwise.Maximum(s.maxima)
	logSum := top + float32(math.Log(rowwise.ExpMass(logits, top, 1)))
	s.rankAlternatives(logits, p.Alternatives)
	s.penalize(logits, &p)
	first := s.first(logits)
	var id int32
	if p.Temperature <= 0 {
		id = first.id()
		s.draw = drawRule{cut: first, best: logits[id], temperature: 1, mass: 1}
	} else {
		s.filter(logits, &p, first)
		id = s.loudest(logits, &p)
	}
	drawn := Drawn{ID: id, Prob: s.draw.prob(logits, id)}
	for i := range s.Alternatives {
		s.Alternatives[i].Prob = s.draw.prob(logits, s.Alternatives[i].ID)
	}
	for _, old := range s.saved {
		logits[old.id] = old.logit
	}
	drawn.LogProb = logits[id] - logSum
	for i := range s.Alternatives {
		s.Alternatives[i].LogProb = logits[s.Alternatives[i].ID] - logSum
	}
	return drawn
}

func (r *drawRule) prob(logits []float32, id int32) float32 {
	if rankOf(logits[id], id) > r.cut {
		return 0
	}
	return float32(weight(logits[id], r.best, r.temperature) / r.mass)
}

// rankAlternatives finds the n likeliest tokens.
func (s *SampleScratch) rankAlternatives(logits []float32, n int) {
	s.Alternatives = s.Alternatives[:0]
	if n <= 0 {
		return
	}
	for _, r := range s.likeliest(logits, n) {
		s.Alternatives = append(s.Alternatives, Drawn{ID: r.id()})
	}
}

// penalize lowers the logits of the history's tokens, keeps the old ones in saved
// and brings the maxima up to date.
func (s *SampleScratch) penalize(logits []float32, p *SampleParams) {
	s.saved = s.saved[:0]
	repeat := p.Repeat
	if repeat == 0 {
		repeat = 1
	}
	if len(p.History) == 0 || repeat == 1 && p.Presence == 0 && p.Frequency == 0 {
		return
	}
	s.history = append(s.history[:0], p.History...)
	slices.Sort(s.history)
	for i, next := 0, 0; i < len(s.history); i = next {
		id := s.history[i]
		for next = i; next < len(s.history) && s.history[next] == id; next++ {
		}
		if id < 0 || int(id) >= len(logits) {
			continue
		}
		logit := logits[id]
		s.saved = append(s.saved, savedLogit{id, logit})
		if logit <= 0 {
			logit *= repeat
		} else {
			logit /= repeat
		}
		logits[id] = logit - (float32(next-i)*p.Frequency + p.Presence)
		block := int(id) / rowwise.MaximaBlock
		s.maxima[block] = rowwise.Maximum(logits[block*rowwise.MaximaBlock : min(len(logits), (block+1)*rowwise.MaximaBlock)])
	}
}

// first is the likeliest token.
func (s *SampleScratch) first(logits []float32) tokenRank {
	top := rowwise.Maximum(s.maxima)
	block := max(0, slices.Index(s.maxima, top))
	for i, v := range logits[block*rowwise.MaximaBlock:] {
		if v == top {
			return rankOf(v, int32(block*rowwise.MaximaBlock+i))
		}
	}
	return rankOf(logits[0], 0)
}

// loudest draws: among the tokens left, the one whose noisy logit is largest. It
// looks only into blocks that can hold it.
func (s *SampleScratch) loudest(logits []float32, p *SampleParams) int32 {
	best, top := int32(0), s.draw.best/s.draw.temperature-quietest
	for b, largest := range s.maxima {
		largest /= s.draw.temperature
		if largest+loudestNoise < top || rankOf(s.maxima[b], 0) > s.draw.cut {
			continue
		}
		start := b * rowwise.MaximaBlock
		block := logits[start:min(start+rowwise.MaximaBlock, len(logits))]
		if noiseBlockFast(&s.block, p.Seed, p.Pos, b) {
			if len(block) == rowwise.MaximaBlock && loudestOf(&s.block, block, s.draw.temperature) <= top {
				continue
			}
		} else {
			// A sum's rounding can lift it by half a unit in the last place.
			noiseBlock(&s.block, p.Seed, p.Pos, b, top-largest-0x1p-22*max(top, -top))
		}
		for i, logit := range block {
			id := int32(start + i)
			if rankOf(logit, id) > s.draw.cut {
				continue
			}
			if loud := logit/s.draw.temperature + s.block[i]; loud > top {
				best, top = id, loud
			}
		}
	}
	return best
}
