//go:build cuda

package gpu

// #include <cuda.h>
import "C"

import (
	"errors"
	"unsafe"

	"gorgonia.org/cu"
)

// Stream is a queue of device work.
type Stream struct{ s cu.Stream }

// NewStream makes a stream that does not wait for the default one.
func (d *Device) NewStream() (*Stream, error) {
	s, err := cu.MakeStream(cu.NonBlocking)
	return &Stream{s}, named("cuStreamCreate", err)
}

func (s *Stream) c() C.CUstream { return C.CUstream(unsafe.Pointer(s.s.C())) }

// Sync waits until the stream is empty.
func (s *Stream) Sync() error { return named("cuStreamSynchronize", s.s.Synchronize()) }

// Close destroys the stream once it is empty.
func (s *Stream) Close() error { return named("cuStreamDestroy", s.s.Destroy()) }

// Upload queues a copy from src, which must be pinned and stay as it is until then.
func (s *Stream) Upload(dst Ptr, src []byte) error {
	if len(src) == 0 {
		return nil
	}
	return named("cuMemcpyHtoDAsync", cu.MemcpyHtoDAsync(cu.DevicePtr(dst), unsafe.Pointer(&src[0]), int64(len(src)), s.s))
}

// Download queues a copy to dst, which must be pinned.
func (s *Stream) Download(dst []byte, src Ptr) error {
	if len(dst) == 0 {
		return nil
	}
	return named("cuMemcpyDtoHAsync", cu.MemcpyDtoHAsync(unsafe.Pointer(&dst[0]), cu.DevicePtr(src), int64(len(dst)), s.s))
}

// Copy queues a copy within the device's memory.
func (s *Stream) Copy(dst, src Ptr, n int64) error {
	return named("cuMemcpyDtoDAsync", cu.MemcpyDtoDAsync(cu.DevicePtr(dst), cu.DevicePtr(src), n, s.s))
}

// Fill queues setting n bytes.
func (s *Stream) Fill(dst Ptr, value byte, n int64) error {
	return named("cuMemsetD8Async", cu.MemsetD8Async(cu.DevicePtr(dst), value, n, s.s))
}

// Begin records what is queued from here on, instead of running it, until End.
func (s *Stream) Begin() error {
	return check("cuStreamBeginCapture", C.cuStreamBeginCapture(s.c(), C.CU_STREAM_CAPTURE_MODE_THREAD_LOCAL))
}

// Graph is recorded work, ready to be launched as one.
type Graph struct{ exec C.CUgraphExec }

// End returns what was recorded since Begin.
func (s *Stream) End() (*Graph, error) {
	var g C.CUgraph
	if err := check("cuStreamEndCapture", C.cuStreamEndCapture(s.c(), &g)); err != nil {
		return nil, err
	}
	exec := new(Graph)
	err := errors.Join(check("cuGraphInstantiateWithFlags", C.cuGraphInstantiateWithFlags(&exec.exec, g, 0)),
		check("cuGraphDestroy", C.cuGraphDestroy(g)))
	if err == nil {
		err = check("cuGraphUpload", C.cuGraphUpload(exec.exec, s.c()))
	}
	if err != nil {
		return nil, errors.Join(err, exec.Close())
	}
	return exec, nil
}

// Launch queues the graph.
func (s *Stream) Launch(g *Graph) error {
	return check("cuGraphLaunch", C.cuGraphLaunch(g.exec, s.c()))
}

// Close destroys the graph, if there is one; it must not be running.
func (g *Graph) Close() error {
	if g.exec == nil {
		return nil
	}
	return check("cuGraphExecDestroy", C.cuGraphExecDestroy(g.exec))
}

// Event marks a place in a stream.
type Event struct{ e cu.Event }

// NewEvent makes an event that takes the time.
func (d *Device) NewEvent() (*Event, error) {
	e, err := cu.MakeEvent(cu.DefaultEvent)
	return &Event{e}, named("cuEventCreate", err)
}

// Record puts the event at the end of the stream.
func (s *Stream) Record(e *Event) error { return named("cuEventRecord", e.e.Record(s.s)) }

// Since returns the milliseconds from start to e, both reached.
func (e *Event) Since(start *Event) (float64, error) {
	if err := named("cuEventSynchronize", e.e.Synchronize()); err != nil {
		return 0, err
	}
	ms, err := start.e.Elapsed(e.e)
	return ms, named("cuEventElapsedTime", err)
}

// Close destroys the event.
func (e *Event) Close() error { return named("cuEventDestroy", cu.DestroyEvent(&e.e)) }

// Wait waits until the event is reached.
func (e *Event) Wait() error { return named("cuEventSynchronize", e.e.Synchronize()) }
