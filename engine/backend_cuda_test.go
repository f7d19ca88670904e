//go:build cuda

package engine

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/confab-tui/confab/engine/cuda"
	"github.com/confab-tui/confab/gpu/fake"
)

// The calls of the driver that steps make: narrow ones run a graph, wide ones launch
// kernels, and logits come by a copy of their own.
var stepCalls = []string{"cuCtxSetCurrent", "cuMemcpyHtoDAsync_v2", "cuGraphLaunch", "cuLaunchKernelEx", "cuMemcpyDtoHAsync_v2",
	"cuStreamSynchronize", "cuMemcpyDtoH_v2"}

// A device that dies at any call in the middle of answers ends all of them with an
// error that names the call. The process goes on: the CPU answers, and so does the
// device when it is opened again, where the driver lets it.
func TestDeviceDies(t *testing.T) {
	if !fake.IsChild(t) {
		fake.Run(t, fake.Driver(t, "../gpu"))
		return
	}
	for i, call := range slices.Concat(stepCalls, stepCalls) {
		e := openCUDA(t, []string{"all", "1"}[i/len(stepCalls)])
		if name := e.Info().Backend; !strings.Contains(name, "Fake GPU") {
			t.Errorf("the backend is %q", name)
		}
		t.Setenv("FAKE_FAIL", fmt.Sprintf("%s=%d@%d", call, 700+i, 1+i%3))
		dies(t, e, call)
		_ = e.Close() // what it says is the dead device's affair
		t.Setenv("FAKE_FAIL", "")
		again := openCUDA(t, "all")
		answers(t, again)
		if err := again.Close(); err != nil {
			t.Errorf("after the death at %s: %v", call, err)
		}
	}
	e, err := Open(context.Background(), Config{Backend: "cpu", Cells: 300, Threads: 1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	answers(t, e)
	if err := e.Close(); err != nil {
		t.Error(err)
	}
}

// Where the driver gives a process no context any more after a death, opening the model on
// the device again says so, and left to itself it opens on the CPU, with the reason.
func TestDeviceDiesForGood(t *testing.T) {
	if !fake.IsChild(t) {
		fake.Run(t, fake.Driver(t, "../gpu"), "FAKE_ONE_LIFE=1")
		return
	}
	const why = "start confab again"
	e := openCUDA(t, "all")
	t.Setenv("FAKE_FAIL", "cuGraphLaunch=719")
	dies(t, e, "cuGraphLaunch")
	_ = e.Close() // what it says is the dead device's affair
	t.Setenv("FAKE_FAIL", "")
	if _, err := Open(context.Background(), Config{Backend: "cuda", Cells: 300, Threads: 1}, nil); err == nil || !strings.Contains(err.Error(), why) {
		t.Errorf("opened on the device again: %v", err)
	}
	e, err := Open(context.Background(), Config{Cells: 300, Threads: 1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if i := e.Info(); !strings.Contains(i.Backend, "CPU") || !strings.Contains(strings.Join(i.Notices, " "), why) {
		t.Errorf("left to itself it runs on %q and says %q, want the CPU and why", i.Backend, i.Notices)
	}
	answers(t, e)
	if err := e.Close(); err != nil {
		t.Error(err)
	}
}

func openCUDA(t *testing.T, layers string) *Engine {
	t.Helper()
	e, err := Open(context.Background(), Config{Model: "../testdata/models/tiny-llama-f32.gguf", Backend: "cuda", GPULayers: layers, Cells: 1000, Threads: 1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// dies has answers run until the device is dead; they must end with the call's error.
func dies(t *testing.T, e *Engine, call string) {
	t.Helper()
	short := Request{Tokens: []int32{5, 6, 7}, MaxTokens: 200, IgnoreEnd: true}
	long := Request{Tokens: slices.Repeat([]int32{5}, 240), MaxTokens: 10}
	e.pace.used = len(long.Tokens) // its first step is a wide one, however slow the machine is
	if call == "cuMemcpyDtoH_v2" { // no answer makes it: those to come find the device dead
		if _, _, err := e.Evaluate(context.Background(), short.Tokens, 1); err == nil {
			t.Error("logits were had of a dead device")
		}
	}
	other := short
	if call == "cuLaunchKernelEx" { // which narrow steps do not make
		other = Request{Tokens: slices.Repeat([]int32{6}, 240), MaxTokens: 10}
	}
	streams := []*Stream{e.Generate(context.Background(), long), e.Generate(context.Background(), other)}
	name, _, _ := strings.Cut(call, "_")
	for _, s := range streams {
		got := finish(t, s)
		if got.End.Reason != ReasonError || got.End.Err == nil || !strings.Contains(got.End.Err.Error(), name) {
			t.Errorf("the answer ends with %q, %v; want an error of %s", got.End.Reason, got.End.Err, call)
		}
		if !isFatal(got.End.Err) {
			t.Errorf("%v does not say that the device is gone", got.End.Err)
		}
	}
}

func answers(t *testing.T, e *Engine) {
	t.Helper()
	if got := finish(t, e.Generate(context.Background(), Request{Tokens: []int32{5, 6, 7}, MaxTokens: 3})); got.End.Err != nil {
		t.Error(got.End.Err)
	}
}

// A device that fails while the model is loaded leaves the CPU, and the reason is told.
func TestDeviceFailsWhileLoading(t *testing.T) {
	if !fake.IsChild(t) {
		driver := fake.Driver(t, "../gpu")
		for _, fail := range []string{"cuMemAlloc_v2=2@3", "cuGraphInstantiateWithFlags=1@2", "cuModuleLoadData=209", "cuStreamBeginCapture_v2=900"} {
			fake.Run(t, driver, "FAKE_FAIL="+fail)
		}
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
// what each says alone, and share the prompt's cells; recurrent layers have a memory of
// their own for each.
func TestDeviceCompany(t *testing.T) {
	if err := cuda.Available(); err != nil {
		t.Skip(err)
	}
	for _, name := range []string{"", "../testdata/models/tiny-qwen35-f32.gguf"} {
		t.Run(name, func(t *testing.T) { deviceCompany(t, name) })
	}
}

func deviceCompany(t *testing.T, name string) {
	e, err := Open(context.Background(), Config{Model: name, Backend: "cuda", Cells: 4000}, nil)
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
			if got.Counts.Cached == 0 && e.slots == nil {
				t.Errorf("seed %d shares nothing of its prompt", seed)
			}
		}
	}
}
