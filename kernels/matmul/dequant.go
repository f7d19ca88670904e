package matmul

import (
	"encoding/binary"
	"fmt"

	"github.com/confab-tui/confab/kernels"
)

// Type is how a tensor's values are stored; the numbers are GGUF's.
type Type uint32

// The types whose values can be read. They carry the format's own spelling.
const (
	F32     Type = 0
	F16     Type = 1
	Q4_0    Type = 2
	Q4_1    Type = 3
	Q5_0    Type = 6
	Q5_1    Type = 7
	Q8_0    Type = 8
	Q2_K    Type = 10
	Q3_K    Type = 11
	Q4_K    Type = 12
	Q5_K    Type = 13
	Q6_K    Type = 14
	IQ2_XXS Type = 16
	IQ2_XS  Type = 17
	IQ3_XXS Type = 18
	IQ1_S   Type = 19
	IQ4_NL  Type = 20
	IQ3_S   Type = 21
	IQ2_S   Type = 22
	IQ4_XS  Type = 23
	IQ1_M   Type = 29
	BF16    Type = 30
	TQ1_0   Type = 34
	TQ2_0   Type = 35
	MXFP4   Type = 39
	NVFP4   Type = 40
	Q1_0    Type = 41
	Q2_0    Type = 42
)

// format is one type's layout: blocks of so many values in so many bytes. read
// turns one block into its values; all integers and floats are little endian.
type format struct {
	name          string
	values, bytes int
	read          func(dst []float32, src []byte)
}

var formats = map[Type]format{
	F32:     {"F32", 1, 4, readF32},
	F16:     {"F16", 1, 2, readF16},
	BF16:    {"BF16", 1, 2, readBF16},
	Q4_0:    {"Q4_0", 32, 18, readQ4_0},
	Q4_1:    {"Q4_1", 32, 20, readQ4_1},
	Q5_0:    {"Q5_0", 32, 22, readQ5_0},
	Q5_1:    {"Q5_1", 32, 24, readQ5_1},
	Q8_0:    {"Q8_0", 32, 34, readQ8_0},
	Q2_K:    {"Q2_K", 256, 84, readQ2K},
	Q3_K:    {"Q3_K", 256, 110, coded(codesQ3K).read},
	Q4_K:    {"Q4_K", 256, 144, readQ4K},
	Q5_K:    {"Q5_K", 256, 176, readQ5K},
	Q6_K:    {"Q6_K", 256, 210, coded(codesQ6K).read},
	IQ4_NL:  {"IQ4_NL", 32, 18, readIQ4NL},
	IQ4_XS:  {"IQ4_XS", 256, 136, coded(codesIQ4XS).read},
	IQ2_XXS: {"IQ2_XXS", 256, 66, coded(codesIQ2XXS).read},
	IQ2_XS:  {"IQ2_XS", 256, 74, coded(codesIQ2XS).read},
	IQ2_S:   {"IQ2_S", 256, 82, coded(codesIQ2S).read},
	IQ3_XXS: {"IQ3_XXS", 256, 98, coded(codesIQ3XXS).read},
	IQ3_S:   {"IQ3_S", 256, 110, coded(codesIQ3S).read},
	IQ1_S:   {"IQ1_S", 256, 50, coded(codesIQ1S).read},
	IQ1_M:   {"IQ1_M", 256, 56, coded(codesIQ1M).read},
	TQ1_0:   {"TQ1_0", 256, 54, coded(codesTQ1).read},
	TQ2_0:   {"TQ2_0", 256, 66, coded(codesTQ2).read},
	MXFP4:   {"MXFP4", 32, 17, readMXFP4},
	NVFP4:   {"NVFP4", 64, 36, readNVFP4},
	Q1_0:    {"Q1_0", 128, 18, readQ1_0},
	Q2_0:    {"Q2_0", 64, 18, readQ2_0},
}

// String is the type's name in the format.
func (t Type) String() string {
	if f, ok := formats[t]; ok {
		return f.name
	}
	return fmt.Sprintf("type %d", uint32(t))
}

// Dequantize reads len(dst) values out of src, exactly. It refuses a type that it
// does not know and lengths that are not whole blocks.
func Dequantize(t Type, dst []float32, src []byte) error {
	f, ok := formats[t]
	if !ok {
		return fmt.Errorf("matmul: tensor type %d is not supported", uint32(t))
	}
	blocks := len(dst) / f.values
	if len(dst)%f.values != 0 || len(src) < blocks*f.bytes {
		return fmt.Errorf("matmul: %d values of %s in %d bytes: blocks are %d values in %d bytes",
			len(dst), f.name, len(src), f.values, f.bytes)
	}
	if f.values == 1 {
		f.read(dst, src)
		return nil
	}
	for i := range blocks {
		f.read(dst[i*f.values:(i+1)*f.values], src[i*f.bytes:(i+1)*f.bytes])
	}
	return nil
}

func le16(b []byte) uint16 { return binary.LittleEndian.Uint16(b) }

func le32(b []byte) uint32 { return binary.LittleEndian.Uint32(b) }

// half is the F16 number at b.
func half(b []byte) float32 { return kernels.F16ToF32(le16(b)) }
