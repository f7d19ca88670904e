package gguf

import (
	"bytes"
	"fmt"
	"math"
	"math/bits"
	"os"
	"slices"
)

// part is one file of a model, its header read and checked.
type part struct {
	path    string
	data    []byte
	file    *os.File    // that data is a mapping of, nil for bytes
	info    os.FileInfo // when it was opened, nil for bytes
	version int
	// alignment and dataStart place the tensors; the header ends at headerEnd.
	alignment, headerEnd, dataStart int
	tensors                         []*Tensor
	byName                          map[string]*Tensor
	keys                            []string
	values                          map[string]value
}

const (
	defaultAlignment = 32
	maxAlignment     = 1 << 30
	// maxDims is the format's limit of a tensor's dimensions.
	maxDims = 4
	// maxName is the format's limit of a key in bytes; it serves for tensors too.
	maxName = math.MaxUint16

	// The least bytes that a key with its value and a tensor's entry take.
	minKeyBytes    = 8 + 4 + 1
	minTensorBytes = 8 + 4 + 4 + 8
)

// parsePart reads a file's header and binds its tensors to its data.
func parsePart(path string, data []byte) (*part, error) {
	if err := checkMagic(path, data); err != nil {
		return nil, err
	}
	r := &reader{path: path, data: data, at: 4}
	p := &part{path: path, data: data, alignment: defaultAlignment}
	p.version = int(r.uint32())
	if r.err == nil {
		checkVersion(r, uint32(p.version))
	}
	tensors := r.count("tensor count", minTensorBytes)
	keys := r.count("key count", minKeyBytes)
	p.readKeys(r, keys)
	p.readAlignment(r)
	places := p.readTensors(r, tensors)
	if r.err != nil {
		return nil, r.err
	}
	p.headerEnd = r.at
	if err := p.bind(places); err != nil {
		return nil, err
	}
	return p, nil
}

// checkMagic refuses what is not a little-endian GGUF file, and says what it
// is where that can be told: most such files are downloads gone wrong.
func checkMagic(path string, data []byte) error {
	switch {
	case bytes.HasPrefix(data, []byte("GGUF")):
		return nil
	case len(data) == 0:
		return fmt.Errorf("%s: the file is empty", path)
	case bytes.HasPrefix(data, []byte("FUGG")):
		return fmt.Errorf("%s: byte 0: the magic is FUGG, so this is a big-endian GGUF file: convert it to little-endian", path)
	case bytes.HasPrefix(data, []byte("version https://git-lfs")):
		return fmt.Errorf("%s: this is a Git LFS pointer, not the model: fetch the real file (git lfs pull)", path)
	case bytes.HasPrefix(bytes.ToLower(data[:min(len(data), 16)]), []byte("<!doctype")),
		bytes.HasPrefix(bytes.ToLower(data[:min(len(data), 16)]), []byte("<html")):
		return fmt.Errorf("%s: this is a web page, not a model: download the file itself", path)
	case bytes.HasPrefix(data, []byte("tjgg")), bytes.HasPrefix(data, []byte("lmgg")), bytes.HasPrefix(data, []byte("fmgg")):
		return fmt.Errorf("%s: byte 0: this is a GGML file of the time before GGUF: get the model as GGUF", path)
	}
	return fmt.Errorf("%s: byte 0: not a GGUF file: it starts with % x, not with \"GGUF\"", path, data[:min(len(data), 8)])
}

func checkVersion(r *reader, v uint32) {
	switch {
	case v == 2 || v == 3:
	case v == 1:
		r.failAt(4, "GGUF version 1 (32-bit counts) is not read: convert the model to version 3")
	case v != 0 && v&0xffff == 0:
		r.failAt(4, "version %d in big-endian order: convert the file to little-endian", bits.ReverseBytes32(v))
	default:
		r.failAt(4, "GGUF version %d is unknown: 2 and 3 are read", v)
	}
}

// readKeys reads n keys with their values.
func (p *part) readKeys(r *reader, n uint64) {
	p.values = make(map[string]value, min(n, 256))
	for i := uint64(0); i < n && r.err == nil; i++ {
		r.what = fmt.Sprintf("key %d of %d", i+1, n)
		start := r.at
		key := r.name()
		r.what = "key " + quote(key)
		v := r.value()
		if r.err != nil {
			return
		}
		if _, twice := p.values[key]; twice {
			r.failAt(start, "the key is there twice")
			return
		}
		p.keys = append(p.keys, key)
		p.values[key] = v
	}
}

func (p *part) readAlignment(r *reader) {
	v, ok := p.values["general.alignment"]
	if r.err != nil || !ok {
		return
	}
	r.what = "key \"general.alignment\""
	n, exact := v.int()
	if !exact || n < 1 || n > maxAlignment || n&(n-1) != 0 {
		r.fail("the value is %v, which is not a power of two up to %d", v.any(), maxAlignment)
		return
	}
	p.alignment = int(n)
}

// place is where a tensor's data should be, counted from dataStart.
type place struct {
	tensor       *Tensor
	offset, size uint64
}

// readTensors reads the directory of n tensors.
func (p *part) readTensors(r *reader, n uint64) []place {
	places := make([]place, 0, min(n, 1024))
	p.byName = make(map[string]*Tensor, min(n, 1024))
	for i := uint64(0); i < n && r.err == nil; i++ {
		r.what = fmt.Sprintf("tensor %d of %d", i+1, n)
		start := r.at
		t := &Tensor{Name: r.name()}
		r.what = "tensor " + quote(t.Name)
		values := r.shape(t)
		size := r.tensorType(t, values)
		offset := r.uint64()
		if r.err != nil {
			break
		}
		if p.byName[t.Name] != nil {
			r.failAt(start, "the tensor is there twice")
			break
		}
		if offset%uint64(p.alignment) != 0 {
			r.failAt(r.at-8, "offset %d is not a multiple of the alignment %d", offset, p.alignment)
			break
		}
		p.byName[t.Name] = t
		places = append(places, place{t, offset, size})
	}
	return places
}

// bind cuts the tensors' data out of the file, having checked that it is all
// there and that no two tensors share a byte.
func (p *part) bind(places []place) error {
	p.tensors = make([]*Tensor, len(places))
	for i, at := range places {
		p.tensors[i] = at.tensor
	}
	// A file without tensors may end where the padding would begin.
	p.dataStart = min((p.headerEnd+p.alignment-1)/p.alignment*p.alignment, len(p.data))
	room := uint64(len(p.data) - p.dataStart)
	slices.SortStableFunc(places, func(a, b place) int {
		if a.offset != b.offset {
			if a.offset < b.offset {
				return -1
			}
			return 1
		}
		return 0
	})
	for i, at := range places {
		if at.offset > room || at.size > room-at.offset {
			return fmt.Errorf("%s: tensor %s: needs %d bytes from byte %d on, but the file ends at byte %d: it is cut short or damaged, fetch it again",
				p.path, quote(at.tensor.Name), at.size, uint64(p.dataStart)+at.offset, len(p.data))
		}
		if i > 0 {
			if last := places[i-1]; last.offset+last.size > at.offset {
				return fmt.Errorf("%s: tensor %s: begins at byte %d, inside tensor %s, which ends at byte %d",
					p.path, quote(at.tensor.Name), uint64(p.dataStart)+at.offset, quote(last.tensor.Name), uint64(p.dataStart)+last.offset+last.size)
			}
		}
		start := p.dataStart + int(at.offset)
		end := start + int(at.size)
		at.tensor.Data = p.data[start:end:end]
	}
	return nil
}
