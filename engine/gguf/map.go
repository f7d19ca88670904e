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
	data, info, mapped, err := load(path)
	if err != nil {
		return nil, err
	}
	var p *part
	err = guard([]*part{{path: path, data: data, mapped: mapped}}, func() (err error) {
		p, err = parsePart(path, data)
		return err
	})
	if err != nil {
		if mapped {
			err = errors.Join(err, unmap(data))
		}
		return nil, err
	}
	p.mapped, p.info = mapped, info
	return p, nil
}

// load brings a file's bytes into memory, mapped where the system can.
func load(path string) (data []byte, info os.FileInfo, mapped bool, err error) {
	// Looked at before it is opened: opening a pipe would wait for a writer.
	if info, err = os.Stat(path); err != nil {
		return nil, nil, false, err
	}
	if !info.Mode().IsRegular() {
		if info.IsDir() {
			return nil, nil, false, fmt.Errorf("%s is a folder: name a GGUF file in it", path)
		}
		return nil, nil, false, fmt.Errorf("%s: not a regular file (%v)", path, info.Mode().Type())
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, nil, false, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if info, err = file.Stat(); err != nil {
		return nil, nil, false, err
	}
	switch {
	case info.Size() == 0:
		return nil, info, false, nil
	case info.Size() > math.MaxInt:
		return nil, nil, false, fmt.Errorf("%s: %d bytes are more than this system can address", path, info.Size())
	}
	if data, mapped, err = mapFile(file, int(info.Size())); err != nil {
		return nil, nil, false, fmt.Errorf("%s: cannot map %d bytes: %w", path, info.Size(), err)
	}
	return data, info, mapped, nil
}

// wholePages returns the range of whole pages that inner fills of the mapping,
// which begins at a page; ok is false where inner lies elsewhere or fills none.
func wholePages(mapping, inner []byte, page int) (start, end int, ok bool) {
	if len(inner) == 0 || len(mapping) == 0 {
		return 0, 0, false
	}
	at := int(uintptr(unsafe.Pointer(&inner[0])) - uintptr(unsafe.Pointer(&mapping[0])))
	if at < 0 || at >= len(mapping) {
		return 0, 0, false
	}
	start = (at + page - 1) / page * page
	end = (at + len(inner)) / page * page
	return start, end, start < end
}
