//go:build cuda

package matmul

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/confab-tui/confab/kernels"
	"github.com/confab-tui/confab/kernels/kerneltest"
	"github.com/confab-tui/confab/kernels/rowwise"
)

var deviceTypes = []Type{F32, F16, BF16, Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, Q4_K, Q5_K, Q6_K, MXFP4}

// loadMatrix makes random weights, on the device and for the CPU.
func loadMatrix(t testing.TB, q *kernels.Queue, r *rand.Rand, typ Type, n, k int) (*DeviceMatrix, []byte) {
	t.Helper()
	data := randomWeights(r, typ, n*k)
	m := &DeviceMatrix{Type: typ, N: n, K: k, Experts: 1}
	m.Data = kerneltest.Put(t, q, make([]byte, m.Bytes()))
	if err := q.Device.Fill(m.Data, 0xff, m.Bytes()); err != nil {
		t.Fatal(err)
	}
	src := kerneltest.Put(t, q, data)
	// In two runs, as weights come when they are large.
	first := n / 2 / 16 * 16
	stride := len(data) / n
	QueueRepack(q, m, 0, 0, first, src)
	QueueRepack(q, m, 0, first, n-first, kerneltest.Put(t, q, data[first*stride:]))
	kerneltest.Wait(t, q)
	return m, data
}

