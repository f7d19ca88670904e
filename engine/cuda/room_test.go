//go:build cuda

package cuda

import "testing"

// Left to itself the pool takes what memory there is, leaves the reserve, and works.
func TestRoom(t *testing.T) {
	p := load(t, builtin)
	e := start(t, p, Options{Context: 4096})
	free, total, err := e.device.Memory()
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d cells of %d bytes; %.1f GiB free of %.1f", e.Cells(), e.CellBytes(), gib(free), gib(total))
	if e.Cells() < 1000 || free < reserveBytes/2 {
		t.Errorf("%d cells leave %d bytes free", e.Cells(), free)
	}
	s := newSequence(10)
	s.cells[0] = int32(e.Cells() - 1)
	if _, err := e.Run(s.step([]int32{1, 2, 3}, 2)); err != nil {
		t.Fatal(err)
	}
	if _, err := New(p, Options{Cells: 1 << 40}); err == nil {
		t.Error("a pool of 2^40 cells was made")
	} else {
		t.Log(err)
	}
}

// A wrong step is refused and does no harm.
func TestRefusesWrongSteps(t *testing.T) {
	p := load(t, builtin)
	e := start(t, p, Options{Cells: 64})
	for what, change := range map[string]func(s *sequence){
		"cell":  func(s *sequence) { s.cells[1] = 64 },
		"token": func(s *sequence) { s.tokens = nil },
	} {
		s := newSequence(10)
		change(s)
		tokens := []int32{1, 2, 3}
		if what == "token" {
			tokens[1] = int32(p.Spec.Vocab)
		}
		if _, err := e.Run(s.step(tokens, 2)); err == nil {
			t.Errorf("a step with a wrong %s was run", what)
		}
	}
	if _, err := e.Run(newSequence(10).step([]int32{1, 2, 3}, 2)); err != nil {
		t.Fatal(err)
	}
}
