package rowwise

import "math"

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
	// Groups, if more than 1, are equal runs of experts, of which only the GroupsUsed
	// whose two largest weights, with their biases, have the largest sums are chosen
	// from; ties go to the lower group.
	Groups, GroupsUsed int
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
	closed := r.closed(scores)
	for j := range ids {
		best := r.best(scores, ids[:j], closed)
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

// wanted is the score that the choice looks at.
func (r *Routing) wanted(scores []float32, e int) float32 {
	if r.Bias != nil {
		return scores[e] + r.Bias[e]
	}
	return scores[e]
}

// mostGroups is more groups than any model has.
const mostGroups = 64

// closed has a bit for every group that no expert is chosen from.
func (r *Routing) closed(scores []float32) (bits uint64) {
	if r.Groups < 2 {
		return 0
	}
	if r.Groups > mostGroups || len(scores)%r.Groups != 0 {
		panic("rowwise: Route of unequal groups")
	}
	var sums [mostGroups]float32
	each := len(scores) / r.Groups
	for g := range r.Groups {
		first, second := float32(math.Inf(-1)), float32(math.Inf(-1))
		for e := g * each; e < (g+1)*each; e++ {
			s := r.wanted(scores, e)
			first, second = max(first, s), max(second, min(first, s))
		}
		sums[g] = first + second
	}
	for range r.Groups - r.GroupsUsed {
		worst := -1
		for g := range r.Groups {
			if bits>>g&1 == 0 && (worst < 0 || sums[g] <= sums[worst]) {
				worst = g
			}
		}
		bits |= 1 << worst
	}
	return bits
}

// best returns the expert with the largest score that is not taken yet, of groups that are
// not closed.
func (r *Routing) best(scores []float32, taken []int32, closed uint64) int32 {
	best, top := int32(-1), float32(0)
next:
	for e := range scores {
		if closed != 0 && closed>>(e*r.Groups/len(scores))&1 != 0 {
			continue
		}
		s := r.wanted(scores, e)
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
