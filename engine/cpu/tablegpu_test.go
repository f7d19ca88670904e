//go:build cuda

package cpu

import (
	"testing"

	"github.com/confab-tui/confab/engine/cuda"
	"github.com/confab-tui/confab/engine/model"
	"github.com/confab-tui/confab/kernels/matmul"
)

func init() {
	gpuType = func(of uint32) uint32 { return uint32(matmul.DeviceType(matmul.Type(of))) }
	onGPU = func(t *testing.T, p *model.Program, g *golden) []float32 {
		if cuda.Available() != nil {
			return nil
		}
		e, err := cuda.New(p, cuda.Options{Cells: 200})
		if err != nil {
			t.Errorf("%s: %v", p.Spec.Arch, err)
			return nil
		}
		defer e.Close()
		res, err := e.Run(newSequence(len(g.Tokens)).step(g.Tokens, g.Positions...))
		if err != nil {
			t.Error(err)
			return nil
		}
		var logits []float32
		for _, out := range res.Outputs {
			logits = append(logits, out.Logits...)
		}
		return logits
	}
}
