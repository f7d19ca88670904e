package cpu

import (
	"encoding/binary"
	"fmt"
	"math"
	"sync"
	"sync/atomic"

	"github.com/confab-tui/confab/engine/model"
	"github.com/confab-tui/confab/kernels"
	"github.com/confab-tui/confab/kernels/matmul"
)

// weights are a program's matrices as the kernels want them.
type weights struct {
	packed map[*model.Matrix][]*matmul.Matrix // one for each expert
}

// packJob is one matrix of one expert on its way.
type packJob struct {
	matrix *matmul.Matrix
	source []byte // the file's
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
	matrix, err := matmul.NewMatrix(typ, m.Rows, m.K)
	return &packJob{matrix, data}, err
}

// packBytes is about how much of a file a worker packs in one go: what it reads stays in its
// second-level cache.
const packBytes = 256 << 10

// piece is some panels of a job.
type piece struct {
	job      *packJob
	from, to int
}

// packing is what the workers share: the pieces, in the order of the file's use.
type packing struct {
	program *model.Program
	pieces  []piece
	next    atomic.Int64
	failed  atomic.Pointer[failure]
	total   int64 // bytes

	report   sync.Mutex // guards what follows
	progress func(done, total int64) error
	done     int64
	stopped  error
}

// packAll spreads the jobs over the workers. It ends early with an error of the file or of Progress.
func packAll(p *model.Program, jobs []*packJob, o Options) error {
	all := &packing{program: p, progress: o.Progress}
	for _, j := range jobs {
		all.total += int64(len(j.source))
		n := j.matrix.Panels()
		step := max(1, n*packBytes/max(1, len(j.source)))
		for from := 0; from < n; from += step {
			all.pieces = append(all.pieces, piece{j, from, min(n, from+step)})
		}
	}
	var workers sync.WaitGroup
	for range o.Threads {
		workers.Go(func() { try(&all.failed, all.work) })
	}
	workers.Wait()
	if f := all.failed.Load(); f != nil {
		panic(f)
	}
	return all.stopped
}

// work packs pieces until there are no more.
func (a *packing) work() {
	var room []byte
	for at := a.next.Add(1) - 1; at < int64(len(a.pieces)) && a.failed.Load() == nil; at = a.next.Add(1) - 1 {
		c := a.pieces[at]
		from, to := c.job.matrix.Source(c.from, c.to)
		room = kernels.Grow(room, to-from)
		err := a.program.Read(room, c.job.source[from:to])
		if err == nil {
			c.job.matrix.Pack(room, c.from, c.to)
		}
		a.packed(int64(to-from), err)
	}
}

// packed counts bytes, and lets the workers end where there was an error or nobody wants more; who
// is still at a piece then says nothing of it.
func (a *packing) packed(bytes int64, err error) {
	a.report.Lock()
	defer a.report.Unlock()
	if a.stopped != nil {
		return
	}
	a.done += bytes
	if err == nil && a.progress != nil {
		err = a.progress(a.done, a.total)
	}
	if err != nil {
		a.stopped = err
		a.next.Store(int64(len(a.pieces)))
	}
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
