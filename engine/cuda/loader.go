//go:build cuda

package cuda

import (
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"sync"

	"github.com/confab-tui/confab/engine/model"
	"github.com/confab-tui/confab/gpu"
	"github.com/confab-tui/confab/kernels"
	"github.com/confab-tui/confab/kernels/matmul"
)

// loader uploads weights in loads of a stage's size, on lanes of a thread each.
type loader struct {
	e     *Executor
	size  int // of a stage
	loads []stageLoad
	total int64 // bytes of the file

	mutex sync.Mutex
	next  int   // load to be taken; past the last where a lane failed
	done  int64 // bytes of the file
}

// stageLoad is what goes through a stage at once.
type stageLoad struct {
	runs []rowRun
	used int // bytes of the stage
}

// rowRun is rows of an expert's weights on their way, from at on in the stage.
type rowRun struct {
	m                   *model.Matrix
	to                  *matmul.DeviceMatrix
	expert, first, rows int
	data                []byte // as in the file
	at, staged          int    // staged: bytes a row
}

// cut appends a matrix to the loads, in runs of rows that are multiples of 16 but for the last.
func (l *loader) cut(m *model.Matrix, to *matmul.DeviceMatrix) {
	staged := staged(m, to)
	for expert := range m.Experts {
		data := m.Bytes(expert)
		stride := len(data) / m.Rows
		l.total += int64(len(data))
		for first := 0; first < m.Rows; {
			last := len(l.loads) - 1
			if last < 0 || l.size-l.loads[last].used < 16*staged {
				l.loads = append(l.loads, stageLoad{})
				last++
			}
			load := &l.loads[last]
			n := min(m.Rows-first, (l.size-load.used)/staged/16*16)
			load.runs = append(load.runs, rowRun{m: m, to: to, expert: expert, first: first, rows: n,
				data: data[first*stride : (first+n)*stride], at: load.used, staged: staged})
			load.used = roundUp(load.used+n*staged, 256)
			first += n
		}
	}
}

// run uploads the loads and waits for them.
func (l *loader) run() error {
	errs := make([]error, min(lanes, runtime.GOMAXPROCS(0), len(l.loads)))
	var all sync.WaitGroup
	for i := range errs {
		all.Go(func() {
			if errs[i] = l.runLane(); errs[i] != nil {
				l.mutex.Lock()
				l.next = len(l.loads)
				l.mutex.Unlock()
			}
		})
	}
	all.Wait()
	return errors.Join(distinct(errs, nil)...)
}

// take returns the next load, or nil when there is none or a lane failed.
func (l *loader) take() *stageLoad {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if l.next == len(l.loads) {
		return nil
	}
	l.next++
	return &l.loads[l.next-1]
}

// report says that a load is on its way, and returns an error where that is the last one wanted.
func (l *loader) report(load *stageLoad) error {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	for _, r := range load.runs {
		l.done += int64(len(r.data))
	}
	if l.e.options.Progress == nil {
		return nil
	}
	return l.e.options.Progress(l.done, l.total)
}

// lane is a thread's stages and its own stream. While one stage is on its way and is repacked, the
// other is filled.
type lane struct {
	queue  *kernels.Queue
	host   [2][]byte
	device [2]gpu.Ptr
	busy   [2]*gpu.Event
}

func (l *loader) runLane() (err error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := l.e.device.Use(); err != nil {
		return err
	}
	w := new(lane)
	defer func() { err = errors.Join(err, w.close(l.e.device)) }()
	if err := w.open(l.e.device, l.size); err != nil {
		return err
	}
	for i := 0; ; i = 1 - i {
		load := l.take()
		if load == nil {
			return nil
		}
		if err := w.busy[i].Wait(); err != nil {
			return err
		}
		if err := l.e.program.File.Guard(func() error { return load.fill(w.host[i]) }); err != nil {
			return err
		}
		if err := w.upload(i, load); err != nil {
			return err
		}
		for _, r := range load.runs {
			l.e.program.Release(r.data)
		}
		if err := l.report(load); err != nil {
			return err
		}
	}
}

func (w *lane) open(d *gpu.Device, size int) error {
	var err error
	if w.queue, err = kernels.NewQueue(d); err != nil {
		return err
	}
	for i := range w.host {
		if w.host[i], err = d.Pinned(size); err != nil {
			return err
		}
		if w.device[i], err = d.Alloc(int64(size)); err != nil {
			return err
		}
		if w.busy[i], err = d.NewEvent(); err != nil {
			return err
		}
		if err := w.queue.Record(w.busy[i]); err != nil {
			return err
		}
	}
	return nil
}

// close waits for the uploads and gives back what open took, all of it or not.
func (w *lane) close(d *gpu.Device) error {
	if w.queue == nil {
		return nil
	}
	errs := []error{w.queue.Sync()}
	for i := range w.host {
		errs = append(errs, d.FreePinned(w.host[i]), d.Free(w.device[i]))
		if w.busy[i] != nil {
			errs = append(errs, w.busy[i].Close())
		}
	}
	return errors.Join(append(errs, w.queue.Close())...)
}

// upload queues the way of a filled stage into tiles.
func (w *lane) upload(i int, load *stageLoad) error {
	if err := w.queue.Upload(w.device[i], w.host[i][:load.used]); err != nil {
		return err
	}
	for _, r := range load.runs {
		matmul.QueueRepack(w.queue, r.to, r.expert, r.first, r.rows, w.device[i]+gpu.Ptr(r.at))
	}
	return errors.Join(w.queue.Err(), w.queue.Record(w.busy[i]))
}

// fill copies rows to where they belong in a stage.
func (s *stageLoad) fill(stage []byte) error {
	for _, r := range s.runs {
		if r.to.Type == matmul.Type(r.m.Tensor.Type) {
			copy(stage[r.at:], r.data)
			continue
		}
		stride := len(r.data) / r.rows
		for i := range r.rows {
			if err := halves(stage[r.at+i*r.staged:][:r.staged], matmul.Type(r.m.Tensor.Type), r.data[i*stride:][:stride]); err != nil {
				return fmt.Errorf("cuda: the tensor %s: %w", r.m.Tensor.Name, err)
			}
		}
	}
	return nil
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
