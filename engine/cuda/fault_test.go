//go:build cuda

package cuda

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/confab-tui/confab/engine/model"
	"github.com/confab-tui/confab/gpu"
	"github.com/confab-tui/confab/gpu/fake"
	"github.com/confab-tui/confab/kernels"
	"github.com/confab-tui/confab/kernels/rowwise"
)

// Every call of the driver in steps of every kind and in freeing what was had fails
// once, alone, and is once the last thing that the device does; so does every call,
// and from the thirtieth on ever fewer, while a program is loaded. The error names a
// call, and one in a step says that the executor is of no use; what was had is given
// back, and the device can be opened again.
func TestEveryCallFails(t *testing.T) {
	if !fake.IsChild(t) {
		fake.Run(t, fake.Driver(t, "../../gpu"), "FAKE_FREE=800000000") // so little that buffers are small
		return
	}
	kernels.Fatbin = []byte("kernels")
	p := load(t, "../../testdata/models/tiny-llama-f32.gguf")
	for _, alone := range []string{"", "!"} {
		loading := fails(t, p, alone, true, func(n int) int { return n + 1 + n/30 })
		running := fails(t, p, alone, false, func(n int) int { return n + 1 })
		if loading < 300 || running < 60 {
			t.Errorf("%d calls to load, run and close, %d to run and close", loading, running)
		}
	}
}

var namesCall = regexp.MustCompile(`\bcu[A-Z]\w+`)

// fails lives through the failure of one call after the other, until all calls are
// made before that, and returns how many calls those are.
func fails(t *testing.T, p *model.Program, alone string, loading bool, next func(int) int) int {
	for n := 1; ; n = next(n) {
		fail := fmt.Sprintf("*=700@%d%s", n, alone)
		err := lifeOf(t, p, fail, loading)
		t.Setenv("FAKE_FAIL", "")
		if err == nil {
			return n
		}
		if !namesCall.MatchString(err.Error()) {
			t.Errorf("%s: no call is named in %v", fail, err)
		}
	}
}

// lifeOf makes an executor, runs steps and closes it. A call fails from its beginning
// on, or only after loading.
func lifeOf(t *testing.T, p *model.Program, fail string, loading bool) error {
	free, err := gpu.FreeMemory(0)
	if err != nil {
		return err
	}
	if loading {
		t.Setenv("FAKE_FAIL", fail)
	}
	e, err := New(p, Options{Cells: 400})
	if err != nil && !loading {
		t.Fatalf("the device cannot be opened again: %v", err)
	}
	if err == nil {
		if !loading {
			t.Setenv("FAKE_FAIL", fail)
		}
		err = allSteps(e)
		if f, ok := errors.AsType[failure](err); err != nil && (!ok || !f.Fatal()) {
			t.Errorf("%v does not say that the executor is of no use", err)
		}
		err = errors.Join(err, e.Close())
	}
	t.Setenv("FAKE_FAIL", "")
	return errors.Join(err, leaks(free))
}

// leaks compares the free memory with what it was; the driver counts there what was not
// given back. The piece whose giving back is what failed is lost.
func leaks(before int64) error {
	now, err := gpu.FreeMemory(0)
	if err == nil && now < before-1 {
		err = fmt.Errorf("%d pieces were not given back", before-now)
	}
	return err
}

// allSteps runs a narrow step, a wide one with more outputs than a pass takes and with
// alternatives, one with logits, and spoils a cell.
func allSteps(e *Executor) error {
	s := newSequence(200)
	for _, st := range []*model.Step{s.step([]int32{3}), s.step(slices.Repeat([]int32{7}, 100)), s.step([]int32{4, 5, 6}, 101)} {
		for r := 0; r < len(st.Rows) && len(st.Rows) > 64; r++ {
			st.Outputs = append(st.Outputs, model.Output{Row: r, Sampling: model.SamplingRow{Pos: int32(r), Alternatives: 2}})
		}
		if _, err := e.Run(st); err != nil {
			return err
		}
	}
	if err := e.Poison(1); err != nil {
		return failure{err}
	}
	return nil
}

// A device that dies for good, since a kernel writes where there is nothing, fails the
// step, and closing says so once; the process is not given it again, and is told why.
func TestDeadDevice(t *testing.T) {
	t.Run("device", func(t *testing.T) {
		if err := Available(); err != nil {
			t.Skip(err)
		}
		if !fake.IsChild(t) { // nothing else of this process may have the context
			fake.Run(t, os.Getenv("LD_LIBRARY_PATH"))
			return
		}
		buries(t, func(e *Executor) {
			nowhere := kernels.Place{Ptr: 1 << 20, Stride: 64}
			rowwise.QueueMap(e.queue, rowwise.MapArgs{Op: rowwise.MapScale, Out: nowhere, A: nowhere, Rows: 1, N: 64})
		})
	})
	t.Run("fake", func(t *testing.T) {
		if !fake.IsChild(t) {
			fake.Run(t, fake.Driver(t, "../../gpu"), "FAKE_ONE_LIFE=1")
			return
		}
		kernels.Fatbin = []byte("kernels")
		buries(t, func(*Executor) { t.Setenv("FAKE_FAIL", "cuGraphLaunch=700") })
	})
}

// buries lives through a device's death for good.
func buries(t *testing.T, kill func(*Executor)) {
	p := load(t, builtin)
	e, err := New(p, Options{Cells: 64})
	if err != nil {
		t.Fatal(err)
	}
	step := newSequence(10).step([]int32{1, 2, 3}, 2)
	if _, err = e.Run(step); err != nil {
		t.Fatal(err)
	}
	kill(e)
	_, err = e.Run(step)
	if f, ok := errors.AsType[failure](err); !ok || !f.Fatal() {
		t.Errorf("a step on a dead device gives %v", err)
	}
	calls := map[string]int{}
	closed := fmt.Sprint(e.Close())
	for _, call := range namesCall.FindAllString(closed, -1) {
		if calls[call]++; calls[call] > 1 {
			t.Errorf("closing a dead device names %s more than once: %s", call, closed)
		}
	}
	t.Setenv("FAKE_FAIL", "")
	_, again := New(p, Options{Cells: 64})
	_, room := Room(0)
	for _, err := range []error{again, room} {
		if s := fmt.Sprint(err); !strings.Contains(s, "failed earlier") || !strings.Contains(s, "start confab again") || !strings.Contains(s, "cuDevicePrimaryCtxRetain") {
			t.Errorf("what a process with a dead device is told: %s", s)
		}
	}
}
