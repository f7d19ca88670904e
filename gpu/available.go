//go:build cuda

package gpu

/*
#cgo CFLAGS: -I${SRCDIR}/include
#cgo LDFLAGS: -ldl
#include <cuda.h>

extern int confab_cuda_status(const char **reason);
*/
import "C"

import (
	"errors"
	"fmt"
	"strings"

	"gorgonia.org/cu"
)

// oldestDriver is the CUDA version of the oldest driver that loads kernels compiled by
// CUDA 13, as cuDriverGetVersion writes it.
const oldestDriver = 13000

// oldestMajor is the compute capability that the kernels need: 8.0, Ampere.
const oldestMajor = 8

// Available returns nil where there is a driver and a device to run on, and
// otherwise says what is missing. It does not look at the device's free memory.
func Available() error {
	var why *C.char
	status := cuError(C.confab_cuda_status(&why))
	switch {
	case why != nil:
		return fmt.Errorf("no NVIDIA driver (%s)", strings.TrimSpace(C.GoString(why)))
	case status == C.CUDA_ERROR_NO_DEVICE:
		return errors.New("the NVIDIA driver finds no device")
	case status != C.CUDA_SUCCESS:
		return fmt.Errorf("the NVIDIA driver does not start: cuInit: %w", status)
	}
	var v C.int
	if err := check("cuDriverGetVersion", C.cuDriverGetVersion(&v)); err != nil {
		return err
	}
	if v < oldestDriver {
		return fmt.Errorf("the NVIDIA driver is too old: it speaks CUDA %s, the kernels need %s; update the driver",
			version(int(v)), version(oldestDriver))
	}
	n, err := cu.NumDevices()
	if err != nil {
		return fmt.Errorf("cuDeviceGetCount: %w", err)
	}
	if n == 0 {
		return errors.New("the NVIDIA driver finds no device")
	}
	return nil
}

func version(v int) string { return fmt.Sprintf("%d.%d", v/1000, v%1000/10) }

// cuError is the answer of a driver call of ours.
type cuError C.CUresult

func (e cuError) Error() string {
	var name, text *C.char
	if C.cuGetErrorName(C.CUresult(e), &name) != C.CUDA_SUCCESS || name == nil {
		return fmt.Sprintf("CUDA error %d", int(e))
	}
	if C.cuGetErrorString(C.CUresult(e), &text) != C.CUDA_SUCCESS || text == nil {
		return C.GoString(name)
	}
	return C.GoString(name) + ": " + C.GoString(text)
}

// check turns a driver call's answer into an error that names the call.
func check(call string, r C.CUresult) error {
	if r == C.CUDA_SUCCESS {
		return nil
	}
	return fmt.Errorf("%s: %w", call, cuError(r))
}

// named adds the call's name to an error of cu.
func named(call string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", call, err)
}
