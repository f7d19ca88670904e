package gguf

import "slices"

// Keys returns the metadata keys in the order of the file.
func (f *File) Keys() []string { return slices.Clone(f.keys) }

// Value returns the value of a key as a Go value of its own type, such as
// uint32 or []string; an array of arrays is []any.
func (f *File) Value(key string) (any, bool) {
	v, ok := f.values[key]
	if !ok {
		return nil, false
	}
	return v.any(), true
}

// String returns the string at key.
func (f *File) String(key string) (string, bool) {
	v, ok := f.values[key]
	if !ok || v.kind != kindString {
		return "", false
	}
	return string(v.raw), true
}

// Int returns the number at key, of whatever kind, if int64 holds it exactly.
func (f *File) Int(key string) (int64, bool) {
	v, ok := f.values[key]
	if !ok {
		return 0, false
	}
	return v.int()
}

// Float returns the number at key, of whatever kind, if float64 holds it
// exactly.
func (f *File) Float(key string) (float64, bool) {
	v, ok := f.values[key]
	if !ok {
		return 0, false
	}
	return v.float()
}

// Bool returns the bool at key.
func (f *File) Bool(key string) (bool, bool) {
	v, ok := f.values[key]
	if !ok || v.kind != kindBool {
		return false, false
	}
	return v.raw[0] != 0, true
}

// Strings returns the array of strings at key.
func (f *File) Strings(key string) ([]string, bool) {
	v, ok := f.values[key]
	if !ok || v.kind != kindArray || v.elem != kindString {
		return nil, false
	}
	return v.strings(), true
}

// Ints returns the array of numbers at key if int64 holds each exactly.
func (f *File) Ints(key string) ([]int64, bool) { return numbers(f.values[key], intOf) }

// Floats returns the array of numbers at key if float64 holds each exactly.
func (f *File) Floats(key string) ([]float64, bool) { return numbers(f.values[key], floatOf) }

// Bools returns the array of bools at key.
func (f *File) Bools(key string) ([]bool, bool) {
	return numbers(f.values[key], func(k kind, b []byte) (bool, bool) { return b[0] != 0, k == kindBool })
}

// numbers reads an array's elements with get, all of which must succeed.
func numbers[T any](v value, get func(kind, []byte) (T, bool)) ([]T, bool) {
	if v.kind != kindArray || v.elem == kindString || v.elem == kindArray {
		return nil, false
	}
	size := v.elem.size()
	out := make([]T, v.n)
	for i := range out {
		var ok bool
		if out[i], ok = get(v.elem, v.raw[i*size:]); !ok {
			return nil, false
		}
	}
	return out, true
}
