// A driver without a device, for tests: device memory is the host's, kernels and
// graphs do nothing. The environment says how it is: FAKE_VERSION, FAKE_DEVICES,
// FAKE_MAJOR, FAKE_FREE (bytes), and FAKE_FAIL=NAME=CODE[@N], the function that
// answers an error, from its call number N on.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cuda.h"

static long number(const char *name, long otherwise) {
  const char *v = getenv(name);
  return v && *v ? atol(v) : otherwise;
}

static CUresult fate(const char *name) {
  const char *v = getenv("FAKE_FAIL");
  size_t n = strlen(name);
  if (!v || strncmp(v, name, n) || v[n] != '=') return CUDA_SUCCESS;
  static long calls;
  const char *at = strchr(v, '@');
  return ++calls >= (at ? atol(at + 1) : 1) ? (CUresult)atol(v + n + 1) : CUDA_SUCCESS;
}

#define CALL(name, args, work)     \
  CUresult name args {             \
    CUresult r = fate(#name);      \
    if (r == CUDA_SUCCESS) { work; } \
    return r;                      \
  }

CALL(cuInit, (unsigned f), )
CALL(cuDriverGetVersion, (int *v), *v = (int)number("FAKE_VERSION", 13000))
CALL(cuDeviceGetCount, (int *n), *n = (int)number("FAKE_DEVICES", 1))
CALL(cuDeviceGet, (CUdevice *d, int n), *d = n; if (n >= number("FAKE_DEVICES", 1)) r = 101)
CALL(cuDeviceGetName, (char *to, int n, CUdevice d), snprintf(to, n, "Fake GPU"))
CALL(cuDeviceGetAttribute, (int *v, CUdevice_attribute a, CUdevice d),
     *v = a == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR   ? (int)number("FAKE_MAJOR", 9)
          : a == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR ? 0
          : a == CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT     ? 16
                                                              : 1 << 18)
CALL(cuDevicePrimaryCtxRetain, (CUcontext *c, CUdevice d), *c = (CUcontext)8)
CALL(cuDevicePrimaryCtxRelease_v2, (CUdevice d), )
CALL(cuCtxSetCurrent, (CUcontext c), )
CALL(cuCtxSynchronize, (void), )
CALL(cuModuleLoadData, (CUmodule *m, const void *image), *m = (CUmodule)8)
CALL(cuModuleUnload, (CUmodule m), )
CALL(cuModuleGetFunction, (CUfunction *f, CUmodule m, const char *name), *f = (CUfunction)8)
CALL(cuFuncSetAttribute, (CUfunction f, CUfunction_attribute a, int v), )
CALL(cuMemGetInfo_v2, (size_t *unused, size_t *all), *unused = number("FAKE_FREE", 4L << 30); *all = 8L << 30)
CALL(cuMemAlloc_v2, (CUdeviceptr *p, size_t n), void *at = calloc(1, n); *p = (CUdeviceptr)at; if (!at) r = 2)
CALL(cuMemFree_v2, (CUdeviceptr p), free((void *)p))
CALL(cuMemHostAlloc, (void **p, size_t n, unsigned f), *p = calloc(1, n))
CALL(cuMemFreeHost, (void *p), free(p))
CALL(cuMemcpyHtoD_v2, (CUdeviceptr to, const void *from, size_t n), memcpy((void *)to, from, n))
CALL(cuMemcpyHtoDAsync_v2, (CUdeviceptr to, const void *from, size_t n, CUstream s), memcpy((void *)to, from, n))
CALL(cuMemcpyDtoH_v2, (void *to, CUdeviceptr from, size_t n), memcpy(to, (void *)from, n))
CALL(cuMemcpyDtoHAsync_v2, (void *to, CUdeviceptr from, size_t n, CUstream s), memcpy(to, (void *)from, n))
CALL(cuMemcpyDtoDAsync_v2, (CUdeviceptr to, CUdeviceptr from, size_t n, CUstream s), memcpy((void *)to, (void *)from, n))
CALL(cuMemsetD8_v2, (CUdeviceptr to, unsigned char v, size_t n), memset((void *)to, v, n))
CALL(cuMemsetD8Async, (CUdeviceptr to, unsigned char v, size_t n, CUstream s), memset((void *)to, v, n))
CALL(cuStreamCreate, (CUstream *s, unsigned f), *s = (CUstream)8)
CALL(cuStreamDestroy_v2, (CUstream s), )
CALL(cuStreamSynchronize, (CUstream s), )
CALL(cuStreamBeginCapture_v2, (CUstream s, CUstreamCaptureMode m), )
CALL(cuStreamEndCapture, (CUstream s, CUgraph *g), *g = (CUgraph)8)
CALL(cuGraphInstantiateWithFlags, (CUgraphExec *e, CUgraph g, unsigned long long f), *e = (CUgraphExec)8)
CALL(cuGraphDestroy, (CUgraph g), )
CALL(cuGraphUpload, (CUgraphExec e, CUstream s), )
CALL(cuGraphLaunch, (CUgraphExec e, CUstream s), )
CALL(cuGraphExecDestroy, (CUgraphExec e), )
CALL(cuLaunchKernelEx, (const CUlaunchConfig *c, CUfunction f, void **params, void **extra), )
CALL(cuEventCreate, (CUevent *e, unsigned f), *e = (CUevent)8)
CALL(cuEventRecord, (CUevent e, CUstream s), )
CALL(cuEventSynchronize, (CUevent e), )
CALL(cuEventElapsedTime, (float *ms, CUevent a, CUevent b), *ms = 1)
CALL(cuEventDestroy_v2, (CUevent e), )
CALL(cuGetErrorName, (CUresult e, const char **name), *name = "FAKE_ERROR")
CALL(cuGetErrorString, (CUresult e, const char **text), *text = "as the test wants it")
