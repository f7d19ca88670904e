package gguf

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// writeParts writes a model of three parts and returns their paths.
func writeParts(t *testing.T, change func(i int, w *builder)) []string {
	t.Helper()
	dir := t.TempDir()
	var paths []string
	for i := range 3 {
		w := newBuilder().
			key("split.no", kindUint16, []byte{byte(i), 0}).
			key("split.count", kindUint16, []byte{3, 0}).
			key("split.tensors.count", kindInt32, le32(3))
		if i == 0 {
			w.key("general.name", kindString, appendString(nil, "split"))
		}
		if change == nil {
			w.tensor(fmt.Sprintf("w%d", i), F32, floats(8+8*i), uint64(8+8*i))
		} else {
			change(i, w)
		}
		path := filepath.Join(dir, fmt.Sprintf("m-%05d-of-00003.gguf", i+1))
		if err := os.WriteFile(path, w.bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	return paths
}

func TestSplit(t *testing.T) {
	hash := ""
	for i, path := range writeParts(t, nil) {
		f := mustOpen(t, path)
		if len(f.Tensors()) != 3 || f.Tensors()[0].Name != "w0" {
			t.Fatalf("part %d: %d tensors", i, len(f.Tensors()))
		}
		if name, _ := f.String("general.name"); name != "split" {
			t.Errorf("part %d: the name is %q", i, name)
		}
		w := f.Tensor("w2")
		if w == nil || string(w.Data) != string(floats(24)) {
			t.Errorf("part %d: w2 is %+v", i, w)
		}
		if i > 0 && f.Hash() != hash {
			t.Errorf("part %d: another hash", i)
		}
		hash = f.Hash()
		f.Release(w)
	}
}

func TestWrongSplit(t *testing.T) {
	wrong := func(want string, path string) {
		t.Helper()
		if _, err := Open(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want an error with %q, got %v", want, err)
		}
	}
	paths := writeParts(t, nil)
	if err := os.Remove(paths[1]); err != nil {
		t.Fatal(err)
	}
	wrong("m-00002-of-00003.gguf", paths[2])

	paths = writeParts(t, nil)
	if err := os.Rename(paths[0], paths[1]); err != nil {
		t.Fatal(err)
	}
	wrong("part 1 of 3", paths[1])
	renamed := filepath.Join(filepath.Dir(paths[2]), "model.gguf")
	if err := os.Rename(paths[2], renamed); err != nil {
		t.Fatal(err)
	}
	wrong("must end in -00003-of-00003.gguf", renamed)

	wrong("in an earlier part too", writeParts(t, func(_ int, w *builder) { w.tensor("same", F32, floats(8), 8) })[0])
	wrong("split.tensors.count is 3 but the 3 parts hold 2", writeParts(t, func(i int, w *builder) {
		if i > 0 {
			w.tensor(fmt.Sprint("w", i), F32, floats(8), 8)
		}
	})[0])
}

func TestOpenWhatIsNoFile(t *testing.T) {
	dir := t.TempDir()
	if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), "is a folder") {
		t.Errorf("a folder: %v", err)
	}
	if _, err := Open(filepath.Join(dir, "absent.gguf")); !os.IsNotExist(err) {
		t.Errorf("no file: %v", err)
	}
	empty := filepath.Join(dir, "empty.gguf")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(empty); err == nil || !strings.Contains(err.Error(), "empty") {
		t.Errorf("an empty file: %v", err)
	}
}

func TestClose(t *testing.T) {
	f, err := Open(builtinPath)
	if err != nil {
		t.Fatal(err)
	}
	w := f.Tensors()[0]
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if w.Data != nil || len(f.Keys()) != 0 || f.Tensor(w.Name) != nil {
		t.Error("something is left of a closed file")
	}
	if err := f.Close(); err != nil {
		t.Errorf("closed twice: %v", err)
	}
}

// Pieces of tensors are read as they stand in the mapping, or in the bytes; of a file that was cut
// short the error names the byte.
func TestRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "model.gguf")
	data := newBuilder().tensor("w", F32, floats(2000), 2000).bytes()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	opened, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	parsed, err := Parse("bytes", data)
	if err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 5000)
	for _, f := range []*File{opened, parsed} {
		piece := f.Tensor("w").Data[700:5700]
		if err := f.Read(buf, piece); err != nil || !bytes.Equal(buf, piece) {
			t.Errorf("%s: error %v, or other bytes", f.Path, err)
		}
	}
	if opened.parts[0].file == nil {
		return // where files are not mapped they are in memory
	}
	if err := os.Truncate(path, int64(len(data)-4000)); err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("%s: cannot be read at byte %d any more", path, len(data)-4000)
	if err := opened.Read(buf, opened.Tensor("w").Data[3000:]); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("cut short: error is %v, want %q", err, want)
	}
}

// A file that is overwritten in place is noticed; what leaves the mapping as it was is
// not taken for that.
func TestChanged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "model.gguf")
	data := newBuilder().tensor("w", F32, floats(64), 64).bytes()
	for what, c := range map[string]struct {
		do   func() error
		want string
	}{
		"nothing":   {func() error { return nil }, ""},
		"touched":   {func() error { return os.Chtimes(path, time.Time{}, time.Now().Add(time.Hour)) }, ""},
		"deleted":   {func() error { return os.Remove(path) }, ""},
		"replaced":  {func() error { return errors.Join(os.WriteFile(path+"2", data[:8], 0o600), os.Rename(path+"2", path)) }, ""},
		"cut short": {func() error { return os.Truncate(path, 8) }, "overwritten"},
		"overwritten": {func() error {
			other := bytes.Clone(data)
			other[len(other)-1]++
			return errors.Join(os.WriteFile(path, other, 0o600), os.Chtimes(path, time.Time{}, time.Now().Add(time.Hour)))
		}, "overwritten"},
	} {
		if err := errors.Join(os.RemoveAll(path), os.WriteFile(path, data, 0o600)); err != nil {
			t.Fatal(err)
		}
		f, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		f.Hash()
		if err := c.do(); err != nil {
			t.Fatal(err)
		}
		if err := f.Changed(); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), path+": was "+c.want) {
			t.Errorf("%s: %v", what, err)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}
