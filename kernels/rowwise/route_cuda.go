//go:build cuda

package rowwise

import (
	"fmt"

	"github.com/confab-tui/confab/gpu"
	"github.com/confab-tui/confab/kernels"
)

// MaxExperts bounds QueueRoute and QueueExpertLists, MaxGroups the groups of QueueRoute, and
// MaxUsed how many experts a row is given.
const (
	MaxExperts = 1024
	MaxGroups  = 32
	MaxUsed    = 32
)

// routeRows is how many rows one block chooses for, which then makes the lists as well.
const routeRows = 64

// Lists is room for the rows of each expert in use: Count+1, Count+1 and rows*Used
// int32; and 1+rows*Count that are 0 but while a launch runs.
type Lists struct {
	Experts, Starts, List, Arrived gpu.Ptr
	Count, Used                    int // experts there are, and of each row
}

type routeArgs struct {
	scores, bias, ids, weights           gpu.Ptr
	rows, experts, used, rule, normalize int32
	groups, groupsUsed, lds, ldi, ldw    int32
	scale                                float32
	pad                                  int32
}

type listArgs struct {
	ids, live, experts, starts, list gpu.Ptr
	rows, used, ldi, count           int32
}

type routeListArgs struct {
	routeArgs
	listArgs
}

// QueueRoute queues the choice of l.Used of l.Count experts for each row, and the sorting of
// rows by expert. ids holds int32; bias is r.Bias on the device; live is how many rows
// count, an int32 there.
func QueueRoute(q *kernels.Queue, l *Lists, ids, weights, scores kernels.Place, r Routing, bias, live gpu.Ptr, rows int) {
	a := l.choice(ids, weights, scores, r, bias, live, rows)
	name, blocks := "route_32", 1
	if l.Count <= 128 {
		name = "route_4"
	} else if l.Count <= 256 {
		name = "route_8"
	}
	if rows > routeRows {
		blocks = (rows + 31) / 32
	}
	kernels.Launch(q, name, gpu.Config{Grid: [3]int{blocks}, Threads: 1024}, a)
	if blocks > 1 {
		kernels.Launch(q, "expert_lists", gpu.Config{Grid: [3]int{1}, Threads: 1024}, a.listArgs)
	}
}

func (l *Lists) choice(ids, weights, scores kernels.Place, r Routing, bias, live gpu.Ptr, rows int) routeListArgs {
	kernels.MustFit("experts", l.Count, MaxExperts)
	kernels.MustFit("groups of experts", r.Groups, MaxGroups)
	kernels.MustFit("experts of a row", l.Used, MaxUsed)
	return routeListArgs{routeArgs{
		scores: scores.Ptr, bias: bias, ids: ids.Ptr, weights: weights.Ptr, rows: int32(rows), experts: int32(l.Count),
		used: int32(l.Used), groups: int32(r.Groups), groupsUsed: int32(r.GroupsUsed),
		rule: int32(r.Rule), normalize: bit(r.Normalize), lds: int32(scores.Stride), ldi: int32(ids.Stride),
		ldw: int32(weights.Stride), scale: r.Scale,
	}, listArgs{ids: ids.Ptr, live: live, experts: l.Experts, starts: l.Starts, list: l.List, rows: int32(rows),
		used: int32(l.Used), ldi: int32(ids.Stride), count: int32(l.Count)}}
}

type normRouteArgs struct {
	routeListArgs
	scores, in, weight, w, bias, out gpu.Ptr
	rounded                          kernels.RoundedArgs
	arrived                          gpu.Ptr
	n, tiles, atOnce, ldi, ldo       int32
	eps                              float32
}

// Router is the weights of a product that scores experts, in tiles of 16 x 16 float32 as package
// matmul keeps them, and its bias, or 0.
type Router struct{ Weights, Bias gpu.Ptr }

// mostNormRoute is the widest rows, and mostNormRouteExperts the most experts, that QueueNormRoute takes.
const (
	mostNormRoute        = 8192
	mostNormRouteExperts = 512
)

// NormRoutes says whether QueueNormRoute takes rows of n values and so many experts.
func NormRoutes(experts, n int) bool { return experts <= mostNormRouteExperts && n <= mostNormRoute }

// normRouteRows is how many rows a block takes, of which blocks have 4 experts each: few where they are
// few, so that blocks share the work, and up to one a warp where all of the device is busy anyway.
func normRouteRows(d *gpu.Device, blocks, rows int) int {
	return min((rows*blocks/(2*d.SMs)+4)/4*4, 16)
}

// QueueNormRoute queues QueueNorm of n without Bias and Center, the product of its result with
// the router's weights into scores, and QueueRoute with them. n.In has nothing in common with what is written.
func QueueNormRoute(q *kernels.Queue, l *Lists, ids, weights, scores kernels.Place, r Routing, bias, live gpu.Ptr, n NormArgs, by Router) {
	kernels.MustFit("experts of a router", l.Count, mostNormRouteExperts)
	kernels.MustFit("values of a router's row", n.N, mostNormRoute)
	each, share := 16, 1
	if l.Count <= 128 {
		each = 4
	}
	for n.N > 2048*share {
		share *= 2
	}
	blocks := (l.Count + 3) / 4
	atOnce := normRouteRows(q.Device, blocks, n.Rows)
	name, grid := fmt.Sprintf("norm_route_%d_%d", each, share), [3]int{blocks, (n.Rows + atOnce - 1) / atOnce}
	kernels.Launch(q, name, gpu.Config{Grid: grid, Threads: 512}, normRouteArgs{
		routeListArgs: l.choice(ids, weights, scores, r, bias, live, n.Rows), scores: scores.Ptr, in: n.In.Ptr, weight: n.Weight,
		w: by.Weights, bias: by.Bias, out: n.Out.Ptr, rounded: n.Rounded.Args(n.Rows), arrived: l.Arrived, n: int32(n.N),
		tiles: int32((n.N + 15) / 16), atOnce: int32(atOnce), ldi: int32(n.In.Stride), ldo: int32(n.Out.Stride), eps: n.Eps})
}

type sumArgs struct {
	out, in, ids, weights, scales, add  gpu.Ptr
	rows, used, n, ldo, ldi, ldw, ldadd int32
	pad                                 int32
}

// ExpertSum says how the experts of a row are added up: each times its weight, and its own
// scale where Scales is not 0; then Add is added.
type ExpertSum struct {
	IDs, Weights, Add kernels.Place
	Scales            gpu.Ptr
}

// QueueExpertSum queues out[r] = the sum over j of in[r*used+j], for n values a row.
func QueueExpertSum(q *kernels.Queue, out kernels.Place, in gpu.Ptr, s ExpertSum, rows, used, n int) {
	kernels.Launch(q, "expert_sum", gpu.Config{Grid: [3]int{(n + 255) / 256, min(rows, 65535)}, Threads: 256}, sumArgs{
		out: out.Ptr, in: in, ids: s.IDs.Ptr, weights: s.Weights.Ptr, scales: s.Scales, add: s.Add.Ptr, rows: int32(rows), used: int32(used),
		n: int32(n), ldo: int32(out.Stride), ldi: int32(s.IDs.Stride), ldw: int32(s.Weights.Stride), ldadd: int32(s.Add.Stride)})
}
