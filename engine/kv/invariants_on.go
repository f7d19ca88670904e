//go:build invariants

package kv

// Invariants says that pools check themselves after every change.
const Invariants = true

func (p *Pool) check() {
	if err := p.verify(); err != nil {
		panic(err)
	}
}
