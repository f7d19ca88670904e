// Package matmul multiplies rows of activations with weights in the file's tensor types:
// out[i][n] = sum over k of W[n][k] * x[i][k]. Weights are repacked once for the processor
// or the device; activations are rounded to the form that the weights' type wants. A row's
// bits are the same at any number of rows, but for one form: on Hopper more than 64 rows
// are multiplied in half precision, within WideError of the others.
package matmul
