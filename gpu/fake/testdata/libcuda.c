// A driver without a device, for tests: device memory is the host's, kernels and
// graphs do nothing. The environment says how it is: FAKE_VERSION, FAKE_DEVICES,
// FAKE_MAJOR, FAKE_FREE (bytes), and FAKE_FAIL=NAME=CODE[@N[!]]: from call number N of
// NAME on (* is any) the answer is CODE, with ! that of this call alone. A code from
// 700 on is the device's death: every call answers it until the context is released, and
// with FAKE_ONE_LIFE=1 the process is given none from then on.
// Calls are counted from when the value changed. The free memory is less by the device
// memory in use, and by what was not given back before the context was: a byte for each
// piece of memory, stream, event, graph or module.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cuda.h"

static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER; // call at a time
static int contexts, live, lost;
static size_t used;
static CUresult dead, buried;

static long number(const char *name, long otherwise) {
  const char *v = getenv(name);
  return v && *v ? atol(v) : otherwise;
}

static CUresult fate(const char *name) {
  static char last[100];
  static long calls;
  const char *v = getenv("FAKE_FAIL");
  if (v == NULL) v = "";
  if (strcmp(v, last)) {
    snprintf(last, sizeof last, "%s", v);
    calls = 0;
  }
  if (dead) return dead;
  size_t n = strcspn(v, "=");
  int any = *v == '*';
  if (v[n] == 0 || !(any || (n == strlen(name) && !strncmp(v, name, n)))) return CUDA_SUCCESS;
  const char *at = strchr(v, '@');
  long first = at ? atol(at + 1) : 1;
  if (++calls < first || (strchr(v, '!') && calls > first)) return CUDA_SUCCESS;
  CUresult code = (CUresult)atol(v + n + 1);
  if (code >= 700 && !strchr(v, '!') && contexts > 0) dead = code;
  return code;
}

static void *made(void *handle) {
  live++;
  return handle;
}

static void gone(void *memory) {
  live--;
  free(memory);
}

static size_t left(void) { return number("FAKE_FREE", 4L << 30) - lost - used; }

// A piece of device memory has its size before it.
enum { HEAD = 256 };

static CUresult take(CUdeviceptr *p, size_t n) {
  char *at = n <= left() ? calloc(1, n + HEAD) : NULL;
  if (!at) return 2;
  *(size_t *)at = n;
  used += n;
  *p = (CUdeviceptr)made(at + HEAD);
  return CUDA_SUCCESS;
}

static void give_back(CUdeviceptr p) {
  char *at = (char *)p - HEAD;
  used -= *(size_t *)at;
  gone(at);
}

#define CALL(name, args, work)       \
  CUresult name args {               \
    pthread_mutex_lock(&one);        \
    CUresult r = fate(#name);        \
    if (r == CUDA_SUCCESS) { work; } \
    pthread_mutex_unlock(&one);      \
    return r;                        \
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
CALL(cuDevicePrimaryCtxRetain, (CUcontext *c, CUdevice d), *c = (CUcontext)8; if (!(r = buried)) contexts++)

// A context is given back even where the device is dead; the last to do so frees all.
CUresult cuDevicePrimaryCtxRelease_v2(CUdevice d) {
  pthread_mutex_lock(&one);
  CUresult r = fate("cuDevicePrimaryCtxRelease_v2");
  if (contexts > 0 && --contexts == 0) {
    if (!dead) lost += live;
    live = 0;
    used = 0;
    if (number("FAKE_ONE_LIFE", 0)) buried = dead;
    dead = CUDA_SUCCESS;
  }
  pthread_mutex_unlock(&one);
  return r;
}

CALL(cuCtxSetCurrent, (CUcontext c), )
CALL(cuCtxSynchronize, (void), )
CALL(cuModuleLoadData, (CUmodule *m, const void *image), *m = made((void *)8))
CALL(cuModuleUnload, (CUmodule m), gone(NULL))
CALL(cuModuleGetFunction, (CUfunction *f, CUmodule m, const char *name), *f = (CUfunction)8)
CALL(cuFuncSetAttribute, (CUfunction f, CUfunction_attribute a, int v), )
CALL(cuMemGetInfo_v2, (size_t *unused, size_t *all), *unused = left(); *all = 8L << 30)
CALL(cuMemAlloc_v2, (CUdeviceptr *p, size_t n), r = take(p, n))
CALL(cuMemFree_v2, (CUdeviceptr p), give_back(p))
CALL(cuMemHostAlloc, (void **p, size_t n, unsigned f), *p = made(calloc(1, n)))
CALL(cuMemFreeHost, (void *p), gone(p))
CALL(cuMemcpyHtoD_v2, (CUdeviceptr to, const void *from, size_t n), memcpy((void *)to, from, n))
CALL(cuMemcpyHtoDAsync_v2, (CUdeviceptr to, const void *from, size_t n, CUstream s), memcpy((void *)to, from, n))
CALL(cuMemcpyDtoH_v2, (void *to, CUdeviceptr from, size_t n), memcpy(to, (void *)from, n))
CALL(cuMemcpyDtoHAsync_v2, (void *to, CUdeviceptr from, size_t n, CUstream s), memcpy(to, (void *)from, n))
CALL(cuMemcpyDtoDAsync_v2, (CUdeviceptr to, CUdeviceptr from, size_t n, CUstream s), memcpy((void *)to, (void *)from, n))
CALL(cuMemsetD8_v2, (CUdeviceptr to, unsigned char v, size_t n), memset((void *)to, v, n))
CALL(cuMemsetD8Async, (CUdeviceptr to, unsigned char v, size_t n, CUstream s), memset((void *)to, v, n))
CALL(cuStreamCreate, (CUstream *s, unsigned f), *s = made((void *)8))
CALL(cuStreamDestroy_v2, (CUstream s), gone(NULL))
CALL(cuStreamSynchronize, (CUstream s), )
CALL(cuStreamBeginCapture_v2, (CUstream s, CUstreamCaptureMode m), )
CALL(cuStreamEndCapture, (CUstream s, CUgraph *g), *g = made((void *)8))
CALL(cuGraphInstantiateWithFlags, (CUgraphExec *e, CUgraph g, unsigned long long f), *e = made((void *)8))
CALL(cuGraphDestroy, (CUgraph g), gone(NULL))
CALL(cuGraphUpload, (CUgraphExec e, CUstream s), )
CALL(cuGraphLaunch, (CUgraphExec e, CUstream s), )
CALL(cuGraphExecDestroy, (CUgraphExec e), gone(NULL))
CALL(cuLaunchKernelEx, (const CUlaunchConfig *c, CUfunction f, void **params, void **extra), )
CALL(cuEventCreate, (CUevent *e, unsigned f), *e = made((void *)8))
CALL(cuEventRecord, (CUevent e, CUstream s), )
CALL(cuEventSynchronize, (CUevent e), )
CALL(cuEventElapsedTime, (float *ms, CUevent a, CUevent b), *ms = 1)
CALL(cuEventDestroy_v2, (CUevent e), gone(NULL))
CUresult cuGetErrorName(CUresult e, const char **name) { return *name = "FAKE_ERROR", CUDA_SUCCESS; }
CUresult cuGetErrorString(CUresult e, const char **text) { return *text = "as the test wants it", CUDA_SUCCESS; }
