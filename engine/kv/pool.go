package kv

import (
	"fmt"
	"time"
)

// Pool is the account of all cells.
type Pool struct {
	// Freed, where set, hears of every cell that nobody refers to any more, so
	// that an executor can poison it.
	Freed func(cell int32)
	// Now tells the time for Owner.Used.
	Now func() time.Time

	refs   []int32 // by cell
	cached []bool  // by cell: the tree refers to it
	free   bitmap
	// top is above every cell that was ever handed out.
	top int
	// idle counts the cells that only the tree refers to.
	idle  int
	live  []*Seq // in the order of Open
	root  *run
	clock uint64 // counts uses
}

// New makes a pool of cells 0 to cells-1, all free but the scratch cell 0.
func New(cells int) *Pool {
	if cells < 2 {
		panic(fmt.Sprintf("kv: a pool of %d cells holds nothing", cells))
	}
	p := &Pool{
		Now:    time.Now,
		refs:   make([]int32, cells),
		cached: make([]bool, cells),
		free:   newBitmap(cells),
		root:   &run{},
	}
	for c := 1; c < cells; c++ {
		p.free.set(int32(c))
	}
	return p
}

// Total is the number of cells that can be handed out.
func (p *Pool) Total() int { return len(p.refs) - 1 }

// Free is the number of cells that nobody refers to.
func (p *Pool) Free() int { return p.free.n }

// Idle is the number of cells that only idle conversations keep: what Extend
// can take beside the free ones.
func (p *Pool) Idle() int { return p.idle }

// Seq is one timeline of tokens with their cells in position order. It belongs
// to the pool that opened it.
type Seq struct {
	owner  string
	tokens []int32
	cells  []int32
	// done counts the tokens whose cells hold their keys and values; those
	// behind them are claimed for a step that has not come back yet.
	done int
	// resting says that nobody is running it: see Rest.
	resting bool
	rested  uint64
	at      time.Time
}

// Len is the number of tokens, claimed ones included.
func (s *Seq) Len() int { return len(s.tokens) }

// Tokens and Cells are in position order. They belong to the sequence: nobody
// may change them, and they are good until its next change.
func (s *Seq) Tokens() []int32 { return s.tokens }

// Cells has the cell of each token; see Tokens.
func (s *Seq) Cells() []int32 { return s.cells }

// Open starts a sequence for owner with as many of the first tokens as any cell
// of the pool already holds.
func (p *Pool) Open(owner string, tokens []int32) *Seq {
	s := &Seq{owner: owner}
	p.live = append(p.live, s)
	p.Adopt(s, tokens)
	return s
}

// Adopt lengthens s, which must be a committed prefix of tokens, by the cells
// that already hold what follows in tokens, and says by how many.
func (p *Pool) Adopt(s *Seq, tokens []int32) int {
	s.settled("adopt")
	from := s.Len()
	cells := p.longest(tokens)
	if len(cells) <= from {
		return 0
	}
	cells = cells[from:]
	for _, c := range cells {
		p.take(c)
	}
	s.tokens = append(s.tokens, tokens[from:from+len(cells)]...)
	s.cells = append(s.cells, cells...)
	s.done = s.Len()
	p.root.touch(tokens[:s.Len()], p.tick(), p.Now())
	p.check()
	return len(cells)
}

// Extend claims cells for tokens at the end of s, dropping idle conversations'
// cells where needed. Where the pool has not room for all of them it changes
// nothing and returns false.
func (p *Pool) Extend(s *Seq, tokens []int32) bool {
	if len(tokens) > p.free.n+p.idle {
		return false
	}
	p.evict(len(tokens) - p.free.n)
	for _, t := range tokens {
		c := p.free.take(s.last())
		p.refs[c] = 1
		p.top = max(p.top, int(c)+1)
		s.cells = append(s.cells, c)
		s.tokens = append(s.tokens, t)
	}
	p.check()
	return true
}

// last is the cell of the last token, or the scratch cell.
func (s *Seq) last() int32 {
	if len(s.cells) == 0 {
		return 0
	}
	return s.cells[len(s.cells)-1]
}

