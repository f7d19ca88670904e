package cpu

import (
	"encoding/binary"
	"fmt"
	"math"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"github.com/confab-tui/confab/engine/model"
	"github.com/confab-tui/confab/kernels/matmul"
)

// weights are a program's matrices as the kernels want them.
type weights struct {
	packed map[*model.Matrix][]*matmul.Matrix // one for each expert
}

// packJob is one matrix of one expert on its way.
type packJob struct {
	matrix *matmul.Matrix
	source []byte       // the file's
	left   atomic.Int64 // panels to pack
}

// of returns the matrix of an expert, 0 where there are none.
func (w *weights) of(m *model.Matrix, expert int) *matmul.Matrix { return w.packed[m][expert] }

// pack packs every matrix that a program multiplies by, on all workers.
func pack(p *model.Program, o Options) (*weights, error) {
	w := &weights{packed: map[*model.Matrix][]*matmul.Matrix{}}
	var jobs []*packJob
	for _, op := range p.Ops {
		if embed, ok := op.(*model.Embed); ok {
			row := make([]float32, embed.Table.K)
			if err := w.table(embed.Table).read(row, 0); err != nil {
				return nil, tensorError(embed.Table, err)
			}
			continue
		}
		for _, m := range op.Matrices(nil) {
			if w.packed[m] != nil {
				continue
			}
			for expert := range m.Experts {
				j, err := newJob(m, expert, o.Exact)
				if err != nil {
					return nil, tensorError(m, err)
				}
				w.packed[m] = append(w.packed[m], j.matrix)
				jobs = append(jobs, j)
			}
		}
	}
	return w, packAll(p, jobs, o)
}

func tensorError(m *model.Matrix, err error) error {
	return fmt.Errorf("cpu: the tensor %s of type %s: %w", m.Tensor.Name, m.Tensor.Type, err)
}

func newJob(m *model.Matrix, expert int, exact bool) (*packJob, error) {
	typ, data := matmul.Type(m.Tensor.Type), m.Bytes(expert)
	j := &packJob{source: data}
	if exact {
		floats := make([]float32, m.Rows*m.K)
		if err := matmul.Dequantize(typ, floats, data); err != nil {
			return nil, err
		}
		typ, data = matmul.F32, make([]byte, 0, 4*len(floats))
		for _, f := range floats {
			data = binary.LittleEndian.AppendUint32(data, math.Float32bits(f))
		}
	}
	var err error
	if j.matrix, err = matmul.NewMatrix(typ, m.Rows, m.K, data); err != nil {
		return nil, err
	}
	j.left.Store(int64(j.matrix.Panels()))
	return j, nil
}

// packBytes is about how much of a file a worker packs in one go.
const packBytes = 1 << 20

// piece is some panels of a job.
type piece struct {
	job      *packJob
	from, to int
}

// packAll spreads the jobs over the workers, in the order of the file's use. It ends early with an
// error of Progress.
func packAll(p *model.Program, jobs []*packJob, o Options) error {
	var pieces []piece
	var total int64
	for _, j := range jobs {
		total += int64(len(j.source))
		n := j.matrix.Panels()
		step := max(1, n*packBytes/max(1, len(j.source)))
		for from := 0; from < n; from += step {
			pieces = append(pieces, piece{j, from, min(n, from+step)})
		}
	}
	var next atomic.Int64
	var failed atomic.Pointer[failure]
	var workers sync.WaitGroup
	var report sync.Mutex
	var done int64
	var stop error
	for range o.Threads {
		workers.Go(func() {
			debug.SetPanicOnFault(true)
			for at := next.Add(1) - 1; at < int64(len(pieces)) && failed.Load() == nil; at = next.Add(1) - 1 {
				var n int64
				try(&failed, func() { n = pieces[at].pack(p) })
				if o.Progress != nil {
					report.Lock()
					done += n
					if err := o.Progress(done, total); err != nil {
						stop = err
						next.Store(int64(len(pieces)))
					}
					report.Unlock()
				}
			}
		})
	}
	workers.Wait()
	if f := failed.Load(); f != nil {
		panic(f)
	}
	return stop
}

// pack packs a piece, gives the file's pages back, and returns how many bytes they were.
// Where the last panel is not full, a piece's share of the bytes is a little off: then a
// few pages are given back early and read again, or late.
func (c piece) pack(p *model.Program) int64 {
	j := c.job
	n, size := j.matrix.Panels(), len(j.source)
	part := j.source[c.from*size/n : c.to*size/n]
	populate(part)
	j.matrix.Pack(c.from, c.to)
	p.Release(part)
	if j.left.Add(int64(c.from-c.to)) == 0 {
		j.matrix.Packed()
	}
	return int64(len(part))
}

// lookup reads rows of an embedding matrix from the file itself.
type lookup struct {
	typ  matmul.Type
	data []byte
	row  int // bytes
}

func (w *weights) table(m *model.Matrix) lookup {
	data := m.Bytes(0)
	return lookup{matmul.Type(m.Tensor.Type), data, len(data) / m.Rows}
}

func (l lookup) read(dst []float32, row int) error {
	return matmul.Dequantize(l.typ, dst, l.data[row*l.row:][:l.row])
}
