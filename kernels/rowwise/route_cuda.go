//go:build cuda

package rowwise

import (
	"github.com/confab-tui/confab/gpu"
	"github.com/confab-tui/confab/kernels"
)

// MaxExperts bounds QueueRoute and QueueExpertLists, MaxGroups the groups of QueueRoute.
const (
	MaxExperts = 1024
	MaxGroups  = 32
)

// Lists is room for the rows of each expert in use: Count+0, Count+1 and rows*Used
// int32.
type Lists struct {
	Experts, Starts, List gpu.Ptr
	Count, Used           int // experts there are, and of each row
}

type routeArgs struct {
	scores, bias, ids, weights           gpu.Ptr
	rows, experts, used, rule, normalize int32
	groups, groupsUsed, lds, ldi, ldw    int32
	scale                                float32
	pad                                  int32
}

// QueueRoute queues the choice of used experts for each row. ids holds int32; bias is
// r.Bias on the device.
func QueueRoute(q *kernels.Queue, ids, weights, scores kernels.Place, r Routing, bias gpu.Ptr, rows, experts, used int) {
	kernels.MustFit("experts", experts, MaxExperts)
	kernels.MustFit("groups of experts", r.Groups, MaxGroups)
	kernels.Launch(q, "route", gpu.Config{Grid: [3]int{(rows + 3) / 4}, Threads: 128}, routeArgs{
		scores: scores.Ptr, bias: bias, ids: ids.Ptr, weights: weights.Ptr, rows: int32(rows), experts: int32(experts),
		used: int32(used), groups: int32(r.Groups), groupsUsed: int32(r.GroupsUsed),
		rule: int32(r.Rule), normalize: bit(r.Normalize), lds: int32(scores.Stride), ldi: int32(ids.Stride),
		ldw: int32(weights.Stride), scale: r.Scale})
}

type listArgs struct {
	ids, live, experts, starts, list gpu.Ptr
	rows, used, ldi, count           int32
}

// QueueExpertLists queues the sorting of rows by expert; live is how many rows count, an
// int32 on the device.
func QueueExpertLists(q *kernels.Queue, l *Lists, ids kernels.Place, live gpu.Ptr, rows int) {
	kernels.MustFit("experts", l.Count, MaxExperts)
	kernels.Launch(q, "expert_lists", gpu.Config{Grid: [3]int{1}, Threads: 1024}, listArgs{
		ids: ids.Ptr, live: live, experts: l.Experts, starts: l.Starts, list: l.List, rows: int32(rows), used: int32(l.Used),
		ldi: int32(ids.Stride), count: int32(l.Count)})
}

type sumArgs struct {
	out, in, ids, weights, scales gpu.Ptr
	rows, used, n, ldo, ldi, ldw  int32
}

// QueueExpertSum queues out[r] = the sum over j of weights[r][j] * in[r*used+j], each times
// its expert's scale where scales is not 0.
func QueueExpertSum(q *kernels.Queue, out kernels.Place, in gpu.Ptr, ids, weights kernels.Place, scales gpu.Ptr, rows, used, n int) {
	kernels.Launch(q, "expert_sum", gpu.Config{Grid: [3]int{(n + 255) / 256, min(rows, 65535)}, Threads: 256}, sumArgs{
		out: out.Ptr, in: in, ids: ids.Ptr, weights: weights.Ptr, scales: scales, rows: int32(rows), used: int32(used),
		n: int32(n), ldo: int32(out.Stride), ldi: int32(ids.Stride), ldw: int32(weights.Stride)})
}
