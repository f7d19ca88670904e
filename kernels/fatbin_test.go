package kernels

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The fatbin that is built in was made from the sources beside it.
func TestFatbinIsCurrent(t *testing.T) {
	recorded, err := os.ReadFile("kernels.sha256")
	if err != nil {
		t.Fatal(err)
	}
	h := sha256.New()
	for _, pattern := range []string{"*/*.cu", "*.cuh", "*/*.cuh"} {
		names, err := filepath.Glob(pattern)
		if err != nil || len(names) == 0 {
			t.Fatal(pattern, err)
		}
		slices.Sort(names)
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			h.Write(text)
		}
	}
	if now := fmt.Sprintf("%x", h.Sum(nil)); now != strings.TrimSpace(string(recorded)) {
		t.Errorf("the kernels have changed since the fatbin was compiled (%s, now %s): run make kernels", recorded[:8], now[:8])
	}
	if info, err := os.Stat("kernels.fatbin"); err != nil || info.Size() == 0 {
		t.Errorf("kernels.fatbin: %v, empty or not there: run make kernels", err)
	}
}
