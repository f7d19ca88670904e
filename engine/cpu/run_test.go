package cpu

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/confab-tui/confab/engine/model"
)

const tinyLlama = "tiny-llama-f32"

// tiny starts an executor of a small model.
func tiny(t *testing.T, name string, threads int) *Executor {
	t.Helper()
	path, ok := goldenModels(t)[name]
	if !ok {
		t.Skipf("%s is not present", name)
	}
	return start(t, load(t, path), Options{Threads: threads, Cells: 512})
}

// TestDraft checks that a draft changes nothing but how many steps it takes.
func TestDraft(t *testing.T) {
	e := tiny(t, tinyLlama, 2)
	prompt := someTokens(20, e.program.Spec.Vocab)
	knobs := model.SamplingRow{Seed: 7, Alternatives: 3, Sampling: model.DefaultSampling()}
	knobs.RepeatPenalty, knobs.RepeatLastN = 1.3, 8
	want := plainTokens(t, e, prompt, 12, knobs)
	for wrong := range 6 {
		s := newSequence(200)
		run(t, e, s.step(prompt[:19]))
		draft := append([]int32(nil), ids(want[:5])...)
		if wrong < len(draft) {
			draft[wrong] = (draft[wrong] + 1) % int32(e.program.Spec.Vocab)
		}
		st := s.step(append([]int32{prompt[19]}, draft...))
		knobs.Pos, knobs.History = 20, lastOf(prompt, 8)
		st.Outputs = []model.Output{{Row: 0, Draft: draft, Sampling: knobs}}
		got := run(t, e, st).Outputs[0]
		if len(got.Tokens) != wrong+1 || len(got.Alternatives) != wrong+1 {
			t.Fatalf("draft wrong at %d: %d tokens, %d lists of alternatives; want %d", wrong, len(got.Tokens), len(got.Alternatives), wrong+1)
		}
		for i, tok := range got.Tokens {
			if tok != want[i] || len(got.Alternatives[i]) != 3 {
				t.Fatalf("draft wrong at %d: token %d is %+v, want %+v", wrong, i, tok, want[i])
			}
		}
	}
}

// plainTokens generates one token a step.
func plainTokens(t *testing.T, e *Executor, prompt []int32, n int, knobs model.SamplingRow) []model.TokenProb {
	t.Helper()
	s := newSequence(200)
	var out []model.TokenProb
	next := prompt
	for range n {
		st := s.step(next)
		knobs.Pos, knobs.History = int32(len(s.tokens)), lastOf(s.tokens, knobs.RepeatLastN)
		st.Outputs = []model.Output{{Row: len(next) - 1, Sampling: knobs}}
		out = append(out, run(t, e, st).Outputs[0].Tokens[0])
		next = []int32{out[len(out)-1].ID}
	}
	return out
}

func run(t *testing.T, e *Executor, st *model.Step) model.Result {
	t.Helper()
	res, err := e.Run(st)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func ids(tokens []model.TokenProb) []int32 {
	var out []int32
	for _, tok := range tokens {
		out = append(out, tok.ID)
	}
	return out
}

func lastOf(tokens []int32, n int) []int32 { return tokens[max(0, len(tokens)-n):] }

// TestRunAllocatesNothing holds once a step as wide has been seen.
func TestRunAllocatesNothing(t *testing.T) {
	for _, name := range []string{tinyLlama, "tiny-qwen3moe-f32", "tiny-qwen35-f32"} {
		e := tiny(t, name, 2)
		st := decodeStep(t, e, 4, 20)
		for i := range st.Outputs {
			st.Outputs[i].Sampling.Sampling = model.DefaultSampling()
			st.Outputs[i].Sampling.Alternatives = 5
		}
		if n := testing.AllocsPerRun(20, func() { run(t, e, st) }); n != 0 {
			t.Errorf("%s: a step allocates %v times", name, n)
		}
	}
}

// TestStepsRefused lists what a step must not say.
func TestStepsRefused(t *testing.T) {
	e := tiny(t, tinyLlama, 1)
	for _, c := range []struct {
		spoil func(*model.Step)
		want  string
	}{
		{func(s *model.Step) { s.Rows = nil }, "step of 0 rows"},
		{func(s *model.Step) { s.Rows = make([]model.Row, MaxRows+1) }, "step of 4097 rows"},
		{func(s *model.Step) { s.Rows[1].Token = 288 }, "token 288 of 288"},
		{func(s *model.Step) { s.Rows[1].Cell = 512 }, "cell 512 of 512"},
		{func(s *model.Step) { s.Rows[2].Pos = 5 }, "its row 2 is at position 5"},
		{func(s *model.Step) { s.Seqs[0].Cells = s.Seqs[0].Cells[:2] }, "of 2 cells"},
		{func(s *model.Step) { s.Seqs[0].Cells = []int32{1, 2, -1} }, "refers to cell -1"},
		{func(s *model.Step) { s.Seqs[0].Count = 2 }, "cover 2 of 3 rows"},
		{func(s *model.Step) { s.Seqs[0].First = 1 }, "0 comes next"},
		{func(s *model.Step) { s.Outputs[0].Draft = []int32{1} }, "wants rows 2 to 3"},
		{func(s *model.Step) { s.Outputs = append(s.Outputs, s.Outputs[0]) }, "3 comes next"},
	} {
		st := newSequence(3).step([]int32{1, 2, 3}, 2)
		st.Rows = append([]model.Row(nil), st.Rows...)
		c.spoil(st)
		if _, err := e.Run(st); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error is %v, want one about %q", err, c.want)
		}
	}
}

// TestPositionsRefused checks that a model with learned positions has no more of them.
func TestPositionsRefused(t *testing.T) {
	e := tiny(t, "craftgpt-f16", 1)
	s := newSequence(65)
	s.tokens = make([]int32, 63)
	run(t, e, s.step([]int32{5}))
	if _, err := e.Run(s.step([]int32{5})); err == nil || !strings.Contains(err.Error(), "position 64 of 64") {
		t.Errorf("error is %v, want one about position 64 of 64", err)
	}
}

// TestBuiltinModel continues prompts as the reference implementation does, up to the first
// token that is nearly a tie.
func TestBuiltinModel(t *testing.T) {
	text, err := os.ReadFile("../../testdata/confab-tiny.expected.json")
	if err != nil {
		t.Fatal(err)
	}
	var expected struct {
		Prompts []struct {
			Tokens, Greedy []int32
			Margins        []float32
		}
	}
	if err := json.Unmarshal(text, &expected); err != nil {
		t.Fatal(err)
	}
	if len(expected.Prompts) == 0 {
		t.Fatal("no prompts")
	}
	e := start(t, load(t, "../builtin/confab-tiny-q8_0.gguf"), Options{Cells: 1024})
	const tie = 0.05
	checked := 0
	for i, p := range expected.Prompts {
		s := newSequence(len(p.Tokens) + len(p.Greedy))
		next := p.Tokens
		for j, want := range p.Greedy {
			if p.Margins[j] < tie {
				break
			}
			id := run(t, e, s.step(next, len(s.tokens)+len(next)-1)).Outputs[0].Tokens[0].ID
			if id != want {
				t.Fatalf("prompt %d: token %d is %d, want %d, which leads by %g", i, j, id, want, p.Margins[j])
			}
			next = []int32{id}
			checked++
		}
	}
	t.Logf("%d tokens agree", checked)
}
