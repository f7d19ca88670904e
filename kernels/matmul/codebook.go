package matmul

import (
	_ "embed"
	"math/bits"
)

// codebooks holds what the codes of the IQ types stand for, one uint16 an entry: 8
// values of 2 bits, or 4 of 3 bits, the first value lowest.
//
//go:embed codebooks.bin
var codebooks string

// The entries' places in codebooks, counted in entries.
const (
	bookIQ2XXS = 0                // 256 of 8 values
	bookIQ2XS  = bookIQ2XXS + 256 // 512 of 8
	bookIQ2S   = bookIQ2XS + 512  // 1024 of 8
	bookIQ1    = bookIQ2S + 1024  // 2048 of 8
	bookIQ3XXS = bookIQ1 + 2048   // 256 of 4
	bookIQ3S   = bookIQ3XXS + 256 // 512 of 4
)

// What the small numbers in an entry stand for.
var (
	valuesIQ2    = [4]int8{8, 25, 43}
	valuesIQ1    = [4]int8{-1, 0, 1}
	valuesIQ3XXS = [8]int8{4, 12, 20, 28, 36, 44, 52, 62}
	valuesIQ3S   = [8]int8{1, 3, 5, 7, 9, 11, 13, 15}
)

func bookEntry(i int) uint16 { return uint16(codebooks[2*i]) | uint16(codebooks[2*i+1])<<8 }

// eight writes the 8 values of an entry; bit j of signs makes value j negative.
func eight(dst []int8, entry int, values *[4]int8, signs byte) {
	e := bookEntry(entry)
	for j := range 8 {
		v := values[e>>(2*j)&3]
		if signs>>j&1 != 0 {
			v = -v
		}
		dst[j] = v
	}
}

// four is the same for an entry of 4 values.
func four(dst []int8, entry int, values *[8]int8, signs byte) {
	e := bookEntry(entry)
	for j := range 4 {
		v := values[e>>(3*j)&7]
		if signs>>j&1 != 0 {
			v = -v
		}
		dst[j] = v
	}
}

// evenSigns completes 7 signs with the one that makes their number even.
func evenSigns(s uint32) byte {
	s &= 127
	return byte(s | uint32(bits.OnesCount32(s)&1)<<7)
}
