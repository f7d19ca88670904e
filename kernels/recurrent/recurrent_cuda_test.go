//go:build cuda

package recurrent

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/confab-tui/confab/kernels"
	"github.com/confab-tui/confab/kernels/kerneltest"
	"github.com/confab-tui/confab/kernels/rowwise"
)

// pieces of three sequences in one step: the first goes on, the second begins, the
// third has a single row; places without a sequence stand between. Row 3 belongs to none.
var devicePieces = []Piece{{First: 0, Count: 3, Slot: 4}, {}, {First: 4, Count: 40, Slot: 0, Fresh: 1}, {First: 44, Count: 1, Slot: 2}}

const (
	pieceRows  = 45
	pieceSlots = 5
)

// states are slots of random values; a slot that a sequence begins in is NaN.
func states(r *rand.Rand, width int) []float32 {
	x := kerneltest.Gaussians(r, pieceSlots*width)
	for i := range width {
		x[i] = float32(math.NaN())
	}
	return x
}

// begin clears a fresh piece's state.
func begin(p Piece, state []float32) []float32 {
	if p.Fresh != 0 {
		clear(state)
	}
	return state
}

// The convolution, in place with SiLU and elsewhere without, of sequences that begin and go
// on, and what it leaves in their states and in those of others.
func TestDeviceConv(t *testing.T) {
	q := kerneltest.OnDevice(t)
	r := rand.New(rand.NewPCG(1, 20))
	for _, taps := range []int{1, 2, 4} {
		for _, channels := range []int{37, 256, 1000} {
			x, w, state := kerneltest.Gaussians(r, pieceRows*channels), kerneltest.Gaussians(r, channels*taps), states(r, (taps-1)*channels)
			turned := make([]float32, len(w))
			for i := range w {
				turned[i%taps*channels+i/taps] = w[i]
			}
			for _, silu := range []bool{false, true} {
				inPlace := silu
				in := kerneltest.NewRows(t, q, pieceRows, channels, channels+5).Set(x)
				out := in
				want := slices.Clone(x)
				if !inPlace {
					out = kerneltest.NewRows(t, q, pieceRows, channels, channels+3).Set(want)
				}
				old := kerneltest.NewRows(t, q, 1, len(state), max(1, len(state))).Set(state)
				QueueConv(q, ConvArgs{Out: out.Place(), In: in.Place(), Weight: kerneltest.Put(t, q, w), State: old.Place().Ptr, Channels: channels, Taps: taps, SiLU: silu},
					kerneltest.Put(t, q, devicePieces), len(devicePieces))
				after := slices.Clone(state)
				for _, p := range devicePieces {
					if p.Count == 0 {
						continue
					}
					s := begin(p, after[int(p.Slot)*(taps-1)*channels:][:(taps-1)*channels])
					for i := int(p.First); i < int(p.First+p.Count); i++ {
						row := want[i*channels:][:channels]
						if Convolve(row, row, s, turned); silu {
							rowwise.SiLU(row, row)
						}
					}
				}
				what := fmt.Sprintf("%d taps, %d channels, in place %t", taps, channels, inPlace)
				kerneltest.Near(t, what, out.Get(), want, 1e-6)
				kerneltest.Same(t, what+": states", old.Get(), after)
			}
		}
	}
}

// The rule for heads that share keys, whatever the widths.
func TestDeviceDeltaRule(t *testing.T) {
	q := kerneltest.OnDevice(t)
	r := rand.New(rand.NewPCG(1, 21))
	for _, s := range [][3]int{{16, 16, 2}, {128, 128, 3}, {40, 72, 2}, {100, 33, 1}} {
		deltaOnDevice(t, q, r, s[0], s[1], s[2])
	}
}

