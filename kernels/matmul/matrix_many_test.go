package matmul

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/confab-tui/confab/kernels/kerneltest"
)

// edgeRows makes input rows of three kinds, one after the other. Each 16 of their values add up to
// the most that a small row may have, to one more, and to the most there is.
func edgeRows(rows, k int) []float32 {
	x := make([]float32, rows*k)
	for i := range x {
		row, at := i/k, i%16
		switch {
		case row%3 == 2 || at < 8:
			x[i] = -127
		case at == 8:
			x[i] = -float32(7 + row%3)
		}
	}
	return x
}

// Products of the largest codes with the largest inputs are the same bits among many rows as alone,
// whether the rows are small or not.
func TestManyRowsAtTheEdge(t *testing.T) {
	const n, k = 50, 512
	quants := map[Type][2]int{Q4_K: {16, 144}, Q6_K: {0, 192}}
	for _, form := range matrixForms() {
		for typ, at := range quants {
			for _, code := range []byte{0, 0xff} {
				kerneltest.WithForm(form, func() {
					data := randomWeights(rand.New(rand.NewPCG(3, 4)), typ, n*k)
					for b := 0; b < len(data); b += formats[typ].bytes {
						copy(data[b+at[0]:b+at[1]], slices.Repeat([]byte{code}, at[1]-at[0]))
					}
					for _, kinds := range [][]int{{0}, {1}, {2}, {0, 1, 2}} {
						checkMany(t, fmt.Sprintf("%s, %s, codes %#x, edges %v", form, typ, code, kinds), pack(t, typ, n, k, data), kinds)
					}
				})
			}
		}
	}
}

// checkMany compares 7 to 16 rows of some kinds of edgeRows with each alone.
func checkMany(t *testing.T, what string, m *Matrix, kinds []int) {
	t.Helper()
	in := poisoned(m.Form(), edgeRows(3*manyRows, m.K), 3*manyRows, m.K)
	var rows []int32
	for i := range int32(3 * manyRows) {
		if slices.Contains(kinds, int(i%3)) {
			rows = append(rows, i)
		}
	}
	want := make([]float32, manyRows*m.N)
	for i, r := range rows[:manyRows] {
		m.Mul(want[i*m.N:], m.N, in, []int32{r}, 0, m.Panels())
	}
	for count := groupRows + 1; count <= manyRows; count++ {
		got := make([]float32, count*m.N)
		m.Mul(got, m.N, in, rows[:count], 0, m.Panels())
		if !slices.Equal(got, want[:len(got)]) {
			t.Errorf("%s: %d rows differ from the same alone", what, count)
		}
	}
}

// A row is called small only if it is, in every form, and always where there are kernels for it.
func TestInputSmall(t *testing.T) {
	const rows, k = 48, 1024
	x := append(edgeRows(rows/2, k), randomRows(rand.New(rand.NewPCG(5, 6)), rows/2, k)...)
	for _, form := range matrixForms() {
		kerneltest.WithForm(form, func() {
			in := poisoned(layoutQ4K.form, x, rows, k)
			for r := range rows {
				largest := 0
				for b := range k / 16 {
					sum := 0
					for _, v := range in.data[r*in.stride+b/16*q8kBytes+b%16*16:][:16] {
						sum += max(int(int8(v)), -int(int8(v)))
					}
					largest = max(largest, sum)
				}
				if want := largest <= smallSum; in.small[r] != want && (in.small[r] || manySteps(kindQ4K) > 0) {
					t.Errorf("%s: row %d, with sums up to %d, is small: %v", form, r, largest, in.small[r])
				}
			}
		})
	}
}
