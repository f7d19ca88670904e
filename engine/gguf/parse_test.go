package gguf

import (
	"math"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// TestHostile checks that a wrong file gives an error that names the file, the
// place and the number, whatever is wrong.
func TestHostile(t *testing.T) {
	huge := le64(1 << 62)
	deep := func(n int) (b []byte) {
		for range n {
			b = append(b, slices.Concat(le32(uint32(kindArray)), le64(1))...)
		}
		return slices.Concat(b, le32(uint32(kindUint8)), le64(0))
	}
	good := func() *builder { return newBuilder().tensor("w", F32, floats(8), 8) }
	count := func(tensors, keys uint64) []byte {
		return slices.Concat([]byte("GGUF"), le32(3), le64(tensors), le64(keys), make([]byte, 200))
	}
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"empty":             {nil, "empty"},
		"text":              {[]byte("hello world"), "byte 0: not a GGUF file"},
		"page":              {[]byte("<!DOCTYPE html><html>"), "web page"},
		"pointer":           {[]byte("version https://git-lfs.github.com/spec/v1\n"), "Git LFS"},
		"old":               {[]byte("tjgg\x03\x00\x00\x00"), "before GGUF"},
		"magic only":        {[]byte("GGUF"), "byte 4: needs 4 more bytes but the file ends after 0"},
		"version 1":         {append([]byte("GGUF"), le32(1)...), "version 1"},
		"version 4":         {append([]byte("GGUF"), le32(4)...), "version 4 is unknown"},
		"version 0":         {append([]byte("GGUF"), le32(0)...), "version 0 is unknown"},
		"big-endian":        {[]byte("GGUF\x00\x00\x00\x03"), "version 3 in big-endian"},
		"big-endian magic":  {[]byte("FUGG\x00\x00\x00\x03"), "big-endian"},
		"huge tensors":      {count(1<<60, 0), "byte 8: tensor count is 1152921504606846976"},
		"huge keys":         {count(0, math.MaxUint64), "byte 16: key count is 18446744073709551615"},
		"no keys":           {count(0, 3), "key 1 of 3: the name has 0 bytes"},
		"long key":          {newBuilder().key(strings.Repeat("k", 70000), kindUint8, []byte{1}).bytes(), "the name has 70000 bytes"},
		"long string":       {newBuilder().key("k", kindString, huge).bytes(), `key "k": the length of a string is 4611686018427387904`},
		"value type":        {newBuilder().key("k", kinds).bytes(), `key "k": value type 13 is unknown`},
		"bool":              {newBuilder().key("k", kindBool, []byte{2}).bytes(), `key "k": a bool is 2`},
		"element type":      {newBuilder().key("k", kindArray, le32(99), le64(0)).bytes(), `key "k": array element type 99`},
		"long array":        {newBuilder().key("k", kindArray, le32(uint32(kindUint64)), huge).bytes(), "the length of the array is 4611686018427387904"},
		"long strings":      {newBuilder().key("k", kindArray, le32(uint32(kindString)), le64(1<<40)).bytes(), "the length of the array is 1099511627776"},
		"string in array":   {newBuilder().key("k", kindArray, le32(uint32(kindString)), le64(1), huge, make([]byte, 9)).bytes(), "string 0 of 1"},
		"bool in array":     {newBuilder().key("k", kindArray, le32(uint32(kindBool)), le64(2), []byte{1, 7}).bytes(), "a bool is 7"},
		"deep arrays":       {newBuilder().key("k", kindArray, deep(5000)).bytes(), "more than 8 deep"},
		"key twice":         {newBuilder().key("k", kindUint8, []byte{1}).key("k", kindUint8, []byte{1}).bytes(), `key "k": the key is there twice`},
		"alignment 0":       {newBuilder().key("general.alignment", kindUint32, le32(0)).bytes(), "the value is 0, which is not a power of two"},
		"alignment 3":       {newBuilder().key("general.alignment", kindUint32, le32(3)).bytes(), "the value is 3, which is not a power of two"},
		"alignment text":    {newBuilder().key("general.alignment", kindString, le64(1), []byte("x")).bytes(), "the value is x"},
		"five dims":         {newBuilder().entry("w", F32, 0, 1, 1, 1, 1, 1).bytes(), `tensor "w": the tensor has 5 dimensions`},
		"dim 0":             {newBuilder().entry("w", F32, 0, 4, 0).bytes(), `tensor "w": a dimension is 0`},
		"dims overflow":     {newBuilder().entry("w", F32, 0, 1<<32, 1<<32).bytes(), "dimension 4294967296 makes more values"},
		"bytes overflow":    {newBuilder().entry("w", F64, 0, 1<<62).bytes(), "4611686018427387904 values of F64 are more bytes"},
		"tensor type":       {newBuilder().entry("w", 77, 0, 4).bytes(), "tensor type 77"},
		"removed type":      {newBuilder().entry("w", 31, 0, 4).bytes(), "tensor type 31 (Q4_0_4_4)"},
		"row of no blocks":  {newBuilder().entry("w", Q4_K, 0, 100).bytes(), "rows of 100 values are not a multiple of the 256 in a block of Q4_K"},
		"odd offset":        {newBuilder().entry("w", F32, 4, 1).bytes(), "offset 4 is not a multiple of the alignment 32"},
		"offset past end":   {newBuilder().entry("w", F32, 1<<40, 1).bytes(), `tensor "w": needs 4 bytes from byte`},
		"offset overflow":   {newBuilder().entry("w", F32, math.MaxUint64-31, 8).bytes(), `tensor "w": needs 32 bytes from byte`},
		"data cut":          {good().bytes()[:good().dataLen()-1], `tensor "w": needs 32 bytes from byte 64 on, but the file ends at byte 95`},
		"tensor twice":      {good().tensor("w", F32, floats(8), 8).bytes(), `tensor "w": the tensor is there twice`},
		"overlap":           {good().tensor("v", F32, floats(8), 8).entry("u", F32, 0, 9).bytes(), "inside tensor"},
		"part without rest": {newBuilder().key("split.count", kindUint16, []byte{3, 0}).key("split.no", kindUint16, []byte{1, 0}).bytes(), "part 2 of 3"},
	} {
		_, err := Parse("bad.gguf", c.data)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "bad.gguf: ") {
			t.Errorf("%s: want an error with %q, got %v", name, c.want, err)
		}
	}
}

