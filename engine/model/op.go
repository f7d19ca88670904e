package model

// Ref names the columns At .. At+Width of a buffer, in every row of the step. A
// row of the buffer is Buffers[Buf].Width values long, so that is the stride.
type Ref struct {
	Buf       int
	At, Width int
}

// Buffer is room for one row of float32 values for each row of the step, or, where
// Outputs is set, for each of the step's outputs. Ints says that it holds int32
// values instead.
type Buffer struct {
	Name    string
	Width   int
	Outputs bool
	Ints    bool
}

// Op is one of the operations of this file; executors switch over their concrete
// types (pointers to them). Ops run in order. An operation reads its inputs before it writes, so an
// output may be the very same Ref as an input of the same width.
type Op interface {
	// Reads and Writes append the operands to dst.
	Reads(dst []Ref) []Ref
	Writes(dst []Ref) []Ref
	// Matrices appends the matrices that the operation multiplies by or looks
	// rows up in.
	Matrices(dst []*Matrix) []*Matrix
}

// Embed looks up a row of Table for each token, or for each position where
// ByPosition is set, and multiplies it by Scale.
type Embed struct {
	Out        Ref
	Table      *Matrix // [vocabulary or positions][Out.Width]
	Scale      float32
	ByPosition bool
}

// Norm divides every part of a row by its root mean square; with Center it
// subtracts the part's mean first (layer norm). The row has Parts equal parts, one
// for a plain norm and one a head for a norm of heads. Weight, if not nil,
// multiplies, Bias is added; both have one value for each of the part's.
type Norm struct {
	Out, In      Ref
	Parts        int
	Weight, Bias *Vector
	Eps          float32
	Center       bool
}

// MatMul is out[n] = sum over k of W[n][k] * in[k], plus Bias[n] if there is one.
// Neighbouring MatMuls with the same In are independent of each other.
type MatMul struct {
	Out, In Ref
	W       *Matrix
	Bias    *Vector
}

// Rope turns pairs of each head's first 2*len(Freqs) values by position times
// frequency, in place.
type Rope struct {
	X     Ref
	Heads int
	Table *Rotary
}

// Sharpen multiplies a row by 1 + By*log(1 + floor(position/Every)), in place.
type Sharpen struct {
	X     Ref
	By    float32
	Every int
}

// Store writes a row's keys and values into its cell of a cache.
type Store struct {
	K, V  Ref
	Cache int
}

// Attend is softmax attention of Heads query heads over the cells that a row sees
// in a cache: score = SoftCap*tanh(Scale*q.k/SoftCap), or Scale*q.k where SoftCap
// is 0. Window, if not 0, leaves the row the last Window positions, its own
// included. Sinks, if not nil, has one more score a head, which takes part in the
// softmax and has no value. Query head h uses key head h*KVHeads/Heads.
type Attend struct {
	Out, Q  Ref // Heads*ValueDim and Heads*KeyDim wide
	Cache   int
	Heads   int
	Scale   float32
	SoftCap float32
	Window  int
	Sinks   *Vector
}

// Add is out = a + b.
type Add struct {
	Out, A, B Ref
}

// Scale is out = in * By.
type Scale struct {
	Out, In Ref
	By      float32
}

// Activate is out = Act(in); see Activation.
type Activate struct {
	Out, In Ref
	Act     Activation
}

// Gate is out = Act(gate) * up; see Activation. A gate of one value applies to all of up.
type Gate struct {
	Out, Gate, Up Ref
	Act           Activation
}

// SoftCap is x = Cap*tanh(x/Cap), in place.
type SoftCap struct {
	X   Ref
	Cap float32
}

// Route chooses, for each row, the Used experts with the largest scores (ties to
// the lower number), likeliest first, and how much each counts.
type Route struct {
	Scores       Ref // one a expert, raw
	IDs, Weights Ref // Used wide; IDs in a buffer of ints
	Used         int
	Rule         RouteRule
	// Normalize divides the chosen weights by their sum; Scale multiplies them.
	Normalize bool
	Scale     float32
	// Bias, if not nil, is added to the weights that the choice looks at, but not to
	// those that count; one value an expert.
	Bias *Vector
	// Groups, if more than 1, are equal runs of experts, of which only the GroupsUsed
	// whose two largest weights have the largest sums are chosen from.
	Groups, GroupsUsed int
}

// RouteRule says how scores become weights.
type RouteRule uint8

// The rules.
const (
	RouteSoftmax RouteRule = iota // softmax over all experts, then choose
	RouteChosen                   // choose, then softmax over the chosen
	RouteSigmoid                  // sigmoid of each, then choose
)

// Experts is the gated feed-forward of the chosen experts: for each j, with expert
// e = ids[j], out += weights[j] * DownScale[e] * (Down[e]·(Act(Gate[e]·in) * Up[e]·in)),
// each product with its bias, summed in the order of j.
type Experts struct {
	Out, In                    Ref
	IDs, Weights               Ref
	Gate, Up, Down             *Matrix
	GateBias, UpBias, DownBias *Vector // [experts][rows] or nil
	DownScale                  *Vector // one a expert, or nil
	Act                        Activation
}

// Select gathers the rows that outputs were asked of; Out is a buffer of outputs.
type Select struct {
	Out, In Ref
}

// Give ends a part of a program that Split made: each row's values, those of one reference
// after the other, go to the other half.
type Give struct {
	Refs []Ref
}

// Take begins a part with the values that the other half gave, in the same order.
type Take struct {
	Refs []Ref
}

// Width is how many values of a row are handed over.
func (o *Give) Width() int { return width(o.Refs) }

// Width is how many values of a row are handed over.
func (o *Take) Width() int { return width(o.Refs) }

func width(refs []Ref) int {
	n := 0
	for _, r := range refs {
		n += r.Width
	}
	return n
}

// Conv is a causal convolution over a sequence's rows, one filter a channel,
// followed by Act, SiLU or none. Weight is [channels][Taps], the last tap being for the row itself.
// The state keeps the Taps-1 latest inputs of the sequence.
type Conv struct {
	Out, In Ref
	Weight  *Vector
	Taps    int
	Act     Activation
	State   int
}

// DeltaNet is the gated delta rule, one row of a sequence after the other. For each
// value head h, with key head h mod KeyHeads and S its [KeyDim][ValueDim] state:
// q and k divided by their length (epsilon Eps), q also by the root of KeyDim;
// S = exp(decay)*S; S += k·(beta*(v - Sᵀk))ᵀ; out = Sᵀq, where
// decay = A[h]*softplus(alpha[h] + DtBias[h]) and beta = sigmoid(Beta[h]).
type DeltaNet struct {
	Out, Q, K, V         Ref
	Alpha, Beta          Ref // ValueHeads wide, raw
	A, DtBias            *Vector
	KeyHeads, ValueHeads int
	KeyDim, ValueDim     int
	Eps                  float32
	State                int
}

// Activation is the non-linear part of a feed-forward or of a gate.
type Activation uint8

// The activations. ActSwiGLUClamped is gpt-oss's: g = min(gate, 7),
// u = clamp(up, -7, 7), g * sigmoid(1.702*g) * (u + 1).
const (
	ActSiLU Activation = iota // x * sigmoid(x)
	ActGELU                   // the tanh approximation
	ActSigmoid
	ActSwiGLUClamped
	ActReLUSquared // max(x, 0)²
	ActNone        // x
)
