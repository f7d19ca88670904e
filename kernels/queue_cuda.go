//go:build cuda

package kernels

import (
	"fmt"
	"unsafe"

	"github.com/confab-tui/confab/gpu"
)

// Queue launches the device forms of this package's operations, one after the other,
// on a stream: at once, or recorded into a graph between the stream's Begin and End.
// The first error stays: what follows it is not launched, and Err returns it. Launch
// arguments mirror the structs of the .cu files, field by field.
type Queue struct {
	*gpu.Stream
	Device *gpu.Device
	// Apart turns off the overlap of neighbouring kernels, so that times are those
	// of one kernel alone.
	Apart bool
	err   error
}

// NewQueue makes a queue with a stream of its own.
func NewQueue(d *gpu.Device) (*Queue, error) {
	s, err := d.NewStream()
	if err != nil {
		return nil, err
	}
	return &Queue{Stream: s, Device: d}, nil
}

// Err returns the first error since the last call.
func (q *Queue) Err() error {
	err := q.err
	q.err = nil
	return err
}

// Launch queues a kernel of one struct of arguments.
func Launch[T any](q *Queue, kernel string, c gpu.Config, args T) {
	if q.err != nil {
		return
	}
	f, err := q.Device.Function(kernel, c.Shared)
	if err != nil {
		q.err = err
		return
	}
	c.Overlap = !q.Apart && q.Device.Major >= 9
	q.err = q.Stream.Run(f, c, unsafe.Pointer(&args))
}

// Place is a row of float32 on the device and the distance to the next row, in
// values.
type Place struct {
	Ptr    gpu.Ptr
	Stride int
}

// At is n columns further.
func (p Place) At(n int) Place { return Place{p.Ptr + gpu.Ptr(4*n), p.Stride} }

// Row is n rows further.
func (p Place) Row(n int) Place { return Place{p.Ptr + gpu.Ptr(4*n*p.Stride), p.Stride} }

// Rounded is room for rows rounded to bytes for products with quantised weights; see
// tile.cuh. The zero value is none.
type Rounded struct {
	Values, Records gpu.Ptr
	// Gathered is room of GatheredBytes for the same rows again, as kernels want them that take all rows
	// together; there whenever GatheredRows rows are. Or 0.
	Gathered gpu.Ptr
	Form     Form
	Chunks   int
}

type RoundedArgs struct {
	values, records, gathered gpu.Ptr
	form, chunks, padded, pad int32
}

// Args are a launch's arguments for rows.
func (r Rounded) Args(rows int) RoundedArgs {
	a := RoundedArgs{values: r.Values, records: r.Records, gathered: r.Gathered, form: int32(r.Form), chunks: int32(r.Chunks)}
	if r.Gathered != 0 {
		a.padded = int32(GatheredRows(rows))
	}
	return a
}

// RoundedBytes is the room that rows of k values take: for values and for records.
func RoundedBytes(f Form, rows, k int) (values, records int64) {
	chunks := int64(rows) * int64((k+255)/256)
	if f == FormQ8K {
		return chunks * 256, chunks * 32
	}
	return chunks * 256, chunks * 64
}

// GatheredRows is for how many rows they are laid out where there are rows: 32, 64, or 0
// where nobody wants them.
func GatheredRows(rows int) int {
	switch {
	case rows <= 16 || rows > 64:
		return 0
	case rows <= 32:
		return 32
	}
	return 64
}

// GatheredBytes is the room for k values of up to 64 rows: for FormQ8 the bytes with their records, for
// FormQ8K the integers as halves, and what belongs to them.
func GatheredBytes(f Form, k int) int64 {
	row := 256 + 64
	if f == FormQ8K {
		row = 512 + 36
	}
	return int64((k+255)/256) * 64 * int64(row)
}

// GridOf is how many blocks of a size some work takes, within what fills the device.
func (q *Queue) GridOf(work, per int) int {
	return max(1, min((work+per-1)/per, 8*q.Device.SMs))
}

func MustFit(what string, n, limit int) {
	if n > limit {
		panic(fmt.Sprintf("kernels: %s: %d, at most %d", what, n, limit))
	}
}
