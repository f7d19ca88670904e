package ui

import (
	"fmt"
	"slices"
	"strings"
)

// marks puts the answer's sampling changes into the gutter of the rows where
// they took effect.
func (p *page) marks(first int) {
	a := p.t.answer
	if a == nil || len(a.changes) == 0 || first >= p.rows.Len() {
		return
	}
	for i := range a.changes {
		at := p.t.tokenAt(a.changes[i].Index)
		r := p.rows.Last()
		for _, s := range p.rows.From(first) {
			if s.kind == rowText && s.end > at {
				r = s
				break
			}
		}
		r.changes = append(r.changes, i)
	}
	for _, r := range p.rows.From(first) {
		if len(r.changes) > 0 {
			r.mark = a.markFor(r.changes, &p.th.mark)
		}
	}
}

// tokenAt is the byte of the document at which a token begins; where the tokens
// are not known any more, about there.
func (t *turn) tokenAt(n int) int {
	t.recall()
	a := t.answer
	if i := n - a.lead; i >= 0 && i < a.tokens.Len() {
		if a.tokens.At(i).thinking {
			return 0
		}
		return a.tokens.At(i).start
	}
	if a.tokens.Len() > 0 && n >= a.lead || len(t.m.Tokens) == 0 {
		return t.doc.Len()
	}
	return t.doc.Len() * min(n, len(t.m.Tokens)) / len(t.m.Tokens)
}

// span are the settings before the first and after the last of some changes.
func (a *answer) span(changes []int) (before, after settings) {
	before, after = a.start, a.start
	if i := changes[0]; i > 0 {
		before.Sampling = a.changes[i-1].Sampling
	}
	after.Sampling = a.changes[changes[len(changes)-1]].Sampling
	return before, after
}

// markFor is the two cells that stand for some changes: the first knob that
// differs, and which way it went.
func (a *answer) markFor(changes []int, m *marks) string {
	before, after := a.span(changes)
	diff := changed(before, after)
	if len(diff) == 0 {
		return ""
	}
	k := &knobs[diff[0]]
	way := m.up
	if k.get(&after) < k.get(&before) {
		way = m.down
	}
	return k.short + way
}

// stamp is what the answer was made with: enough to make it again.
func (a *answer) stamp() []string {
	s := &a.start
	parts := []string{fmt.Sprintf("T %.2f", s.Temperature), fmt.Sprintf("top-k %d", s.TopK), fmt.Sprintf("top-p %.2f", s.TopP), fmt.Sprintf("min-p %.2f", s.MinP)}
	for _, k := range []knobIndex{knobRepeat, knobPresence, knobFrequency, knobTemperatureLast} {
		if v := knobs[k].get(s); v != knobs[k].off {
			parts = append(parts, knobs[k].label+" "+knobs[k].write(v))
		}
	}
	if n := len(a.changes); n > 0 {
		parts = append(parts, plural(n, "change", "changes"))
	}
	return append(parts, plural(a.counts.Generated, "token", "tokens"), fmt.Sprintf("seed %d", a.seed))
}

// describe tells some changes in words: "temperature 0.40 → 0.80 at token 23".
func (a *answer) describe(changes []int) string {
	before, after := a.span(changes)
	var parts []string
	for _, k := range changed(before, after) {
		parts = append(parts, fmt.Sprintf("%s %s → %s", knobs[k].label, knobs[k].write(knobs[k].get(&before)), knobs[k].write(knobs[k].get(&after))))
	}
	if len(parts) == 0 {
		parts = []string{"turned there and back"}
	}
	first, last := a.changes[changes[0]].Index, a.changes[changes[len(changes)-1]].Index
	where := fmt.Sprintf("at token %d", first)
	if last != first {
		where = fmt.Sprintf("from token %d to %d", min(first, last), max(first, last))
	}
	return strings.Join(slices.Compact(parts), ", ") + " " + where
}
