//go:build cuda

package cuda

import (
	"fmt"
	"slices"

	"github.com/confab-tui/confab/engine/model"
	"github.com/confab-tui/confab/gpu"
	"github.com/confab-tui/confab/kernels"
	"github.com/confab-tui/confab/kernels/matmul"
	"github.com/confab-tui/confab/kernels/rowwise"
)

// expertRoom is what feed-forwards of one shape work with; layers share it.
type expertRoom struct {
	used, hidden, width int
	form                kernels.Form
	gate, up            kernels.Place
	pairs               gpu.Ptr
	rounded             kernels.Rounded
}

// choice is what the choice of experts works with.
type choice struct {
	lists                *rowwise.Lists
	ids, weights, scores kernels.Place
	how                  rowwise.Routing
	bias                 gpu.Ptr
}

// route compiles the choice of experts.
func (c *compiler) route(op *model.Route) error {
	ch, err := c.choice(op)
	if err != nil {
		return err
	}
	rows, count := c.domain()
	c.add(func(p *pass) {
		rowwise.QueueRoute(c.e.queue, ch.lists, ch.ids, ch.weights, ch.scores, ch.how, ch.bias, count(p), rows(p))
	})
	return nil
}

// choice is what the choice of experts works with, whose lists the next experts go by.
func (c *compiler) choice(op *model.Route) (ch choice, err error) {
	e := c.e
	rule, ok := map[model.RouteRule]rowwise.RouteRule{model.RouteSoftmax: rowwise.RouteSoftmax,
		model.RouteChosen: rowwise.RouteChosen, model.RouteSigmoid: rowwise.RouteSigmoid}[op.Rule]
	if !ok || op.Scores.Width > rowwise.MaxExperts {
		return ch, fmt.Errorf("cuda: the rule %d for %d experts is not supported", op.Rule, op.Scores.Width)
	}
	if op.Groups > rowwise.MaxGroups {
		return ch, fmt.Errorf("cuda: %d groups of experts are not supported: at most %d are", op.Groups, rowwise.MaxGroups)
	}
	if op.Used > rowwise.MaxUsed {
		return ch, fmt.Errorf("cuda: %d experts a row are not supported: at most %d are", op.Used, rowwise.MaxUsed)
	}
	ch = choice{ids: e.place(op.IDs), weights: e.place(op.Weights), scores: e.place(op.Scores),
		how: rowwise.Routing{Rule: rule, Normalize: op.Normalize, Scale: op.Scale, Groups: op.Groups, GroupsUsed: op.GroupsUsed}}
	if ch.bias, err = e.vector(op.Bias); err != nil {
		return ch, err
	}
	if ch.lists, err = e.expertLists(op); err != nil {
		return ch, err
	}
	c.lists, c.listed = ch.lists, op.IDs
	return ch, nil
}

// router returns the two operations after a norm that choose experts by its result, if they
// do and one kernel does all three.
func (c *compiler) router(op *model.Norm) (*model.MatMul, *model.Route) {
	if c.at+2 >= len(c.ops) || op.Center || op.Bias != nil {
		return nil, nil
	}
	m, ok := c.ops[c.at+1].(*model.MatMul)
	if !ok || m.In != op.Out {
		return nil, nil
	}
	r, ok := c.ops[c.at+2].(*model.Route)
	if !ok || r.Scores != m.Out || c.e.matrices[m.W].Type != matmul.F32 || !rowwise.NormRoutes(m.Out.Width, m.In.Width) {
		return nil, nil
	}
	// Blocks read what is normed when others have already written all of a row's results.
	apart := []model.Ref{op.In, op.Out, m.Out, r.IDs, r.Weights}
	for i, a := range apart {
		if slices.ContainsFunc(apart[:i], func(b model.Ref) bool { return overlap(a, b) }) {
			return nil, nil
		}
	}
	return m, r
}

// normRoute compiles a norm, the product that scores experts and their choice.
func (c *compiler) normRoute(op *model.Norm, m *model.MatMul, r *model.Route) error {
	e := c.e
	norm, err := c.norm(op, 3)
	if err != nil {
		return err
	}
	choice, err := c.choice(r)
	if err != nil {
		return err
	}
	by := rowwise.Router{Weights: e.matrices[m.W].Data}
	if by.Bias, err = e.vector(m.Bias); err != nil {
		return err
	}
	rows, count := c.domain()
	c.add(func(p *pass) {
		n := norm
		n.Rows = rows(p)
		rowwise.QueueNormRoute(e.queue, choice.lists, choice.ids, choice.weights, choice.scores, choice.how, choice.bias, count(p), n, by)
	})
	return nil
}

