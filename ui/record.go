package ui

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/confab-tui/confab/engine"
	"github.com/confab-tui/confab/engine/chat"
	"github.com/confab-tui/confab/ui/store"
	"github.com/confab-tui/confab/ui/text"
)

// odds are the answer's token records for the disk.
func (a *answer) odds() *store.Odds {
	return store.NewOdds(func(yield func(store.TokenOdds) bool) {
		var others [alternatives]store.Candidate
		for _, t := range a.tokens.All() {
			n := 0
			for c := range a.others.each(t) {
				if n == len(others) {
					break
				}
				others[n] = store.Candidate{ID: c.ID, LogProb: c.LogProb, Text: c.Text}
				n++
			}
			if !yield(store.TokenOdds{ID: t.id, LogProb: t.logProb, Prob: t.prob, Length: t.end - t.start, Thinking: t.thinking, Alternatives: others[:n]}) {
				return
			}
		}
	})
}

// recall reads the token records of an answer that was stored, once. Records that
// do not fit the text are left out: the text counts.
func (t *turn) recall() {
	a := t.answer
	if a == nil || a.tokens.Len() > 0 || t.m.Odds == nil || a.running() || a.recalled {
		return
	}
	a.recalled = true
	list, err := t.m.Odds.Tokens()
	if err != nil {
		return
	}
	said, thought := t.doc.Len(), t.thought.Len()
	for i := range list {
		if list[i].Thinking {
			thought -= list[i].Length
		} else {
			said -= list[i].Length
		}
	}
	if said < 0 || thought < 0 {
		return
	}
	a.lead = max(len(t.m.Tokens)-len(list), 0)
	for i := range list {
		o := &list[i]
		at := &said
		if o.Thinking {
			at = &thought
		}
		start := *at
		*at += o.Length
		alts := make([]engine.Alternative, len(o.Alternatives))
		for j, c := range o.Alternatives {
			alts[j] = engine.Alternative{TokenProb: engine.TokenProb{ID: c.ID, LogProb: c.LogProb}, Text: c.Text}
		}
		a.tokens.Add(token{id: o.ID, logProb: o.LogProb, prob: o.Prob, start: start, end: *at, thinking: o.Thinking, alts: a.others.add(alts)})
	}
}

// release lets the token records go of all answers but the last: recall reads them
// again from what was stored, which takes a small part of the memory.
func (c *conversation) release() {
	last := c.lastOf(chat.Assistant)
	for _, t := range c.turns {
		if a := t.answer; t != last && a != nil && !a.running() && t.m.Odds != nil {
			a.tokens, a.others, a.recalled = text.List[token]{}, candidates{}, false
		}
	}
}

// goOnFrom makes the record ready for the tokens of another stream, which follow
// what the message has.
func (t *turn) goOnFrom() {
	a := t.answer
	t.recall()
	a.first = len(t.m.Tokens)
	a.tokens.Cut(min(max(a.first-a.lead, 0), a.tokens.Len()))
	if a.tokens.Len() == 0 {
		a.lead = a.first
	}
	a.said, a.thought = t.doc.Len(), t.thought.Len()
	a.reason, a.err, a.state = "", "", engine.StateQueued
}

// beginOf is how a text begins, on one line.
func beginOf(s string) string { return text.Truncate(text.CleanLine(s), measure, "") }

// nameText is a short name for a text, the same for the same text; none for none.
func nameText(s string) string {
	if s == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:6])
}
