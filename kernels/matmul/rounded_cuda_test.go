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

// A norm that rounds its result serves a product as rounding afterwards does.
func TestDeviceNormRounds(t *testing.T) {
	q := kerneltest.OnDevice(t)
	r := rand.New(rand.NewPCG(1, 4))
	for _, typ := range []Type{Q8_0, Q4_K} {
		const rows, n, k = 5, 64, 1024
		m, _ := loadMatrix(t, q, r, typ, n, k)
		in := kerneltest.NewRows(t, q, rows, k, k).Set(kerneltest.Gaussians(r, rows*k))
		middle := kerneltest.NewRows(t, q, rows, k, k)
		rounded := newRounded(t, q, m.Form(), rows, k)
		rowwise.QueueNorm(q, rowwise.NormArgs{Out: middle.Place(), In: in.Place(), Rounded: rounded, Rows: rows, N: k, Eps: 1e-5})
		out := kerneltest.NewRows(t, q, rows, n, n)
		QueueMul(q, []Product{{W: m, Out: out.Place()}}, kernels.Place{}, rounded, MulRows{Rows: rows})
		kerneltest.Same(t, fmt.Sprintf("type %d", typ), out.Get(), deviceProduct(t, q, m, middle.Get(), rows))
	}
}
