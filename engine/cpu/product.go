package cpu

import (
	"github.com/confab-tui/confab/engine/model"
	"github.com/confab-tui/confab/kernels/matmul"
)

// product is a phase of matrix products that do not depend on each other. A unit is a chunk:
// some panels of one matrix, for all rows.
//
// A worker's share is a run of the panels of one matrix after the other, about as many bytes
// as another's: what comes next in it is always on its way from memory.
type product struct {
	e      *Executor
	domain domain
	items  []productItem
	chunks []chunk
	ends   []int // of the workers' shares of the chunks
}

type productItem struct {
	m   *matmul.Matrix
	in  *input
	out model.Ref
}

// chunk is some panels of one of a product's matrices. The worker whose it is goes on to
// panel end.
type chunk struct{ item, from, to, end int }

// cut makes the chunks.
func (p *product) cut() {
	threads := int64(p.e.options.Threads)
	var total, before int64
	for _, item := range p.items {
		total += item.m.Bytes()
	}
	p.chunks, p.ends = p.chunks[:0], p.ends[:0]
	item, from := 0, 0
	for w := range threads {
		limit := total * (w + 1) / threads
		for item < len(p.items) {
			m := p.items[item].m
			panels, size := int64(m.Panels()), m.Bytes()
			to := max(from, int(min(panels, ((limit-before)*panels+size/2)/size)))
			p.add(item, from, to)
			if int64(to) < panels {
				from = to
				break
			}
			item, from, before = item+1, 0, before+size
		}
		p.ends = append(p.ends, len(p.chunks))
	}
}

// add adds panels as chunks that shrink, so that there are few of them and workers still end
// together.
func (p *product) add(item, from, end int) {
	for from < end {
		to := from + (end-from+1)/2
		p.chunks = append(p.chunks, chunk{item, from, to, end})
		from = to
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
	return len(p.chunks)
}

func (p *product) share(worker int) (from, to int) {
	if worker > 0 {
		from = p.ends[worker-1]
	}
	return from, p.ends[worker]
}

func (p *product) run(unit, worker int) {
	c := p.chunks[unit]
	if from, to := p.share(worker); unit < from || unit >= to {
		c.end = c.to // another's: what follows is not this worker's
	}
	item := &p.items[c.item]
	out, stride := p.e.from(item.out, 0)
	item.m.MulOn(out, stride, &item.in.data, nil, c.from, c.to, c.end)
}

// fetchFirst brings up to n bytes of the weights that a worker's share begins with closer, from the
// at-th on, and returns how many there were.
func (p *product) fetchFirst(worker, at, n int) int {
	from, to := p.share(worker)
	if from == to {
		return 0
	}
	c := &p.chunks[from]
	return p.items[c.item].m.Fetch(c.from, c.end, at, n)
}