// experts compiles a feed-forward, and the sum that follows it where there is one.
func (c *compiler) experts(op *model.Experts) (int, error) {
	e := c.e
	gate, up, down := e.matrices[op.Gate], e.matrices[op.Up], e.matrices[op.Down]
	if gate.Form() != up.Form() {
		return 0, fmt.Errorf("cuda: experts' gate in %d and up in %d take different inputs", gate.Type, up.Type)
	}
	if op.IDs != c.listed {
		return 0, fmt.Errorf("cuda: operation %d takes experts %v that were not the last to be chosen", c.at, op.IDs)
	}
	act, err := gateOf(op.Act)
	if err != nil {
		return 0, err
	}
	var vectors [4]gpu.Ptr
	for i, v := range []*model.Vector{op.GateBias, op.UpBias, op.DownBias, op.DownScale} {
		if vectors[i], err = e.vector(v); err != nil {
			return 0, err
		}
	}
	in, err := c.input(op.In, up.Form())
	if err != nil {
		return 0, err
	}
	room, err := e.expertRoom(op, down.Form())
	if err != nil {
		return 0, err
	}
	lists := c.lists
	feed := matmul.Experts{
		Gate: matmul.Product{W: gate, Out: room.gate, Bias: vectors[0]}, Up: matmul.Product{W: up, Out: room.up, Bias: vectors[1]},
		Down: matmul.Product{W: down, Out: e.place(op.Out), Bias: vectors[2]}, X: e.place(op.In), Rounded: in,
		Join:  rowwise.MapArgs{Op: act, A: room.gate, B: room.up, Rounded: room.rounded, N: room.hidden},
		Sum:   rowwise.ExpertSum{IDs: e.place(op.IDs), Weights: e.place(op.Weights), Scales: vectors[3]},
		Pairs: room.pairs,
	}
	if room.form == kernels.FormF32 {
		feed.Join.Out = room.gate
	}
	n := 1
	if add, other, ok := c.sumOf(op.Out); ok {
		feed.Down.Out, feed.Sum.Add = e.place(add.Out), e.place(other)
		n++
	}
	rows, count := c.domain()
	c.add(func(p *pass) {
		f, r := feed, matmul.MulRows{Rows: rows(p), Count: count(p), Lists: lists, Wide: e.wide}
		f.Join.Rows = r.Rows * room.used
		matmul.QueueExperts(e.queue, f, r)
	})
	return n, nil
}

// expertLists finds or makes the room for the lists of rows by expert, which hold those of one
// choice at a time.
func (e *Executor) expertLists(op *model.Route) (*rowwise.Lists, error) {
	for _, l := range e.routed {
		if l.Count == op.Scores.Width && l.Used == op.Used {
			return l, nil
		}
	}
	l := &rowwise.Lists{Count: op.Scores.Width, Used: op.Used}
	for _, a := range []struct {
		at *gpu.Ptr
		n  int
	}{{&l.Experts, l.Count + 1}, {&l.Starts, l.Count + 1}, {&l.List, e.rows * l.Used}, {&l.Arrived, 1 + e.rows*l.Count}} {
		var err error
		if *a.at, err = e.alloc(4 * int64(a.n)); err != nil {
			return nil, err
		}
	}
	if err := e.device.Fill(l.Arrived, 0, 4*int64(1+e.rows*l.Count)); err != nil {
		return nil, err
	}
	e.routed = append(e.routed, l)
	return l, nil
}

// expertRoom finds or makes the room for a feed-forward.
func (e *Executor) expertRoom(op *model.Experts, form kernels.Form) (*expertRoom, error) {
	want := expertRoom{used: op.IDs.Width, hidden: op.Gate.Rows, width: op.Down.Rows, form: form}
	for _, r := range e.experts {
		if r.used == want.used && r.hidden == want.hidden && r.width == want.width && r.form == want.form {
			return r, nil
		}
	}
	r := &want
	pairs := int64(e.rows) * int64(r.used)
	r.gate.Stride, r.up.Stride = r.hidden, r.hidden
	for _, a := range []struct {
		at *gpu.Ptr
		n  int
	}{{&r.gate.Ptr, r.hidden}, {&r.up.Ptr, r.hidden}, {&r.pairs, r.width}} {
		var err error
		if *a.at, err = e.alloc(4 * pairs * int64(a.n)); err != nil {
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
