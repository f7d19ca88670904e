package cpu

import (
	"github.com/confab-tui/confab/engine/model"
	"github.com/confab-tui/confab/kernels"
)

// product is a phase of matrix products that do not depend on each other. A unit is
// some panels of one matrix, for all rows.
type product struct {
	e      *Executor
	domain domain
	items  []productItem
	spans  []panelSpan
}

type productItem struct {
	m   *kernels.Matrix
	in  *input
	out model.Ref
}

// panelSpan is some panels of one of a product's matrices.
type panelSpan struct{ item, from, to int }

// cut makes the spans. They shrink towards the end, so that workers take few of them
// and still end together.
func (p *product) cut() {
	left := 0
	for _, item := range p.items {
		left += item.m.Panels()
	}
	p.spans = p.spans[:0]
	for i, item := range p.items {
		for from, n := 0, item.m.Panels(); from < n; {
			to := min(n, from+max(1, left/(2*p.e.options.Threads)))
			p.spans = append(p.spans, panelSpan{i, from, to})
			left -= to - from
			from = to
		}
	}
}

// writes says whether a product of the phase writes to what the reference names.
func (p *product) writes(r model.Ref) bool {
	for _, item := range p.items {
		if overlap(item.out, r) {
			return true
		}
	}
	return false
}

func (p *product) units() int {
	if p.e.count(p.domain) == 0 {
		return 0
	}
	return len(p.spans)
}

func (p *product) run(unit, _ int) {
	s := p.spans[unit]
	item := &p.items[s.item]
	out, stride := p.e.from(item.out, 0)
	item.m.Mul(out, stride, &item.in.data, nil, s.from, s.to)
}
