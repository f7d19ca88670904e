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

// Every form of the kernel for few rows on Hopper gives the bits of the plain kernel for
// many: all rows at a time, clusters, one piece on its way and more.
func TestDeviceStreamForms(t *testing.T) {
	q := kerneltest.OnDevice(t)
	if !q.Device.Hopper() {
		t.Skip("not a device of compute capability 9.0")
	}
	n, types := 1000, []Type{BF16, Q4_1, MXFP4, Q8_0, Q4_K, Q5_K, Q6_K}
	if testing.Short() {
		n, types = 150, []Type{BF16, Q8_0, Q4_K}
	}
	for _, typ := range types {
		for _, k := range []int{256, 2048} {
			t.Run(fmt.Sprintf("type-%d-%d", typ, k), func(t *testing.T) {
				kerneltest.Use(t, q)
				streamForms(t, q, typ, n, k)
			})
		}
	}
}

func streamForms(t *testing.T, q *kernels.Queue, typ Type, n, k int) {
	const most = 80
	r := rand.New(rand.NewPCG(uint64(typ), uint64(k)))
	m, _ := loadMatrix(t, q, r, typ, n, k)
	x := randomRows(r, most, k)
	want := deviceProduct(t, q, m, x, most)
	for rows := 2; rows <= 32; rows *= 2 {
		if rows < 8 && m.Form() != kernels.FormQ8K {
			continue
		}
		for i, cluster := range []int{1, 2, 4, 8} {
			f := streamForm{rows: rows, cluster: cluster, slots: 1 + i%mostSlots}
			if f.fit(q.Device.SharedMax, m, rows) < f.slots {
				continue
			}
			for _, live := range []int{rows + rows/2, rows, 2*rows - 1} {
				if testing.Short() && live != rows+rows/2 {
					continue
				}
				got := streamProduct(t, q, m, x, live, f)
				kerneltest.Same(t, fmt.Sprintf("%d rows, %+v", live, f), got, want[:live*n])
			}
		}
	}
}

// streamProduct runs rows of x through one form.
func streamProduct(t testing.TB, q *kernels.Queue, m *DeviceMatrix, x []float32, rows int, f streamForm) []float32 {
	t.Helper()
	in := kerneltest.NewRows(t, q, rows, m.K, m.K+8).Set(x)
	rounded := newRounded(t, q, m.Form(), rows, m.K)
	if m.Form() != kernels.FormF32 {
		rowwise.QueueMap(q, rowwise.MapArgs{Op: rowwise.MapRound, A: in.Place(), Rounded: rounded, Rows: rows, N: m.K})
	}
	out := kerneltest.NewRows(t, q, rows, m.N, m.N+5)
	a := argsOf(m, in.Place(), rounded, MulRows{Rows: rows})
	fillJobs(&a.jobs, []Product{{W: m, Out: out.Place()}}, m.Type, 16)
	queueStream(q, m, a, f)
	return out.Get()
}
