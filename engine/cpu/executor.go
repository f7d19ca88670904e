// Package cpu runs a model's Program on the processor: it packs the weights, holds the
// cells, spreads every operation over a team of workers and samples.
//
//   - The operations become phases when the executor is made: runs of operations
//     that each row goes through by itself, products, attention. Between
//     phases all workers meet; within one, each has its share of the units, and who has
//     none left takes over others'.
//   - A row's results, to the last bit, do not depend on the other rows of the step,
//     on how a prompt was cut into steps or on the number of workers.
//   - A product's input is quantised once, by the phase that computed it, and shared by
//     all products that read it.
//   - Cells get their memory before they are wanted: a layer at a time in the steps
//     before, and between steps while nobody asks.
//   - Run allocates nothing once it has seen a step as wide; between steps no worker
//     uses the processor.
//   - Half of a divided program is run part by part, in turns with who runs the other.
//
// One goroutine at a time may call an executor.
package cpu

import (
	"fmt"
	"math"
	"slices"

	"github.com/confab-tui/confab/engine/model"
	"github.com/confab-tui/confab/kernels"
	"github.com/confab-tui/confab/kernels/attend"
)

// MaxRows is the most rows a step may have.
const MaxRows = 4096

// Options says how to make an Executor.
type Options struct {
	// Threads is the number of workers; 0 takes one for each core.
	Threads int
	// Cells is the size of the pool, the scratch cell included.
	Cells int
	// F32Cells keeps keys and values as float32 instead of half precision.
	F32Cells bool
	// Exact multiplies by weights read back to float32, without rounding
	// activations: the oracle of tests, several times as large and slow.
	Exact bool
	// Progress, if not nil, is told how many bytes of weights are ready. New ends with its error.
	Progress func(done, total int64) error
}

// Executor runs steps of one Program.
type Executor struct {
	program *model.Program
	options Options
	team    *team
	phases  []phase
	parts   []part
	// positions is how many the program has embeddings for, if it has any.
	positions int32
	weights   *weights
	kv        []*attend.KV // one for each of the program's caches
	room      *room
	states    [][]float32 // one for each of the program's states: [MaxSlots][width]

	values [][]float32 // the program's buffers, for as many rows as were ever needed
	ints   [][]int32   // those of ints
	inputs []*input
	ropes  []*ropeTable
	plans  []*attendPlan

	step    *model.Step
	part    int // the next
	rows    int
	taken   []float32 // what the part at hand takes and gives: [rows][width]
	given   []float32
	picks   []int32 // for each row of outputs, the step's row
	sampler sampler
}

// part is what runs without a break.
type part struct {
	end   int // of its phases, which begin where those of the part before it end
	gives int // values a row
}

// New packs the weights of a program and makes room for the cells.
func New(p *model.Program, o Options) (*Executor, error) {
	if o.Threads <= 0 {
		o.Threads = max(1, cores())
	}
	if o.Cells < 2 {
		return nil, fmt.Errorf("cpu: a pool of %d cells has no room; it needs 2, one of them scratch", o.Cells)
	}
	e := &Executor{program: p, options: o, positions: math.MaxInt32}
	var err error
	if e.weights, err = pack(p, o); err != nil {
		return nil, err
	}
	e.values = make([][]float32, len(p.Buffers))
	e.ints = make([][]int32, len(p.Buffers))
	for _, c := range p.Caches {
		e.kv = append(e.kv, attend.NewKV(o.Cells, c.KVHeads, c.KeyDim, c.ValueDim, o.F32Cells))
	}
	e.room = newRoom(e.kv, o.Cells)
	for _, s := range p.States {
		e.states = append(e.states, make([]float32, MaxSlots*s.Width))
	}
	if e.phases, err = plan(e); err != nil {
		return nil, err
	}
	e.sampler.init(e)
	e.team = newTeam(o.Threads, newAhead(e.phases, o.Threads).fetch)
	return e, nil
}

// Cells is the size of the pool, the scratch cell included.
func (e *Executor) Cells() int { return e.options.Cells }

// CellBytes is what one cell takes in all layers together.
func (e *Executor) CellBytes() int64 {
	var n int64
	for _, kv := range e.kv {
		n += kv.Bytes()
	}
	return n / int64(e.options.Cells)
}

// Poison fills a free cell with what shows in every result that reads it.
func (e *Executor) Poison(cell int32) {
	for i, c := range e.program.Caches {
		nan := slices.Repeat([]float32{float32(math.NaN())}, c.KVHeads*max(c.KeyDim, c.ValueDim))
		e.kv[i].Store(cell, nan[:c.KVHeads*c.KeyDim], nan[:c.KVHeads*c.ValueDim])
	}
}

// Name describes the executor to people.
func (e *Executor) Name() string {
	s := "s"
	if e.options.Threads == 1 {
		s = ""
	}
	return fmt.Sprintf("CPU, %d thread%s, %s", e.options.Threads, s, Features())
}

// Features says what the arithmetic uses of the processor, like "AVX-512 VNNI".
func Features() string { return kernels.Features() }

// Close ends the workers.
func (e *Executor) Close() error {
	e.team.close()
	return nil
}

// Rows is the most rows that a step may have.
func (e *Executor) Rows() int { return MaxRows }

// Run runs a step of a whole program. The result is the executor's and valid until the next
// Run.
func (e *Executor) Run(step *model.Step) (model.Result, error) {
	if err := e.Begin(step); err != nil {
		return model.Result{}, err
	}
	if _, err := e.Part(nil); err != nil {
		return model.Result{}, err
	}
	return e.End(), nil
}

// Begin takes a step, whose parts run one after the other until End.
func (e *Executor) Begin(step *model.Step) error {
	if err := e.check(step); err != nil {
		return err
	}
	e.step, e.part = step, 0
	e.room.reach(step.Rows)
	e.prepare()
	return nil
}

// Idle does some of what later steps would have to do first, and says whether there may be more.
func (e *Executor) Idle() bool { return e.room.more() }

// Part runs the operations up to and with the next Give. It takes and returns what is
// handed over, a row after the other; what it returns is valid until the next Part.
func (e *Executor) Part(taken []float32) ([]float32, error) {
	from := 0
	if e.part > 0 {
		from = e.parts[e.part-1].end
	}
	now := e.parts[e.part]
	e.part++
	e.taken, e.given = taken, kernels.Grow(e.given, now.gives*e.rows)
	e.team.run(e.phases[:now.end], from)
	e.taken = nil
	return e.given, nil
}

// End returns the result of the step, as Run does.
func (e *Executor) End() model.Result {
	step := e.step
	e.step = nil
	return e.sampler.collect(step)
}
