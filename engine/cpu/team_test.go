package cpu

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"
)

// countPhase counts how often each unit runs, and demands that the phase before is
// over.
type countPhase struct {
	counts []atomic.Int32
	before *countPhase
	early  *atomic.Int32
}

func (p *countPhase) units() int { return len(p.counts) }

func (p *countPhase) run(unit, _ int) {
	if p.before != nil {
		for i := range p.before.counts {
			if p.before.counts[i].Load() != p.counts[unit].Load()+1 {
				p.early.Add(1)
			}
		}
	}
	p.counts[unit].Add(1)
}

// TestTeamRunsEverythingOnce also runs phases without units and with a single one, and
// lets the workers fall asleep now and then.
func TestTeamRunsEverythingOnce(t *testing.T) {
	for _, n := range []int{1, 2, 3, 8} {
		team := newTeam(n, idle)
		var early atomic.Int32
		var phases []phase
		var counts []*countPhase
		var before *countPhase
		for _, units := range []int{7, 1, 0, 1, 40, 2, 1} {
			p := &countPhase{counts: make([]atomic.Int32, units), early: &early, before: before}
			if units > 0 {
				before = p
			}
			phases, counts = append(phases, p), append(counts, p)
		}
		const runs = 300
		for r := range runs {
			team.run(phases, 0)
			if r%100 == 50 {
				time.Sleep(2 * time.Millisecond)
			}
		}
		team.close()
		for i, p := range counts {
			for u := range p.counts {
				if got := p.counts[u].Load(); got != runs {
					t.Errorf("%d workers: unit %d of phase %d ran %d times, want %d", n, u, i, got, runs)
				}
			}
		}
		if early.Load() != 0 {
			t.Errorf("%d workers: %d units ran before the phase before had ended", n, early.Load())
		}
	}
}

// breaking panics in one of its units.
type breaking struct{ n, at int }

func (p breaking) units() int { return p.n }

func (p breaking) run(unit, _ int) {
	if unit == p.at {
		panic(fmt.Sprint("unit ", unit))
	}
}

// TestTeamSurvivesAPanic of any unit: the run panics with it and skips the phases that
// follow, and the next run is as good as any.
func TestTeamSurvivesAPanic(t *testing.T) {
	for _, workers := range []int{1, 2, 3, 8} {
		team := newTeam(workers, idle)
		for _, units := range []int{1, 2, 7, 40} {
			for at := range units {
				later := &countPhase{counts: make([]atomic.Int32, 9), early: new(atomic.Int32)}
				what := func() (what any) {
					defer func() { what = recover() }()
					team.run([]phase{emptyPhase{}, breaking{units, at}, later}, 0)
					return nil
				}()
				if want := fmt.Sprint("unit ", at); what == nil || fmt.Sprint(what) != want {
					t.Fatalf("%d workers: the run panics with %v, want %s", workers, what, want)
				}
				if n := later.counts[0].Load(); n != 0 {
					t.Fatalf("%d workers: what follows a panic ran %d times", workers, n)
				}
				team.run([]phase{later, later}, 0)
				for u := range later.counts {
					if n := later.counts[u].Load(); n != 2 {
						t.Fatalf("%d workers: unit %d of the next run ran %d times, want 2", workers, u, n)
					}
				}
			}
		}
		team.close()
	}
}

// fumbling panics while it asks for the data of a unit.
type fumbling struct{ breaking }

func (p fumbling) fetch(unit, _ int) { p.breaking.run(unit, 0) }

func (p fumbling) run(int, int) { time.Sleep(20 * time.Microsecond) } // so that all workers come

// TestTeamSurvivesAPanicOfFetching, on whatever worker it is: it ends the run, not the program.
func TestTeamSurvivesAPanicOfFetching(t *testing.T) {
	team := newTeam(3, idle)
	defer team.close()
	panics := 0
	for try := range 2 * 40 {
		func() {
			defer func() {
				if recover() != nil {
					panics++
				}
			}()
			team.run([]phase{fumbling{breaking{40, try % 40}}}, 0)
		}()
	}
	if panics == 0 {
		t.Error("no fetch panicked")
	}
}

// TestTeamSleeps checks that idle workers leave the processor alone.
func TestTeamSleeps(t *testing.T) {
	team := newTeam(4, idle)
	defer team.close()
	team.run([]phase{&countPhase{counts: make([]atomic.Int32, 9), early: new(atomic.Int32)}}, 0)
	for deadline := time.Now().Add(time.Minute); team.asleep.Load() != 3; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d of 3 workers sleep", team.asleep.Load())
		}
	}
}

// BenchmarkTeam measures what a phase costs beside its units.
func BenchmarkTeam(b *testing.B) {
	team := newTeam(2, idle)
	defer team.close()
	const n = 100
	phases := make([]phase, n)
	for i := range phases {
		phases[i] = emptyPhase{}
	}
	for b.Loop() {
		team.run(phases, 0)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/phase")
}

func idle(int, int) bool { return false }

type emptyPhase struct{}

func (emptyPhase) units() int   { return 2 }
func (emptyPhase) run(int, int) {}
