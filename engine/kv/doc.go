// Package kv keeps account of the pool of key/value cells: which cell holds
// which token of which sequence, what idle conversations leave behind for
// reuse, and what goes first when room is wanted. It knows numbers only; the
// keys and values themselves lie with the executor.
//
//	sequences (running answers)        prefix tree (idle conversations)
//	  A: 5 6 7 8 21                      [5 6 7 8]─┬─[21 22]
//	  B: 5 6 7 8 30                                └─[30 31 32]
//	        └──────── the same cells ───────┘
//
// Invariants:
//   - A cell holds one token of one prefix: whoever refers to it has the same
//     tokens up to and including it. A cell that holds something is never
//     written again until nobody refers to it.
//   - A cell's references are the sequences that list it, and one more where the
//     tree does. A cell without references is free, and only such a cell is
//     handed out: low numbers first, and several in a row to a sequence where they are free.
//   - Cell 0 is scratch: it is never handed out and never free.
//   - The tree shrinks from the ends of its leaves. A cell that a sequence uses
//     may leave the tree too, where idle cells lie in front of it; the sequence
//     keeps it.
//   - Runs that stand under one run differ in their first token, and a run was
//     last used no earlier than those under it.
//
// A Pool has one owner and no lock. Built with the tag "invariants" it checks
// itself after every change.
package kv
