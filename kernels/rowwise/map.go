package rowwise

// mapOp names an operation that works on each value by itself. They share one
// fast loop: out[i] = op(a[i], b[i]; s, t).
type mapOp uint8

const (
	mapAdd mapOp = iota
	mapMul
	mapScale
	mapAddScaled
	mapSoftCap
	mapSwiGLU
	mapGeGLU
	mapSwiGLUClamped
	mapSigmoidGate
	mapSiLU
	mapGELU
	mapSigmoid
	mapExp      // exp(a-s)
	mapScaleMul // a*s*b
	mapCentre   // (a-s)*t
)
