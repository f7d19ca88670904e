package cpu

import (
	"fmt"
	"math"
	"testing"

	"github.com/confab-tui/confab/engine/model"
)

// families are models that between them take every kind of phase.
var families = []string{"tiny-llama-q4_k_m", "tiny-qwen3moe-q4_k_m", "tiny-gemma2-f32", "tiny-gpt-oss-mxfp4",
	"tiny-gemma4-q4_k_m", "tiny-qwen35moe-q4_k_m", "tiny-phi3-f32"}

// poison fills every cell and every memory with what must never be read.
func poison(e *Executor) {
	for cell := range e.options.Cells {
		e.Poison(int32(cell))
	}
	for _, s := range e.states {
		for j := range s {
			s[j] = float32(math.NaN())
		}
	}
}

// logitsOfLast evaluates a prompt in steps of some width and returns the last logits.
func logitsOfLast(t *testing.T, e *Executor, tokens []int32, width int) []float32 {
	t.Helper()
	s := newSequence(len(tokens))
	for at := 0; at < len(tokens); at += width {
		end := min(at+width, len(tokens))
		var st *model.Step
		if end < len(tokens) {
			st = s.step(tokens[at:end])
		} else {
			st = s.step(tokens[at:end], end-1)
		}
		res, err := e.Run(st)
		if err != nil {
			t.Fatal(err)
		}
		if end == len(tokens) {
			return append([]float32(nil), res.Outputs[0].Logits...)
		}
	}
	return nil
}

func mustEqual(t *testing.T, what string, got, want []float32) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d values, want %d", what, len(got), len(want))
	}
	for i, w := range want {
		if math.Float32bits(got[i]) != math.Float32bits(w) || w != w {
			t.Fatalf("%s: value %d is %v, want %v to the last bit", what, i, got[i], w)
		}
	}
}

// TestBitsDoNotDepend holds a row's results to the last bit: on any number of threads, in
// steps of any width, beside other sequences, and with rubbish in all other cells.
func TestBitsDoNotDepend(t *testing.T) {
	models := goldenModels(t)
	for _, name := range families {
		path, ok := models[name]
		if !ok {
			continue
		}
		t.Run(name, func(t *testing.T) {
			p := load(t, path)
			tokens := someTokens(150, p.Spec.Vocab)
			var want []float32
			for _, threads := range []int{1, 2, 3, 5} {
				e := start(t, p, Options{Threads: threads, Cells: 512})
				poison(e)
				for _, width := range []int{150, 1, 7, 64} {
					got := logitsOfLast(t, e, tokens, width)
					if want == nil {
						want = got
					}
					mustEqual(t, fmt.Sprintf("%d threads, steps of %d", threads, width), got, want)
				}
				mustEqual(t, fmt.Sprintf("%d threads, beside others", threads), besideOthers(t, e, tokens), want)
			}
		})
	}
}

// besideOthers evaluates the prompt as the second of three sequences, in steps of uneven
// parts.
func besideOthers(t *testing.T, e *Executor, tokens []int32) []float32 {
	t.Helper()
	var seqs [3]*sequence
	for i := range seqs {
		seqs[i] = &sequence{}
		for c := range len(tokens) {
			seqs[i].cells = append(seqs[i].cells, int32(1+3*c+i))
		}
	}
	others := someTokens(3*len(tokens), e.program.Spec.Vocab)
	for at := 0; at < len(tokens); at += 25 {
		next := &model.Step{}
		last := at+25 == len(tokens)
		for i, s := range seqs {
			n := 25
			part := tokens[at : at+n]
			if i != 1 {
				n = 1 + (at+i)%20
				part = others[at+i : at+i+n]
			}
			st := s.step(part)
			if last {
				end := len(s.tokens) - 1
				st.Outputs = []model.Output{{Row: n - 1, Logits: true, Sampling: model.SamplingRow{Pos: int32(end + 1)}}}
			}
			join(next, st, i)
		}
		res, err := e.Run(next)
		if err != nil {
			t.Fatal(err)
		}
		if last {
			return append([]float32(nil), res.Outputs[1].Logits...)
		}
	}
	t.Fatal("the prompt is no multiple of 25")
	return nil
}

// join appends a step of one sequence, in a slot.
func join(to, st *model.Step, slot int) {
	first := len(to.Rows)
	to.Rows = append(to.Rows, st.Rows...)
	for _, q := range st.Seqs {
		q.First += first
		q.Slot = slot
		to.Seqs = append(to.Seqs, q)
	}
	for _, o := range st.Outputs {
		o.Row += first
		to.Outputs = append(to.Outputs, o)
	}
}

// TestSharedPrefix lets a second sequence start with the first one's cells.
func TestSharedPrefix(t *testing.T) {
	path, ok := goldenModels(t)["tiny-llama-q4_k_m"]
	if !ok {
		t.Skip("the model is not present")
	}
	p := load(t, path)
	e := start(t, p, Options{Threads: 2, Cells: 128})
	tokens := someTokens(40, p.Spec.Vocab)
	want := logitsOfLast(t, e, tokens, 40)
	poison(e)
	logitsOfLast(t, e, tokens[:30], 30)
	shared := newSequence(30)
	shared.tokens = tokens[:30:30]
	for c := int32(110); c < 120; c++ {
		shared.cells = append(shared.cells, c)
	}
	res, err := e.Run(shared.step(tokens[30:], 39))
	if err != nil {
		t.Fatal(err)
	}
	mustEqual(t, "a shared prefix", res.Outputs[0].Logits, want)
}
