package engine

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const gibibyte = 1 << 30

func TestChooseCells(t *testing.T) {
	for _, c := range []struct {
		name string
		room room
		want int
		err  string
	}{
		{"several small conversations", room{free: 8 * gibibyte, cellBytes: 4096, context: 1024}, 8192, ""},
		{"one long conversation", room{free: 80 * gibibyte, cellBytes: 53248, context: 131072}, 131072, ""},
		{"as much as memory gives", room{free: 16 * gibibyte, weights: 8 * gibibyte, cellBytes: 131072, context: 131072}, 43008, ""},
		{"cells that take nothing", room{free: gibibyte, context: 4096}, 32768, ""},
		{"unknown memory", room{free: unknownMemory, cellBytes: 53248, context: 4096}, 32768, ""},
		{"as configured", room{free: 16 * gibibyte, cellBytes: 131072, context: 4096, cells: 100}, 100, ""},
		{"configured too large", room{free: 16 * gibibyte, weights: 8 * gibibyte, cellBytes: 131072, context: 4096, cells: 90000}, 0,
			"needs 19.0 GiB for weights and cells, 16.0 GiB free: lower engine.cells to 57344"},
		{"model too large", room{free: 4 * gibibyte, weights: 8 * gibibyte, cellBytes: 131072, context: 4096}, 0,
			"needs 8.1 GiB for weights and cells, 4.0 GiB free: choose a smaller model"},
	} {
		got, err := c.room.choose()
		if got != c.want || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: %d, %v; want %d, %q", c.name, got, err, c.want, c.err)
		}
	}
}

func TestControlGroups(t *testing.T) {
	root := t.TempDir()
	write := func(file, text string) {
		file = filepath.Join(root, file)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	// The inner group has no limit, the one around it has; cached file pages
	// count as free.
	write("a/b/memory.max", "max\n")
	write("a/b/memory.current", "100\n")
	write("a/memory.max", "1000\n")
	write("a/memory.current", "600\n")
	write("a/memory.stat", "anon 300\ninactive_file 250\n")
	if got := groupsLeave(root, "0::/a/b\n"); got != 650 {
		t.Errorf("version 2: %d, want 650", got)
	}
	write("memory/c/memory.limit_in_bytes", "500\n")
	write("memory/c/memory.usage_in_bytes", "450\n")
	if got := groupsLeave(root, "5:cpu:/x\n4:memory:/c\n"); got != 50 {
		t.Errorf("version 1: %d, want 50", got)
	}
	if got := groupsLeave(root, "0::/elsewhere\n"); got != unknownMemory {
		t.Errorf("no limit: %d", got)
	}
}

func TestLimitOfTheProcess(t *testing.T) {
	const head = "Limit                     Soft Limit           Hard Limit           Units     \nMax data size             7                    7                    bytes     \n"
	for limit, want := range map[string]int64{
		"Max address space         5000000              unlimited            bytes     \n": 5000000 - 1000<<10,
		"Max address space         1000                 1000                 bytes     \n": 0,
		"Max address space         unlimited            unlimited            bytes     \n": unknownMemory,
		"": unknownMemory,
	} {
		if got := limitLeaves(head+limit, "Name:\tconfab\nVmSize:\t    1000 kB\n"); got != want {
			t.Errorf("%q leaves %d, want %d", limit, got, want)
		}
	}
}
