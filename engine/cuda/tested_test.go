package cuda

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// deviceSources are the files that what runs on a GPU is made of, from here.
var deviceSources = []string{"*.go", "../../gpu/*.go", "../../gpu/lib/*.[ch]", "../../gpu/include/*.h",
	"../../kernels/*/*.cu", "../../kernels/*.cuh", "../../kernels/*/*.cuh", "../../kernels/*_cuda.go", "../../kernels/*/*_cuda.go"}

// sourceHash is the hash of the device sources, tests left out.
func sourceHash(t testing.TB) string {
	t.Helper()
	h := sha256.New()
	for _, pattern := range deviceSources {
		names, err := filepath.Glob(pattern)
		if err != nil || len(names) == 0 {
			t.Fatal(pattern, err)
		}
		slices.Sort(names)
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(h, "%s %d\n", filepath.Base(name), len(text))
			h.Write(text)
		}
	}
	return fmt.Sprintf("%x", h.Sum(nil))[:16]
}

// gpu/TESTED says on what the sources ran last; most machines have no GPU, so that it
// may be older than they are is only told.
func TestTestedOnDevice(t *testing.T) {
	text, err := os.ReadFile("../../gpu/TESTED")
	if err != nil {
		t.Logf("STALE: %v; run make test-gpu where there is a GPU", err)
		return
	}
	first, _, _ := strings.Cut(string(text), "\n")
	if now := sourceHash(t); !strings.Contains(first, now) {
		t.Logf("STALE: the GPU's sources are %s now, and were last run as: %s; run make test-gpu where there is one", now, first)
	}
}
