//go:build !invariants

package kv

// Invariants says that pools check themselves after every change.
const Invariants = false

func (p *Pool) check() {}
