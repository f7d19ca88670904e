package rowwise

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/confab-tui/confab/kernels/kerneltest"
)

func TestRoute(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		experts, used := 1+rng.IntN(128), 0
		used = 1 + rng.IntN(min(8, experts))
		r := Routing{Rule: RouteRule(rng.IntN(3)), Normalize: rng.IntN(2) == 0, Scale: 0.5 + rng.Float32()}
		scores := make([]float32, experts)
		kerneltest.Normals(rng, scores, 2)
		for i := range scores {
			scores[i] = float32(math.Round(float64(scores[i])*2)) / 2 // ties
		}
		if rng.IntN(2) == 0 {
			r.Bias = make([]float32, experts)
			kerneltest.Normals(rng, r.Bias, 1)
		}
		if each := 2 + rng.IntN(6); experts%each == 0 && rng.IntN(2) == 0 && r.Rule != RouteChosen {
			r.Groups = experts / each
			r.GroupsUsed = (used+each-1)/each + rng.IntN(r.Groups-(used+each-1)/each+1)
		}
		wantIDs, wantWeights := routeByDefinition(scores, used, r)
		ids, weights := make([]int32, used), make([]float32, used)
		Route(ids, weights, scores, r)
		if !slices.Equal(ids, wantIDs) {
			t.Fatalf("%+v: chose %v, want %v", r, ids, wantIDs)
		}
		kerneltest.CheckClose(t, "weights", weights, wantWeights, 1e-6)
	}
}

func routeByDefinition(scores []float32, used int, r Routing) ([]int32, []float32) {
	odds := make([]float64, len(scores))
	sum := 0.0
	for _, s := range scores {
		sum += math.Exp(float64(s))
	}
	for e, s := range scores {
		switch r.Rule {
		case RouteSoftmax:
			odds[e] = math.Exp(float64(s)) / sum
		case RouteSigmoid:
			odds[e] = 1 / (1 + math.Exp(-float64(s)))
		case RouteChosen:
			odds[e] = float64(s)
		}
	}
	wanted := make([]float32, len(scores))
	for e := range wanted {
		wanted[e] = float32(odds[e])
		if r.Bias != nil {
			wanted[e] += r.Bias[e]
		}
	}
	closeGroups(wanted, r)
	ids := ranks(wanted)[:used]
	chosen, total := make([]float64, used), 0.0
	for j, e := range ids {
		chosen[j] = odds[e]
		if r.Rule == RouteChosen {
			chosen[j] = math.Exp(odds[e])
		}
		total += chosen[j]
	}
	weights := make([]float32, used)
	for j, w := range chosen {
		if r.Rule == RouteChosen || r.Normalize {
			w /= total
		}
		weights[j] = float32(w * float64(r.Scale))
	}
	return ids, weights
}

// ranks are the places of values, the largest first, ties in order.
func ranks(x []float32) []int32 {
	ids := make([]int32, len(x))
	for e := range ids {
		ids[e] = int32(e)
	}
	slices.SortStableFunc(ids, func(a, b int32) int { return cmp.Compare(x[b], x[a]) })
	return ids
}

// closeGroups makes the values of groups that are not chosen from as small as can be.
func closeGroups(wanted []float32, r Routing) {
	if r.Groups < 2 {
		return
	}
	each := len(wanted) / r.Groups
	sums := make([]float32, r.Groups)
	for g := range sums {
		best := ranks(wanted[g*each:][:each])
		sums[g] = wanted[g*each+int(best[0])] + wanted[g*each+int(best[1])]
	}
	for _, g := range ranks(sums)[r.GroupsUsed:] {
		for e := range each {
			wanted[int(g)*each+e] = float32(math.Inf(-1))
		}
	}
}
