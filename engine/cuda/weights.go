//go:build cuda

package cuda

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/confab-tui/confab/engine/model"
	"github.com/confab-tui/confab/gpu"
	"github.com/confab-tui/confab/kernels/matmul"
)

const (
	// stageBytes is what each of the buffers holds that weights go through, unless 16 rows are more. The bus is
	// faster with larger ones, but to pin a megabyte takes as long as to copy 25.
	stageBytes = 2 << 20
	// lanes is how many threads upload weights, with two buffers each: enough to fill the bus.
	lanes = 8
)

// loadWeights uploads every matrix of the program.
func (e *Executor) loadWeights() error {
	e.vectors = map[*model.Vector]gpu.Ptr{}
	var todo []*model.Matrix
	e.matrices, todo = matricesOf(e.program)
	var need int64
	l := &loader{e: e, size: cmp.Or(e.options.stage, stageBytes)}
	for _, m := range todo {
		need += int64(roundUp(int(e.matrices[m].Bytes()), 256))
		l.size = max(l.size, roundUp(16*staged(m, e.matrices[m]), 256))
	}
	if err := e.mustFit(need, 2*lanes*int64(l.size)); err != nil {
		return err
	}
	data, err := e.alloc(need)
	if err != nil {
		return err
	}
	for _, m := range todo {
		to := e.matrices[m]
		to.Data, data = data, data+gpu.Ptr(roundUp(int(to.Bytes()), 256))
		l.cut(m, to)
	}
	return l.run()
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

// mustFit refuses weights that the device has no room for, beside the stages.
func (e *Executor) mustFit(need, stages int64) error {
	free, total, err := e.device.Memory()
	if err != nil {
		return err
	}
	if need += stages; need > free {
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
