package engine

import (
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/confab-tui/confab/engine/model"
)

// executor runs steps. The loop's goroutine is the only one that calls it.
type executor interface {
	Run(*model.Step) (model.Result, error)
	// Cells is the size of its pool, the scratch cell 0 included; CellBytes is
	// what one of them takes.
	Cells() int
	CellBytes() int64
	Name() string
	Close() error
}

// idler is an executor that has use for the time between steps: Idle does a little at a time, and says
// whether there may be more to do.
type idler interface{ Idle() bool }

// poisoner is an executor that can spoil cells that nobody may read any more.
type poisoner interface{ Poison(cell int32) }

// fatal is an error after which the executor is of no use.
type fatal interface{ Fatal() bool }

// crash is a panic of the executor or of the loop.
type crash struct {
	what  any
	stack []byte
}

func (c *crash) Error() string {
	return fmt.Sprintf("engine: stopped by a fault of the program: %v; open the model again", c.what)
}

// Fatal is always true.
func (c *crash) Fatal() bool { return true }

// Stack is where it happened, for the log.
func (c *crash) Stack() string { return string(c.stack) }

// lost is the model's file that cannot be read any more, or was overwritten.
type lost struct{ error }

// Fatal is always true.
func (lost) Fatal() bool { return true }

func (l lost) Unwrap() error { return l.error }

// faulty is a model's file that knows the panics that come from reading it.
type faulty interface{ Fault(what any) error }

// blame tells a model's file that cannot be read any more from a fault of the
// program.
func blame(file any, err error) error {
	f, ok := file.(faulty)
	if c, crashed := errors.AsType[*crash](err); ok && crashed {
		if cause := f.Fault(c.what); cause != nil {
			return lost{cause}
		}
	}
	return err
}

// guarded turns a panic into an error.
func guarded(do func() error) (err error) {
	defer func() {
		if what := recover(); what != nil {
			err = &crash{what, debug.Stack()}
		}
	}()
	return do()
}

func isFatal(err error) bool {
	var f fatal
	return errors.As(err, &f) && f.Fatal()
}

// execute runs a step and turns a panic into an error.
func execute(exec executor, step *model.Step) (result model.Result, err error) {
	err = guarded(func() (err error) {
		result, err = exec.Run(step)
		return err
	})
	if err == nil && len(result.Outputs) != len(step.Outputs) {
		err = fmt.Errorf("engine: %s answered %d of %d outputs", exec.Name(), len(result.Outputs), len(step.Outputs))
	}
	return result, err
}
