//go:build cuda

package engine

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/confab-tui/confab/engine/cuda"
)

// withDriver runs the calling test in processes of its own whose libcuda.so.1 is that
// of the tests of gpu, a driver without a device; fail says which call fails.
func withDriver(t *testing.T, fails ...string) bool {
	t.Helper()
	const env = "CONFAB_TEST_CHILD"
	if os.Getenv(env) == t.Name() {
		return true
	}
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("no gcc to build a driver with")
	}
	dir := t.TempDir()
	if out, err := exec.Command(gcc, "-shared", "-fPIC", "-I../gpu/include", "-o", filepath.Join(dir, "libcuda.so.1"),
		"../gpu/testdata/libcuda.c").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, fail := range fails {
		cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
		cmd.Env = append(os.Environ(), env+"="+t.Name(), "LD_LIBRARY_PATH="+dir, "FAKE_FAIL="+fail)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", fail, err, out)
		}
	}
	return false
}

// A call of the driver that fails in the middle of answers ends all of them with an
// error that names it, and the process goes on: the CPU answers.
func TestDeviceDies(t *testing.T) {
	if !withDriver(t, "cuGraphLaunch=700@5", "cuStreamSynchronize=719@20", "cuMemcpyHtoDAsync_v2=999@90", "cuMemcpyDtoHAsync_v2=4@3") {
		return
	}
	call, _, _ := strings.Cut(os.Getenv("FAKE_FAIL"), "=")
	call, _, _ = strings.Cut(call, "_")
	e, err := Open(context.Background(), Config{Backend: "cuda", Cells: 600, Context: 256}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if name := e.Info().Backend; !strings.Contains(name, "Fake GPU") {
		t.Errorf("the backend is %q", name)
	}
	request := Request{Tokens: []int32{5, 6, 7}, MaxTokens: 200, IgnoreEnd: true}
	streams := []*Stream{e.Generate(context.Background(), request), e.Generate(context.Background(), request)}
	for _, s := range streams {
		got := finish(t, s)
		if got.End.Reason != ReasonError || got.End.Err == nil || !strings.Contains(got.End.Err.Error(), call) {
			t.Errorf("the answer ends with %q, %v; want an error of %s", got.End.Reason, got.End.Err, call)
		}
		var fatal interface{ Fatal() bool }
		if !errors.As(got.End.Err, &fatal) || !fatal.Fatal() {
			t.Errorf("%v does not say that the device is gone", got.End.Err)
		}
	}
	_ = e.Close() // what it says is the dead device's affair
	again, err := Open(context.Background(), Config{Backend: "cpu", Cells: 300, Threads: 1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if got := finish(t, again.Generate(context.Background(), Request{Tokens: []int32{5, 6, 7}, MaxTokens: 3})); got.End.Err != nil {
		t.Error(got.End.Err)
	}
}

// A device that fails while the model is loaded leaves the CPU, and the reason is told.
func TestDeviceFailsWhileLoading(t *testing.T) {
	if !withDriver(t, "cuMemAlloc_v2=2@3", "cuGraphInstantiateWithFlags=1@2", "cuModuleLoadData=209", "cuStreamBeginCapture_v2=900") {
		return
	}
	call, _, _ := strings.Cut(os.Getenv("FAKE_FAIL"), "=")
	call, _, _ = strings.Cut(call, "_")
	if _, err := Open(context.Background(), Config{Backend: "cuda", Cells: 600}, nil); err == nil || !strings.Contains(err.Error(), call) {
		t.Errorf("asked for, the GPU gives %v, want an error of %s", err, call)
	}
	e, err := Open(context.Background(), Config{Cells: 300, Threads: 1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if i := e.Info(); !strings.Contains(i.Backend, "CPU") || !strings.Contains(strings.Join(i.Notices, " "), call) {
		t.Errorf("left to itself it runs on %q and says %q, want the CPU and why", i.Backend, i.Notices)
	}
}

// On a GPU an answer does not depend on its company: eight at once of one prompt say
// what each says alone, and share the prompt's cells.
func TestDeviceCompany(t *testing.T) {
	if err := cuda.Available(); err != nil {
		t.Skip(err)
	}
	e, err := Open(context.Background(), Config{Backend: "cuda", Cells: 4000}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	var solo []string
	for seed := range 8 {
		solo = append(solo, finish(t, e.Generate(context.Background(), story(int64(seed)))).Text)
	}
	for range 3 {
		var streams []*Stream
		for seed := range 8 {
			streams = append(streams, e.Generate(context.Background(), story(int64(seed))))
		}
		for seed, s := range streams {
			got := finish(t, s)
			if got.Text != solo[seed] {
				t.Errorf("seed %d alone says %q, in company %q", seed, solo[seed], got.Text)
			}
			if got.Counts.Cached == 0 {
				t.Errorf("seed %d shares nothing of its prompt", seed)
			}
		}
	}
}