// Commit says that the cells of the first n tokens of s now hold them.
func (p *Pool) Commit(s *Seq, n int) {
	if n < s.done || n > s.Len() {
		panic(fmt.Sprintf("kv: commit %d of a sequence of %d with %d committed", n, s.Len(), s.done))
	}
	s.done = n
}

// Truncate gives back every token of s from position n on.
func (p *Pool) Truncate(s *Seq, n int) {
	for _, c := range s.cells[n:] {
		p.drop(c)
	}
	s.tokens, s.cells = s.tokens[:n], s.cells[:n]
	s.done = min(s.done, n)
	p.check()
}

// Close ends s. The first keep of its committed tokens stay in the tree under
// its owner's name until their room is wanted; the others are free at once.
func (p *Pool) Close(s *Seq, keep int) {
	at := -1
	for i, l := range p.live {
		if l == s {
			at = i
		}
	}
	if at < 0 {
		panic("kv: close of a sequence that is not open")
	}
	p.live = append(p.live[:at], p.live[at+1:]...)
	keep = min(keep, s.done)
	for _, c := range s.cells[keep:] {
		p.drop(c)
	}
	p.insert(s.owner, s.tokens[:keep], s.cells[:keep])
	s.tokens, s.cells, s.done = nil, nil, 0
	p.check()
}

// Settle gives back what is claimed and not committed, and says how much is left.
func (p *Pool) Settle(s *Seq) int {
	p.Truncate(s, s.done)
	return s.done
}

// Rest says that s is kept for reuse only, though it stays open; Wake that it runs
// again, for owner.
func (p *Pool) Rest(s *Seq) { s.resting, s.rested, s.at = true, p.tick(), p.Now() }

// Wake ends a Rest.
func (p *Pool) Wake(s *Seq, owner string) { s.resting, s.owner = false, owner }

// Match says how many of the first tokens the pool holds, and how many of those
// running sequences hold anyway, so that using them takes no idle cell.
func (p *Pool) Match(tokens []int32) (matched, held int) {
	cells := p.longest(tokens)
	for _, c := range cells {
		if p.held(c) {
			held++
		}
	}
	return len(cells), held
}

// Sole counts the cells that no other sequence uses: what closing s would free or
// leave idle.
func (p *Pool) Sole(s *Seq) int {
	n := 0
	for _, c := range s.cells {
		if p.refs[c] == 1 || p.refs[c] == 2 && p.cached[c] {
			n++
		}
	}
	return n
}

// longest returns the cells of the longest prefix of tokens that the tree or
// any sequence holds.
func (p *Pool) longest(tokens []int32) []int32 {
	best := p.root.find(tokens)
	for _, l := range p.live {
		if n := Common(l.tokens[:l.done], tokens); n > len(best) {
			best = l.cells[:n:n]
		}
	}
	return best
}

// Common is the length of the longest common prefix.
func Common(a, b []int32) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

func (s *Seq) settled(what string) {
	if s.done != s.Len() {
		panic(fmt.Sprintf("kv: %s with %d of %d tokens committed", what, s.done, s.Len()))
	}
}

// held says that a sequence refers to cell c.
func (p *Pool) held(c int32) bool { return p.refs[c] > 1 || p.refs[c] == 1 && !p.cached[c] }

// take adds a sequence's reference to a cell in use.
func (p *Pool) take(c int32) {
	if p.cached[c] && p.refs[c] == 1 {
		p.idle--
	}
	p.refs[c]++
}

// drop takes a sequence's reference away.
func (p *Pool) drop(c int32) {
	p.refs[c]--
	switch {
	case p.refs[c] == 0:
		p.release(c)
	case p.refs[c] == 1 && p.cached[c]:
		p.idle++
	}
}

func (p *Pool) release(c int32) {
	p.free.set(c)
	if p.Freed != nil {
		p.Freed(c)
	}
}

func (p *Pool) tick() uint64 {
	p.clock++
	return p.clock
}
