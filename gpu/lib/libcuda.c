// A stand-in for libcuda that links everywhere. Every function jumps to the one of
// the same name in the driver's libcuda.so.1, which is opened when the program
// starts. Where there is none, or where it will not start, cuInit still answers
// success, because gorgonia.org/cu ends the process otherwise; confab_cuda_status
// says what is the matter, and every other function then answers an error.
#include <dlfcn.h>
#include <stddef.h>
#include "cuda.h"

static CUresult absent(void) { return CUDA_ERROR_NOT_SUPPORTED; }

#define SYMBOL(name) void *confab_target_##name = (void *)absent;
#include "symbols.h"
#undef SYMBOL

#if defined(__x86_64__)
#define JUMP(name) "jmp *confab_target_" #name "(%rip)\n"
#elif defined(__aarch64__)
#define JUMP(name)                                  \
  "adrp x16, confab_target_" #name "\n"             \
  "ldr x16, [x16, :lo12:confab_target_" #name "]\n" \
  "br x16\n"
#else
#error "the stand-in for libcuda knows x86-64 and arm64 only"
#endif

#define SYMBOL(name)                             \
  __asm__(".text\n.globl " #name "\n.type " #name \
          ", %function\n" #name ":\n" JUMP(name));
#include "symbols.h"
#undef SYMBOL

static void *driver;
static const char *trouble;
static CUresult (*init)(unsigned int);
static CUresult started = CUDA_ERROR_NOT_INITIALIZED;

__attribute__((constructor)) static void confab_open_driver(void) {
  driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (driver == NULL) {
    trouble = dlerror();
    return;
  }
  void *at;
#define SYMBOL(name) \
  if ((at = dlsym(driver, #name)) != NULL) confab_target_##name = at;
#include "symbols.h"
#undef SYMBOL
  init = (CUresult(*)(unsigned int))dlsym(driver, "cuInit");
}

CUresult cuInit(unsigned int flags) {
  if (init != NULL) started = init(flags);
  return CUDA_SUCCESS;
}

// confab_cuda_status returns what the driver's cuInit answered; *reason is why there
// is no driver, or NULL where there is one.
int confab_cuda_status(const char **reason) {
  *reason = driver != NULL && init == NULL ? "libcuda.so.1 has no cuInit" : trouble;
  return (int)started;
}
