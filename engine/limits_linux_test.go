package engine

import (
	"context"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// A pool that the process's own limit has no room for is refused too, where the Go runtime
// would end the program.
func TestAddressSpaceDoesNotSuffice(t *testing.T) {
	if testing.Short() {
		t.Skip("the race detector takes address space as it likes")
	}
	if !inChild(t) {
		return
	}
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	kib, _ := field(string(status), "VmSize:")
	limit := uint64(kib)<<10 + 600<<20
	if err := unix.Setrlimit(unix.RLIMIT_AS, &unix.Rlimit{Cur: limit, Max: limit}); err != nil {
		t.Skip(err)
	}
	c := Config{Backend: "cpu", Cells: 200_000, Threads: 1} // of 4 KiB
	if _, err := Open(context.Background(), c, nil); err == nil || !strings.Contains(err.Error(), "lower engine.cells to") {
		t.Errorf("the error is %v", err)
	}
	c.Cells = 2000
	e, err := Open(context.Background(), c, nil)
	if err != nil {
		t.Fatal(err)
	}
	e.Close()
}
