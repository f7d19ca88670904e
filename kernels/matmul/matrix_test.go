package matmul

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/confab-tui/confab/kernels"
	"github.com/confab-tui/confab/kernels/kerneltest"
)

// matrixForms are the ways this processor can multiply; each runs every test.
func matrixForms() []string {
	var forms []string
	for _, name := range kerneltest.Forms {
		if kerneltest.WithForm(name, func() {}) {
			forms = append(forms, name)
		}
	}
	return forms
}

// scaleFields are where a type's block has F16 scales, which random bytes would
// make infinite.
var scaleFields = map[Type][]int{
	Q8_0: {0}, Q4_0: {0}, Q4_1: {0, 2}, Q5_0: {0}, Q5_1: {0, 2}, IQ4_NL: {0}, Q1_0: {0}, Q2_0: {0},
	Q2_K: {80, 82}, Q3_K: {108}, Q4_K: {0, 2}, Q5_K: {0, 2}, Q6_K: {208}, IQ4_XS: {0}, TQ1_0: {52}, TQ2_0: {64},
	IQ2_XXS: {0}, IQ2_XS: {0}, IQ2_S: {0}, IQ3_XXS: {0}, IQ3_S: {0}, IQ1_S: {0},
}

// randomWeights makes the file's bytes of n values.
func randomWeights(r *rand.Rand, t Type, n int) []byte {
	f := formats[t]
	b := make([]byte, n/f.values*f.bytes)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	for at := 0; at < len(b); at += f.bytes {
		block := b[at : at+f.bytes]
		switch t {
		case F32:
			binary.LittleEndian.PutUint32(block, math.Float32bits(float32(r.NormFloat64())))
		case F16:
			binary.LittleEndian.PutUint16(block, kernels.F32ToF16(float32(r.NormFloat64())))
		case BF16:
			binary.LittleEndian.PutUint16(block, kernels.F32ToBF16(float32(r.NormFloat64())))
		case MXFP4:
			block[0] = 110 + block[0]%20
		case IQ1_M:
			// The four top nibbles of the last 8 bytes are one F16 number.
			d := kernels.F32ToF16(float32(0.5 + r.Float64()))
			for i := range 4 {
				block[49+2*i] = block[49+2*i]&15 | byte(d>>(4*i)&15)<<4
			}
		}
		for _, field := range scaleFields[t] {
			binary.LittleEndian.PutUint16(block[field:], kernels.F32ToF16(float32(r.NormFloat64()*0.01)))
		}
	}
	return b
}

func randomRows(r *rand.Rand, rows, k int) []float32 {
	x := make([]float32, rows*k)
	for i := range x {
		x[i] = float32(r.NormFloat64())
	}
	// An outlier, and a block of zeros, which has no scale.
	x[r.IntN(len(x))] *= 30
	if k >= 512 {
		clear(x[:256])
	}
	return x
}

// poisoned is an input whose unwritten bytes would spoil any result.
func poisoned(f kernels.Form, x []float32, rows, k int) *Input {
	var in Input
	in.Reset(f, rows, k)
	for i := range in.data {
		in.data[i] = 0xff
	}
	in.Fill(x, k, 0, rows)
	return &in
}

// values are the numbers that a row of the input stands for.
func (in *Input) values(r int) []float64 {
	row := in.data[r*in.stride:][:in.stride]
	out := make([]float64, in.k)
	for i := range out {
		switch in.form {
		case kernels.FormF32:
			out[i] = float64(math.Float32frombits(le32(row[4*i:])))
		case kernels.FormBF16:
			out[i] = float64(kernels.BF16ToF32(le16(row[2*i:])))
		case kernels.FormQ8:
			b := row[i/32*q8Bytes:]
			out[i] = float64(int8(b[i%32])) * float64(math.Float32frombits(le32(b[q8Scale:])))
		case kernels.FormQ8K:
			b := row[i/256*q8kBytes:]
			out[i] = float64(int8(b[i%256])) * float64(math.Float32frombits(le32(b[q8kScale:])))
		}
	}
	return out
}

func pack(t testing.TB, typ Type, n, k int, data []byte) *Matrix {
	t.Helper()
	m, err := NewMatrix(typ, n, k)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range [][2]int{{0, m.Panels() / 2}, {m.Panels() / 2, m.Panels()}} {
		from, to := m.Source(p[0], p[1])
		m.Pack(data[from:to], p[0], p[1])
	}
	return m
}

