// Package kernels and the packages below it are the arithmetic of a forward pass:
// single-threaded pieces that engine/cpu spreads over its workers, and device kernels
// that engine/cuda records into graphs.
//
//	matmul     products with quantised and float weights, rounding of activations
//	rowwise    norms, rotary positions, gates, softmax, expert routing
//	attend     cells of keys and values, attention over lists of cells
//	recurrent  causal convolution and the gated delta rule
//	sample     a token out of logits
//	kerneltest what their tests share
//
// This package holds what all of them need: what the processor has, half-precision
// numbers, memory on huge pages, the queue of device launches and the compiled fatbin.
//
//   - Every operation has a plain Go definition that is always compiled: it is the
//     meaning, the fallback and the oracle of the tests. Faster forms in Go assembly
//     are chosen at run time by what the processor has; device forms lie beside it as
//     .cu with their launcher in _cuda.go.
//   - A row's result depends on that row alone: not on the rows beside it, on how
//     many there are, on the split over workers or on the order of calls. On a device
//     more than 64 rows may differ within a bound that their package names.
//   - No function keeps a slice of its caller's, with two exceptions: matmul.NewMatrix
//     reads the file's bytes until they are packed, and an attend.AttendPlan the lists
//     of cells until it prepares the next step.
//   - What only a programmer can get wrong panics; nothing else fails, nothing
//     prints. The packages are free of cgo.
package kernels
