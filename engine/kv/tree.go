package kv

import (
	"slices"
	"time"
)

// run is a stretch of tokens on a path of the prefix tree.
type run struct {
	tokens, cells []int32
	parent        *run
	kids          map[int32]*run // by their first token
	owners        []string       // conversations that were here, sorted
	used          uint64         // the pool's clock when it was last used
	at            time.Time      // the same for people
}

// find returns the cells of the longest prefix of tokens in the tree.
func (r *run) find(tokens []int32) []int32 {
	var cells []int32
	for len(tokens) > 0 {
		kid := r.kids[tokens[0]]
		if kid == nil {
			break
		}
		n := Common(kid.tokens, tokens)
		cells = append(cells, kid.cells[:n]...)
		if n < len(kid.tokens) {
			break
		}
		r, tokens = kid, tokens[n:]
	}
	return cells
}

// touch marks everything on the path of tokens as used.
func (r *run) touch(tokens []int32, clock uint64, at time.Time) {
	for len(tokens) > 0 {
		kid := r.kids[tokens[0]]
		if kid == nil {
			return
		}
		kid.used, kid.at = clock, at
		n := Common(kid.tokens, tokens)
		if n < len(kid.tokens) {
			return
		}
		r, tokens = kid, tokens[n:]
	}
}

// insert hands a closed sequence's references over to the tree: cells for which
// the tree has others already are given back.
func (p *Pool) insert(owner string, tokens, cells []int32) {
	clock, at := p.tick(), p.Now()
	r := p.root
	for len(tokens) > 0 {
		kid := r.kids[tokens[0]]
		if kid == nil {
			kid = &run{tokens: slices.Clone(tokens), cells: slices.Clone(cells), parent: r}
			r.adopt(kid)
			for _, c := range cells {
				p.keep(c)
			}
			kid.visit(owner, clock, at)
			return
		}
		n := Common(kid.tokens, tokens)
		if n < len(kid.tokens) {
			kid.split(n)
		}
		kid.visit(owner, clock, at)
		for _, c := range cells[:n] {
			p.drop(c)
		}
		r, tokens, cells = kid, tokens[n:], cells[n:]
	}
}

// keep turns a sequence's reference to a cell that the tree lacks into the tree's.
func (p *Pool) keep(c int32) {
	p.cached[c] = true
	if p.refs[c] == 1 {
		p.idle++
	}
}

func (r *run) adopt(kid *run) {
	if r.kids == nil {
		r.kids = make(map[int32]*run)
	}
	r.kids[kid.tokens[0]] = kid
}

func (r *run) visit(owner string, clock uint64, at time.Time) {
	r.used, r.at = clock, at
	if i, found := slices.BinarySearch(r.owners, owner); !found {
		r.owners = slices.Insert(r.owners, i, owner)
	}
}

// split cuts r in front of its token n: r keeps the first part, a new run under
// it the rest.
func (r *run) split(n int) {
	tail := &run{
		tokens: slices.Clone(r.tokens[n:]), cells: slices.Clone(r.cells[n:]),
		parent: r, kids: r.kids, owners: slices.Clone(r.owners), used: r.used, at: r.at,
	}
	for _, kid := range tail.kids {
		kid.parent = tail
	}
	r.tokens, r.cells = r.tokens[:n:n], r.cells[:n:n]
	r.kids = nil
	r.adopt(tail)
}

// evict frees n cells, or all idle ones where there are fewer: the ends of
// leaves, the leaf used longest ago first.
func (p *Pool) evict(n int) {
	for n > 0 && p.idle > 0 {
		leaf := p.oldest(p.root, nil)
		// A cell that a sequence uses frees nothing: it goes only where it
		// stands at the end of every leaf that is left.
		inUse := p.refs[leaf.last()] > 1
		for n > 0 && len(leaf.cells) > 0 && p.refs[leaf.last()] > 1 == inUse {
			n -= p.forget(leaf.last())
			leaf.cells = leaf.cells[:len(leaf.cells)-1]
		}
		if len(leaf.cells) == 0 {
			delete(leaf.parent.kids, leaf.tokens[0])
		}
		leaf.tokens = leaf.tokens[:len(leaf.cells)]
	}
}

// forget takes the tree's reference to c away and says how many cells that frees.
func (p *Pool) forget(c int32) int {
	p.cached[c] = false
	p.refs[c]--
	if p.refs[c] > 0 {
		return 0
	}
	p.idle--
	p.release(c)
	return 1
}

func (r *run) last() int32 { return r.cells[len(r.cells)-1] }

// oldest is the leaf under r that was used longest ago, of those whose last cell
// is idle if there are any.
func (p *Pool) oldest(r, best *run) *run {
	for _, kid := range r.kids {
		if len(kid.kids) > 0 {
			best = p.oldest(kid, best)
			continue
		}
		if best != nil {
			idle, bestIdle := p.refs[kid.last()] == 1, p.refs[best.last()] == 1
			if idle == bestIdle && kid.used >= best.used || bestIdle && !idle {
				continue
			}
		}
		best = kid
	}
	return best
}
