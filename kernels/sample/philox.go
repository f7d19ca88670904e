package sample

import (
	"math"

	"github.com/confab-tui/confab/kernels/rowwise"
)

// The noise of a draw is a function of the answer's seed, the position that the
// token will have and the token's id, so that a token is drawn alike alone, in a
// batch, after a rewind and on any device. Exactly:
//
//	key      = { low 32 bits of seed, high 32 bits of seed }
//	counter  = { id >> 2, position, 0, 0 }
//	x        = output word (id & 3) of Philox4x32-10
//	u        = ((x >> 8) | 1) * 2^-24, exact in float32, never 0 or 1
//	noise    = -logFloat(-logFloat(u))
//
// with logFloat below, whose every product and sum is rounded to float32 by itself.
// The noise lies in -2.81 .. 16.64.

// No noise is above loudestNoise or below -quietest: a token whose scaled logit is
// further below another's noisy one cannot be drawn.
const (
	loudestNoise = 16.65
	quietest     = 2.83
)

// philox is Philox4x32-10: ten rounds of two 32-bit products.
func philox(counter [4]uint32, key [2]uint32) [4]uint32 {
	for range 10 {
		a := uint64(counter[0]) * 0xD2511F53
		b := uint64(counter[2]) * 0xCD9E8D57
		counter = [4]uint32{
			uint32(b>>32) ^ counter[1] ^ key[0], uint32(b),
			uint32(a>>32) ^ counter[3] ^ key[1], uint32(a),
		}
		key[0] += 0x9E3779B9
		key[1] += 0xBB67AE85
	}
	return counter
}

// GumbelNoise is the noise of one token at one position of an answer.
func GumbelNoise(seed uint64, pos, id int32) float32 {
	words := philox([4]uint32{uint32(id) >> 2, uint32(pos)}, [2]uint32{uint32(seed), uint32(seed >> 32)})
	return gumbel(words[id&3])
}

// noiseBlock gives the noise of the tokens from 64*block on; what is too quiet to
// exceed a bound may come out as minus infinity, which spares most logarithms.
func noiseBlock(dst *[rowwise.MaximaBlock]float32, seed uint64, pos int32, block int, bound float32) {
	// The least u whose noise can exceed the bound, with room for rounding.
	least := math.Exp(-math.Exp(1e-4 - float64(bound)))
	for i := 0; i < rowwise.MaximaBlock; i += 4 {
		counter := uint32(block*rowwise.MaximaBlock+i) >> 2
		words := philox([4]uint32{counter, uint32(pos)}, [2]uint32{uint32(seed), uint32(seed >> 32)})
		for j, word := range words {
			dst[i+j] = float32(math.Inf(-1))
			if float64(word>>8|1)*0x1p-24 >= least {
				dst[i+j] = gumbel(word)
			}
		}
	}
}

// gumbel turns a word into noise.
func gumbel(word uint32) float32 {
	u := float32(word>>8|1) * 0x1p-24
	return -logFloat(-logFloat(u))
}

// logFloat is the natural logarithm of a positive normal x, to 2 units in the last
// place. x = 2^e * (1+f) with 1+f in [√½, √2), and log(1+f) = f + f²·q(f); q's
// coefficients, of f⁰ on, are logCoefficients. The order of operations is part of
// the definition; no product may be fused with a sum.
func logFloat(x float32) float32 {
	bits := math.Float32bits(x)
	// Subtracting √½ puts the carry of the mantissa into the exponent.
	e := int32(bits-0x3f3504f3) >> 23
	f := math.Float32frombits(bits-uint32(e)<<23) - 1
	q := logCoefficients[len(logCoefficients)-1]
	for i := len(logCoefficients) - 2; i >= 0; i-- {
		q = float32(q*f) + logCoefficients[i]
	}
	exponent := float32(e)
	y := float32(float32(f*f)*q) + float32(exponent*ln2Low)
	return float32(y+f) + float32(exponent*ln2High)
}

// ln2High has so few bits that its products with exponents are exact.
const (
	ln2High = 0.693359375
	ln2Low  = -2.1219444005471377e-4
)

var logCoefficients = [...]float32{
	-0.4999999701976776, 0.3333333134651184, -0.2500078082084656,
	0.20001234114170074, -0.16626645624637604, 0.14204855263233185,
	-0.13127554953098297, 0.12722672522068024, -0.07673641294240952,
}
