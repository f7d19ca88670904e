//go:build cuda

package cpu

import (
	"slices"
	"strings"
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
		refused := err != nil && strings.Contains(err.Error(), "not supported")
		if refused != slices.Contains(refusedOnGPU, p.Spec.Arch) {
			t.Errorf("%s: refused on the GPU: %v, refusedOnGPU says %v", p.Spec.Arch, err, refusedOnGPU)
		}
		if refused {
			return nil
		}
		if err != nil {
			t.Error(err)
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
