//go:build unix

package cpu

import (
	"errors"
	"runtime"
	"sync/atomic"
	"testing"

	"golang.org/x/sys/unix"
)

// torn reads memory that cannot be read, on every worker but the first, which waits for it.
type torn struct {
	memory []byte
	met    atomic.Bool
	read   atomic.Int32
}

func (p *torn) units() int { return 9 }

func (p *torn) run(_, worker int) {
	if worker == 0 {
		for !p.met.Load() {
			runtime.Gosched()
		}
		return
	}
	p.met.Store(true)
	p.read.Add(int32(p.memory[0]))
}

// TestTeamSurvivesAFault: memory that a worker cannot read, as that of a file which was cut
// short, is a panic of the run, and not the end of the program.
func TestTeamSurvivesAFault(t *testing.T) {
	memory, err := unix.Mmap(-1, 0, unix.Getpagesize(), unix.PROT_NONE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		t.Skip(err)
	}
	defer unix.Munmap(memory)
	team := newTeam(3, idle)
	defer team.close()
	what := func() (what any) {
		defer func() { what = recover() }()
		team.run([]phase{&torn{memory: memory}}, 0)
		return nil
	}()
	err, _ = what.(error)
	if fault, ok := errors.AsType[interface {
		error
		Addr() uintptr
	}](err); !ok || fault.Addr() == 0 {
		t.Errorf("the run panics with %v", what)
	}
	later := &countPhase{counts: make([]atomic.Int32, 9), early: new(atomic.Int32)}
	team.run([]phase{later}, 0)
	for u := range later.counts {
		if n := later.counts[u].Load(); n != 1 {
			t.Errorf("unit %d of the next run ran %d times", u, n)
		}
	}
}
