//go:build cuda

package rowwise

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/confab-tui/confab/gpu"
	"github.com/confab-tui/confab/kernels"
	"github.com/confab-tui/confab/kernels/kerneltest"
)

// Every rule, with and without a bias and groups, chooses what its definition chooses; a
// row of padding, which holds no numbers, is given experts that there are and is not listed.
func TestDeviceRoute(t *testing.T) {
	q := kerneltest.OnDevice(t)
	r := rand.New(rand.NewPCG(1, 9))
	for i, rule := range []RouteRule{RouteSoftmax, RouteChosen, RouteSigmoid} {
		for _, shape := range [][4]int{{8, 2, 0, 0}, {40, 4, 0, 0}, {64, 6, 8, 3}, {256, 8, 8, 4}, {1000, 32, 1, 1}} {
			for _, biased := range []bool{false, true} {
				experts, used := shape[0], shape[1]
				how := Routing{Rule: rule, Normalize: rule != RouteChosen, Scale: 1.3, Groups: shape[2], GroupsUsed: shape[3]}
				routes(t, q, r, how, biased, experts, used, []int{1, 40, 75}[i], 1)
				routes(t, q, r, how, biased, experts, used, 1, 0)
				routes(t, q, r, how, biased, experts, used, 0, 1)
			}
		}
	}
}

func routes(t *testing.T, q *kernels.Queue, r *rand.Rand, how Routing, biased bool, experts, used, rows, padding int) {
	t.Helper()
	var bias gpu.Ptr
	if biased {
		how.Bias = kerneltest.Gaussians(r, experts)
		bias = kerneltest.Put(t, q, how.Bias)
	}
	scores := kerneltest.Gaussians(r, rows*experts)
	wantIDs, wantWeights := make([]int32, rows*used), make([]float32, rows*used)
	for i := range rows {
		Route(wantIDs[i*used:][:used], wantWeights[i*used:][:used], slices.Clone(scores[i*experts:][:experts]), how)
	}
	all := rows + padding
	for range padding * experts {
		scores = append(scores, float32(math.NaN()))
	}
	ids, weights := kerneltest.Put(t, q, make([]int32, all*used)), kerneltest.NewRows(t, q, all, used, used+1)
	lists := newLists(t, q, experts, used, all)
	QueueRoute(q, lists, kernels.Place{Ptr: ids, Stride: used}, weights.Place(),
		kerneltest.NewRows(t, q, all, experts, experts+1).Set(scores).Place(), how, bias, kerneltest.Put(t, q, []int32{int32(rows)}), all)
	what := fmt.Sprintf("rule %d, %d rows, %d of %d experts, %d of %d groups, bias %t", how.Rule, rows, used, experts, how.GroupsUsed, how.Groups, biased)
	got := kerneltest.Fetch[int32](t, q, ids, all*used)
	if !slices.Equal(got[:rows*used], wantIDs) {
		t.Fatalf("%s: experts %v, want %v", what, got, wantIDs)
	}
	for i := rows; i < all; i++ {
		padding := got[i*used:][:used]
		slices.Sort(padding)
		if padding[0] < 0 || int(padding[used-1]) >= experts || len(slices.Compact(padding)) != used {
			t.Errorf("%s: padding has the experts %v", what, padding)
		}
	}
	kerneltest.Near(t, what, weights.Get()[:rows*used], wantWeights, 1e-5)
	listed(t, q, what, lists, wantIDs, all)
}

// newLists makes lists that hold nothing yet.
func newLists(t *testing.T, q *kernels.Queue, experts, used, rows int) *Lists {
	put := func(n int) gpu.Ptr { return kerneltest.Put(t, q, make([]int32, n)) }
	return &Lists{Experts: put(experts + 1), Starts: put(experts + 1), List: put(rows * used), Arrived: put(1 + rows*experts), Count: experts, Used: used}
}

// listed fails where the lists of a launch with so many rows are not those of the experts that pairs have.
func listed(t *testing.T, q *kernels.Queue, what string, l *Lists, ids []int32, rows int) {
	t.Helper()
	experts, starts := kerneltest.Fetch[int32](t, q, l.Experts, l.Count+1), kerneltest.Fetch[int32](t, q, l.Starts, l.Count+1)
	list := kerneltest.Fetch[int32](t, q, l.List, len(ids))
	want := slices.Compact(slices.Sorted(slices.Values(ids)))
	n := int(experts[l.Count])
	if n != len(want) || !slices.Equal(slices.Sorted(slices.Values(experts[:n])), want) || starts[0] != 0 || int(starts[n]) != len(ids) {
		t.Fatalf("%s: lists of %v from %v, want %v", what, experts, starts, want)
	}
	for _, e := range experts[n:min(l.Count, rows*l.Used)] {
		if e != -1 {
			t.Fatalf("%s: after %d experts in use come %v", what, n, experts[n:])
		}
	}
	for i, e := range experts[:n] {
		for _, pair := range list[starts[i]:starts[i+1]] {
			if ids[pair] != e {
				t.Fatalf("%s: pair %d, which has expert %d, is in the list of %d", what, pair, ids[pair], e)
			}
		}
	}
	if slices.Sort(list); len(slices.Compact(list)) != len(ids) {
		t.Fatalf("%s: a pair is listed twice", what)
	}
}
