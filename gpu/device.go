//go:build cuda

package gpu

// #include <cuda.h>
import "C"

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"gorgonia.org/cu"
)

// Device is an open GPU with a module of kernels loaded.
type Device struct {
	Name string
	// Major and Minor are the compute capability.
	Major, Minor int
	// SMs is the number of multiprocessors, SharedMax the most shared memory of a
	// block, L2 the size of the cache, in bytes.
	SMs, SharedMax, L2 int

	dev    cu.Device
	ctx    cu.CUContext
	module cu.Module

	mutex sync.Mutex // guards funcs
	funcs map[string]Function
}

// Open makes the device's primary context current on this thread and loads image, a
// fatbin.
func Open(ordinal int, image []byte) (*Device, error) {
	if len(image) == 0 {
		return nil, fmt.Errorf("this confab holds no kernels for the GPU: run make kernels where nvcc is, then make")
	}
	d, err := hold(ordinal)
	if err != nil {
		return nil, err
	}
	if err = d.describe(); err == nil {
		err = d.load(image)
	}
	if err != nil {
		_ = d.release()
		return nil, err
	}
	return d, nil
}

// Hold keeps a device's context until release is called, for who opens the device more than
// once in the meantime: to make one takes a tenth of a second.
func Hold(ordinal int) (release func() error, err error) {
	d, err := hold(ordinal)
	if err != nil {
		return nil, err
	}
	return d.release, nil
}

// hold retains the primary context of a device, which release gives back.
func hold(ordinal int) (*Device, error) {
	if err := Available(); err != nil {
		return nil, err
	}
	dev, err := cu.GetDevice(ordinal)
	if err != nil {
		n, _ := cu.NumDevices()
		return nil, fmt.Errorf("there is no GPU %d among %d: cuDeviceGet: %w", ordinal, n, err)
	}
	ctx, err := dev.RetainPrimaryCtx()
	if slices.ContainsFunc(lasting, func(e error) bool { return errors.Is(err, e) }) {
		return nil, fmt.Errorf("the GPU failed earlier and is lost to this process, start confab again to use it: cuDevicePrimaryCtxRetain: %w", err)
	}
	if err != nil {
		return nil, named("cuDevicePrimaryCtxRetain", err)
	}
	return &Device{dev: dev, ctx: ctx, funcs: map[string]Function{}}, nil
}

func (d *Device) release() error {
	return named("cuDevicePrimaryCtxRelease", d.dev.ReleasePrimaryCtx())
}

// lasting are the failures of kernels after which the driver gives a process no context any
// more, whatever it gives back.
var lasting = []error{cu.IllegalAddress, cu.LaunchTimeout, cu.Assert, cu.HardwareStackError, cu.IllegalInstruction,
	cu.MisalignedAddress, cu.InvalidAddressSpace, cu.InvalidPc, cu.LaunchFailed}

func (d *Device) load(image []byte) error {
	if err := d.Use(); err != nil {
		return err
	}
	var err error
	if d.module, err = cu.LoadData(string(image)); err != nil {
		return fmt.Errorf("%s (compute capability %d.%d) takes none of the kernels: cuModuleLoadData: %w; update the driver",
			d.Name, d.Major, d.Minor, err)
	}
	return nil
}

// describe asks the driver for what the fields say, and refuses what is too old.
func (d *Device) describe() error {
	var err error
	if d.Name, err = d.dev.Name(); err != nil {
		return named("cuDeviceGetName", err)
	}
	for _, a := range []struct {
		at   *int
		what C.CUdevice_attribute
	}{
		{&d.Major, C.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR},
		{&d.Minor, C.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR},
		{&d.SMs, C.CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT},
		{&d.SharedMax, C.CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN},
		{&d.L2, C.CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE},
	} {
		var v C.int
		if err := check("cuDeviceGetAttribute", C.cuDeviceGetAttribute(&v, a.what, C.CUdevice(d.dev))); err != nil {
			return err
		}
		*a.at = int(v)
	}
	if d.Major < oldestMajor {
		return fmt.Errorf("%s is too old: its compute capability is %d.%d, the kernels need %d.0",
			d.Name, d.Major, d.Minor, oldestMajor)
	}
	return nil
}

// Hopper says that the device runs what is compiled for sm_90a.
func (d *Device) Hopper() bool { return d.Major == 9 && d.Minor == 0 }

// Use makes the device current on the calling thread.
func (d *Device) Use() error { return named("cuCtxSetCurrent", cu.SetCurrentContext(d.ctx)) }

// Memory returns the free and the whole memory, in bytes.
func (d *Device) Memory() (free, total int64, err error) {
	free, total, err = cu.MemInfo()
	return free, total, named("cuMemGetInfo", err)
}

// Sync waits for everything that was launched.
func (d *Device) Sync() error { return named("cuCtxSynchronize", cu.Synchronize()) }

// Close unloads the kernels and gives the context back, that of a device that has died
// too. Memory that is not freed yet goes with it. Whether a dead device can be opened again
// depends on what it died of; after a kernel's fault it cannot, and Open says so.
func (d *Device) Close() error {
	return errors.Join(d.Use(), named("cuModuleUnload", d.module.Unload()), d.release())
}

// FreeMemory returns the free bytes of a device that need not be open.
func FreeMemory(ordinal int) (int64, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	d, err := hold(ordinal)
	if err != nil {
		return 0, err
	}
	var free int64
	if err = d.Use(); err == nil {
		free, _, err = d.Memory()
	}
	return free, errors.Join(err, d.release())
}
