package ui

import "github.com/confab-tui/confab/engine"

// candidates are the tokens that could have stood at the places of an answer. A long
// answer has hundreds of thousands: they hold no pointers, which the garbage collector
// would follow while keys wait, each word is kept once, and they lie in pieces, since a
// list that moves as it grows costs a frame milliseconds, in all panes of a comparison at once.
type candidates struct {
	pieces [][]candidate // of candidatePiece each
	count  int32
	words  []spelling
	at     map[spelling]int32 // of each of words
}

const candidatePiece = 4096

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
	s := span{from: c.count, to: c.count + int32(len(all))}
	for i := range all {
		if c.count%candidatePiece == 0 {
			c.pieces = append(c.pieces, make([]candidate, 0, candidatePiece))
		}
		a, last := &all[i], len(c.pieces)-1
		c.pieces[last] = append(c.pieces[last], candidate{c.number(spelling{a.ID, a.Text}), a.LogProb, a.Prob})
		c.count++
	}
	return s
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
	all := make([]engine.Alternative, 0, t.alts.len())
	for i := t.alts.from; i < t.alts.to; i++ {
		k := &c.pieces[i/candidatePiece][i%candidatePiece]
		w := &c.words[k.word]
		all = append(all, engine.Alternative{Text: w.text, TokenProb: engine.TokenProb{ID: w.id, LogProb: k.logProb, Prob: k.prob}})
	}
	return all
}
