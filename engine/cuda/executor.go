//go:build cuda

package cuda

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"

	"github.com/confab-tui/confab/engine/model"
	"github.com/confab-tui/confab/gpu"
	"github.com/confab-tui/confab/kernels"
	"github.com/confab-tui/confab/kernels/matmul"
	"github.com/confab-tui/confab/kernels/rowwise"
)

// MaxRows is the most rows a step may have.
const MaxRows = 4096

// graphRows is the widest step that runs as a graph, and the most outputs that one
// pass over the last operations takes.
const graphRows = 64

// Options says how to make an Executor.
type Options struct {
	// Device is the number of the GPU.
	Device int
	// Cells is the size of the pool, the scratch cell included; 0 takes what memory
	// is left.
	Cells int
	// Context is the most cells that one sequence refers to; 0 takes the pool's.
	Context int
	// Eager launches kernel by kernel what would be a graph.
	Eager bool
	// Progress, if not nil, is told how many bytes of weights are ready. New ends with its error.
	Progress func(done, total int64) error

	stage int // bytes of the buffers that weights go through; 0: stageBytes
}

// Executor runs steps of one Program.
type Executor struct {
	program *model.Program
	options Options
	device  *gpu.Device
	queue   *kernels.Queue
	memory  []gpu.Ptr // everything allocated

	rows     int       // how many the buffers hold
	buffers  []gpu.Ptr // the program's
	matrices map[*model.Matrix]*matmul.DeviceMatrix
	vectors  map[*model.Vector]gpu.Ptr
	caches   []cache
	slots    int       // of states
	states   []gpu.Ptr // one for each of the program's: [slots][width]
	// positions is how many the program has embeddings for, if it has any.
	positions int32
	ropes     []*rope
	plans     []*attendPlan
	rounded   []*rounded
	experts   []*expertRoom
	routed    []*rowwise.Lists
	parts     gpu.Ptr // of attention
	partRows  int     // records in it
	wide      gpu.Ptr // of products of many rows

	segments     []*segment
	tail         []launcher // follows the last segment, on the outputs' rows
	small, large *inputs
	handed       handed
	now          *running // the step of a half
	at           int      // the part of it that comes next
	sampler      sampler
}

// cache is where one of the program's caches keeps keys and values: [cell][head][width]
// halves.
type cache struct {
	keys, values         gpu.Ptr
	keyWidth, valueWidth int
}

// pass is what the launches of one run over the operations share.
type pass struct {
	in         *inputs
	rows, outs int // including padding
}

// launcher queues the kernels of an operation or of several.
type launcher func(*pass)

// failure is an error of the device; the executor is of no use after it.
type failure struct{ error }

// Fatal is always true.
func (failure) Fatal() bool { return true }

func (f failure) Unwrap() error { return f.error }

// Available says why no GPU can be used, or returns nil.
func Available() error { return gpu.Available() }

// New uploads the weights of a program, makes room for the cells and captures the
// graphs.
func New(p *model.Program, o Options) (*Executor, error) {
	// The driver's context belongs to a thread.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	d, err := gpu.Open(o.Device, kernels.Fatbin)
	if err != nil {
		return nil, err
	}
	e := &Executor{program: p, options: o, device: d, positions: math.MaxInt32}
	if err := e.start(); err != nil {
		return nil, errors.Join(err, e.Close())
	}
	return e, nil
}

func (e *Executor) start() error {
	var err error
	if e.queue, err = kernels.NewQueue(e.device); err != nil {
		return err
	}
	if err := e.loadWeights(); err != nil {
		return err
	}
	if err := e.allocate(); err != nil {
		return err
	}
	if err := e.compile(); err != nil {
		return err
	}
	if err := e.makeInputs(); err != nil {
		return err
	}
	if err := e.device.Fill(e.small.device, 0, int64(len(e.small.host))); err != nil {
		return err
	}
	for width := graphRows; width > 0 && !e.options.Eager; width /= 2 {
		if err := e.capture(width); err != nil {
			return fmt.Errorf("cuda: capturing the step of %d rows: %w", width, err)
		}
	}
	return e.queue.Sync()
}

// alloc returns device memory that lives as long as the executor.
func (e *Executor) alloc(bytes int64) (gpu.Ptr, error) {
	p, err := e.device.Alloc(bytes)
	if err == nil {
		e.memory = append(e.memory, p)
	}
	return p, err
}

// Cells is the size of the pool, the scratch cell included.
func (e *Executor) Cells() int { return e.options.Cells }

// CellBytes is what one cell takes in all layers together.
func (e *Executor) CellBytes() int64 { return cellBytes(e.program) }

// Name describes the executor to people.
func (e *Executor) Name() string { return e.device.Name }

// Close frees everything on the device.
func (e *Executor) Close() error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	errs := []error{e.device.Use()}
	for _, s := range e.segments {
		for _, g := range s.graphs {
			errs = append(errs, g.Close())
		}
	}
	for _, p := range e.memory {
		errs = append(errs, e.device.Free(p))
	}
	for _, in := range []*inputs{e.small, e.large} {
		if in != nil {
			errs = append(errs, e.device.FreePinned(in.host))
		}
	}
	errs = append(errs, e.device.FreePinned(e.sampler.host), e.device.FreePinned(e.handed.host))
	if e.queue != nil {
		errs = append(errs, e.queue.Close())
	}
	return errors.Join(distinct(append(errs, e.device.Close()), nil)...)
}

// distinct adds to those said the errors that say something else: a dead device answers
// every call with the same.
func distinct(errs, said []error) []error {
	for _, err := range errs {
		if several, ok := err.(interface{ Unwrap() []error }); ok {
			said = distinct(several.Unwrap(), said)
		} else if err != nil && !slices.ContainsFunc(said, func(s error) bool { return s.Error() == err.Error() }) {
			said = append(said, err)
		}
	}
	return said
}
