package cpu

// ahead fetches weights for workers that would only wait otherwise.
type ahead struct {
	next  []*product // the next product after each phase
	asked []askedAhead
}

// askedAhead is what a worker has asked for last, on a cache line of its own.
type askedAhead struct {
	product *product
	_       [56]byte
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

// fetch is called by a worker that has no more to do in a phase.
func (a *ahead) fetch(phase, worker int) {
	if p := a.next[phase]; p != nil && a.asked[worker].product != p {
		a.asked[worker].product = p
		p.fetchFirst(worker)
	}
}
