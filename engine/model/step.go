package model

// Step is the whole input of one forward pass: any mix of prefill, decode and
// draft-check rows of any sequences. An executor only reads it, and keeps
// nothing of it once Run has returned.
type Step struct {
	// Rows are the step's tokens. The rows of one sequence stand together, in
	// position order.
	Rows []Row
	// Seqs are in the order of their rows and cover them all, once each.
	Seqs []Seq
	// Outputs are in row order; a row has at most one.
	Outputs []Output
}

// Row is one token of a step.
type Row struct {
	Token int32
	// Pos counts from 0 at the sequence's first token.
	Pos int32
	// Cell receives the token's keys and values in every layer. Cell 0 is
	// scratch: padding rows write there and nobody reads it.
	Cell int32
}

// Seq is one sequence's part in a step.
type Seq struct {
	// First and Count are its range of Step.Rows.
	First, Count int
	// Cells[p] is the cell of position p, for every position up to that of the
	// sequence's last row; those of this step's rows are included. Row r sees
	// Cells[:Rows[r].Pos+1], or the end of it that a layer's window leaves.
	Cells []int32
	// Slot names the sequence's memory in a program's recurrent States; a row at
	// position 0 starts it from zero. The rows of a slot come in order, without gaps
	// or rewinds. Without States it has no meaning.
	Slot int
}

// Output asks for the token that follows a row.
type Output struct {
	Row      int
	Sampling SamplingRow
	// Draft holds proposed tokens, which stand in the rows after Row: row
	// Row+1+i carries Draft[i]. Every one of these rows is sampled with its own
	// position's noise; the result ends with the first that disagrees.
	Draft []int32
	// Logits asks for the raw logits of Row beside the sampled token.
	Logits bool
}

// SamplingRow is a Sampling with what else a draw at one position depends on.
type SamplingRow struct {
	Sampling
	// Seed is the seed in force, never "random".
	Seed uint64
	// Pos is the position that the sampled token will have.
	Pos int32
	// History holds the tokens that penalties look at, oldest first, at most
	// Sampling.RepeatLastN of them.
	History []int32
	// Alternatives is how many of the likeliest other candidates to report.
	Alternatives int
}

// Result holds, for each of Step.Outputs, the tokens that follow its row: one,
// and one more for each draft token that agreed. All of it belongs to the executor
// and is valid until its next Run.
type Result struct {
	Outputs []Sampled
}

// Sampled answers one Output.
type Sampled struct {
	Tokens []TokenProb
	// Alternatives[i] belongs to Tokens[i]: the likeliest candidates by LogProb,
	// likeliest first, the sampled token among them where it ranks so high.
	Alternatives [][]TokenProb
	// Logits has one value for each token of the vocabulary, or is nil.
	Logits []float32
}

// TokenProb is a token and how likely it was.
type TokenProb struct {
	ID int32
	// LogProb is the natural logarithm of the softmax over the raw logits,
	// before any penalty, filter or temperature.
	LogProb float32
	// Prob is the probability that the token had in the draw, after penalties,
	// temperature and filters: 0 where a filter removed it.
	Prob float32
}
