package gguf

import (
	"encoding/binary"
	"math"
)

// kind is the type of a metadata value by its number in the format.
type kind uint32

const (
	kindUint8 kind = iota
	kindInt8
	kindUint16
	kindInt16
	kindUint32
	kindInt32
	kindFloat32
	kindBool
	kindString
	kindArray
	kindUint64
	kindInt64
	kindFloat64
	kinds
)

// kindSizes are the bytes that a value takes, the least where it varies.
var kindSizes = [kinds]int{1, 1, 2, 2, 4, 4, 4, 1, 8, 12, 8, 8, 8}

func (k kind) known() bool { return k < kinds }

// size is 1 for unknown kinds, so that dividing by it is safe.
func (k kind) size() int {
	if !k.known() {
		return 1
	}
	return kindSizes[k]
}

// value is a metadata value that was measured but not yet read. Its bytes are
// in the mapping: a string's text, an array's elements one after the other.
type value struct {
	kind, elem kind // elem and n belong to arrays
	n          int
	raw        []byte
}

// int returns an integer, or a float that is one, as int64 where it fits.
func (v value) int() (int64, bool) { return intOf(v.kind, v.raw) }

// float returns a number as float64 where that is exact.
func (v value) float() (float64, bool) { return floatOf(v.kind, v.raw) }

func intOf(k kind, b []byte) (int64, bool) {
	switch k {
	case kindUint8:
		return int64(b[0]), true
	case kindInt8:
		return int64(int8(b[0])), true
	case kindUint16:
		return int64(binary.LittleEndian.Uint16(b)), true
	case kindInt16:
		return int64(int16(binary.LittleEndian.Uint16(b))), true
	case kindUint32:
		return int64(binary.LittleEndian.Uint32(b)), true
	case kindInt32:
		return int64(int32(binary.LittleEndian.Uint32(b))), true
	case kindUint64:
		u := binary.LittleEndian.Uint64(b)
		return int64(u), u <= math.MaxInt64
	case kindInt64:
		return int64(binary.LittleEndian.Uint64(b)), true
	case kindFloat32, kindFloat64:
		f, _ := floatOf(k, b)
		// 2^63 is the least float that int64 lacks.
		if f != math.Trunc(f) || f < math.MinInt64 || f >= 1<<63 {
			return 0, false
		}
		return int64(f), true
	}
	return 0, false
}

func floatOf(k kind, b []byte) (float64, bool) {
	switch k {
	case kindFloat32:
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(b))), true
	case kindFloat64:
		return math.Float64frombits(binary.LittleEndian.Uint64(b)), true
	case kindUint64:
		u := binary.LittleEndian.Uint64(b)
		f := float64(u)
		return f, f < 1<<64 && uint64(f) == u
	}
	i, ok := intOf(k, b)
	f := float64(i)
	return f, ok && f < 1<<63 && int64(f) == i
}

// any returns the value as the Go type that corresponds to its kind; arrays
// of arrays are []any.
func (v value) any() any {
	switch v.kind {
	case kindString:
		return string(v.raw)
	case kindArray:
		return v.slice()
	}
	return scalar(v.kind, v.raw)
}

func scalar(k kind, b []byte) any {
	i, _ := intOf(k, b)
	switch k {
	case kindUint8:
		return uint8(i)
	case kindInt8:
		return int8(i)
	case kindUint16:
		return uint16(i)
	case kindInt16:
		return int16(i)
	case kindUint32:
		return uint32(i)
	case kindInt32:
		return int32(i)
	case kindInt64:
		return i
	case kindUint64:
		return binary.LittleEndian.Uint64(b)
	case kindFloat32:
		return math.Float32frombits(binary.LittleEndian.Uint32(b))
	case kindFloat64:
		return math.Float64frombits(binary.LittleEndian.Uint64(b))
	}
	return b[0] != 0
}

func (v value) slice() any {
	switch v.elem {
	case kindUint8:
		return sliceOf[uint8](v)
	case kindInt8:
		return sliceOf[int8](v)
	case kindUint16:
		return sliceOf[uint16](v)
	case kindInt16:
		return sliceOf[int16](v)
	case kindUint32:
		return sliceOf[uint32](v)
	case kindInt32:
		return sliceOf[int32](v)
	case kindUint64:
		return sliceOf[uint64](v)
	case kindInt64:
		return sliceOf[int64](v)
	case kindFloat32:
		return sliceOf[float32](v)
	case kindFloat64:
		return sliceOf[float64](v)
	case kindBool:
		return sliceOf[bool](v)
	case kindString:
		return v.strings()
	}
	r := &reader{data: v.raw}
	out := make([]any, v.n)
	for i := range out {
		out[i] = r.array(0).any()
	}
	return out
}

func sliceOf[T any](v value) []T {
	out := make([]T, v.n)
	size := v.elem.size()
	for i := range out {
		out[i] = scalar(v.elem, v.raw[i*size:]).(T)
	}
	return out
}

// strings returns the strings of an array. They share one copy of its bytes:
// one allocation, and valid after Close.
func (v value) strings() []string {
	out := make([]string, v.n)
	all := string(v.raw)
	at := 0
	for i := range out {
		n := int(binary.LittleEndian.Uint64(v.raw[at:]))
		at += 8
		out[i] = all[at : at+n]
		at += n
	}
	return out
}
