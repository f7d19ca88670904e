package kv

import "fmt"

// verify counts everything anew and compares it with what the pool believes.
func (p *Pool) verify() error {
	refs := make([]int32, len(p.refs))
	for _, s := range p.live {
		if len(s.tokens) != len(s.cells) || s.done > len(s.tokens) {
			return fmt.Errorf("kv: sequence of %d tokens, %d cells, %d committed", len(s.tokens), len(s.cells), s.done)
		}
		for _, c := range s.cells {
			refs[c]++
		}
	}
	cached := make([]bool, len(p.refs))
	idle, err := p.verifyTree(p.root, cached, refs)
	if err != nil {
		return err
	}
	if idle != p.idle {
		return fmt.Errorf("kv: %d idle cells counted as %d", idle, p.idle)
	}
	free := 0
	for c := range refs {
		if refs[c] != p.refs[c] || cached[c] != p.cached[c] {
			return fmt.Errorf("kv: cell %d has %d references (in the tree: %v), counted as %d (%v)",
				c, refs[c], cached[c], p.refs[c], p.cached[c])
		}
		if isFree := c > 0 && refs[c] == 0; isFree != p.free.has(int32(c)) {
			return fmt.Errorf("kv: cell %d has %d references, free: %v", c, refs[c], !isFree)
		} else if isFree {
			free++
		}
	}
	if refs[0] != 0 || free != p.free.n {
		return fmt.Errorf("kv: scratch has %d references; %d free cells counted as %d", refs[0], free, p.free.n)
	}
	return nil
}

// verifyTree checks the runs under r, adds their references to refs, which has
// the sequences', and counts the idle cells.
func (p *Pool) verifyTree(r *run, cached []bool, refs []int32) (idle int, err error) {
	for first, kid := range r.kids {
		switch {
		case len(kid.cells) == 0 || len(kid.tokens) != len(kid.cells):
			return 0, fmt.Errorf("kv: run of %d tokens in %d cells", len(kid.tokens), len(kid.cells))
		case kid.tokens[0] != first || kid.parent != r:
			return 0, fmt.Errorf("kv: run of token %d hangs where %d should", kid.tokens[0], first)
		case r != p.root && kid.used > r.used:
			return 0, fmt.Errorf("kv: run used at %d under one used at %d", kid.used, r.used)
		}
		for _, c := range kid.cells {
			if cached[c] {
				return 0, fmt.Errorf("kv: cell %d is twice in the tree", c)
			}
			cached[c] = true
			if refs[c]++; refs[c] == 1 {
				idle++
			}
		}
		below, err := p.verifyTree(kid, cached, refs)
		if err != nil {
			return 0, err
		}
		idle += below
	}
	return idle, nil
}
