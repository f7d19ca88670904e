package gguf

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"strconv"
)

// maxDepth is how deep arrays may stand in arrays.
const maxDepth = 8

// reader walks over a header. After the first failure it stands still, gives
// zeros and keeps the error.
type reader struct {
	path string
	data []byte
	at   int
	// what is being read, for the error: a key or a tensor.
	what string
	err  error
}

func (r *reader) fail(format string, args ...any) { r.failAt(r.at, format, args...) }

func (r *reader) failAt(at int, format string, args ...any) {
	if r.err != nil {
		return
	}
	what := r.what
	if what != "" {
		what += ": "
	}
	r.err = fmt.Errorf("%s: byte %d: %s%s", r.path, at, what, fmt.Sprintf(format, args...))
}

// take returns the next n bytes, which are in the file.
func (r *reader) take(n uint64) []byte {
	if r.err != nil {
		return nil
	}
	if left := uint64(len(r.data) - r.at); n > left {
		r.fail("needs %d more bytes but the file ends after %d: it is cut short or damaged", n, left)
		return nil
	}
	b := r.data[r.at : r.at+int(n) : r.at+int(n)]
	r.at += int(n)
	return b
}

func (r *reader) uint32() uint32 {
	if b := r.take(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

func (r *reader) uint64() uint64 {
	if b := r.take(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// count reads a count of things that take at least so many bytes each, and
// refuses one that the rest of the file cannot hold.
func (r *reader) count(of string, least uint64) uint64 {
	at := r.at
	n := r.uint64()
	if left := uint64(len(r.data) - r.at); r.err == nil && n > left/least {
		r.failAt(at, "%s is %d, which %d bytes to the end of the file cannot hold", of, n, left)
		return 0
	}
	return n
}

// bytes reads a length and so many bytes.
func (r *reader) bytes(of string) []byte { return r.take(r.count(of, 1)) }

// name reads the name of a key or tensor.
func (r *reader) name() string {
	at := r.at
	b := r.bytes("the length of the name")
	if r.err != nil {
		return ""
	}
	if len(b) == 0 || len(b) > maxName {
		r.failAt(at, "the name has %d bytes; 1 to %d are allowed", len(b), maxName)
		return ""
	}
	return string(b)
}

// shape reads a tensor's dimensions and returns the number of values.
func (r *reader) shape(t *Tensor) uint64 {
	at := r.at
	dims := r.uint32()
	if dims > maxDims {
		r.failAt(at, "the tensor has %d dimensions; at most %d are allowed", dims, maxDims)
		return 0
	}
	values := uint64(1)
	t.Shape = make([]int, 0, max(dims, 1))
	for range dims {
		at := r.at
		d := r.uint64()
		if r.err != nil {
			return 0
		}
		if d == 0 {
			r.failAt(at, "a dimension is 0")
			return 0
		}
		hi, lo := bits.Mul64(values, d)
		if hi != 0 || lo > math.MaxInt {
			r.failAt(at, "dimension %d makes more values than a tensor can have", d)
			return 0
		}
		values = lo
		t.Shape = append(t.Shape, int(d))
	}
	if dims == 0 {
		t.Shape = append(t.Shape, 1)
	}
	return values
}

// tensorType reads a tensor's type and returns the bytes that so many values
// of it take.
func (r *reader) tensorType(t *Tensor, values uint64) uint64 {
	at := r.at
	t.Type = Type(r.uint32())
	if r.err != nil {
		return 0
	}
	perBlock, bytes := t.Type.Block()
	if perBlock == 0 {
		r.failAt(at, "tensor type %d (%v) is unknown or no longer part of the format", uint32(t.Type), t.Type)
		return 0
	}
	if t.Shape[0]%perBlock != 0 {
		r.failAt(at, "rows of %d values are not a multiple of the %d in a block of %v", t.Shape[0], perBlock, t.Type)
		return 0
	}
	hi, size := bits.Mul64(values/uint64(perBlock), uint64(bytes))
	if hi != 0 || size > math.MaxInt {
		r.failAt(at, "%d values of %v are more bytes than a tensor can have", values, t.Type)
		return 0
	}
	return size
}

// value reads a value's type and the value.
func (r *reader) value() value {
	at := r.at
	k := kind(r.uint32())
	if r.err == nil && !k.known() {
		r.failAt(at, "value type %d is unknown", uint32(k))
	}
	return r.valueOf(k, 0)
}

// valueOf reads a value of a known type: it finds where the value ends and
// keeps its bytes unread.
func (r *reader) valueOf(k kind, depth int) value {
	switch k {
	case kindString:
		return value{kind: k, raw: r.bytes("the length of a string")}
	case kindArray:
		return r.array(depth)
	}
	at := r.at
	b := r.take(uint64(k.size()))
	if k == kindBool && r.err == nil && b[0] > 1 {
		r.failAt(at, "a bool is %d, neither 0 nor 1", b[0])
	}
	return value{kind: k, raw: b}
}

func (r *reader) array(depth int) value {
	at := r.at
	if depth == maxDepth {
		r.failAt(at, "arrays stand more than %d deep in one another", maxDepth)
		return value{}
	}
	v := value{kind: kindArray, elem: kind(r.uint32())}
	if r.err == nil && !v.elem.known() {
		r.failAt(at, "array element type %d is unknown", uint32(v.elem))
	}
	n := r.count("the length of the array", uint64(v.elem.size()))
	if r.err != nil {
		return value{}
	}
	v.n = int(n)
	start := r.at
	switch v.elem {
	case kindString:
		r.skipStrings(n)
	case kindArray:
		for i := uint64(0); i < n && r.err == nil; i++ {
			r.array(depth + 1)
		}
	default:
		b := r.take(n * uint64(v.elem.size()))
		if v.elem == kindBool {
			r.checkBools(b, start)
		}
	}
	v.raw = r.data[start:r.at:r.at]
	return v
}

// skipStrings is a loop of its own because vocabularies have 250,000 of them.
func (r *reader) skipStrings(n uint64) {
	if r.err != nil {
		return
	}
	at, data := r.at, r.data
	for i := uint64(0); i < n; i++ {
		left := uint64(len(data) - at)
		if left < 8 || binary.LittleEndian.Uint64(data[at:]) > left-8 {
			r.failAt(at, "string %d of %d in the array does not end in the file", i, n)
			return
		}
		at += 8 + int(binary.LittleEndian.Uint64(data[at:]))
	}
	r.at = at
}

func (r *reader) checkBools(b []byte, at int) {
	for i, v := range b {
		if v > 1 {
			r.failAt(at+i, "a bool is %d, neither 0 nor 1", v)
			return
		}
	}
}

// quote makes a name of the file fit for an error message.
func quote(name string) string {
	const most = 80
	if len(name) > most {
		return strconv.Quote(name[:most]) + "..."
	}
	return strconv.Quote(name)
}