func deltaOnDevice(t *testing.T, q *kernels.Queue, r *rand.Rand, keyDim, valueDim, share int) {
	const keyHeads = 2
	heads := keyHeads * share
	keys, values := keyHeads*keyDim, heads*valueDim
	mixed, alpha, beta := kerneltest.Gaussians(r, pieceRows*(2*keys+values)), kerneltest.Gaussians(r, pieceRows*heads), kerneltest.Gaussians(r, pieceRows*heads)
	decay, bias := kerneltest.Gaussians(r, heads), kerneltest.Gaussians(r, heads)
	for h := range decay {
		decay[h] = -float32(math.Abs(float64(decay[h]))) / 4
	}
	const eps = 1e-6
	state := states(r, DeltaState(heads, keyDim, valueDim))
	in := kerneltest.NewRows(t, q, pieceRows, 2*keys+values, 2*keys+values+4).Set(mixed)
	out, old := kerneltest.NewRows(t, q, pieceRows, values, values+1), kerneltest.NewRows(t, q, 1, len(state), len(state)).Set(state)
	want := kerneltest.Gaussians(r, pieceRows*values)
	out.Set(want)
	QueueDeltaRule(q, DeltaArgs{Out: out.Place(), Q: in.Place(), K: in.Place().At(keys), V: in.Place().At(2 * keys),
		Alpha: kerneltest.NewRows(t, q, pieceRows, heads, heads).Set(alpha).Place(), Beta: kerneltest.NewRows(t, q, pieceRows, heads, heads+1).Set(beta).Place(),
		Decay: kerneltest.Put(t, q, decay), Bias: kerneltest.Put(t, q, bias), State: old.Place().Ptr, Heads: heads, KeyHeads: keyHeads, KeyDim: keyDim,
		ValueDim: valueDim, Eps: eps}, kerneltest.Put(t, q, devicePieces), len(devicePieces))
	stride := len(state) / pieceSlots / heads / valueDim
	change := make([]float32, valueDim)
	for _, p := range devicePieces {
		for h := range heads {
			own := state[(int(p.Slot)*heads+h)*valueDim*stride:][:valueDim*stride]
			if p.Count == 0 {
				continue
			}
			begin(p, own)
			s := turned(own, valueDim, stride)[:keyDim*valueDim]
			for i := int(p.First); i < int(p.First+p.Count); i++ {
				row := mixed[i*(2*keys+values):]
				x, y := unit(row[h%keyHeads*keyDim:][:keyDim], eps, keyDim), unit(row[keys+h%keyHeads*keyDim:][:keyDim], eps, 1)
				a := float64(alpha[i*heads+h] + bias[h])
				forget := float32(math.Exp(float64(decay[h]) * math.Log1p(math.Exp(a))))
				learn := float32(1 / (1 + math.Exp(-float64(beta[i*heads+h]))))
				DeltaRule(want[i*values+h*valueDim:][:valueDim], s, x, y, row[2*keys+h*valueDim:][:valueDim], change, forget, learn)
			}
			for k := range keyDim {
				for v := range valueDim {
					own[v*stride+k] = s[k*valueDim+v]
				}
			}
		}
	}
	what := fmt.Sprintf("%d keys, %d values, %d heads", keyDim, valueDim, heads)
	kerneltest.Near(t, what, out.Get(), want, 1e-5)
	kerneltest.Near(t, what+": states", kept(old.Get(), stride, keyDim), kept(state, stride, keyDim), 1e-5)
}

// turned is a matrix of so many rows and columns with its columns as rows.
func turned(x []float32, rows, columns int) []float32 {
	y := make([]float32, len(x))
	for r := range rows {
		for c := range columns {
			y[c*rows+r] = x[r*columns+c]
		}
	}
	return y
}

// unit is x divided by its length, of at least eps, and by the root of n.
func unit(x []float32, eps float64, n int) []float32 {
	var sum float64
	for _, v := range x {
		sum += float64(v) * float64(v)
	}
	y := make([]float32, len(x))
	rowwise.Scale(y, x, float32(1/max(math.Sqrt(sum), eps)/math.Sqrt(float64(n))))
	return y
}

// kept are the first n of every stride values; what stands behind them is padding.
func kept(x []float32, stride, n int) []float32 {
	var y []float32
	for ; len(x) > 0; x = x[stride:] {
		y = append(y, x[:n]...)
	}
	return y
}
