package rowwise

// RouteRule says how the scores of experts become weights.
type RouteRule uint8

// The rules. A weight is divided by the sum of the chosen, where wanted, and
// multiplied afterwards.
const (
	RouteSoftmax RouteRule = iota // softmax over all experts, then choose
	RouteChosen                   // choose, then softmax over the chosen
	RouteSigmoid                  // sigmoid of each, then choose
)

// Routing is how one layer chooses experts.
type Routing struct {
	Rule RouteRule
	// Normalize divides the chosen weights by their sum.
	Normalize bool
	// Scale multiplies the weights at the end.
	Scale float32
	// Bias, if not nil, is added to the weights that the choice looks at, but not
	// to those that are given out; one value an expert.
	Bias []float32
}

// smallestWeightSum keeps the division finite where all chosen weights vanish.
const smallestWeightSum = 6.103515625e-5

// Route chooses the len(ids) experts with the largest scores, likeliest first, ties
// to the lower number, and their weights. scores is overwritten.
func Route(ids []int32, weights, scores []float32, r Routing) {
	if len(ids) != len(weights) || len(ids) > len(scores) || r.Bias != nil && len(r.Bias) != len(scores) {
		panic("rowwise: Route of unequal lengths")
	}
	switch r.Rule {
	case RouteSoftmax:
		Softmax(scores, scores)
	case RouteSigmoid:
		Sigmoid(scores, scores)
	}
	for j := range ids {
		best := r.best(scores, ids[:j])
		ids[j], weights[j] = best, scores[best]
	}
	if r.Rule == RouteChosen {
		Softmax(weights, weights)
	}
	scale := r.Scale
	if r.Normalize {
		var sum float32
		for _, w := range weights {
			sum += w
		}
		scale /= max(sum, smallestWeightSum)
	}
	for j := range weights {
		weights[j] *= scale
	}
}

// best returns the expert with the largest score that is not taken yet.
func (r *Routing) best(scores []float32, taken []int32) int32 {
	best, top := int32(-1), float32(0)
next:
	for e, s := range scores {
		if r.Bias != nil {
			s += r.Bias[e]
		}
		if best >= 0 && !(s > top) {
			continue
		}
		for _, t := range taken {
			if t == int32(e) {
				continue next
			}
		}
		best, top = int32(e), s
	}
	return best
}
