//go:build cuda

package cuda

import (
	"fmt"
	"slices"

	"github.com/confab-tui/confab/engine/model"
	"github.com/confab-tui/confab/gpu"
	"github.com/confab-tui/confab/kernels/matmul"
)

// loadWeights uploads every matrix of the program.
func (e *Executor) loadWeights() error {
	e.vectors = map[*model.Vector]gpu.Ptr{}
	var todo []*model.Matrix
	e.matrices, todo = matricesOf(e.program)
	var need, file int64
	stage := stageBytes
	for _, m := range todo {
		need += int64(roundUp(int(e.matrices[m].Bytes()), 256))
		file += int64(m.Rows) * int64(m.Experts) * rowBytes(m)
		stage = max(stage, roundUp(16*staged(m, e.matrices[m]), 256))
	}
	if err := e.mustFit(need, stage); err != nil {
		return err
	}
	data, err := e.alloc(need)
	if err != nil {
		return err
	}
	for _, m := range todo {
		to := e.matrices[m]
		to.Data, data = data, data+gpu.Ptr(roundUp(int(to.Bytes()), 256))
	}
	return e.loadMatrices(todo, stage, file)
}

// matricesOf is what a program's matrices are on a device, and which of them are to be
// loaded: those that are the same rows of the same tensor are one there.
func matricesOf(p *model.Program) (all map[*model.Matrix]*matmul.DeviceMatrix, todo []*model.Matrix) {
	all = map[*model.Matrix]*matmul.DeviceMatrix{}
	shared := map[string]*matmul.DeviceMatrix{}
	for _, op := range p.Ops {
		for _, m := range op.Matrices(nil) {
			if all[m] != nil {
				continue
			}
			key := fmt.Sprint(m.Tensor.Name, m.Spans)
			if shared[key] == nil {
				shared[key] = &matmul.DeviceMatrix{Type: matmul.DeviceType(matmul.Type(m.Tensor.Type)), N: m.Rows, K: m.K, Experts: m.Experts}
				todo = append(todo, m)
			}
			all[m] = shared[key]
		}
	}
	return all, todo
}

// rowBytes is what a row takes in the file.
func rowBytes(m *model.Matrix) int64 {
	return int64(len(m.Tensor.Data)) * int64(m.K) / int64(m.Tensor.Len())
}

// staged is what a row takes on its way to the device.
func staged(m *model.Matrix, to *matmul.DeviceMatrix) int {
	if to.Type != matmul.Type(m.Tensor.Type) {
		return 2 * m.K
	}
	return int(rowBytes(m))
}

// mustFit refuses weights that the device has no room for, beside two stages.
func (e *Executor) mustFit(need int64, stage int) error {
	free, total, err := e.device.Memory()
	if err != nil {
		return err
	}
	if need += 2 * int64(stage); need > free {
		return fmt.Errorf("cuda: the weights need %.1f GiB, %s has %.1f GiB free of %.1f: take a smaller file, or the CPU",
			gib(need), e.device.Name, gib(free), gib(total))
	}
	return nil
}

func gib(n int64) float64 { return float64(n) / (1 << 30) }

// vector returns a vector's values on the device, 0 for nil.
func (e *Executor) vector(v *model.Vector) (gpu.Ptr, error) {
	if v == nil {
		return 0, nil
	}
	if p, ok := e.vectors[v]; ok {
		return p, nil
	}
	p, err := e.upload(gpu.Bytes(v.Values))
	e.vectors[v] = p
	return p, err
}

// upload puts bytes on the device for good.
func (e *Executor) upload(b []byte) (gpu.Ptr, error) {
	p, err := e.alloc(int64(len(b)))
	if err != nil {
		return 0, err
	}
	return p, e.device.Upload(p, slices.Clip(b))
}
