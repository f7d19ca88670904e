package gguf

import (
	"errors"
	"fmt"
	"math"
	"os"
	"unsafe"
)

// openPart maps one file and reads its header.
func openPart(path string) (*part, error) {
	p := &part{path: path}
	if err := p.load(); err != nil {
		return nil, err
	}
	parsed := p
	err := guard([]*part{p}, func() (err error) {
		parsed, err = parsePart(path, p.data)
		return err
	})
	if err != nil {
		return nil, errors.Join(err, p.close())
	}
	parsed.file, parsed.info = p.file, p.info
	return parsed, nil
}

// load brings a file's bytes into memory, mapped where the system can; then the file stays open.
func (p *part) load() (err error) {
	// Looked at before it is opened: opening a pipe would wait for a writer.
	info, err := os.Stat(p.path)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		if info.IsDir() {
			return fmt.Errorf("%s is a folder: name a GGUF file in it", p.path)
		}
		return fmt.Errorf("%s: not a regular file (%v)", p.path, info.Mode().Type())
	}
	file, err := os.Open(p.path)
	if err != nil {
		return err
	}
	mapped := false
	defer func() {
		if mapped {
			p.file = file
		} else {
			err = errors.Join(err, file.Close())
		}
	}()
	if p.info, err = file.Stat(); err != nil {
		return err
	}
	size := p.info.Size()
	switch {
	case size == 0:
		return nil
	case size > math.MaxInt:
		return fmt.Errorf("%s: %d bytes are more than this system can address", p.path, size)
	}
	if p.data, mapped, err = mapFile(file, int(size)); err != nil {
		return fmt.Errorf("%s: cannot map %d bytes: %w", p.path, size, err)
	}
	return nil
}

// close lets go of what is mapped.
func (p *part) close() error {
	data, file := p.data, p.file
	p.data, p.file = nil, nil
	if file == nil {
		return nil
	}
	return errors.Join(unmap(data), file.Close())
}

// within returns where inner begins in the mapping; ok is false where it lies elsewhere.
func within(mapping, inner []byte) (at int, ok bool) {
	if len(inner) == 0 || len(mapping) == 0 {
		return 0, false
	}
	at = int(uintptr(unsafe.Pointer(&inner[0])) - uintptr(unsafe.Pointer(&mapping[0])))
	return at, at >= 0 && at < len(mapping)
}

// wholePages returns the range of whole pages that inner fills of the mapping,
// which begins at a page; ok is false where inner lies elsewhere or fills none.
func wholePages(mapping, inner []byte, page int) (start, end int, ok bool) {
	at, ok := within(mapping, inner)
	if !ok {
		return 0, 0, false
	}
	start = (at + page - 1) / page * page
	end = (at + len(inner)) / page * page
	return start, end, start < end
}
