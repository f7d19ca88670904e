package cpu

import (
	"encoding/binary"
	"fmt"
	"math"
	"sync"
	"sync/atomic"

	"github.com/confab-tui/confab/engine/model"
	"github.com/confab-tui/confab/kernels"
)

// weights are a program's matrices as the kernels want them.
type weights struct {
	packed map[*model.Matrix][]*kernels.Matrix // one for each expert
}

// packJob is one matrix of one expert on its way.
type packJob struct {
	matrix *kernels.Matrix
	source *source
	bytes  int64
	left   atomic.Int64 // panels to pack
}

// source is a tensor of the file. When its last matrix is packed, its pages are given
// back; a row that is looked up later is read again.
type source struct {
	of   *model.Matrix // one of those that the tensor holds
	left atomic.Int64  // matrices to pack
}

// of returns the matrix of an expert, 0 where there are none.
func (w *weights) of(m *model.Matrix, expert int) *kernels.Matrix { return w.packed[m][expert] }

// pack packs every matrix that a program multiplies by, on all workers.
func pack(p *model.Program, o Options) (*weights, error) {
	w := &weights{packed: map[*model.Matrix][]*kernels.Matrix{}}
	sources := map[string]*source{} // by the tensor's name
	of := func(m *model.Matrix) *source {
		s := sources[m.Tensor.Name]
		if s == nil {
			s = &source{of: m}
			sources[m.Tensor.Name] = s
		}
		return s
	}
	var jobs []*packJob
	for _, op := range p.Ops {
		if _, lookup := op.(*model.Embed); lookup {
			continue
		}
		for _, m := range op.Matrices(nil) {
			if w.packed[m] != nil {
				continue
			}
			s := of(m)
			for expert := range m.Experts {
				j, err := newJob(m, expert, o.Exact)
				if err != nil {
					return nil, fmt.Errorf("cpu: the tensor %s: %w", m.Tensor.Name, err)
				}
				j.source = s
				s.left.Add(1)
				w.packed[m] = append(w.packed[m], j.matrix)
				jobs = append(jobs, j)
			}
		}
	}
	packAll(p, jobs, o)
	return w, nil
}

func newJob(m *model.Matrix, expert int, exact bool) (*packJob, error) {
	typ, data := kernels.Type(m.Tensor.Type), m.Bytes(expert)
	j := &packJob{bytes: int64(len(data))}
	if exact {
		floats := make([]float32, m.Rows*m.K)
		if err := kernels.Dequantize(typ, floats, data); err != nil {
			return nil, err
		}
		typ, data = kernels.F32, make([]byte, 0, 4*len(floats))
		for _, f := range floats {
			data = binary.LittleEndian.AppendUint32(data, math.Float32bits(f))
		}
	}
	var err error
	if j.matrix, err = kernels.NewMatrix(typ, m.Rows, m.K, data); err != nil {
		return nil, err
	}
	j.left.Store(int64(j.matrix.Panels()))
	return j, nil
}

// packBytes is about how much of a file a worker packs in one go.
const packBytes = 1 << 20

// packAll spreads the jobs over the workers, in order, so that a tensor is soon done
// with.
func packAll(p *model.Program, jobs []*packJob, o Options) {
	type piece struct {
		job      *packJob
		from, to int
	}
	var pieces []piece
	var total int64
	for _, j := range jobs {
		total += j.bytes
		n := j.matrix.Panels()
		step := max(1, int(int64(n)*packBytes/max(1, j.bytes)))
		for from := 0; from < n; from += step {
			pieces = append(pieces, piece{j, from, min(n, from+step)})
		}
	}
	var next atomic.Int64
	var workers sync.WaitGroup
	var report sync.Mutex
	var done int64
	for range o.Threads {
		workers.Go(func() {
			for at := next.Add(1) - 1; at < int64(len(pieces)); at = next.Add(1) - 1 {
				piece := pieces[at]
				j := piece.job
				j.matrix.Pack(piece.from, piece.to)
				if j.left.Add(int64(piece.from-piece.to)) > 0 {
					continue
				}
				j.finish(p)
				if o.Progress != nil {
					report.Lock()
					done += j.bytes
					o.Progress(done, total)
					report.Unlock()
				}
			}
		})
	}
	workers.Wait()
}

// finish lets go of the file's bytes.
func (j *packJob) finish(p *model.Program) {
	j.matrix.Packed()
	if j.source.left.Add(-1) == 0 {
		p.File.Release(j.source.of.Tensor)
	}
}

// lookup reads rows of an embedding matrix from the file itself.
type lookup struct {
	typ  kernels.Type
	data []byte
	row  int // bytes
}

func (w *weights) table(m *model.Matrix) lookup {
	data := m.Bytes(0)
	return lookup{kernels.Type(m.Tensor.Type), data, len(data) / m.Rows}
}

func (l lookup) read(dst []float32, row int) {
	// The type was checked when the table was made.
	_ = kernels.Dequantize(l.typ, dst, l.data[row*l.row:][:l.row])
}
