package model

import "github.com/confab-tui/confab/engine/gguf"

// Matrix is a weight matrix, or one a expert: Rows rows of K values, K contiguous,
// quantised as Tensor.Type says. It takes Spans of the tensor's rows, because
// files join matrices that a program uses apart.
type Matrix struct {
	Tensor  *gguf.Tensor
	Rows, K int
	// Experts is 1 for a plain matrix; the spans apply to each expert.
	Experts int
	// Spans are the row ranges that make up the matrix, in order.
	Spans []Span
}

// Span is a range of rows.
type Span struct{ First, Count int }

// Vector holds one-dimensional weights (and those of an expert bank's biases), read
// into float32 while loading.
type Vector struct {
	Name   string
	Values []float32
}

// Rotary is a table of rotary frequencies, one for each pair of a head's dimensions
// that turns: angle = position * Freqs[i]. Scaling (linear, Llama 3 factors, YaRN,
// long and short factors) is already in them.
type Rotary struct {
	Freqs []float64
	// Magnitude multiplies both turned values; YaRN sets it, otherwise it is 1.
	Magnitude float32
	// Interleaved pairs are (2i, 2i+1); otherwise (i, i+len(Freqs)).
	Interleaved bool
	// Dim is the head's width; what lies beyond the pairs stays as it is.
	Dim int
	// Label describes the table in the program's text.
	Label string
}
