package gguf

import (
	"encoding/binary"
	"slices"
)

// builder writes GGUF files piece by piece, right or wrong.
type builder struct {
	// keys and tensors are counted as they are added, and written by bytes.
	version       uint32
	keys, tensors uint64
	header        []byte
	directory     []byte
	data          []byte
	alignment     int
}

func newBuilder() *builder { return &builder{version: 3, alignment: defaultAlignment} }

func appendString(b []byte, s string) []byte {
	return append(binary.LittleEndian.AppendUint64(b, uint64(len(s))), s...)
}

func le32(x uint32) []byte { return binary.LittleEndian.AppendUint32(nil, x) }
func le64(x uint64) []byte { return binary.LittleEndian.AppendUint64(nil, x) }

// key adds a key with the bytes of its value.
func (w *builder) key(name string, k kind, value ...[]byte) *builder {
	w.keys++
	w.header = appendString(w.header, name)
	w.header = append(w.header, le32(uint32(k))...)
	w.header = append(w.header, slices.Concat(value...)...)
	return w
}

// entry adds an entry to the tensor directory.
func (w *builder) entry(name string, typ Type, offset uint64, shape ...uint64) *builder {
	w.tensors++
	w.directory = appendString(w.directory, name)
	w.directory = append(w.directory, le32(uint32(len(shape)))...)
	for _, d := range shape {
		w.directory = append(w.directory, le64(d)...)
	}
	w.directory = append(w.directory, le32(uint32(typ))...)
	w.directory = append(w.directory, le64(offset)...)
	return w
}

// tensor adds a tensor with its data.
func (w *builder) tensor(name string, typ Type, data []byte, shape ...uint64) *builder {
	for len(w.data)%w.alignment != 0 {
		w.data = append(w.data, 0)
	}
	w.entry(name, typ, uint64(len(w.data)), shape...)
	w.data = append(w.data, data...)
	return w
}

func (w *builder) bytes() []byte {
	b := append([]byte("GGUF"), le32(w.version)...)
	b = append(b, le64(w.tensors)...)
	b = append(b, le64(w.keys)...)
	b = append(b, w.header...)
	b = append(b, w.directory...)
	for w.tensors > 0 && len(b)%w.alignment != 0 {
		b = append(b, 0)
	}
	return append(b, w.data...)
}

// floats makes the data of n float32 values.
func floats(n int) []byte {
	b := make([]byte, 4*n)
	for i := range b {
		b[i] = byte(i)
	}
	return b
}
