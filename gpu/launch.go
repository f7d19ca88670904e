//go:build cuda

package gpu

/*
#include <string.h>
#include <cuda.h>

// One kernel with one parameter, a struct. overlap lets it start while the kernel
// before it in the stream still runs: the kernel waits where it needs its results.
// cluster blocks in x share their memory, where it is more than one.
static CUresult confab_launch(CUfunction f, unsigned x, unsigned y, unsigned z, unsigned threads,
                              unsigned shared, CUstream stream, int overlap, unsigned cluster, void *param) {
  CUlaunchAttribute attrs[2];
  int n = 0;
  memset(attrs, 0, sizeof attrs);
  if (overlap) {
    attrs[n].id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
    attrs[n++].value.programmaticStreamSerializationAllowed = 1;
  }
  if (cluster > 1) {
    attrs[n].id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    attrs[n].value.clusterDim.x = cluster;
    attrs[n].value.clusterDim.y = attrs[n].value.clusterDim.z = 1;
    n++;
  }
  CUlaunchConfig c;
  memset(&c, 0, sizeof c);
  c.gridDimX = x;
  c.gridDimY = y;
  c.gridDimZ = z;
  c.blockDimX = threads;
  c.blockDimY = 1;
  c.blockDimZ = 1;
  c.sharedMemBytes = shared;
  c.hStream = stream;
  c.attrs = attrs;
  c.numAttrs = n;
  void *params[1] = {param};
  return cuLaunchKernelEx(&c, f, params, NULL);
}
*/
import "C"

import (
	"fmt"
	"unsafe"
)

// Function is a kernel of the device's module.
type Function struct {
	name   string
	f      C.CUfunction
	shared int // bytes of dynamic shared memory that its blocks may have
}

// Function finds a kernel by name and lets its blocks have up to shared bytes of
// dynamic shared memory.
func (d *Device) Function(name string, shared int) (Function, error) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	f, ok := d.funcs[name]
	if !ok {
		found, err := d.module.Function(name)
		if err != nil {
			return Function{}, fmt.Errorf("cuModuleGetFunction: %s: %w", name, err)
		}
		// cu's Function is a struct of nothing but the handle.
		f = Function{name, *(*C.CUfunction)(unsafe.Pointer(&found)), 48 << 10}
	}
	if shared > f.shared {
		r := C.cuFuncSetAttribute(f.f, C.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, C.int(shared))
		if err := check("cuFuncSetAttribute", r); err != nil {
			return Function{}, fmt.Errorf("%s with %d bytes of shared memory: %w", name, shared, err)
		}
		f.shared = shared
	}
	d.funcs[name] = f
	return f, nil
}

// Config is how a kernel is launched.
type Config struct {
	Grid    [3]int // zeros count as one
	Threads int
	Shared  int // bytes of dynamic shared memory
	// Overlap lets the kernel start before the one in front of it has ended. It
	// must wait for that one itself before it reads or writes anything shared.
	Overlap bool
	// Cluster is how many neighbouring blocks in x form a cluster; zero counts as one.
	Cluster int
}

// Run queues a kernel. Every kernel takes one struct; param points to a Go struct
// of the same layout, which holds no Go pointers.
func (s *Stream) Run(f Function, c Config, param unsafe.Pointer) error {
	overlap := C.int(0)
	if c.Overlap {
		overlap = 1
	}
	r := C.confab_launch(f.f, C.uint(max(c.Grid[0], 1)), C.uint(max(c.Grid[1], 1)), C.uint(max(c.Grid[2], 1)),
		C.uint(c.Threads), C.uint(c.Shared), s.c(), overlap, C.uint(max(c.Cluster, 1)), param)
	if r == C.CUDA_SUCCESS {
		return nil
	}
	return fmt.Errorf("cuLaunchKernelEx: %s, grid %v of %d threads, %d bytes shared: %w",
		f.name, c.Grid, c.Threads, c.Shared, cuError(r))
}
