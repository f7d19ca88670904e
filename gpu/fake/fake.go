// Package fake gives tests a CUDA driver without a device, which fails as it is told;
// testdata/libcuda.c says how. The driver is found when a process starts, so that a
// test runs itself again in a process of its own.
package fake

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Driver builds the driver and returns its folder; gpu is the path to this folder's
// parent. Without gcc the test is skipped.
func Driver(t testing.TB, gpu string) string {
	t.Helper()
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("no gcc to build a driver with")
	}
	dir := t.TempDir()
	cmd := exec.Command(gcc, "-shared", "-fPIC", "-I"+filepath.Join(gpu, "include"), "-o", filepath.Join(dir, "libcuda.so.1"),
		filepath.Join(gpu, "fake/testdata/libcuda.c"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return dir
}

const child = "CONFAB_TEST_CHILD"

// IsChild says whether this is the process that Run started.
func IsChild(t testing.TB) bool { return os.Getenv(child) == t.Name() }

// Run runs the calling test again with the driver of a folder, and returns what it
// printed; if it fails there, so it does here.
func Run(t testing.TB, driver string, env ...string) string {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
	cmd.Env = append(append(os.Environ(), child+"="+t.Name(), "LD_LIBRARY_PATH="+driver), env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%v: %v\n%s", env, err, out)
	}
	return string(out)
}