func (w *builder) dataLen() int { return len(w.bytes()) }

// TestNothingIsAllocatedOnClaims opens files that claim everything.
func TestNothingIsAllocatedOnClaims(t *testing.T) {
	data := slices.Concat([]byte("GGUF"), le32(3), le64(1<<14), le64(1<<14), make([]byte, 1<<20))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := Parse("bad.gguf", data); err == nil {
		t.Error("no error")
	}
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 1<<20 {
		t.Errorf("%d bytes allocated", n)
	}
}

func TestEveryCutIsRefused(t *testing.T) {
	data := allKinds().tensor("a", F32, floats(8), 8).tensor("b", Q8_0, make([]byte, 68), 32, 2).bytes()
	if _, err := Parse("whole", data); err != nil {
		t.Fatal(err)
	}
	for n := range data {
		if _, err := Parse("cut", data[:n:n]); err == nil {
			t.Errorf("%d of %d bytes were taken for a file", n, len(data))
		}
	}
}

// allKinds has a key of every type.
func allKinds() *builder {
	return newBuilder().
		key("u8", kindUint8, []byte{200}).key("i8", kindInt8, []byte{200}).
		key("u16", kindUint16, []byte{0x34, 0xf2}).key("i16", kindInt16, []byte{0x34, 0xf2}).
		key("u32", kindUint32, le32(4e9)).key("i32", kindInt32, le32(math.MaxUint32)).
		key("u64", kindUint64, le64(1<<63)).key("i64", kindInt64, le64(math.MaxUint64)).
		key("f32", kindFloat32, le32(math.Float32bits(1.5))).key("f64", kindFloat64, le64(math.Float64bits(-2))).
		key("yes", kindBool, []byte{1}).key("text", kindString, appendString(nil, "ä\x00b")).
		key("strings", kindArray, le32(uint32(kindString)), le64(2), appendString(nil, "x"), appendString(nil, "")).
		key("bools", kindArray, le32(uint32(kindBool)), le64(2), []byte{1, 0}).
		key("i16s", kindArray, le32(uint32(kindInt16)), le64(2), []byte{1, 0, 0xff, 0xff}).
		key("f32s", kindArray, le32(uint32(kindFloat32)), le64(2), le32(math.Float32bits(3)), le32(math.Float32bits(0.5))).
		key("none", kindArray, le32(uint32(kindFloat64)), le64(0)).
		key("nested", kindArray, le32(uint32(kindArray)), le64(2),
			le32(uint32(kindUint8)), le64(2), []byte{1, 2}, le32(uint32(kindString)), le64(1), appendString(nil, "y"))
}

