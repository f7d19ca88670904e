//go:build cuda

package kerneltest

import (
	"flag"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"testing"

	"github.com/confab-tui/confab/gpu"
	"github.com/confab-tui/confab/kernels"
)

var fatbin = flag.String("fatbin", "", "a file of kernels to run instead of those built in")

// Image is the kernels that tests run.
func Image() ([]byte, error) {
	if *fatbin == "" {
		return kernels.Fatbin, nil
	}
	return os.ReadFile(*fatbin)
}

// OnDevice opens the GPU for a test, or skips it.
func OnDevice(t testing.TB) *kernels.Queue {
	t.Helper()
	if err := gpu.Available(); err != nil {
		t.Skip(err)
	}
	runtime.LockOSThread()
	image, err := Image()
	if err != nil {
		t.Fatal(err)
	}
	d, err := gpu.Open(0, image)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	q, err := kernels.NewQueue(d)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// Use makes the device current for a subtest, which has a goroutine of its own.
func Use(t testing.TB, q *kernels.Queue) {
	t.Helper()
	runtime.LockOSThread()
	if err := q.Device.Use(); err != nil {
		t.Fatal(err)
	}
}

// deviceGuard is how many values stand before and after what a kernel may write.
const deviceGuard = 256

// DeviceRows is rows of floats on the device between guards, all NaN at first.
type DeviceRows struct {
	t               testing.TB
	q               *kernels.Queue
	base            gpu.Ptr
	rows, n, stride int
}

// NewRows makes rows of n values that are stride apart.
func NewRows(t testing.TB, q *kernels.Queue, rows, n, stride int) *DeviceRows {
	t.Helper()
	d := &DeviceRows{t: t, q: q, rows: rows, n: n, stride: stride}
	bytes := 4 * int64(rows*stride+2*deviceGuard)
	var err error
	if d.base, err = q.Device.Alloc(bytes); err != nil {
		t.Fatal(err)
	}
	if err := q.Device.Fill(d.base, 0xff, bytes); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = q.Device.Free(d.base) })
	return d
}

func (d *DeviceRows) Place() kernels.Place {
	return kernels.Place{Ptr: d.base + 4*deviceGuard, Stride: d.stride}
}

// Set uploads rows, leaving what is between them NaN.
func (d *DeviceRows) Set(x []float32) *DeviceRows {
	d.t.Helper()
	all := make([]float32, d.rows*d.stride)
	for i := range all {
		all[i] = float32(math.NaN())
	}
	for r := range d.rows {
		copy(all[r*d.stride:], x[r*d.n:(r+1)*d.n])
	}
	if err := d.q.Device.Upload(d.base+4*deviceGuard, gpu.Bytes(all)); err != nil {
		d.t.Fatal(err)
	}
	return d
}

// Get downloads the rows after everything queued has run, and checks that nothing
// else was written.
func (d *DeviceRows) Get() []float32 {
	d.t.Helper()
	Wait(d.t, d.q)
	all := make([]float32, d.rows*d.stride+2*deviceGuard)
	if err := d.q.Device.Download(gpu.Bytes(all), d.base); err != nil {
		d.t.Fatal(err)
	}
	out := make([]float32, 0, d.rows*d.n)
	for i, v := range all {
		r, c := (i-deviceGuard)/d.stride, (i-deviceGuard)%d.stride
		if i >= deviceGuard && r < d.rows && c < d.n {
			out = append(out, v)
		} else if v == v {
			d.t.Fatalf("value %d of a row of %d, or %d from the start, was written over with %g", c, d.n, i-deviceGuard, v)
		}
	}
	return out
}

func Wait(t testing.TB, q *kernels.Queue) {
	t.Helper()
	if err := q.Err(); err != nil {
		t.Fatal(err)
	}
	if err := q.Sync(); err != nil {
		t.Fatal(err)
	}
}

// Put uploads plain values.
func Put[T any](t testing.TB, q *kernels.Queue, x []T) gpu.Ptr {
	t.Helper()
	p, err := q.Device.Alloc(int64(len(gpu.Bytes(x))))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = q.Device.Free(p) })
	if err := q.Device.Upload(p, gpu.Bytes(x)); err != nil {
		t.Fatal(err)
	}
	return p
}

// Fetch downloads n values after everything queued has run.
func Fetch[T any](t testing.TB, q *kernels.Queue, p gpu.Ptr, n int) []T {
	t.Helper()
	Wait(t, q)
	x := make([]T, n)
	if err := q.Device.Download(gpu.Bytes(x), p); err != nil {
		t.Fatal(err)
	}
	return x
}

// off is the root of the squared differences over the squared reference; NaN and
// different lengths are infinitely far.
func off(got, want []float32) float64 {
	if len(got) != len(want) {
		return math.Inf(1)
	}
	var diff, sum float64
	for i := range got {
		d := float64(got[i]) - float64(want[i])
		diff += d * d
		sum += float64(want[i]) * float64(want[i])
	}
	if sum == 0 {
		sum = 1
	}
	if e := math.Sqrt(diff / sum); e == e {
		return e
	}
	return math.Inf(1)
}

func Near(t testing.TB, what string, got, want []float32, limit float64) {
	t.Helper()
	if e := off(got, want); !(e <= limit) {
		t.Errorf("%s: error %.3g, at most %.3g", what, e, limit)
		for i := range got {
			if i < len(want) && !(math.Abs(float64(got[i]-want[i])) <= 1e-3*(1+math.Abs(float64(want[i])))) {
				t.Logf("first at %d: %g, want %g", i, got[i], want[i])
				return
			}
		}
	}
}

func Gaussians(r *rand.Rand, n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(r.NormFloat64())
	}
	return x
}

// Same demands equal bits.
func Same(t testing.TB, what string, got, want []float32) {
	t.Helper()
	for i := range want {
		if math.Float32bits(got[i]) != math.Float32bits(want[i]) {
			t.Errorf("%s: value %d is %g, want %g", what, i, got[i], want[i])
			return
		}
	}
}

// TimeGraph records f and returns the best time of some launches.
func TimeGraph(b *testing.B, q *kernels.Queue, f func()) float64 {
	f()
	Wait(b, q)
	if err := q.Begin(); err != nil {
		b.Fatal(err)
	}
	f()
	failed := q.Err()
	g, err := q.End()
	if err != nil || failed != nil {
		b.Fatal(err, failed)
	}
	defer g.Close()
	var events [2]*gpu.Event
	for i := range events {
		if events[i], err = q.Device.NewEvent(); err != nil {
			b.Fatal(err)
		}
	}
	best := 1e9
	for range 8 {
		for _, step := range []func() error{func() error { return q.Record(events[0]) }, func() error { return q.Launch(g) },
			func() error { return q.Record(events[1]) }} {
			if err := step(); err != nil {
				b.Fatal(err)
			}
		}
		ms, err := events[1].Since(events[0])
		if err != nil {
			b.Fatal(err)
		}
		best = min(best, ms/1e3)
	}
	return best
}
