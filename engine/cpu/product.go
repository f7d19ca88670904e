package cpu

import (
	"sync/atomic"

	"github.com/confab-tui/confab/engine/model"
	"github.com/confab-tui/confab/kernels/matmul"
)

// product is a phase of matrix products that do not depend on each other. A unit is
// some panels of one matrix, for all rows.
//
// The first spans, one a worker, go to their own worker if it comes in time, so that it
// can fetch their weights while it still waits for others.
type product struct {
	e      *Executor
	domain domain
	items  []productItem
	spans  []panelSpan
	taken  []atomic.Bool // which of the first spans are
}

type productItem struct {
	m   *matmul.Matrix
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
			to := min(n, from+max(1, 3*left/(4*p.e.options.Threads)))
			p.spans = append(p.spans, panelSpan{i, from, to})
			left -= to - from
			from = to
		}
	}
	p.taken = make([]atomic.Bool, min(len(p.spans), p.e.options.Threads))
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
	for i := range p.taken {
		p.taken[i].Store(false)
	}
	return len(p.spans)
}

func (p *product) run(unit, worker int) {
	if unit < len(p.taken) {
		unit = p.take(worker)
	}
	s := &p.spans[unit]
	item := &p.items[s.item]
	out, stride := p.e.from(item.out, 0)
	item.m.Mul(out, stride, &item.in.data, nil, s.from, s.to)
}

// take chooses one of the first spans: the worker's own, or else what others left. There
// are as many as units that ask for one.
func (p *product) take(worker int) int {
	if worker < len(p.taken) && p.taken[worker].CompareAndSwap(false, true) {
		return worker
	}
	for i := range p.taken {
		if p.taken[i].CompareAndSwap(false, true) {
			return i
		}
	}
	panic("cpu: more units than spans")
}

// fetchFirst asks for the weights of the worker's own span.
func (p *product) fetchFirst(worker int) {
	if worker < len(p.taken) {
		s := &p.spans[worker]
		p.items[s.item].m.Prefetch(s.from, s.to)
	}
}

// fetch asks for the first panel of a span; the others are fetched in passing.
func (p *product) fetch(unit, _ int) {
	if unit >= len(p.taken) {
		s := &p.spans[unit]
		p.items[s.item].m.Prefetch(s.from, s.from+1)
	}
}