// exact is the product in float64 of the weights and inputs as they are read back.
func exact(typ Type, n, k int, data []byte, in *Input) []float64 {
	out := make([]float64, in.rows*n)
	w := make([]float32, k)
	f := formats[typ]
	rows := make([][]float64, in.rows)
	for i := range rows {
		rows[i] = in.values(i)
	}
	for r := range n {
		stride := k / f.values * f.bytes
		if err := Dequantize(typ, w, data[r*stride:(r+1)*stride]); err != nil {
			panic(err)
		}
		for i, x := range rows {
			sum := 0.0
			for j, v := range w {
				sum += float64(v) * x[j]
			}
			out[i*n+r] = sum
		}
	}
	return out
}

// limitNMSE is for float32 sums of up to 3072 terms: each addition errs by at most
// 6e-8 of the sum so far, which leaves a squared error near 1e-12 of the results'
// when terms cancel; a wrong scale, code or sign gives 1e-6 and more.
const limitNMSE = 1e-11

func nmse(got []float32, want []float64) float64 {
	var wrong, all float64
	for i, w := range want {
		wrong += (float64(got[i]) - w) * (float64(got[i]) - w)
		all += w * w
	}
	if all == 0 {
		return wrong
	}
	return wrong / all
}

type matrixShape struct{ n, k, rows int }

// matrixShapes are odd ones, and those of real models, which would take the plain
// form too long.
func matrixShapes(form string, typ Type) []matrixShape {
	shapes := []matrixShape{
		{1, 32, 1}, {17, 32, 3}, {32, 64, 6}, {33, 96, 7}, {45, 160, 13}, {64, 256, 12}, {70, 512, 2},
		{31, 768, 5}, {40, 7, 3}, {16, 172, 4}, {5, 2560, 1},
		{576, 576, 4}, {1536, 576, 2}, {576, 1536, 3}, {1024, 3072, 1}, {2048, 1024, 2}, {49152, 576, 1},
	}
	return slices.DeleteFunc(shapes, func(s matrixShape) bool {
		big := s.n*s.k > 1<<19 && (form == "plain" || testing.Short()) || s.n > 4096 && typ != Q8_0
		return big || s.k%formats[typ].values != 0
	})
}

func TestMatrix(t *testing.T) {
	for _, form := range matrixForms() {
		for typ := range formats {
			t.Run(fmt.Sprintf("%s/%s", form, typ), func(t *testing.T) {
				kerneltest.WithForm(form, func() {
					for _, s := range matrixShapes(form, typ) {
						checkMatrix(t, typ, s)
					}
				})
			})
		}
	}
}

// guard is what stands around results and must still be there afterwards.
var guard = math.Float32frombits(0xffc0dead)

func checkMatrix(t *testing.T, typ Type, s matrixShape) {
	r := rand.New(rand.NewPCG(uint64(s.n), uint64(s.k)))
	data := randomWeights(r, typ, s.n*s.k)
	m := pack(t, typ, s.n, s.k, data)
	in := poisoned(m.Form(), randomRows(r, s.rows, s.k), s.rows, s.k)
	want := exact(typ, s.n, s.k, data, in)
	ld := s.n + 5
	out := slices.Repeat([]float32{guard}, (s.rows+1)*ld)
	m.Mul(out[ld:], ld, in, nil, 0, m.Panels())
	got := make([]float32, 0, len(want))
	for i := range s.rows + 1 {
		row := out[i*ld : (i+1)*ld]
		if i == 0 {
			row = slices.Concat(row, row[:s.n])[s.n:]
		} else {
			got = append(got, row[:s.n]...)
			row = row[s.n:]
		}
		for _, v := range row {
			if math.Float32bits(v) != math.Float32bits(guard) {
				t.Fatalf("%dx%d, %d rows: wrote outside of its results", s.n, s.k, s.rows)
			}
		}
	}
	if e := nmse(got, want); !(e <= limitNMSE) {
		t.Fatalf("%dx%d, %d rows: error %.3g, allowed %.3g; first results %v, want %.7v",
			s.n, s.k, s.rows, e, limitNMSE, got[:min(4, len(got))], want[:min(4, len(want))])
	}
}

