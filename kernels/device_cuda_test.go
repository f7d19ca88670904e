//go:build cuda

package kernels

import (
	"flag"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"testing"

	"github.com/confab-tui/confab/gpu"
)

var fatbin = flag.String("fatbin", "", "a file of kernels to run instead of those built in")

// onDevice opens the GPU for a test, or skips it.
func onDevice(t testing.TB) *Queue {
	t.Helper()
	if err := gpu.Available(); err != nil {
		t.Skip(err)
	}
	runtime.LockOSThread()
	image := Fatbin
	if *fatbin != "" {
		var err error
		if image, err = os.ReadFile(*fatbin); err != nil {
			t.Fatal(err)
		}
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
	q, err := NewQueue(d)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// use makes the device current for a subtest, which has a goroutine of its own.
func use(t testing.TB, q *Queue) {
	t.Helper()
	runtime.LockOSThread()
	if err := q.Device.Use(); err != nil {
		t.Fatal(err)
	}
}

// deviceGuard is how many values stand before and after what a kernel may write.
const deviceGuard = 256

// deviceRows is rows of floats on the device between guards, all NaN at first.
type deviceRows struct {
	t               testing.TB
	q               *Queue
	base            gpu.Ptr
	rows, n, stride int
}

// newRows makes rows of n values that are stride apart.
func newRows(t testing.TB, q *Queue, rows, n, stride int) *deviceRows {
	t.Helper()
	d := &deviceRows{t: t, q: q, rows: rows, n: n, stride: stride}
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

func (d *deviceRows) place() Place { return Place{d.base + 4*deviceGuard, d.stride} }

// set uploads rows, leaving what is between them NaN.
func (d *deviceRows) set(x []float32) *deviceRows {
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

// get downloads the rows after everything queued has run, and checks that nothing
// else was written.
func (d *deviceRows) get() []float32 {
	d.t.Helper()
	wait(d.t, d.q)
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

func wait(t testing.TB, q *Queue) {
	t.Helper()
	if err := q.Err(); err != nil {
		t.Fatal(err)
	}
	if err := q.Sync(); err != nil {
		t.Fatal(err)
	}
}

// put uploads plain values.
func put[T any](t testing.TB, q *Queue, x []T) gpu.Ptr {
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

// fetch downloads n values after everything queued has run.
func fetch[T any](t testing.TB, q *Queue, p gpu.Ptr, n int) []T {
	t.Helper()
	wait(t, q)
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

func near(t testing.TB, what string, got, want []float32, limit float64) {
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

func gaussians(r *rand.Rand, n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(r.NormFloat64())
	}
	return x
}
