package engine

import (
	"errors"
	"slices"

	"github.com/confab-tui/confab/engine/model"
)

// half is an executor of one half of a divided program; see model.Program.Split.
type half interface {
	executor
	rememberer
	// Rows is the most rows of a step.
	Rows() int
	// Begin takes a step, Part runs the operations up to the next Give, with what the other
	// half gave last, a row after the other, and returns what it gives itself; End returns
	// the result.
	Begin(*model.Step) error
	Part(taken []float32) ([]float32, error)
	End() model.Result
}

// chain runs a program of which a device has one half and the host the other. Each has as
// many cells, and in them the keys and values of its own layers.
type chain struct {
	device, host half
	turns        []half // who runs each of the program's parts
	placed       string // what is where, for people
	bare         model.Step
}

// newChain takes executors of the halves of a program, and those programs.
func newChain(device, host half, deviceProgram, hostProgram *model.Program, placed string) *chain {
	c := &chain{device: device, host: host, placed: placed}
	turn, other := device, host
	if _, waits := deviceProgram.Ops[0].(*model.Take); waits {
		turn, other = other, turn
	}
	c.turns = append(c.turns, turn)
	for _, op := range slices.Concat(deviceProgram.Ops, hostProgram.Ops) {
		if _, ok := op.(*model.Give); ok {
			turn, other = other, turn
			c.turns = append(c.turns, turn)
		}
	}
	return c
}

// Run runs a step, in several where a half takes fewer rows.
func (c *chain) Run(step *model.Step) (model.Result, error) {
	most := min(c.device.Rows(), c.host.Rows())
	if len(step.Rows) <= most {
		return c.run(step)
	}
	var all model.Result
	for _, s := range cut(step, most) {
		result, err := c.run(s)
		if err != nil {
			return model.Result{}, err
		}
		for _, out := range result.Outputs {
			all.Outputs = append(all.Outputs, kept(out))
		}
	}
	return all, nil
}

// kept is a copy of what belongs to an executor until its next step.
func kept(s model.Sampled) model.Sampled {
	s.Tokens, s.Logits, s.Alternatives = slices.Clone(s.Tokens), slices.Clone(s.Logits), slices.Clone(s.Alternatives)
	for i := range s.Alternatives {
		s.Alternatives[i] = slices.Clone(s.Alternatives[i])
	}
	return s
}

// run runs a step that both halves take. The wanted rows are the device's affair.
func (c *chain) run(step *model.Step) (model.Result, error) {
	c.bare = model.Step{Rows: step.Rows, Seqs: step.Seqs}
	if err := errors.Join(c.device.Begin(step), c.host.Begin(&c.bare)); err != nil {
		return model.Result{}, err
	}
	var handed []float32
	for _, turn := range c.turns {
		var err error
		if handed, err = turn.Part(handed); err != nil {
			return model.Result{}, err
		}
	}
	c.host.End()
	return c.device.End(), nil
}

// Idle leaves the time between steps to the host.
func (c *chain) Idle() bool {
	i, ok := c.host.(idler)
	return ok && i.Idle()
}

// cut makes steps of at most so many rows of one, a row and its draft staying together.
func cut(step *model.Step, most int) []*model.Step {
	var steps []*model.Step
	for first := 0; first < len(step.Rows); {
		last := min(first+most, len(step.Rows))
		for _, o := range step.Outputs {
			if o.Row > first && o.Row < last && o.Row+len(o.Draft) >= last {
				last = o.Row
			}
		}
		steps = append(steps, rowsOf(step, first, last))
		first = last
	}
	return steps
}

// rowsOf is the step of the rows first to last of another.
func rowsOf(step *model.Step, first, last int) *model.Step {
	s := &model.Step{Rows: step.Rows[first:last]}
	for _, q := range step.Seqs {
		from, to := max(q.First, first), min(q.First+q.Count, last)
		if from < to {
			q.First, q.Count, q.Cells = from-first, to-from, q.Cells[:step.Rows[to-1].Pos+1]
			s.Seqs = append(s.Seqs, q)
		}
	}
	for _, o := range step.Outputs {
		if o.Row >= first && o.Row < last {
			o.Row -= first
			s.Outputs = append(s.Outputs, o)
		}
	}
	return s
}

// Slots is how many sequences both halves have a memory for.
func (c *chain) Slots() int {
	a, b := c.device.Slots(), c.host.Slots()
	if a == 0 || b == 0 {
		return max(a, b)
	}
	return min(a, b)
}

// Poison spoils a cell in both halves.
func (c *chain) Poison(cell int32) {
	for _, h := range []half{c.device, c.host} {
		if p, ok := h.(poisoner); ok {
			p.Poison(cell)
		}
	}
}

// Cells is the size of the pool, the same in both halves.
func (c *chain) Cells() int { return c.device.Cells() }

// CellBytes is what one cell takes in both halves together.
func (c *chain) CellBytes() int64 { return c.device.CellBytes() + c.host.CellBytes() }

// Name describes the executor to people.
func (c *chain) Name() string { return c.device.Name() + ": " + c.placed + "; " + c.host.Name() }

// Close closes both halves.
func (c *chain) Close() error { return errors.Join(c.device.Close(), c.host.Close()) }
