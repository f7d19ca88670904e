//go:build cuda

package cuda

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/confab-tui/confab/engine/model"
	"github.com/confab-tui/confab/gpu"
	"github.com/confab-tui/confab/kernels"
	"github.com/confab-tui/confab/kernels/matmul"
)

// stageBytes is the most that each of the two buffers holds that weights go through.
const stageBytes = 32 << 20

// loader uploads weights: while one stage is copied and repacked, the other is filled.
type loader struct {
	e           *Executor
	size        int // of a stage
	host        [2][]byte
	device      [2]gpu.Ptr
	busy        [2]*gpu.Event
	next        int
	done, total int64
}

// loadWeights uploads every matrix and vector of the program.
func (e *Executor) loadWeights() error {
	l := &loader{e: e}
	e.vectors = map[*model.Vector]gpu.Ptr{}
	var todo []*model.Matrix
	e.matrices, todo = matricesOf(e.program)
	var need int64
	for _, m := range todo {
		need += e.matrices[m].Bytes()
		l.total += int64(m.Rows) * int64(m.Experts) * rowBytes(m)
		l.size = min(stageBytes, max(l.size, roundUp(m.Rows, 16)*staged(m, e.matrices[m])))
	}
	if err := e.mustFit(need, l.size); err != nil {
		return err
	}
	err := l.open()
	for _, m := range todo {
		if err != nil {
			break
		}
		if err = l.load(m, e.matrices[m]); err != nil {
			err = fmt.Errorf("cuda: the tensor %s: %w", m.Tensor.Name, err)
		}
	}
	return errors.Join(err, l.close())
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

func (l *loader) open() error {
	var err error
	for i := range l.host {
		if l.host[i], err = l.e.device.Pinned(l.size); err != nil {
			return err
		}
		if l.device[i], err = l.e.device.Alloc(int64(l.size)); err != nil {
			return err
		}
		if l.busy[i], err = l.e.device.NewEvent(); err != nil {
			return err
		}
		if err := l.e.queue.Record(l.busy[i]); err != nil {
			return err
		}
	}
	return nil
}

// close waits for the uploads and gives back what open took, all of it or not.
func (l *loader) close() error {
	errs := []error{l.e.queue.Sync()}
	for i := range l.host {
		errs = append(errs, l.e.device.FreePinned(l.host[i]), l.e.device.Free(l.device[i]))
		if l.busy[i] != nil {
			errs = append(errs, l.busy[i].Close())
		}
	}
	return errors.Join(errs...)
}

// load uploads a matrix in runs of rows, each a multiple of 16.
func (l *loader) load(m *model.Matrix, to *matmul.DeviceMatrix) error {
	var err error
	if to.Data, err = l.e.alloc(to.Bytes()); err != nil {
		return err
	}
	for expert := range m.Experts {
		data := m.Bytes(expert)
		stride := len(data) / m.Rows
		convert := to.Type != matmul.Type(m.Tensor.Type)
		staged := staged(m, to)
		step := l.size / staged / 16 * 16
		if step == 0 {
			return fmt.Errorf("a row of %d bytes is longer than is foreseen", staged)
		}
		for first := 0; first < m.Rows; first += step {
			n := min(step, m.Rows-first)
			rows := data[first*stride : (first+n)*stride]
			if err := l.stage(m, to, expert, first, n, n*staged, rows, convert); err != nil {
				return err
			}
			l.done += int64(len(rows))
			if l.e.options.Progress != nil {
				l.e.options.Progress(l.done, l.total)
			}
		}
	}
	l.e.program.File.Release(m.Tensor)
	return nil
}

// stage fills a buffer with rows and queues their way into tiles.
func (l *loader) stage(m *model.Matrix, to *matmul.DeviceMatrix, expert, first, n, bytes int, rows []byte, convert bool) error {
	i := l.next
	l.next = 1 - i
	if err := l.busy[i].Wait(); err != nil {
		return err
	}
	host := l.host[i][:bytes]
	if convert {
		if err := halves(host, matmul.Type(m.Tensor.Type), rows); err != nil {
			return err
		}
	} else {
		copyParallel(host, rows)
	}
	if err := l.e.queue.Upload(l.device[i], host); err != nil {
		return err
	}
	matmul.QueueRepack(l.e.queue, to, expert, first, n, l.device[i])
	if err := l.e.queue.Err(); err != nil {
		return err
	}
	return l.e.queue.Record(l.busy[i])
}

// copyParallel copies with a few goroutines: one cannot fill the bus.
func copyParallel(dst, src []byte) {
	const piece = 2 << 20
	var all sync.WaitGroup
	for from := 0; from < len(src); from += piece {
		to := min(from+piece, len(src))
		all.Go(func() { copy(dst[from:to], src[from:to]) })
	}
	all.Wait()
}

// halves reads weights of a type that the device has no kernel for and rounds them to
// F16.
func halves(dst []byte, t matmul.Type, src []byte) error {
	floats := make([]float32, len(dst)/2)
	if err := matmul.Dequantize(t, floats, src); err != nil {
		return err
	}
	for i, f := range floats {
		binary.LittleEndian.PutUint16(dst[2*i:], kernels.F32ToF16(f))
	}
	return nil
}

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
