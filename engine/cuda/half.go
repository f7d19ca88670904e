//go:build cuda

package cuda

import (
	"fmt"
	"unsafe"

	"github.com/confab-tui/confab/engine/model"
	"github.com/confab-tui/confab/gpu"
	"github.com/confab-tui/confab/kernels"
	"github.com/confab-tui/confab/kernels/rowwise"
)

// handed is where what the halves of a divided program hand over stands for all rows, a row
// after the other: on the device, where kernels put it together and take it apart, and on
// the host.
type handed struct {
	device gpu.Ptr
	host   []byte // pinned
	values []float32
}

// handedWidth is the most values that a row hands over at a time, 0 for a whole program.
func handedWidth(p *model.Program) int {
	most := 0
	for _, op := range p.Ops {
		switch op := op.(type) {
		case *model.Give:
			most = max(most, op.Width())
		case *model.Take:
			most = max(most, op.Width())
		}
	}
	return most
}

func (e *Executor) allocateHanded() error {
	n := e.rows * handedWidth(e.program)
	if n == 0 {
		return nil
	}
	var err error
	if e.handed.device, err = e.alloc(4 * int64(n)); err != nil {
		return err
	}
	if e.handed.host, err = e.device.Pinned(4 * n); err != nil {
		return err
	}
	e.handed.values = unsafe.Slice((*float32)(unsafe.Pointer(&e.handed.host[0])), n)
	return nil
}

// take compiles the beginning of a part.
func (c *compiler) take(op *model.Take) error {
	from := kernels.Place{Ptr: c.e.handed.device, Stride: op.Width()}
	for _, r := range op.Refs {
		out, rounded, err := c.result(r, 1)
		if err != nil {
			return err
		}
		c.copyRows(rowwise.MapArgs{Out: out, Rounded: rounded, A: from, N: r.Width})
		from = from.At(r.Width)
	}
	return nil
}

// give compiles the end of a part and goes on with the next.
func (c *compiler) give(op *model.Give) {
	e := c.e
	to := kernels.Place{Ptr: e.handed.device, Stride: op.Width()}
	for _, r := range op.Refs {
		c.copyRows(rowwise.MapArgs{Out: to, A: e.place(r), N: r.Width})
		to = to.At(r.Width)
	}
	e.segments[len(e.segments)-1].gives = op.Width()
	c.newSegment()
}

// copyRows queues a copy of all rows.
func (c *compiler) copyRows(a rowwise.MapArgs) {
	e := c.e
	a.Op, a.By = rowwise.MapScale, 1
	c.add(func(p *pass) {
		a := a
		a.Rows = p.rows
		rowwise.QueueMap(e.queue, a)
	})
}

// newSegment has the launches that follow stand in a part of their own.
func (c *compiler) newSegment() {
	next := &segment{graphs: map[int]*gpu.Graph{}}
	c.e.segments = append(c.e.segments, next)
	c.out = &next.body
}

// Rows is the most rows that a half's step may have.
func (e *Executor) Rows() int { return e.rows }

// Begin takes a step, whose parts run one after the other until End.
func (e *Executor) Begin(step *model.Step) error {
	if len(step.Rows) > e.rows {
		return fmt.Errorf("cuda: a half's step of %d rows; it takes %d", len(step.Rows), e.rows)
	}
	if err := e.check(step); err != nil {
		return err
	}
	return e.onDevice(func() (err error) {
		e.sampler.begin(step)
		e.at = 0
		e.now, err = e.begin(step, 0, len(step.Rows))
		return err
	})
}

// Part runs the operations up to and with the next Give. It takes and returns what is
// handed over, a row after the other; what it returns is valid until the next Part.
func (e *Executor) Part(taken []float32) (given []float32, err error) {
	err = e.onDevice(func() error {
		r, at := e.now, e.at
		e.at++
		n := copy(e.handed.values, taken)
		if err := e.queue.Upload(e.handed.device, e.handed.host[:4*n]); err != nil {
			return err
		}
		if at == len(e.segments)-1 {
			return e.finish(r)
		}
		if err := e.runSegment(at, r.pass); err != nil {
			return err
		}
		given = e.handed.values[:r.count*e.segments[at].gives]
		if err := e.queue.Download(e.handed.host[:4*len(given)], e.handed.device); err != nil {
			return err
		}
		return e.queue.Sync()
	})
	return given, err
}

// End returns the result of the step, as Run does.
func (e *Executor) End() model.Result {
	step := e.now.step
	e.now = nil
	return e.sampler.collect(step)
}
