//go:build cuda

package cuda

import (
	"errors"
	"runtime"

	"github.com/confab-tui/confab/engine/model"
	"github.com/confab-tui/confab/gpu"
)

// segment is a part of the program, what runs without a break; a whole program is one.
type segment struct {
	body   []launcher
	graphs map[int]*gpu.Graph // by width; the last segment's end with the tail
	gives  int                // values a row, to the other half
}

// running is some rows of a step on their way.
type running struct {
	*pass
	step  *model.Step
	first int
	count int // rows that are no padding
	outs  []outputRow
}

// capture records the graphs of a width.
func (e *Executor) capture(width int) error {
	p := &pass{in: e.small, rows: width, outs: width}
	// The first run, of padding alone, lets the driver load the kernels.
	for i := range e.segments {
		e.queueSegment(i, p)
	}
	if err := errors.Join(e.queue.Err(), e.queue.Sync()); err != nil {
		return err
	}
	for i, s := range e.segments {
		if err := e.queue.Begin(); err != nil {
			return err
		}
		e.queueSegment(i, p)
		failed := e.queue.Err()
		g, err := e.queue.End()
		if g != nil {
			s.graphs[width] = g
		}
		if err := errors.Join(failed, err); err != nil {
			return err
		}
	}
	return nil
}

// queueSegment launches a segment kernel by kernel, the last one with the tail behind it.
func (e *Executor) queueSegment(at int, p *pass) {
	e.launchAll(e.segments[at].body, p)
	if at == len(e.segments)-1 {
		e.launchAll(e.tail, p)
	}
}

func (e *Executor) launchAll(ls []launcher, p *pass) {
	for _, l := range ls {
		l(p)
	}
}

// Run runs a step of a whole program. The result is the executor's and valid until the next
// Run.
func (e *Executor) Run(step *model.Step) (model.Result, error) {
	if err := e.check(step); err != nil {
		return model.Result{}, err
	}
	err := e.onDevice(func() error {
		e.sampler.begin(step)
		for first := 0; first < len(step.Rows); first += e.rows {
			r, err := e.begin(step, first, min(first+e.rows, len(step.Rows)))
			if err != nil {
				return err
			}
			if err := e.finish(r); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return model.Result{}, err
	}
	return e.sampler.collect(step), nil
}

// onDevice calls do with the device at hand; its errors are the device's.
func (e *Executor) onDevice(do func() error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := e.device.Use(); err != nil {
		return failure{err}
	}
	if err := do(); err != nil {
		return failure{err}
	}
	return nil
}

// begin brings the inputs of the rows first to last of a step, and of the outputs among them,
// to the device.
func (e *Executor) begin(step *model.Step, first, last int) (*running, error) {
	n := last - first
	r := &running{step: step, first: first, count: n, outs: e.sampler.within(first, last)}
	r.pass = &pass{in: e.large, rows: n, outs: graphRows}
	if n <= graphRows {
		width := 1
		for width < n {
			width *= 2
		}
		r.pass = &pass{in: e.small, rows: width, outs: width}
	}
	return r, e.fill(r.pass, step, first, last, r.outs[:min(len(r.outs), graphRows)])
}

// finish runs the last segment and takes over what was sampled.
func (e *Executor) finish(r *running) error {
	last := len(e.segments) - 1
	if r.in == e.small {
		if err := e.runSegment(last, r.pass); err != nil {
			return err
		}
		return e.fetch(r.outs)
	}
	e.launchAll(e.segments[last].body, r.pass)
	for outs, done := r.outs, false; !done; {
		now := outs[:min(len(outs), graphRows)]
		if len(now) > 0 {
			r.pass.outs = len(now)
			e.launchAll(e.tail, r.pass)
		}
		if err := e.queue.Err(); err != nil {
			return err
		}
		if err := e.fetch(now); err != nil {
			return err
		}
		outs = outs[len(now):]
		if done = len(outs) == 0; !done {
			if err := e.refill(r.pass, r.step, r.first, outs[:min(len(outs), graphRows)]); err != nil {
				return err
			}
		}
	}
	return nil
}

// runSegment runs a segment, as a graph where there is one.
func (e *Executor) runSegment(at int, p *pass) error {
	if g := e.segments[at].graphs[p.rows]; g != nil {
		return e.queue.Launch(g)
	}
	e.queueSegment(at, p)
	return e.queue.Err()
}
