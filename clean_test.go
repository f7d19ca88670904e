package main

import (
	"context"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"charm.land/fang/v2"
)

// hostile is what a terminal must not get from a file.
const hostile = "evil\x1b]0;title\x07\u202e\x9b31m"

// hostileModel writes a file whose strings are all hostile.
func hostileModel(t *testing.T, path string) {
	t.Helper()
	b := binary.LittleEndian.AppendUint32([]byte("GGUF"), 3)
	text := func(s string) {
		b = append(binary.LittleEndian.AppendUint64(b, uint64(len(s))), s...)
	}
	keys := [][2]string{{"general.architecture", hostile}, {"general.name", hostile}, {hostile, hostile}}
	b = binary.LittleEndian.AppendUint64(b, 1) // tensors
	b = binary.LittleEndian.AppendUint64(b, uint64(len(keys)))
	for _, k := range keys {
		text(k[0])
		b = binary.LittleEndian.AppendUint32(b, 8) // a string
		text(k[1])
	}
	text(hostile)
	b = binary.LittleEndian.AppendUint32(b, 1) // dimensions
	b = binary.LittleEndian.AppendUint64(b, 8)
	b = binary.LittleEndian.AppendUint32(b, 0) // F32
	b = binary.LittleEndian.AppendUint64(b, 0)
	b = append(b, make([]byte, 31-(len(b)+31)%32+32)...)
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
}

// What commands print of a file, its name and its faults can be shown as it is.
func TestNoControlCharacterOfAFileIsPrinted(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	dir := t.TempDir()
	path := filepath.Join(dir, hostile+".gguf")
	hostileModel(t, path)
	for _, args := range [][]string{
		{"inspect", "--keys", "--tensors", "--program", path}, {"models", "--models-folder", dir},
		{"ask", "-m", path, "hello"}, {"ask", "-m", hostile, "hello"},
	} {
		var b strings.Builder
		root := rootCommand()
		root.SetArgs(args)
		root.SetIn(strings.NewReader(""))
		root.SetOut(&b)
		root.SetErr(&b)
		root.SilenceErrors, root.SilenceUsage = true, true
		if err := root.Execute(); err != nil {
			printError(&b, fang.Styles{}, err)
		}
		if !strings.Contains(b.String(), "evil") {
			t.Errorf("%q says nothing of the file:\n%s", args[0], b.String())
		}
		for _, r := range b.String() {
			if unicode.IsControl(r) && r != '\n' && r != '\t' || r == '\u202e' {
				t.Errorf("%q prints %U:\n%q", args[0], r, b.String())
				break
			}
		}
	}
}

func TestLongNamesLeaveArgumentsAlone(t *testing.T) {
	got := longNames([]string{"ask", "-sys", "x", "-hf", "a/b", "--", "-sys", "-hf"})
	want := "ask --system-prompt x --hf a/b -- -sys -hf"
	if strings.Join(got, " ") != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// An interrupt does not wait for a model that is being loaded.
func TestInterruptsDoNotWait(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	_, err := unlessDone(ctx, func() (int, error) {
		cancel()
		select {} // loads without end
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("ended with %v", err)
	}
	if n, err := unlessDone(t.Context(), func() (int, error) { return 3, nil }); n != 3 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
}
