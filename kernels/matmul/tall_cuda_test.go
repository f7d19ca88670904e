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

// Every form of the kernels for 17 to 64 rows on Hopper gives the bits of the kernels for
// fewer: tiles one after the other and shared by clusters, two matrices in a launch,
// biases and sums, rows that are not there.
func TestDeviceTallForms(t *testing.T) {
	q := kerneltest.OnDevice(t)
	if !q.Device.Hopper() {
		t.Skip("not a device of compute capability 9.0")
	}
	inputs, types := []int{256, 2048, 5120}, []Type{Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, Q4_K, Q5_K}
	if testing.Short() {
		inputs, types = inputs[:2], []Type{Q5_1, Q8_0, Q4_K, Q5_K}
	}
	for _, typ := range types {
		for _, k := range inputs {
			r := rand.New(rand.NewPCG(uint64(typ), uint64(k)))
			for _, rows := range []int{17, 32, 33, 64} {
				x := tallInput{rows: rows, live: rows - rows/8, k: k, values: randomRows(r, rows, k)}
				for i := x.live * k; i < len(x.values); i++ {
					x.values[i] = float32(math.NaN())
				}
				var products []Product
				for _, n := range []int{1000, 33} {
					m, _ := loadMatrix(t, q, r, typ, n, k)
					add := kerneltest.NewRows(t, q, rows, n, n+1).Set(kerneltest.Gaussians(r, rows*n))
					products = append(products, Product{W: m, Bias: kerneltest.Put(t, q, kerneltest.Gaussians(r, n)), Add: add.Place()})
				}
				want := x.multiply(t, q, products, 0)
				for _, split := range []int{1, 2, 4, 8} {
					if !tallSplit(q, products[0].W, rows, split) {
						continue
					}
					for i, got := range x.multiply(t, q, products, split) {
						kerneltest.Same(t, fmt.Sprintf("type %d, k %d, %d rows, split %d, product %d", typ, k, rows, split, i), got, want[i])
					}
				}
			}
		}
	}
}

// tallSplit says whether a kernel can divide the chunks so.
func tallSplit(q *kernels.Queue, w *DeviceMatrix, rows, split int) bool {
	if split > 1 && w.K < 2048 {
		return false
	}
	if w.Form() == kernels.FormQ8 {
		return split != 2
	}
	_, places := fewForm{rows: kernels.GatheredRows(rows), split: split}.room(q.Device.SharedMax, w.Type)
	return places >= 2
}

// Blocks that take many tiles, one after the other, give the same bits.
func TestDeviceTallTiles(t *testing.T) {
	q := kerneltest.OnDevice(t)
	if !q.Device.Hopper() {
		t.Skip("not a device of compute capability 9.0")
	}
	r := rand.New(rand.NewPCG(7, 8))
	n, k := tallHigh*(2*q.Device.SMs+20), 512
	for _, typ := range []Type{Q8_0, Q4_K} {
		m, _ := loadMatrix(t, q, r, typ, n, k)
		for _, rows := range []int{32, 64} {
			x := tallInput{rows: rows, live: rows, k: k, values: randomRows(r, rows, k)}
			want := x.multiply(t, q, []Product{{W: m}}, 0)
			kerneltest.Same(t, fmt.Sprintf("type %d, %d rows", typ, rows), x.multiply(t, q, []Product{{W: m}}, 1)[0], want[0])
		}
	}
}

// Large products take the kernels by themselves.
func TestDeviceTallChosen(t *testing.T) {
	q := kerneltest.OnDevice(t)
	if !q.Device.Hopper() {
		t.Skip("not a device of compute capability 9.0")
	}
	r := rand.New(rand.NewPCG(5, 6))
	const n, k = 6000, 2048
	for _, typ := range []Type{Q4_K, Q8_0} {
		m, _ := loadMatrix(t, q, r, typ, n, k)
		for _, rows := range []int{20, 64} {
			_, few := chooseFew(q.Device, m, rows, (n+tallHigh-1)/tallHigh)
			_, dozens := chooseDozens(q.Device, m, rows, (n+tallHigh-1)/tallHigh)
			if few == dozens {
				t.Errorf("type %d: %d rows take another kernel", typ, rows)
			}
			x := randomRows(r, rows, k)
			want := append(deviceProduct(t, q, m, x[:16*k], 16), deviceProduct(t, q, m, x[rows/2*k:][:k], 1)...)
			got := deviceProduct(t, q, m, x, rows)
			kerneltest.Same(t, fmt.Sprintf("type %d, %d rows", typ, rows), append(got[:16*n:16*n], got[rows/2*n:][:n]...), want)
		}
	}
}

// tallInput is rows of values, of which live are wanted.
type tallInput struct {
	rows, live, k int
	values        []float32
}

// multiply runs products with their chunks divided among so many blocks, or, where split is 0, as
// QueueMul does without the kernels for 17 to 64 rows.
func (x *tallInput) multiply(t testing.TB, q *kernels.Queue, products []Product, split int) [][]float32 {
	t.Helper()
	w := products[0].W
	rounded := newRounded(t, q, w.Form(), x.rows, x.k)
	in := kerneltest.NewRows(t, q, x.rows, x.k, x.k).Set(x.values)
	rowwise.QueueMap(q, rowwise.MapArgs{Op: rowwise.MapRound, A: in.Place(), Rounded: rounded, Rows: x.rows, N: x.k})
	var outs []*kerneltest.DeviceRows
	for i, p := range products {
		outs = append(outs, kerneltest.NewRows(t, q, x.live, p.W.N, p.W.N+3))
		products[i].Out = outs[i].Place()
	}
	rows := MulRows{Rows: x.rows, Count: kerneltest.Put(t, q, []int32{int32(x.live)})}
	args, held := argsOf(w, in.Place(), rounded, rows), kernels.GatheredRows(x.rows)
	switch {
	case split == 0:
		rounded.Gathered = 0
		QueueMul(q, products, in.Place(), rounded, rows)
	case w.Form() == kernels.FormQ8:
		queueDozens(q, products, w, args, rounded, dozensForm{rows: held, split: split})
	default:
		queueFew(q, products, w, args, rounded, fewForm{rows: held, split: split})
	}
	var got [][]float32
	for _, o := range outs {
		got = append(got, o.Get())
	}
	return got
}
