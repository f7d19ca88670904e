//go:build !cuda

package engine

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestBuildWithoutCUDA: that this build has none is told where a GPU could be used or was
// asked for, and nowhere else.
func TestBuildWithoutCUDA(t *testing.T) {
	there := filepath.Join(t.TempDir(), "version")
	if err := os.WriteFile(there, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	before := driverFile
	defer func() { driverFile = before }()
	for _, c := range []struct {
		driver, layers, backend string
		told                    bool
	}{
		{there + "-not", "", "auto", false}, {there, "", "auto", true}, {there, "", "", true}, {there, "", "cpu", false},
		{there + "-not", "20", "auto", true}, {there + "-not", "0", "auto", false}, {there + "-not", "auto", "", false},
	} {
		driverFile = c.driver
		e, err := Open(context.Background(), Config{Model: "../testdata/models/tiny-llama-f32.gguf", Backend: c.backend, GPULayers: c.layers, Cells: 100, Threads: 1}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if told := strings.Contains(strings.Join(e.Info().Notices, " "), "CUDA"); told != c.told {
			t.Errorf("backend %q, %q layers, driver %v: told is %v: %q", c.backend, c.layers, c.driver == there, told, e.Info().Notices)
		}
		e.Close()
	}
}