// newRounded makes room for rounded rows, poisoned.
func newRounded(t testing.TB, q *kernels.Queue, f kernels.Form, rows, k int) kernels.Rounded {
	t.Helper()
	values, records := kernels.RoundedBytes(f, rows, k)
	r := kernels.Rounded{Form: f, Chunks: (k + 255) / 256, Values: kerneltest.Put(t, q, make([]byte, values)), Records: kerneltest.Put(t, q, make([]byte, records))}
	if f == kernels.FormF32 {
		return kernels.Rounded{}
	}
	if err := q.Device.Fill(r.Values, 0x55, values); err != nil {
		t.Fatal(err)
	}
	if err := q.Device.Fill(r.Records, 0xff, records); err != nil {
		t.Fatal(err)
	}
	if n := GatheredBytes(q.Device, f, k); n > 0 {
		r.Gathered = kerneltest.Put(t, q, make([]byte, n))
		if err := q.Device.Fill(r.Gathered, 0xff, n); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

// deviceProduct runs x through the device form; rows may be padded by more rows of x.
func deviceProduct(t testing.TB, q *kernels.Queue, m *DeviceMatrix, x []float32, rows int) []float32 {
	t.Helper()
	in := kerneltest.NewRows(t, q, rows, m.K, m.K+8).Set(x)
	rounded := newRounded(t, q, m.Form(), rows, m.K)
	if m.Form() != kernels.FormF32 {
		rowwise.QueueMap(q, rowwise.MapArgs{Op: rowwise.MapRound, A: in.Place(), Rounded: rounded, Rows: rows, N: m.K})
	}
	out := kerneltest.NewRows(t, q, rows, m.N, m.N+5)
	QueueMul(q, []Product{{W: m, Out: out.Place()}}, in.Place(), rounded, MulRows{Rows: rows})
	return out.Get()
}

// reference multiplies with the CPU's form.
func reference(t testing.TB, typ Type, n, k int, data []byte, x []float32, rows int) []float32 {
	t.Helper()
	m, err := NewMatrix(typ, n, k)
	if err != nil {
		t.Fatal(err)
	}
	m.Pack(data, 0, m.Panels())
	var in Input
	in.Reset(m.Form(), rows, k)
	in.Fill(x, k, 0, rows)
	out := make([]float32, rows*n)
	m.Mul(out, n, &in, nil, 0, m.Panels())
	return out
}

// Products agree with the CPU's, whose integers are the same: only the order of float
// sums differs. A row's bits do not depend on the rows beside it.
func TestDeviceProducts(t *testing.T) {
	q := kerneltest.OnDevice(t)
	shapes := [][2]int{{64, 256}, {48, 512}, {17, 1024}, {1000, 768}, {128, 4096}, {33, 14336}}
	widths := []int{1, 2, 3, 7, 8, 9, 16, 17, 33, 64, 65}
	if testing.Short() {
		shapes, widths = shapes[:2], []int{1, 3, 9, 17, 33, 65}
	}
	for _, typ := range deviceTypes {
		more := shapes
		if f := formats[typ]; f.values <= 32 {
			more = append(more, [2]int{40, 64}, [2]int{24, 352})
			if f.values == 1 {
				more = append(more, [2]int{64, 172}, [2]int{5, 3})
			}
		}
		for _, shape := range more {
			r := rand.New(rand.NewPCG(uint64(typ), uint64(shape[1])))
			n, k := shape[0], shape[1]
			m, data := loadMatrix(t, q, r, typ, n, k)
			const most = 130
			x := randomRows(r, most, k)
			want := reference(t, typ, n, k, data, x, most)
			wide := deviceProduct(t, q, m, x, most)
			limit := 5e-6
			if formats[typ].values == 1 {
				limit = 3e-5 // sums of floats, in another order
			}
			if typ == BF16 {
				limit = 4e-3 // the CPU rounds activations to BF16 there
			}
			kerneltest.Near(t, fmt.Sprintf("type %d, %d x %d", typ, n, k), wide, want, limit)
			for _, rows := range widths {
				kerneltest.Same(t, fmt.Sprintf("type %d, %d x %d, %d rows", typ, n, k, rows), deviceProduct(t, q, m, x, rows), wide[:rows*n])
			}
		}
	}
}

// Several products in one launch, of different types and sizes, with biases and sums,
// fewer rows than the launch is made for.
func TestDeviceProductsTogether(t *testing.T) {
	q := kerneltest.OnDevice(t)
	r := rand.New(rand.NewPCG(3, 4))
	const k, rows, live = 512, 16, 11
	x := randomRows(r, rows, k)
	in := kerneltest.NewRows(t, q, rows, k, k).Set(x)
	rounded := newRounded(t, q, kernels.FormQ8K, rows, k)
	rowwise.QueueMap(q, rowwise.MapArgs{Op: rowwise.MapRound, A: in.Place(), Rounded: rounded, Rows: rows, N: k})
	var products []Product
	var outs []*kerneltest.DeviceRows
	var wants [][]float32
	for i, typ := range []Type{Q4_K, Q6_K, Q5_K} {
		n := 40 + 50*i
		m, data := loadMatrix(t, q, r, typ, n, k)
		bias, add := kerneltest.Gaussians(r, n), kerneltest.Gaussians(r, rows*n)
		want := reference(t, typ, n, k, data, x, rows)[:live*n]
		for j := range want {
			want[j] += bias[j%n]
			want[j] += add[j]
		}
		out := kerneltest.NewRows(t, q, live, n, n+3)
		outs, wants = append(outs, out), append(wants, want)
		products = append(products, Product{W: m, Out: out.Place(), Bias: kerneltest.Put(t, q, bias), Add: kerneltest.NewRows(t, q, rows, n, n).Set(add).Place()})
	}
	count := kerneltest.Put(t, q, []int32{live})
	QueueMul(q, products, in.Place(), rounded, MulRows{Rows: rows, Count: count})
	for i := range outs {
		kerneltest.Near(t, fmt.Sprintf("product %d", i), outs[i].Get(), wants[i], 5e-6)
	}
}

// Looking rows up gives what reading the file back gives.
func TestDeviceEmbed(t *testing.T) {
	q := kerneltest.OnDevice(t)
	for _, typ := range deviceTypes {
		r := rand.New(rand.NewPCG(uint64(typ), 9))
		const n, k = 50, 512
		m, data := loadMatrix(t, q, r, typ, n, k)
		all := make([]float32, n*k)
		if err := Dequantize(typ, all, data); err != nil {
			t.Fatal(err)
		}
		ids := []int32{49, 0, 17, 16, 15, 31, 32, 7}
		var want []float32
		for _, id := range ids {
			want = append(want, all[int(id)*k:int(id+1)*k]...)
		}
		rowwise.Scale(want, want, 1.5)
		out := kerneltest.NewRows(t, q, len(ids), k, k+4)
		QueueEmbed(q, out.Place(), m, kerneltest.Put(t, q, ids), len(ids), 1.5)
		kerneltest.Same(t, fmt.Sprintf("type %d", typ), out.Get(), want)
	}
}

// Every scale and every code of MXFP4 comes back, in both halves of a byte.
func TestDeviceEmbedMXFP4(t *testing.T) {
	q := kerneltest.OnDevice(t)
	const n, k = 256, 32
	data, ids := make([]byte, n*17), make([]int32, n)
	for i := range n {
		data[17*i], ids[i] = byte(i), int32(i)
		for j := range 16 {
			data[17*i+1+j] = byte(j | (i+j)%16<<4)
		}
	}
	want := make([]float32, n*k)
	if err := Dequantize(MXFP4, want, data); err != nil {
		t.Fatal(err)
	}
	m := &DeviceMatrix{Type: MXFP4, N: n, K: k, Experts: 1}
	m.Data = kerneltest.Put(t, q, make([]byte, m.Bytes()))
	QueueRepack(q, m, 0, 0, n, kerneltest.Put(t, q, data))
	out := kerneltest.NewRows(t, q, n, k, k)
	QueueEmbed(q, out.Place(), m, kerneltest.Put(t, q, ids), n, 1)
	kerneltest.Same(t, "every scale", out.Get(), want)
}
