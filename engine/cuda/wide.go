//go:build cuda

package cuda

import (
	"github.com/confab-tui/confab/engine/model"
	"github.com/confab-tui/confab/kernels/matmul"
)

// allocateWide makes the room in which products of many rows keep their input; they
// follow each other, so that one is enough.
func (e *Executor) allocateWide() error {
	bytes := matmul.WideBytes(e.device, e.rows, widest(e.program))
	if bytes == 0 {
		return nil
	}
	var err error
	e.wide, err = e.alloc(bytes)
	return err
}

// widest is the longest row that a program's products take.
func widest(p *model.Program) int {
	k := 0
	for _, op := range p.Ops {
		if m, ok := op.(*model.MatMul); ok {
			k = max(k, m.In.Width)
		}
	}
	return k
}
