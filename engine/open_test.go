package engine

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"os"
	"strings"
	"sync/atomic"
	"testing"
)

// Who no longer wants a model does not wait for its weights.
func TestOpenStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var loads atomic.Int64
	_, err := Open(ctx, Config{Backend: "cpu", Threads: 2, Cells: 100}, func(p Progress) {
		if p.Total > 0 && loads.Add(1) == 3 {
			cancel()
		}
	})
	if n := loads.Load(); !errors.Is(err, context.Canceled) || n > 4 {
		t.Errorf("error %v after %d reports", err, n)
	}
}

// A vocabulary that cannot be read is what Open complains about, although it is read beside the
// weights.
func TestOpenNamesTheVocabulary(t *testing.T) {
	path := ownModel(t)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	key := []byte("tokenizer.ggml.model")
	at := bytes.Index(data, key) + len(key) + 4 // the value's type
	n := int(binary.LittleEndian.Uint64(data[at:]))
	copy(data[at+8:], strings.Repeat("x", n))
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = Open(context.Background(), Config{Model: path, Backend: "cpu", Threads: 1, Cells: 100}, nil)
	if want := strings.Repeat("x", n); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error is %v, want one about %q", err, want)
	}
}
