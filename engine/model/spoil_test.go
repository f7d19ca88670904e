package model

import (
	"bytes"
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"github.com/confab-tui/confab/engine/gguf"
)

// TestLoadNeverPanics sets every number of the architecture's keys to what no file should
// have. Load may refuse or not; what it loads must hold together.
func TestLoadNeverPanics(t *testing.T) {
	for name, data := range testModels(t) {
		if !strings.HasSuffix(name, "-f32") {
			continue
		}
		for _, key := range parse(t, name, data).Keys() {
			if strings.HasPrefix(key, "general.") || strings.HasPrefix(key, "tokenizer.") {
				continue
			}
			for _, spoilt := range spoilNumber(data, key) {
				f, err := gguf.Parse(name, spoilt)
				if err != nil {
					continue
				}
				loadSafely(t, name+" with another "+key, f)
			}
		}
	}
}

func loadSafely(t *testing.T, what string, f *gguf.File) {
	t.Helper()
	defer func() {
		if r := recover(); r != nil {
			t.Errorf("%s: panic: %v", what, r)
		}
	}()
	p, err := Load(f)
	if err == nil {
		_ = p.String()
		_ = p.Inventory()
	}
}

// spoilNumber returns the file with the key's value, or all elements of it, replaced. The
// files of these tests have 32-bit numbers, bools, strings and arrays of them.
func spoilNumber(data []byte, key string) [][]byte {
	head := append(binary.LittleEndian.AppendUint64(nil, uint64(len(key))), key...)
	at := bytes.Index(data, head)
	if at < 0 {
		return nil
	}
	at += len(head)
	kind := binary.LittleEndian.Uint32(data[at:])
	at += 4
	count := 1
	if kind == 9 {
		kind = binary.LittleEndian.Uint32(data[at:])
		count = int(binary.LittleEndian.Uint64(data[at+4:]))
		at += 12
	}
	var values []uint32
	switch kind {
	case 4, 5:
		values = []uint32{0, 1, 3, 7, 1 << 20, math.MaxInt32, math.MaxUint32}
	case 6:
		for _, v := range []float64{0, -1, 1e-30, 1e30, math.Inf(1), math.NaN()} {
			values = append(values, math.Float32bits(float32(v)))
		}
	}
	var out [][]byte
	for _, v := range values {
		spoilt := bytes.Clone(data)
		for i := range count {
			binary.LittleEndian.PutUint32(spoilt[at+4*i:], v)
		}
		out = append(out, spoilt)
	}
	return out
}
