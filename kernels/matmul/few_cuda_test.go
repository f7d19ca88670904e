//go:build cuda

package matmul

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/confab-tui/confab/kernels"
	"github.com/confab-tui/confab/kernels/kerneltest"
	"github.com/confab-tui/confab/kernels/rowwise"
)

// Every form of the kernel for 17 to 64 rows on Hopper gives the bits of the kernels for
// fewer: tiles one after the other and shared by clusters, two matrices in a launch,
// biases and sums, rows that are not there.
func TestDeviceFewForms(t *testing.T) {
	q := kerneltest.OnDevice(t)
	if !q.Device.Hopper() {
		t.Skip("not a device of compute capability 9.0")
	}
	sizes, inputs := []int{1000, 33}, []int{256, 2048, 5120}
	if testing.Short() {
		inputs = inputs[:2]
	}
	for _, typ := range []Type{Q4_K, Q5_K} {
		for _, k := range inputs {
			r := rand.New(rand.NewPCG(uint64(typ), uint64(k)))
			for _, rows := range []int{17, 32, 33, 64} {
				x := fewInput{rows: rows, live: rows - rows/8, k: k, values: randomRows(r, rows, k)}
				for i := x.live * k; i < len(x.values); i++ {
					x.values[i] = float32(math.NaN())
				}
				var products []Product
				for _, n := range sizes {
					m, _ := loadMatrix(t, q, r, typ, n, k)
					add := kerneltest.NewRows(t, q, rows, n, n+1).Set(kerneltest.Gaussians(r, rows*n))
					products = append(products, Product{W: m, Bias: kerneltest.Put(t, q, kerneltest.Gaussians(r, n)), Add: add.Place()})
				}
				want := x.multiply(t, q, products, nil)
				for _, split := range []int{1, 2, 4, 8} {
					f := fewForm{rows: kernels.HalvesRows(rows), split: split}
					if _, places := f.room(q.Device.SharedMax, typ); places < 2 || split > 1 && k < 2048 {
						continue
					}
					for i, got := range x.multiply(t, q, products, &f) {
						kerneltest.Same(t, fmt.Sprintf("type %d, k %d, %d rows, %+v, product %d", typ, k, rows, f, i), got, want[i])
					}
				}
			}
		}
	}
}

// Large products take the kernel by themselves.
func TestDeviceFewChosen(t *testing.T) {
	q := kerneltest.OnDevice(t)
	if !q.Device.Hopper() {
		t.Skip("not a device of compute capability 9.0")
	}
	r := rand.New(rand.NewPCG(5, 6))
	const n, k = 6000, 2048
	m, _ := loadMatrix(t, q, r, Q4_K, n, k)
	for _, rows := range []int{20, 64} {
		if _, ok := chooseFew(q.Device, m, rows, (n+fewHigh-1)/fewHigh); !ok {
			t.Errorf("%d rows take another kernel", rows)
		}
		x := randomRows(r, rows, k)
		want := append(deviceProduct(t, q, m, x[:16*k], 16), deviceProduct(t, q, m, x[rows/2*k:][:k], 1)...)
		got := deviceProduct(t, q, m, x, rows)
		kerneltest.Same(t, fmt.Sprintf("%d rows", rows), append(got[:16*n:16*n], got[rows/2*n:][:n]...), want)
	}
}

// fewInput is rows of values, of which live are wanted.
type fewInput struct {
	rows, live, k int
	values        []float32
}

// multiply runs products in a form, or as QueueMul does without halves.
func (x *fewInput) multiply(t testing.TB, q *kernels.Queue, products []Product, f *fewForm) [][]float32 {
	t.Helper()
	rounded := newRounded(t, q, kernels.FormQ8K, x.rows, x.k)
	in := kerneltest.NewRows(t, q, x.rows, x.k, x.k).Set(x.values)
	rowwise.QueueMap(q, rowwise.MapArgs{Op: rowwise.MapRound, A: in.Place(), Rounded: rounded, Rows: x.rows, N: x.k})
	var outs []*kerneltest.DeviceRows
	for i, p := range products {
		outs = append(outs, kerneltest.NewRows(t, q, x.live, p.W.N, p.W.N+3))
		products[i].Out = outs[i].Place()
	}
	rows := MulRows{Rows: x.rows, Count: kerneltest.Put(t, q, []int32{int32(x.live)})}
	if f != nil {
		queueFew(q, products, products[0].W, argsOf(products[0].W, in.Place(), rounded, rows), rounded, *f)
	} else {
		rounded.Halves = 0
		QueueMul(q, products, in.Place(), rounded, rows)
	}
	var got [][]float32
	for _, o := range outs {
		got = append(got, o.Get())
	}
	return got
}