func TestValues(t *testing.T) {
	f, err := Parse("kinds", allKinds().bytes())
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"u8": uint8(200), "i8": int8(-56), "u16": uint16(0xf234), "i16": int16(-3532), "u32": uint32(4e9), "i32": int32(-1),
		"u64": uint64(1 << 63), "i64": int64(-1), "f32": float32(1.5), "f64": float64(-2), "yes": true, "text": "ä\x00b",
		"strings": []string{"x", ""}, "bools": []bool{true, false}, "i16s": []int16{1, -1}, "f32s": []float32{3, 0.5},
		"none": []float64{}, "nested": []any{[]uint8{1, 2}, []string{"y"}},
	}
	if len(f.Keys()) != len(want) {
		t.Errorf("keys %q", f.Keys())
	}
	for key, x := range want {
		if got, ok := f.Value(key); !ok || !reflect.DeepEqual(got, x) {
			t.Errorf("%s is %#v, want %#v", key, got, x)
		}
	}
	check(t, "Int u8", 200, f.Int)("u8", true)
	check(t, "Int i16", -3532, f.Int)("i16", true)
	check(t, "Int f64", -2, f.Int)("f64", true)
	check(t, "Int f32", 0, f.Int)("f32", false)
	check(t, "Int u64", 0, f.Int)("u64", false)
	check(t, "Float u64", 1<<63, f.Float)("u64", true)
	check(t, "Float f32", 1.5, f.Float)("f32", true)
	check(t, "Float text", 0, f.Float)("text", false)
	check(t, "Bool", true, f.Bool)("yes", true)
	check(t, "Bool of a number", false, f.Bool)("u8", false)
	check(t, "String", "ä\x00b", f.String)("text", true)
	check(t, "String of a bool", "", f.String)("yes", false)
	check(t, "Ints", []int64{1, -1}, f.Ints)("i16s", true)
	check(t, "Ints of floats", nil, f.Ints)("f32s", false)
	check(t, "Floats", []float64{3, 0.5}, f.Floats)("f32s", true)
	check(t, "Floats of ints", []float64{1, -1}, f.Floats)("i16s", true)
	check(t, "Floats of nothing", []float64{}, f.Floats)("none", true)
	check(t, "Bools", []bool{true, false}, f.Bools)("bools", true)
	check(t, "Bools of numbers", nil, f.Bools)("i16s", false)
	check(t, "Strings", []string{"x", ""}, f.Strings)("strings", true)
	check(t, "Strings of arrays", nil, f.Strings)("nested", false)
	check(t, "Ints of a missing key", nil, f.Ints)("absent", false)
}

// check returns a function that compares what get gives for a key.
func check[T any](t *testing.T, what string, want T, get func(string) (T, bool)) func(key string, ok bool) {
	t.Helper()
	return func(key string, wantOK bool) {
		t.Helper()
		got, ok := get(key)
		if ok != wantOK || ok && !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %v, %v", what, got, ok)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(newBuilder().bytes())
	f.Add(allKinds().tensor("a", F32, floats(8), 8).tensor("b", Q4_K, make([]byte, 288), 256, 2).bytes())
	f.Add(newBuilder().key("general.alignment", kindUint32, le32(8)).entry("w", MXFP4, 0, 64).bytes())
	f.Add(newBuilder().key("split.count", kindUint16, []byte{1, 0}).bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := Parse("fuzz", data)
		if err != nil {
			return
		}
		for _, key := range file.Keys() {
			if _, ok := file.Value(key); !ok {
				t.Errorf("%q has no value", key)
			}
			file.Ints(key)
			file.Floats(key)
		}
		for _, x := range file.Tensors() {
			values, bytes := x.Type.Block()
			if len(x.Data) != x.Len()/values*bytes || len(x.Shape) == 0 {
				t.Errorf("%+v", x)
			}
		}
		file.Hash()
	})
}
