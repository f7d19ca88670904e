package store

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestFullDisk writes to a disk of two megabytes, mounted where only this test's process
// sees it, until it is full. What could not be written waits and is written when there is
// room again.
func TestFullDisk(t *testing.T) {
	const env = "CONFAB_STORE_DISK"
	if dir := os.Getenv(env); dir != "" {
		fillDisk(t, dir)
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestFullDisk$")
	cmd.Env = append(os.Environ(), env+"="+t.TempDir())
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
	}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Skipf("no disk can be mounted: %v", err)
	}
	err := cmd.Wait()
	if strings.Contains(out.String(), "no disk can be mounted") {
		t.Skip(out.String())
	}
	if err != nil {
		t.Errorf("%v\n%s", err, out.Bytes())
	}
}

func fillDisk(t *testing.T, dir string) {
	if err := syscall.Mount("none", dir, "tmpfs", 0, "size=2m"); err != nil {
		t.Fatalf("no disk can be mounted: %v", err)
	}
	ballast := filepath.Join(dir, "ballast")
	if err := os.WriteFile(ballast, make([]byte, 1<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	s := openTest(t, dir)
	c := s.New()
	var err error
	wrote := 0
	for ; err == nil && wrote < 100; wrote++ {
		c.AddUser(c.Leaf(), strings.Repeat("text ", 5000))
		err = s.Flush(t.Context())
	}
	if err == nil || !strings.Contains(err.Error(), "the disk") || !strings.Contains(err.Error(), dir) {
		t.Fatalf("on a full disk: %v after %d messages", err, wrote)
	}
	c.AddUser(c.Leaf(), "the last one")
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	flush(t, s)
	s.Close()
	s = openTest(t, dir)
	path := load(t, s, c.ID).Path()
	if len(path) != wrote+1 || path[wrote].Content != "the last one" {
		t.Errorf("of %d messages %d are there", wrote+1, len(path))
	}
}
