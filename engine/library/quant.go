package library

import (
	"cmp"
	"strconv"

	"github.com/confab-tui/confab/engine/gguf"
)

// fileTypes are the values of general.file_type (llama.cpp's llama_ftype).
var fileTypes = map[int64]string{
	0: "F32", 1: "F16", 2: "Q4_0", 3: "Q4_1", 7: "Q8_0", 8: "Q5_0", 9: "Q5_1", 10: "Q2_K",
	11: "Q3_K_S", 12: "Q3_K_M", 13: "Q3_K_L", 14: "Q4_K_S", 15: "Q4_K_M", 16: "Q5_K_S", 17: "Q5_K_M",
	18: "Q6_K", 19: "IQ2_XXS", 20: "IQ2_XS", 21: "Q2_K_S", 22: "IQ3_XS", 23: "IQ3_XXS", 24: "IQ1_S",
	25: "IQ4_NL", 26: "IQ3_S", 27: "IQ3_M", 28: "IQ2_S", 29: "IQ2_M", 30: "IQ4_XS", 31: "IQ1_M",
	32: "BF16", 36: "TQ1_0", 37: "TQ2_0", 38: "MXFP4",
}

// Quant names how a file's weights are quantised: as the file says, else the
// tensor type that most of its weights have.
func Quant(f *gguf.File) string {
	if n, ok := f.Int("general.file_type"); ok {
		return cmp.Or(fileTypes[n], "file type "+strconv.FormatInt(n, 10))
	}
	bytes := map[gguf.Type]int{}
	var most gguf.Type
	for _, t := range f.Tensors() {
		bytes[t.Type] += len(t.Data)
		if bytes[t.Type] > bytes[most] {
			most = t.Type
		}
	}
	if len(bytes) == 0 {
		return "none"
	}
	return most.String()
}
