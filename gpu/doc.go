// Package gpu is the CUDA driver as Go values: a device with its context and
// kernels, memory, streams, events and graphs. It knows no models.
//
// It wraps gorgonia.org/cu and adds, in a little cgo of its own, what cu lacks:
// capturing and launching graphs, launch and function attributes, pinned memory. All
// of that is behind the build tag cuda; without it only Available exists, and says no.
//
// A program built with the tag starts on any machine: lib/libcuda.c stands in for
// the driver's library and finds the real one, if any, at run time. Available tells
// whether there is one that works. Every call's answer is checked; an error names
// the call. A Device is used by one goroutine at a time, which calls Use whenever it
// may have changed its thread.
package gpu
