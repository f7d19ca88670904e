// Package kernels is the arithmetic of a forward pass on the CPU: matrix
// products over quantised weights, norms, rotary positions, attention, gates and
// sampling, as single-threaded pieces that an executor spreads over its workers.
//
//   - Every operation has a plain Go definition that is always compiled: it is the
//     meaning, the fallback and the oracle of the tests. Faster forms in Go assembly
//     are chosen at run time by what the processor has.
//   - A row's result depends on that row alone: not on the rows beside it, on how
//     many there are, on the split over workers or on the order of calls.
//   - No function keeps a slice of its caller's, except NewMatrix, which reads the
//     file's bytes until they are packed.
//   - What only a programmer can get wrong panics; nothing else fails, nothing
//     prints. The package is free of cgo.
package kernels