// A row's results are the same bits alone and among others, whatever the split over
// panels and the order of rows.
func TestMatrixRowsAreIndependent(t *testing.T) {
	const n, k, rows = 100, 768, 71
	for _, form := range matrixForms() {
		if form == "plain" && testing.Short() {
			continue
		}
		for typ := range formats {
			t.Run(fmt.Sprintf("%s/%s", form, typ), func(t *testing.T) {
				kerneltest.WithForm(form, func() { checkIndependent(t, typ, n, k, rows) })
			})
		}
	}
}

func checkIndependent(t *testing.T, typ Type, n, k, rows int) {
	r := rand.New(rand.NewPCG(1, uint64(typ)))
	m := pack(t, typ, n, k, randomWeights(r, typ, n*k))
	in := poisoned(m.Form(), randomRows(r, rows, k), rows, k)
	want := make([]float32, rows*n)
	for i := range rows {
		m.Mul(want[i*n:], n, in, []int32{int32(i)}, 0, m.Panels())
	}
	same := func(what string, got []float32, of []int32) {
		for j, i := range of {
			for c := range n {
				if a, b := got[j*n+c], want[int(i)*n+c]; math.Float32bits(a) != math.Float32bits(b) {
					t.Fatalf("%s: row %d, result %d is %v, alone %v", what, i, c, a, b)
				}
			}
		}
	}
	all := make([]int32, rows)
	for i := range all {
		all[i] = int32(i)
	}
	for _, count := range []int{2, 3, 4, 5, 6, 7, 8, 12, 13, 64, rows} {
		got := make([]float32, count*n)
		var wg sync.WaitGroup
		for p := range m.Panels() {
			wg.Go(func() { m.Mul(got, n, in, all[:count], p, p+1) })
		}
		wg.Wait()
		same(fmt.Sprintf("first %d rows, panels by themselves", count), got, all[:count])
	}
	got := make([]float32, rows*n)
	m.Mul(got, n, in, nil, 0, m.Panels())
	same("all rows", got, all)
	mixed := []int32{5, 70, 0, 5, 33, 12, 1, 69, 68}
	clear(got)
	m.Mul(got, n, in, mixed, 0, m.Panels())
	same("chosen rows", got, mixed)
}

// Packing gives the same bytes in every form that has the layout.
func TestPackForms(t *testing.T) {
	const n, k = 70, 768
	for typ := range formats {
		data := randomWeights(rand.New(rand.NewPCG(9, uint64(typ))), typ, n*k)
		var want *Matrix
		kerneltest.WithForm("plain", func() { want = pack(t, typ, n, k, data) })
		for _, form := range matrixForms() {
			kerneltest.WithForm(form, func() {
				if got := pack(t, typ, n, k, data); got.layout == want.layout && !bytes.Equal(got.panels, want.panels) {
					t.Errorf("%s, %s: other bytes", form, typ)
				}
			})
		}
	}
}

func TestNewMatrixRefuses(t *testing.T) {
	for _, c := range []struct {
		t    Type
		n, k int
	}{{Type(9999), 1, 32}, {Q8_0, 1, 33}, {Q4_K, 1, 32}, {Q8_0, 0, 32}} {
		if _, err := NewMatrix(c.t, c.n, c.k); err == nil {
			t.Errorf("%d rows of %d values of %s were taken", c.n, c.k, c.t)
		}
	}
	m, err := NewMatrix(Q8_0, 2, 32)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if recover() == nil {
			t.Error("2 rows of 34 bytes were packed from 67")
		}
	}()
	m.Pack(make([]byte, 67), 0, 1)
}

// The repacked copy of a common type takes no more room than the file's tensor.
func TestMatrixBytes(t *testing.T) {
	for _, typ := range []Type{F32, F16, BF16, Q8_0, Q4_0, Q4_1, Q5_0, Q5_1, IQ4_NL, Q4_K, Q5_K, Q6_K} {
		m, err := NewMatrix(typ, 64, 1024)
		if err != nil {
			t.Fatal(err)
		}
		f := formats[typ]
		if file := int64(64 * 1024 / f.values * f.bytes); m.Bytes() != file {
			t.Errorf("%s takes %d bytes, %d in the file", typ, m.Bytes(), file)
		}
	}
}
