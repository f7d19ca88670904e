package gguf

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"unsafe"
)

// Guard runs do and turns a fault of reading the file, on this goroutine, into an
// error. The system ends a program that reads a mapping whose file was cut short
// or whose disk failed, unless somebody is prepared for it.
func (f *File) Guard(do func() error) error { return guard(f.parts, do) }

// Fault says what a panic has to do with the file: it is an error where reading
// the file's mapping caused it, and nil otherwise. It needs a goroutine that
// called debug.SetPanicOnFault.
func (f *File) Fault(what any) error { return faultOf(what, f.parts) }

// Changed is an error where the file was overwritten since it was opened, so that what is
// read now may be of another model. A file that was deleted, or replaced by another of the
// same name, stays readable as it was; so does one that was only touched.
func (f *File) Changed() error {
	for _, p := range f.parts {
		now, err := os.Stat(p.path)
		if err != nil || p.file == nil || !os.SameFile(p.info, now) {
			continue
		}
		size, same := now.Size() == p.info.Size(), now.ModTime().Equal(p.info.ModTime())
		if size && !same {
			err = f.Guard(func() error { same = f.sum() == f.Hash(); return nil })
		}
		if err == nil && (!size || !same) {
			err = fmt.Errorf("%s: was overwritten while it was open: open it again", p.path)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// accessError is what the runtime panics with where memory cannot be read.
type accessError interface {
	error
	Addr() uintptr
}

func guard(parts []*part, do func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if what := recover(); what != nil {
			if err = faultOf(what, parts); err == nil {
				panic(what)
			}
		}
	}()
	return do()
}

func faultOf(what any, parts []*part) error {
	err, _ := what.(error)
	fault, ok := errors.AsType[accessError](err)
	if !ok {
		return nil
	}
	for _, p := range parts {
		// Below the mapping the difference wraps around and is large.
		at := fault.Addr() - uintptr(unsafe.Pointer(unsafe.SliceData(p.data)))
		if p.file != nil && at < uintptr(len(p.data)) {
			return p.unreadable(int(at))
		}
	}
	return nil
}

func (p *part) unreadable(at int) error {
	return fmt.Errorf("%s: cannot be read at byte %d any more: the file was cut short or overwritten while it was open, or its disk failed; put it back and open it again",
		p.path, at)
}
