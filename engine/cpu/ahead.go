package cpu

const (
	// fetchStep is how many bytes a waiting worker fetches between two looks at what is open: it
	// is not to keep others waiting.
	fetchStep = 4 << 10
	// fetchMost is how many bytes of a product a worker fetches while it waits. More
	// are often gone again from a second-level cache when they are needed.
	fetchMost = 128 << 10
)

// ahead fetches weights for workers that would only wait otherwise.
type ahead struct {
	next  []*product // the next product after each phase
	asked []askedAhead
}

// askedAhead is what a worker has fetched last, on a cache line of its own.
type askedAhead struct {
	product *product
	bytes   int
	_       [48]byte
}

func newAhead(phases []phase, threads int) *ahead {
	a := &ahead{next: make([]*product, len(phases)), asked: make([]askedAhead, threads)}
	var next *product
	for i := len(phases) - 1; i >= 0; i-- {
		a.next[i] = next
		if p, ok := phases[i].(*product); ok {
			next = p
		}
	}
	return a
}

// fetch is called again and again by a worker that has no more to do in a phase. It says false
// where there is nothing left to fetch.
func (a *ahead) fetch(phase, worker int) bool {
	p, asked := a.next[phase], &a.asked[worker]
	if p == nil {
		return false
	}
	if asked.product != p {
		asked.product, asked.bytes = p, 0
	}
	if asked.bytes >= fetchMost {
		return false
	}
	n := p.fetchFirst(worker, asked.bytes, fetchStep)
	asked.bytes += n
	return n > 0
}
