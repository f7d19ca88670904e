//go:build cuda

package recurrent

import (
	"github.com/confab-tui/confab/gpu"
	"github.com/confab-tui/confab/kernels"
)

// Piece is some neighbouring rows of one sequence in a step: Count from First on. Slot
// is where its states are, which start from zero where Fresh is 1. Count is 0 where
// there is no sequence.
type Piece struct {
	First, Count, Slot, Fresh int32
}

// Limits of what the kernels for recurrent layers take.
const (
	MaxTaps      = 4
	MaxDeltaKeys = 128
)

// ConvArgs is a causal convolution of Channels channels, with SiLU after it or without; see
// Conv and Convolve. Weight is [Channels][Taps], State [slots][Taps-1][Channels]. Out may be In.
type ConvArgs struct {
	Out, In        kernels.Place
	Weight, State  gpu.Ptr
	Channels, Taps int
	SiLU           bool
}

type convArgs struct {
	out, in, weight, state, pieces gpu.Ptr
	channels, taps, silu           int32
	ldo, ldi, pad                  int32
}

// QueueConv queues the convolution of the rows of n pieces.
func QueueConv(q *kernels.Queue, c ConvArgs, pieces gpu.Ptr, n int) {
	kernels.MustFit("taps", c.Taps, MaxTaps)
	kernels.Launch(q, "conv_rows", gpu.Config{Grid: [3]int{(c.Channels + 127) / 128, n}, Threads: 128}, convArgs{
		out: c.Out.Ptr, in: c.In.Ptr, weight: c.Weight, state: c.State, pieces: pieces, channels: int32(c.Channels),
		taps: int32(c.Taps), silu: bit(c.SiLU), ldo: int32(c.Out.Stride), ldi: int32(c.In.Stride)})
}

func bit(b bool) int32 {
	if b {
		return 1
	}
	return 0
}

// DeltaArgs is the gated delta rule; see DeltaRule. Head h of Heads has the queries and
// keys of head h mod KeyHeads, divided by their length, of at least Eps. It forgets by
// exp(Decay[h]*softplus(Alpha[h]+Bias[h])) and learns by sigmoid(Beta[h]). State has
// DeltaState values a slot.
type DeltaArgs struct {
	Out, Q, K, V, Alpha, Beta         kernels.Place
	Decay, Bias, State                gpu.Ptr
	Heads, KeyHeads, KeyDim, ValueDim int
	Eps                               float32
}

type deltaArgs struct {
	out, q, k, v, alpha, beta, decay, bias, state, pieces gpu.Ptr
	keyHeads, keyDim, valueDim, heads                     int32
	ldo, ldq, ldk, ldv, lda, ldb                          int32
	eps                                                   float32
	pad                                                   int32
}

// DeltaState is how many values the state of a slot has: [heads][valueDim][keyDim],
// keyDim rounded up to whole lanes.
func DeltaState(heads, keyDim, valueDim int) int { return heads * valueDim * ((keyDim + 31) / 32 * 32) }

// QueueDeltaRule queues the rule for the rows of n pieces.
func QueueDeltaRule(q *kernels.Queue, d DeltaArgs, pieces gpu.Ptr, n int) {
	kernels.MustFit("key width", d.KeyDim, MaxDeltaKeys)
	kernels.Launch(q, "delta_rule", gpu.Config{Grid: [3]int{(d.ValueDim + 31) / 32, d.Heads, n}, Threads: 256}, deltaArgs{
		out: d.Out.Ptr, q: d.Q.Ptr, k: d.K.Ptr, v: d.V.Ptr, alpha: d.Alpha.Ptr, beta: d.Beta.Ptr, decay: d.Decay, bias: d.Bias,
		state: d.State, pieces: pieces, keyHeads: int32(d.KeyHeads), keyDim: int32(d.KeyDim), valueDim: int32(d.ValueDim),
		heads: int32(d.Heads), ldo: int32(d.Out.Stride), ldq: int32(d.Q.Stride), ldk: int32(d.K.Stride), ldv: int32(d.V.Stride),
		lda: int32(d.Alpha.Stride), ldb: int32(d.Beta.Stride), eps: d.Eps})
}
