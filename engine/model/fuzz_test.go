package model

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"github.com/confab-tui/confab/engine/gguf"
)

// FuzzLoad overwrites several numbers of a small model's header at once. Each five bytes
// of changes are a place, among the numbers of the architecture's keys and the sizes and
// offsets of tensors, and what to write there. Load may refuse; it must not panic.
func FuzzLoad(f *testing.F) {
	models := testModels(f)
	var names []string
	places := map[string][]int{}
	for name := range models {
		if strings.HasSuffix(name, "-f32") {
			names = append(names, name)
			places[name] = numbers(parse(f, name, models[name]), models[name])
		}
	}
	slices.Sort(names)
	for i := range names {
		f.Add(uint8(i), []byte{3, 0, 0, 0, 0, 7, 64, 0, 0, 0})
		f.Add(uint8(i), []byte{250, 255, 255, 255, 127, 90, 1, 0, 0, 0, 1, 0, 0, 128, 191})
	}
	f.Fuzz(func(t *testing.T, which uint8, changes []byte) {
		name := names[int(which)%len(names)]
		data := bytes.Clone(models[name])
		for ; len(changes) >= 5; changes = changes[5:] {
			at := places[name][int(changes[0])%len(places[name])]
			copy(data[at:at+4], changes[1:5])
		}
		if file, err := gguf.Parse(name, data); err == nil {
			loadSafely(t, name, file)
		}
	})
}

// numbers are where the header keeps 32-bit numbers: values of the architecture's keys,
// and what follows each tensor's name.
func numbers(f *gguf.File, data []byte) (places []int) {
	after := func(name string) int {
		spelled := append(binary.LittleEndian.AppendUint64(nil, uint64(len(name))), name...)
		return bytes.Index(data, spelled) + len(spelled)
	}
	arch, _ := f.String("general.architecture")
	for _, key := range f.Keys() {
		if strings.HasPrefix(key, arch+".") {
			places = append(places, after(key)+4) // behind the value's type
		}
	}
	for _, t := range f.Tensors()[:min(len(f.Tensors()), 40)] {
		at := after(t.Name)
		for i := range len(t.Shape) {
			places = append(places, at+4+8*i)
		}
		places = append(places, at, at+4+8*len(t.Shape)) // how many sizes, the type
	}
	return places
}
