//go:build cuda

package cuda

import (
	"fmt"

	"github.com/confab-tui/confab/engine/model"
	"github.com/confab-tui/confab/gpu"
	"github.com/confab-tui/confab/kernels"
	"github.com/confab-tui/confab/kernels/matmul"
	"github.com/confab-tui/confab/kernels/rowwise"
)

// expertRoom is what feed-forwards of one shape work with; layers share it.
type expertRoom struct {
	used, count, hidden, width int
	form                       kernels.Form
	gate, up, out              kernels.Place
	rounded                    kernels.Rounded
	lists                      rowwise.Lists
}

func (c *compiler) route(op *model.Route) error {
	e := c.e
	rule, ok := map[model.RouteRule]rowwise.RouteRule{model.RouteSoftmax: rowwise.RouteSoftmax,
		model.RouteChosen: rowwise.RouteChosen, model.RouteSigmoid: rowwise.RouteSigmoid}[op.Rule]
	if !ok || op.Scores.Width > rowwise.MaxExperts {
		return fmt.Errorf("cuda: the rule %d for %d experts is not supported", op.Rule, op.Scores.Width)
	}
	if op.Groups > rowwise.MaxGroups {
		return fmt.Errorf("cuda: %d groups of experts are not supported: at most %d are", op.Groups, rowwise.MaxGroups)
	}
	how := rowwise.Routing{Rule: rule, Normalize: op.Normalize, Scale: op.Scale, Groups: op.Groups, GroupsUsed: op.GroupsUsed}
	bias, err := e.vector(op.Bias)
	if err != nil {
		return err
	}
	ids, weights, scores := e.place(op.IDs), e.place(op.Weights), e.place(op.Scores)
	rows, _ := c.domain()
	c.add(func(p *pass) {
		rowwise.QueueRoute(e.queue, ids, weights, scores, how, bias, rows(p), op.Scores.Width, op.Used)
	})
	return nil
}

func (c *compiler) experts(op *model.Experts) error {
	e := c.e
	gate, up, down := e.matrices[op.Gate], e.matrices[op.Up], e.matrices[op.Down]
	if gate.Form() != up.Form() {
		return fmt.Errorf("cuda: experts' gate in %d and up in %d take different inputs", gate.Type, up.Type)
	}
	act, err := gateOf(op.Act)
	if err != nil {
		return err
	}
	var vectors [4]gpu.Ptr
	for i, v := range []*model.Vector{op.GateBias, op.UpBias, op.DownBias, op.DownScale} {
		if vectors[i], err = e.vector(v); err != nil {
			return err
		}
	}
	in, err := c.input(op.In, up.Form())
	if err != nil {
		return err
	}
	room, err := e.expertRoom(op, down.Form())
	if err != nil {
		return err
	}
	x, ids, weights, out := e.place(op.In), e.place(op.IDs), e.place(op.Weights), e.place(op.Out)
	first := []matmul.Product{{W: gate, Out: room.gate, Bias: vectors[0]}, {W: up, Out: room.up, Bias: vectors[1]}}
	second := []matmul.Product{{W: down, Out: room.out, Bias: vectors[2]}}
	hidden := rowwise.MapArgs{Op: act, Out: room.gate, A: room.gate, B: room.up, Rounded: room.rounded, N: room.hidden}
	if room.form != kernels.FormF32 {
		hidden.Out = kernels.Place{}
	}
	rows, count := c.domain()
	c.add(func(p *pass) {
		n := rows(p)
		rowwise.QueueExpertLists(e.queue, &room.lists, ids, count(p), n)
		matmul.QueueMul(e.queue, first, x, in, matmul.MulRows{Rows: n, Lists: &room.lists, Divide: room.used})
		h := hidden
		h.Rows = n * room.used
		rowwise.QueueMap(e.queue, h)
		matmul.QueueMul(e.queue, second, room.gate, room.rounded, matmul.MulRows{Rows: n, Lists: &room.lists, Divide: 1})
		rowwise.QueueExpertSum(e.queue, out, room.out.Ptr, ids, weights, vectors[3], n, room.used, op.Out.Width)
	})
	return nil
}

// expertRoom finds or makes the room for a feed-forward.
func (e *Executor) expertRoom(op *model.Experts, form kernels.Form) (*expertRoom, error) {
	want := expertRoom{used: op.IDs.Width, count: op.Gate.Experts, hidden: op.Gate.Rows, width: op.Down.Rows, form: form}
	for _, r := range e.experts {
		if r.used == want.used && r.count == want.count && r.hidden == want.hidden && r.width == want.width && r.form == want.form {
			return r, nil
		}
	}
	r := &want
	pairs := int64(e.rows) * int64(r.used)
	r.gate.Stride, r.up.Stride, r.out.Stride = r.hidden, r.hidden, r.width
	r.lists.Count, r.lists.Used = r.count, r.used
	for _, a := range []struct {
		at *gpu.Ptr
		n  int64
	}{
		{&r.gate.Ptr, pairs * int64(r.hidden)}, {&r.up.Ptr, pairs * int64(r.hidden)}, {&r.out.Ptr, pairs * int64(r.width)},
		{&r.lists.Experts, int64(r.count)}, {&r.lists.Starts, int64(r.count) + 1}, {&r.lists.List, pairs},
	} {
		var err error
		if *a.at, err = e.alloc(4 * a.n); err != nil {
			return nil, err
		}
	}
	if form != kernels.FormF32 {
		var err error
		if r.rounded, err = e.newRounded(form, int(pairs), r.hidden); err != nil {
			return nil, err
		}
	}
	e.experts = append(e.experts, r)
	return r, nil
}
