// Package model says what a model is: its Spec read from a GGUF file, its
// Program, the short list of operations over named buffers that both executors
// interpret, and the Step and Result that go in and out of a forward pass.
//
// A Program can be divided in two by its layers and experts, for a device and its host; each
// half is a Program again.
//
// A family is one file: it reads the Spec, binds and checks the weights, and
// appends operations from a closed set. A Program never changes after it was
// built.
package model
