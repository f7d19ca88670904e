//go:build cuda

package cuda

import (
	"github.com/confab-tui/confab/engine/model"
	"github.com/confab-tui/confab/kernels/matmul"
)

// allocateWide makes the room in which products of many rows keep their input; they
// follow each other, so that one is enough.
func (e *Executor) allocateWide() error {
	bytes := e.wideBytes()
	if bytes == 0 {
		return nil
	}
	var err error
	e.wide, err = e.alloc(bytes)
	return err
}

// wideBytes is the most that a product's input takes; experts have a row for each of a row's.
func (e *Executor) wideBytes() int64 {
	var n int64
	for _, op := range e.program.Ops {
		switch op := op.(type) {
		case *model.MatMul:
			n = max(n, matmul.WideBytes(e.device, e.rows, op.In.Width))
		case *model.Experts:
			n = max(n, matmul.WideBytes(e.device, e.rows*op.IDs.Width, max(op.In.Width, op.Gate.Rows)))
		}
	}
	return n
}
