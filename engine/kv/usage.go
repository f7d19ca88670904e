package kv

import (
	"sort"
	"time"
)

// Kind is what a cell is used for.
type Kind uint8

// The kinds of cells.
const (
	Free   Kind = iota
	Cached      // only idle conversations keep it
	Shared      // two or more use it
	Held        // one running sequence uses it
)

// Owner is one conversation's part of the pool.
type Owner struct {
	Name string
	// Cells are all that it uses, Shared those that others use too.
	Cells, Shared int
	// Live says that it has a running sequence.
	Live bool
	Used time.Time
}

// Usage is a picture of the pool, counted in cells: Held + Cached + Free is Total.
// Running sequences use the Held ones; idle conversations alone keep the Cached ones.
// Of both, the Shared ones have two users or more. Every sequence is a user; so is every
// conversation that the tree names beside a cell, unless one of its own sequences has that
// cell and is counted already.
type Usage struct {
	Total, Held, Shared, Cached, Free int
	// Owners are in order of use, running ones last: the first is the next to
	// lose its cache.
	Owners []Owner
	// Map has the commonest kind of each of equal runs of cells.
	Map []Kind
}

// census is one count of who uses what.
type census struct {
	users []uint8 // by cell: how many use it, 2 standing for more
	// owner has, by cell, the number of the owner that was counted there last, so that none
	// is counted twice; 0 is nobody.
	owner []int32
}

// holdings are an owner's sequences and the runs of the tree that name it.
type holdings struct {
	Owner
	clock uint64
	seqs  []*Seq
	runs  []*run
}

// Usage counts the pool's cells; Map has up to marks entries.
func (p *Pool) Usage(marks int) Usage {
	all := p.holdings()
	n := census{users: make([]uint8, p.top), owner: make([]int32, p.top)}
	for i, h := range all {
		h.Cells = n.count(int32(i+1), h)
	}
	clear(n.owner)
	running := p.running()
	u := Usage{Total: p.Total(), Free: p.free.n}
	for _, held := range running {
		if held {
			u.Held++
		}
	}
	u.Cached = u.Total - u.Free - u.Held
	for i, h := range all {
		h.Shared = n.shared(int32(i+1), h)
		u.Owners = append(u.Owners, h.Owner)
	}
	for _, users := range n.users {
		if users > 1 {
			u.Shared++
		}
	}
	u.Map = p.kinds(marks, n.users, running)
	return u
}

// holdings gathers what each conversation has, in order of use.
func (p *Pool) holdings() []*holdings {
	byName := make(map[string]*holdings)
	var all []*holdings
	of := func(name string) *holdings {
		h := byName[name]
		if h == nil {
			h = &holdings{Owner: Owner{Name: name}}
			byName[name] = h
			all = append(all, h)
		}
		return h
	}
	p.root.walk(func(r *run) {
		below := r.below()
		for _, name := range r.owners {
			h := of(name)
			h.runs = append(h.runs, r)
			// Runs that others share are used all the time: what tells is the
			// end of the owner's own path.
			if r.used > h.clock && !below[name] {
				h.clock, h.Used = r.used, r.at
			}
		}
	})
	for _, s := range p.live {
		h := of(s.owner)
		h.seqs = append(h.seqs, s)
		switch {
		case !s.resting:
			h.Live, h.Used = true, p.Now()
		case s.rested > h.clock:
			h.clock, h.Used = s.rested, s.at
		}
	}
	sort.Slice(all, func(i, j int) bool {
		a, b := all[i], all[j]
		if a.Live != b.Live {
			return b.Live
		}
		if a.clock != b.clock {
			return a.clock < b.clock
		}
		return a.Name < b.Name
	})
	return all
}

func (r *run) walk(visit func(*run)) {
	for _, kid := range r.kids {
		visit(kid)
		kid.walk(visit)
	}
}

// below are the owners that have more under r.
func (r *run) below() map[string]bool {
	if len(r.kids) == 0 {
		return nil
	}
	names := make(map[string]bool, len(r.owners))
	for _, kid := range r.kids {
		for _, name := range kid.owners {
			names[name] = true
		}
	}
	return names
}

// count adds the owner with this number to every cell that it uses and returns
// how many those are.
func (n *census) count(number int32, h *holdings) int {
	cells := 0
	use := func(c int32) {
		n.users[c] = min(n.users[c]+1, 2)
		if n.owner[c] != number {
			n.owner[c] = number
			cells++
		}
	}
	for _, s := range h.seqs {
		for _, c := range s.cells {
			use(c)
		}
	}
	for _, r := range h.runs {
		for _, c := range r.cells {
			if n.owner[c] != number {
				use(c)
			}
		}
	}
	return cells
}

// shared counts the owner's cells that have two users or more.
func (n *census) shared(number int32, h *holdings) int {
	cells := 0
	look := func(list []int32) {
		for _, c := range list {
			if n.owner[c] != number && n.users[c] > 1 {
				n.owner[c] = number
				cells++
			}
		}
	}
	for _, s := range h.seqs {
		look(s.cells)
	}
	for _, r := range h.runs {
		look(r.cells)
	}
	return cells
}

func (p *Pool) kinds(marks int, users []uint8, running []bool) []Kind {
	total := p.Total()
	marks = min(marks, total)
	kinds := make([]Kind, marks)
	for i := range kinds {
		var votes [4]int
		from, to := 1+i*total/marks, 1+(i+1)*total/marks
		for c := from; c < min(to, p.top); c++ {
			votes[p.kind(c, users[c], running[c])]++
		}
		votes[Free] += to - max(from, min(to, p.top))
		for k := Held; k > Free; k-- {
			if votes[k] > votes[kinds[i]] || kinds[i] == Free && votes[k] == votes[Free] {
				kinds[i] = k
			}
		}
	}
	return kinds
}

func (p *Pool) kind(c int, users uint8, running bool) Kind {
	switch {
	case p.refs[c] == 0:
		return Free
	case users > 1:
		return Shared
	case running:
		return Held
	default:
		return Cached
	}
}

// running marks the cells that running sequences use.
func (p *Pool) running() []bool {
	marks := make([]bool, p.top)
	for _, s := range p.live {
		if s.resting {
			continue
		}
		for _, c := range s.cells {
			marks[c] = true
		}
	}
	return marks
}
