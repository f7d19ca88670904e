// Package cuda runs a model's Program on an NVIDIA GPU; it has the methods of package
// cpu's executor. It is built with the tag cuda.
//
//   - A step of up to 64 rows runs as one CUDA graph of the narrowest width of 1, 2,
//     4 .. 64 that holds it, padded with rows on the scratch cell. All graphs are
//     captured while loading. A wider step is launched kernel by kernel.
//   - A step's inputs are one block at a fixed address: one copy in, one launch, one
//     copy out.
//   - Weights are repacked into the kernels' tiles while they are uploaded; a
//     product's input is rounded once, by the kernel that computed it.
//   - A row's results do not depend on the rows beside it, to the last bit, in steps
//     of up to 64 rows; in wider ones attention adds in another order, and on
//     Hopper products are in half precision, within matmul.WideError of the others.
//   - Half of a divided program runs in segments, each with its graphs: between two of them
//     the host has its turn, and a row's values cross once each way.
//   - Nothing is allocated on the device after New.
package cuda
