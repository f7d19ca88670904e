// Package gguf reads GGUF files, versions 2 and 3, in one file or many: the
// metadata and the tensor directory, with the tensors' data left where it is.
//
// Files are mapped: Tensor.Data is a window into the mapping, valid until Close, and
// nobody may write to it. Who wants all of it once is faster with Read. Opening reads
// the header alone, and never allocates more than a small multiple of the bytes that are
// really there, whatever counts the file claims. Every error names the file, the byte
// and what stood there. A File is safe for concurrent use until Close.
package gguf

import (
	"errors"
	"fmt"
	"os"
	"sync"
)

// Tensor is one entry of the tensor directory.
type Tensor struct {
	Name string
	Type Type
	// Shape has one to four sizes, none 0. Shape[0] is the contiguous one, and a
	// multiple of the type's block.
	Shape []int
	// Data holds exactly the blocks of the tensor, row after row.
	Data []byte
}

// Len returns how many values the tensor has.
func (t *Tensor) Len() int {
	n := 1
	for _, d := range t.Shape {
		n *= d
	}
	return n
}

// File is an open GGUF file with all its parts.
type File struct {
	// Path is what was opened, or the name given to Parse.
	Path    string
	Version int
	// Alignment is what the offsets of tensors are multiples of.
	Alignment int
	// Size counts the bytes of all parts.
	Size int64

	parts   []*part
	tensors []*Tensor
	byName  map[string]*Tensor
	keys    []string
	values  map[string]value

	hash func() string
}

// Open maps the file at path. Where that is a part of a split model, whichever
// one, all parts are opened.
func Open(path string) (*File, error) {
	p, err := openPart(path)
	if err != nil {
		return nil, err
	}
	parts, err := siblings(p)
	if err != nil {
		return nil, errors.Join(err, closeParts(parts))
	}
	f, err := join(path, parts)
	if err != nil {
		return nil, errors.Join(err, closeParts(parts))
	}
	return f, nil
}

// Parse is Open over bytes, which the File keeps. The name stands for the path
// in errors.
func Parse(name string, data []byte) (*File, error) {
	p, err := parsePart(name, data)
	if err != nil {
		return nil, err
	}
	if no, count := p.split(); count > 1 {
		return nil, fmt.Errorf("%s: this is part %d of %d of a split model: all parts are needed, open one of them as a file", name, no+1, count)
	}
	return join(name, []*part{p})
}

// join makes one File of the parts, in order.
func join(path string, parts []*part) (*File, error) {
	first := parts[0]
	f := &File{
		Path:      path,
		Version:   first.version,
		Alignment: first.alignment,
		parts:     parts,
		tensors:   first.tensors,
		byName:    first.byName,
		keys:      first.keys,
		values:    first.values,
	}
	for i, p := range parts {
		f.Size += int64(len(p.data))
		if i == 0 {
			continue
		}
		for _, t := range p.tensors {
			if f.byName[t.Name] != nil {
				return nil, fmt.Errorf("%s: tensor %s is in an earlier part too", p.path, quote(t.Name))
			}
			f.byName[t.Name] = t
		}
		f.tensors = append(f.tensors, p.tensors...)
	}
	if want, ok := f.Int("split.tensors.count"); ok && want != int64(len(f.tensors)) {
		return nil, fmt.Errorf("%s: split.tensors.count is %d but the %d parts hold %d tensors: the parts do not belong together", path, want, len(parts), len(f.tensors))
	}
	f.hash = sync.OnceValue(f.sum)
	return f, nil
}

// Close unmaps the file. Its tensors' Data become nil and its keys are gone.
func (f *File) Close() error {
	for _, t := range f.tensors {
		t.Data = nil
	}
	parts := f.parts
	f.parts, f.tensors, f.byName, f.keys, f.values = nil, nil, nil, nil, nil
	return closeParts(parts)
}

// Tensors returns the tensors in the order of the file. Nobody may change it.
func (f *File) Tensors() []*Tensor { return f.tensors }

// Tensor returns the tensor of that name, or nil.
func (f *File) Tensor(name string) *Tensor { return f.byName[name] }

// Release tells the system that the pages of the tensor will not be read soon,
// so that a repacked copy does not stand in memory twice. The data stays
// readable, from the disk if need be. Nothing happens to a File of Parse.
func (f *File) Release(t *Tensor) {
	page := os.Getpagesize()
	for _, p := range f.parts {
		if p.file == nil {
			continue
		}
		if start, end, ok := wholePages(p.data, t.Data, page); ok {
			forget(p.data[start:end])
			return
		}
	}
}

// Read copies data, a piece of a tensor, to buf, which is as long. Where the file is mapped it is
// read instead: the first look at a mapped page takes several times as long as a copy of it. It is an
// error where the file was cut short, as with Guard.
func (f *File) Read(buf, data []byte) error {
	for _, p := range f.parts {
		at, ok := within(p.data, data)
		if !ok || p.file == nil {
			continue
		}
		n, err := p.file.ReadAt(buf, int64(at))
		if err != nil {
			return p.unreadable(at + n)
		}
		return nil
	}
	copy(buf, data)
	return nil
}

// closeParts unmaps what Open mapped.
func closeParts(parts []*part) error {
	var errs []error
	for _, p := range parts {
		errs = append(errs, p.close())
	}
	return errors.Join(errs...)
}
