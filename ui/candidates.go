package ui

import (
	"iter"
	"slices"

	"github.com/confab-tui/confab/engine"
	"github.com/confab-tui/confab/ui/text"
)

// candidates are the tokens that could have stood at the places of an answer. A long
// answer has hundreds of thousands: they hold no pointers, which the garbage collector
// would follow while keys wait, and each word is kept once.
type candidates struct {
	list  text.List[candidate]
	words []spelling
	at    map[spelling]int32 // of each of words
}

// candidate is a word's number with its odds, as engine.TokenProb has them.
type candidate struct {
	word          int32
	logProb, prob float32
}

// spelling is a word of a model's vocabulary.
type spelling struct {
	id   int32
	text string
}

// span is a part of a list of candidates.
type span struct{ from, to int32 }

func (s span) len() int { return int(s.to - s.from) }

// add keeps the candidates of a token.
func (c *candidates) add(all []engine.Alternative) span {
	from := int32(c.list.Len())
	for i := range all {
		a := &all[i]
		c.list.Add(candidate{c.number(spelling{a.ID, a.Text}), a.LogProb, a.Prob})
	}
	return span{from, from + int32(len(all))}
}

func (c *candidates) number(w spelling) int32 {
	n, known := c.at[w]
	if !known {
		if c.at == nil {
			c.at = map[spelling]int32{}
		}
		n = int32(len(c.words))
		c.words, c.at[w] = append(c.words, w), n
	}
	return n
}

// of gives the candidates of a token, the likeliest first.
func (c *candidates) of(t *token) []engine.Alternative {
	return slices.AppendSeq(make([]engine.Alternative, 0, t.alts.len()), c.each(t))
}

// each goes through the candidates of a token.
func (c *candidates) each(t *token) iter.Seq[engine.Alternative] {
	return func(yield func(engine.Alternative) bool) {
		for i := t.alts.from; i < t.alts.to; i++ {
			k := c.list.At(int(i))
			w := &c.words[k.word]
			if !yield(engine.Alternative{Text: w.text, TokenProb: engine.TokenProb{ID: w.id, LogProb: k.logProb, Prob: k.prob}}) {
				return
			}
		}
	}
}
