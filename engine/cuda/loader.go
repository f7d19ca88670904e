//go:build cuda

package cuda

import (
	"encoding/binary"
	"errors"
	"fmt"
	"sync"

	"github.com/confab-tui/confab/engine/model"
	"github.com/confab-tui/confab/gpu"
	"github.com/confab-tui/confab/kernels"
	"github.com/confab-tui/confab/kernels/matmul"
)

// stageBytes is what each of the two buffers holds that weights go through, unless 16 rows are more: the larger
// they are, the longer it takes to pin them, and the smaller, the oftener a copy waits for a slow part of it.
const stageBytes = 8 << 20

// copyBytes is about what a goroutine copies: enough of them fill the bus.
const copyBytes = 256 << 10

// loader uploads weights: while one stage is on its way and repacked, the other is filled.
type loader struct {
	e           *Executor
	size        int // of a stage
	host        [2][]byte
	device      [2]gpu.Ptr
	busy        [2]*gpu.Event
	next        int
	runs        []rowRun // of the next stage
	used        int      // bytes of it
	done, total int64
}

// rowRun is rows of an expert's weights on their way, from at on in the stage.
type rowRun struct {
	m                   *model.Matrix
	to                  *matmul.DeviceMatrix
	expert, first, rows int
	data                []byte // as in the file
	at, staged          int    // staged: bytes a row
	last                bool   // whether nothing of the tensor comes after
}

// loadMatrices uploads what is to be loaded, file bytes of it, and waits for it.
func (e *Executor) loadMatrices(todo []*model.Matrix, stage int, file int64) error {
	l := &loader{e: e, size: stage, total: file}
	err := l.open()
	for _, m := range todo {
		if err == nil {
			err = l.load(m, e.matrices[m])
		}
	}
	if err == nil {
		err = l.flush()
	}
	return errors.Join(err, l.close())
}

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

// load puts a matrix into stages, in runs of rows that are multiples of 16.
func (l *loader) load(m *model.Matrix, to *matmul.DeviceMatrix) error {
	staged := staged(m, to)
	for expert := range m.Experts {
		data := m.Bytes(expert)
		stride := len(data) / m.Rows
		for first := 0; first < m.Rows; {
			n := min(m.Rows-first, (l.size-l.used)/staged/16*16)
			if n == 0 {
				if err := l.flush(); err != nil {
					return err
				}
				continue
			}
			l.runs = append(l.runs, rowRun{m: m, to: to, expert: expert, first: first, rows: n, data: data[first*stride : (first+n)*stride],
				at: l.used, staged: staged, last: expert == m.Experts-1 && first+n == m.Rows})
			l.used = roundUp(l.used+n*staged, 256)
			first += n
		}
	}
	return nil
}

// flush fills a stage with the runs and queues their way into tiles.
func (l *loader) flush() error {
	i := l.next
	l.next = 1 - i
	if err := l.busy[i].Wait(); err != nil {
		return err
	}
	if err := fill(l.host[i], l.runs); err != nil {
		return err
	}
	if err := l.e.queue.Upload(l.device[i], l.host[i][:l.used]); err != nil {
		return err
	}
	for _, r := range l.runs {
		matmul.QueueRepack(l.e.queue, r.to, r.expert, r.first, r.rows, l.device[i]+gpu.Ptr(r.at))
		if r.last {
			l.e.program.File.Release(r.m.Tensor)
		}
		l.done += int64(len(r.data))
	}
	l.runs, l.used = l.runs[:0], 0
	if l.e.options.Progress != nil {
		l.e.options.Progress(l.done, l.total)
	}
	return errors.Join(l.e.queue.Err(), l.e.queue.Record(l.busy[i]))
}

// fill copies rows to where they belong in a stage, by many goroutines.
func fill(stage []byte, runs []rowRun) error {
	var all sync.WaitGroup
	var lock sync.Mutex
	var failed error
	for _, r := range runs {
		stride := len(r.data) / r.rows
		step := max(1, copyBytes/stride)
		convert := r.to.Type != matmul.Type(r.m.Tensor.Type)
		for from := 0; from < r.rows; from += step {
			to := min(from+step, r.rows)
			src, dst := r.data[from*stride:to*stride], stage[r.at+from*r.staged:r.at+to*r.staged]
			all.Go(func() {
				if !convert {
					copy(dst, src)
				} else if err := halves(dst, matmul.Type(r.m.Tensor.Type), src); err != nil {
					lock.Lock()
					defer lock.Unlock()
					failed = fmt.Errorf("cuda: the tensor %s: %w", r.m.Tensor.Name, err)
				}
			})
		}
	}
	all.Wait()
	return failed
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
