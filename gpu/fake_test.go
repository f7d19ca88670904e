//go:build cuda

package gpu

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unsafe"

	"github.com/confab-tui/confab/gpu/fake"
)

// Every reason not to use a GPU is told with its numbers.
func TestReasons(t *testing.T) {
	if fake.IsChild(t) {
		d, err := Open(0, []byte("kernels"))
		if err == nil {
			_, err = d.Alloc(3 << 20)
			err = errors.Join(err, d.Close())
		}
		fmt.Println("reason:", err)
		return
	}
	driver, broken := fake.Driver(t, "."), t.TempDir()
	if err := os.WriteFile(filepath.Join(broken, "libcuda.so.1"), []byte("no library"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		env   []string
		wants []string
	}{
		{[]string{"LD_LIBRARY_PATH=" + broken}, []string{"no NVIDIA driver", "libcuda.so.1"}},
		{[]string{"FAKE_FAIL=cuInit=100"}, []string{"finds no device"}},
		{[]string{"FAKE_FAIL=cuInit=803"}, []string{"does not start", "cuInit", "FAKE_ERROR"}},
		{[]string{"FAKE_DEVICES=0"}, []string{"finds no device"}},
		{[]string{"FAKE_VERSION=12020"}, []string{"too old", "CUDA 12.2", "need 13.0", "update the driver"}},
		{[]string{"FAKE_MAJOR=7"}, []string{"Fake GPU is too old", "7.0", "8.0"}},
		{[]string{"FAKE_FAIL=cuModuleLoadData=209"}, []string{"cuModuleLoadData", "compute capability 9.0", "kernels"}},
		{[]string{"FAKE_FAIL=cuMemAlloc_v2=2", "FAKE_FREE=5242880"}, []string{"out of memory on Fake GPU", "3 MiB asked for", "5 MiB free", "cuMemAlloc"}},
		{nil, []string{"reason: <nil>"}},
	} {
		out := fake.Run(t, driver, c.env...)
		for _, want := range c.wants {
			if !strings.Contains(out, want) {
				t.Errorf("%v: no %q in %s", c.env, want, out)
			}
		}
	}
}

// useEverything makes every call of this package once and gives their errors.
func useEverything() error {
	d, err := Open(0, []byte("kernels"))
	if err != nil {
		return err
	}
	_, _, memory := d.Memory()
	p, alloc := d.Alloc(1 << 16)
	if alloc != nil {
		return errors.Join(memory, alloc, d.Close())
	}
	b := make([]byte, 1<<16)
	errs := []error{memory, d.Upload(p, b), d.Download(b, p), d.Fill(p, 1, 100)}
	pinned, err := d.Pinned(1 << 10)
	errs = append(errs, err)
	s, err := d.NewStream()
	if err != nil {
		return errors.Join(append(errs, err)...)
	}
	f, err := d.Function("kernel", 1<<16)
	errs = append(errs, err, s.Begin())
	var param int
	errs = append(errs, s.Run(f, Config{Threads: 32}, unsafe.Pointer(&param)))
	g, err := s.End()
	if errs = append(errs, err); err == nil {
		errs = append(errs, s.Launch(g), g.Close())
	}
	e, err := d.NewEvent()
	if errs = append(errs, err); err == nil {
		_, since := e.Since(e)
		errs = append(errs, s.Record(e), e.Wait(), since, e.Close())
	}
	errs = append(errs, s.Upload(p, pinned), s.Download(pinned, p), s.Copy(p, p+1<<15, 8), s.Fill(p, 1, 8), s.Sync(),
		d.FreePinned(pinned), s.Close(), d.Free(p), d.Close())
	_, err = FreeMemory(0)
	return errors.Join(append(errs, err)...)
}

// Whichever call fails, the error names it, and the process lives.
func TestErrorsNameTheCall(t *testing.T) {
	if fake.IsChild(t) {
		fmt.Println("errors:", useEverything())
		return
	}
	driver := fake.Driver(t, ".")
	for _, call := range strings.Fields(`cuInit cuDriverGetVersion cuDeviceGetCount cuDeviceGet cuDeviceGetName cuDeviceGetAttribute
		cuDevicePrimaryCtxRetain cuDevicePrimaryCtxRelease_v2 cuCtxSetCurrent cuCtxSynchronize cuModuleLoadData cuModuleUnload
		cuModuleGetFunction cuFuncSetAttribute cuMemGetInfo_v2 cuMemAlloc_v2 cuMemFree_v2 cuMemHostAlloc cuMemFreeHost
		cuMemcpyHtoD_v2 cuMemcpyHtoDAsync_v2 cuMemcpyDtoH_v2 cuMemcpyDtoHAsync_v2 cuMemcpyDtoDAsync_v2 cuMemsetD8_v2
		cuMemsetD8Async cuStreamCreate cuStreamDestroy_v2 cuStreamSynchronize cuStreamBeginCapture_v2 cuStreamEndCapture
		cuGraphInstantiateWithFlags cuGraphDestroy cuGraphUpload cuGraphLaunch cuGraphExecDestroy cuLaunchKernelEx
		cuEventCreate cuEventRecord cuEventSynchronize cuEventElapsedTime cuEventDestroy_v2 none`) {
		name, _, _ := strings.Cut(call, "_")
		if name == "none" {
			name = "errors: <nil>"
		}
		if out := fake.Run(t, driver, "FAKE_FAIL="+call+"=700"); !strings.Contains(out, name) {
			t.Errorf("the failure of %s gives %s", call, out)
		}
	}
}
