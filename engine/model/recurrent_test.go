package model

import (
	"encoding/binary"
	"slices"
	"strings"
	"testing"
)

// withKey puts a key in front of a file's others; raw is its type and value. A filler keeps
// the tensors' places.
func withKey(data []byte, key string, raw []byte) []byte {
	spell := func(b []byte, s string) []byte {
		return append(binary.LittleEndian.AppendUint64(b, uint64(len(s))), s...)
	}
	added := append(spell(nil, key), raw...)
	added = append(spell(added, "filler"), 8, 0, 0, 0)
	added = spell(added, strings.Repeat("x", 31-(len(added)+8+31)%32))
	const keys, behind = 16, 24 // where the header has the number of keys, and its end
	out := slices.Concat(data[:behind], added, data[behind:])
	binary.LittleEndian.PutUint64(out[keys:], binary.LittleEndian.Uint64(data[keys:])+2)
	return out
}

// TestRecurrentLayers: a file may list the layers that have a state; the interval does not
// count then.
func TestRecurrentLayers(t *testing.T) {
	const name = "tiny-qwen35-f32"
	data := testModels(t)[name]
	want := must(Load(parse(t, name, data))).String()
	list := func(yes ...byte) []byte {
		raw := binary.LittleEndian.AppendUint64([]byte{9, 0, 0, 0, 7, 0, 0, 0}, uint64(len(yes)))
		return append(raw, yes...)
	}
	load := func(raw []byte) (string, error) {
		p, err := Load(parse(t, name, withKey(data, "qwen35.attention.recurrent_layers", raw)))
		if err != nil {
			return "", err
		}
		return p.String(), nil
	}
	for _, yes := range [][]byte{{1, 0, 1, 0}, {1, 0, 1, 0, 0}} {
		if got, err := load(list(yes...)); err != nil || got != want {
			t.Errorf("layers %v: %v\n%s", yes, err, got)
		}
	}
	for _, c := range []struct {
		raw  []byte
		want string
	}{
		{list(0, 1, 0, 1), "blk.0.attn_q.weight"}, {list(1, 0, 1), "3 values for 4 layers"}, {[]byte{4, 0, 0, 0, 2, 0, 0, 0}, "no list"},
	} {
		if _, err := load(c.raw); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v gave %v, want %q", c.raw, err, c.want)
		}
	}
}
