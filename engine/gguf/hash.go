package gguf

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
)

const (
	// hashSamples spots of sampleBytes each, spread evenly over a part's data,
	// stand for the weights: few enough pages that a cold file costs nothing.
	hashSamples = 64
	sampleBytes = 4096
)

// Hash names the content: 32 hexadecimal digits, the same wherever the file is.
// It covers the sizes, the headers and samples of the data, not every weight.
// It panics after Close.
func (f *File) Hash() string { return f.hash() }

func (f *File) sum() string {
	if f.parts == nil {
		panic("gguf: Hash after Close")
	}
	h := sha256.New()
	for _, p := range f.parts {
		h.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(p.data))))
		h.Write(p.data[:p.headerEnd])
		weights := p.data[p.dataStart:]
		if len(weights) <= hashSamples*sampleBytes {
			h.Write(weights)
			continue
		}
		step := (len(weights) - sampleBytes) / (hashSamples - 1)
		for i := range hashSamples {
			h.Write(weights[i*step:][:sampleBytes])
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}
