//go:build cuda

package cuda

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/confab-tui/confab/engine/model"
	"github.com/confab-tui/confab/gpu"
)

// prompt is some tokens that the built-in model knows.
func prompt(r *rand.Rand, n, vocab int) []int32 {
	tokens := make([]int32, n)
	for i := range tokens {
		tokens[i] = int32(r.IntN(vocab))
	}
	return tokens
}

// The built-in model: logits near the CPU's, and the same greedy text.
func TestBuiltin(t *testing.T) {
	p := load(t, builtin)
	cuda, cpu := start(t, p, Options{Cells: 1024}), startCPU(t, p, 1024)
	r := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{1, 5, 64, 65, 300} {
		tokens := prompt(r, n, p.Spec.Vocab)
		a, b := newSequence(600), newSequence(600)
		outs := []int{n - 1}
		for step := range 40 {
			got, err := cuda.Run(a.step(tokens, outs...))
			if err != nil {
				t.Fatal(err)
			}
			want, err := cpu.Run(b.step(tokens, outs...))
			if err != nil {
				t.Fatal(err)
			}
			if d := distance(got.Outputs[0].Logits, want.Outputs[0].Logits); !(d < 5e-2) {
				t.Fatalf("prompt of %d, step %d: logits differ by %.2g", n, step, d)
			}
			x, y := got.Outputs[0].Tokens[0].ID, want.Outputs[0].Tokens[0].ID
			if l := want.Outputs[0].Logits; x != y && l[y]-l[x] > 0.2 {
				t.Fatalf("prompt of %d, step %d: token %d, want %d, which leads by %g", n, step, x, y, l[y]-l[x])
			}
			tokens, outs = []int32{y}, []int{len(a.tokens)}
		}
	}
}

// Sequences advance together in steps of every width, in pieces of every size, and
// every logit row has the bits that it has when the sequence runs alone, token by
// token; after steps of many rows it is near. Quantised weights are multiplied in half
// precision there, with activations that are not rounded to bytes: 0.045 at most on an
// H200. A row that is wrong is off by about 1.
func TestEveryWidth(t *testing.T) {
	for path, near := range map[string]float64{
		builtin: 6e-2,
		"../../testdata/models/tiny-llama-q4_k_m.gguf":  6e-2,
		"../../testdata/models/tiny-qwen3-f32.gguf":     1e-4,
		"../../testdata/models/tiny-qwen35-f32.gguf":    1e-4,
		"../../testdata/models/tiny-deepseek2-f32.gguf": 1e-4,
		"../../testdata/models/tiny-lfm2-f32.gguf":      1e-4,
	} {
		t.Run(path, func(t *testing.T) { everyWidth(t, path, near) })
	}
}

const (
	mixLength = 140
	mixSeqs   = 48
)

func everyWidth(t *testing.T, path string, near float64) {
	p := load(t, path)
	e := start(t, p, Options{Cells: mixLength*mixSeqs + 1})
	// What nobody has written must not be read: scratch and free cells are NaN.
	for c := range mixLength*mixSeqs + 1 {
		if err := e.Poison(int32(c)); err != nil {
			t.Fatal(err)
		}
	}
	spoilStates(t, e)
	r := rand.New(rand.NewPCG(2, 2))
	texts := make([][]int32, mixSeqs)
	alone := make([][][]float32, mixSeqs)
	for i := range texts {
		texts[i] = prompt(r, mixLength, min(p.Spec.Vocab, 250))
		s := newSequence(mixLength)
		for pos := range mixLength {
			res, err := e.Run(s.step(texts[i][pos:pos+1], pos))
			if err != nil {
				t.Fatal(err)
			}
			alone[i] = append(alone[i], res.Outputs[0].Logits)
		}
	}
	for _, eager := range []bool{false, true} {
		run := e
		if eager {
			run = start(t, p, Options{Cells: mixLength*mixSeqs + 1, Eager: true})
		}
		m := &mixer{t: t, near: near, launched: countLaunches(run), r: r, texts: texts, alone: alone, done: make([]int, mixSeqs), rough: make([]bool, mixSeqs)}
		m.all()
	}
}

// spoilStates fills what recurrent layers remember; a sequence that begins reads none
// of it.
func spoilStates(t *testing.T, e *Executor) {
	t.Helper()
	for i, w := range stateWidths(e.program) {
		if err := e.queue.Fill(e.states[i], 0xff, 4*int64(w)*int64(e.slots)); err != nil {
			t.Fatal(err)
		}
	}
}

// mixer runs steps of random sequences in pieces of random length.
type mixer struct {
	t        *testing.T
	near     float64 // of logits after wide steps to those alone
	launched *launches
	r        *rand.Rand
	texts    [][]int32
	alone    [][][]float32 // the logits of each position
	done     []int         // how many positions of each sequence are evaluated
	rough    []bool        // whether any of them were in a wide step
	worst    float64
}

// all runs every width up to 65 and some wide ones, in random order. 4,097 rows are one
// more than a step takes, so that the last runs in a step of its own.
func (m *mixer) all() {
	widths := m.r.Perm(65)
	widths = append(widths, 95, 96, 130, 300, MaxRows)
	m.r.Shuffle(len(widths), func(i, j int) { widths[i], widths[j] = widths[j], widths[i] })
	for _, w := range widths {
		step, places := m.step(w + 1)
		for _, part := range cut(step, MaxRows) {
			m.run(part, places[:len(part.Outputs)])
			places = places[len(part.Outputs):]
		}
	}
	m.t.Logf("worst difference %.2g", m.worst)
}

// place is a position of a sequence; it is rough where anything that it sees was in a
// wide step.
type place struct {
	seq, pos int
	rough    bool
}

// step makes a step of so many rows, and says where its outputs are.
func (m *mixer) step(want int) (*model.Step, []place) {
	step := &model.Step{}
	var places []place
	for k, i := range m.r.Perm(mixSeqs) {
		left := want - len(step.Rows)
		if left == 0 {
			break
		}
		if m.done[i] == mixLength {
			m.done[i], m.rough[i] = 0, false
		}
		n := 1 + m.r.IntN(mixLength-m.done[i])
		if m.r.IntN(2) == 0 {
			n = 1
		}
		others := (mixSeqs - 1 - k) * mixLength // the most that those to come can take
		if n = min(left, max(n, left-others)); m.done[i]+n > mixLength {
			m.done[i], m.rough[i] = 0, false // the same cells once more
		}
		m.rough[i] = m.rough[i] || want > graphRows
		first := len(step.Rows)
		for pos := m.done[i]; pos < m.done[i]+n; pos++ {
			if m.r.IntN(3) == 0 {
				step.Outputs = append(step.Outputs, model.Output{Row: len(step.Rows), Logits: true})
				places = append(places, place{i, pos, m.rough[i]})
			}
			step.Rows = append(step.Rows, model.Row{Token: m.texts[i][pos], Pos: int32(pos), Cell: cellOf(i, pos)})
		}
		m.done[i] += n
		seq := model.Seq{First: first, Count: n, Slot: i}
		for pos := range m.done[i] {
			seq.Cells = append(seq.Cells, cellOf(i, pos))
		}
		step.Seqs = append(step.Seqs, seq)
	}
	return step, places
}

// cut parts a step where it is longer than most rows.
func cut(s *model.Step, most int) []*model.Step {
	if len(s.Rows) <= most {
		return []*model.Step{s}
	}
	a, b := &model.Step{Rows: s.Rows[:most]}, &model.Step{Rows: s.Rows[most:]}
	for _, q := range s.Seqs {
		before, after := q, q
		before.Count = min(q.Count, most-q.First)
		after.First, after.Count = max(0, q.First-most), q.Count-max(0, before.Count)
		if before.Count > 0 {
			a.Seqs = append(a.Seqs, before)
		}
		if after.Count > 0 {
			b.Seqs = append(b.Seqs, after)
		}
	}
	for _, o := range s.Outputs {
		if o.Row < most {
			a.Outputs = append(a.Outputs, o)
			continue
		}
		o.Row -= most
		b.Outputs = append(b.Outputs, o)
	}
	return append([]*model.Step{a}, cut(b, most)...)
}

// run runs a step and compares its logits with those alone.
func (m *mixer) run(step *model.Step, places []place) {
	m.t.Helper()
	res, err := m.launched.run(step)
	if err != nil {
		m.t.Fatalf("%d rows: %v", len(step.Rows), err)
	}
	if len(res.Outputs) != len(places) {
		m.t.Fatalf("%d rows: %d outputs, want %d", len(step.Rows), len(res.Outputs), len(places))
	}
	for k, at := range places {
		d := distance(res.Outputs[k].Logits, m.alone[at.seq][at.pos])
		m.worst = max(m.worst, d)
		if !at.rough && d != 0 || !(d < m.near) {
			m.t.Fatalf("%d rows, sequence %d, position %d: logits differ by %.2g from those alone", len(step.Rows), at.seq, at.pos, d)
		}
	}
}

// launches counts the passes of an executor that are launched kernel by kernel.
type launches struct {
	e *Executor
	n int
}

func countLaunches(e *Executor) *launches {
	l := &launches{e: e}
	body := e.segments[0].body
	first := body[0]
	body[0] = func(p *pass) { l.n++; first(p) }
	return l
}

// run runs a step and checks that it took the graph of the narrowest width that holds
// it, or no graph where it is wider than all or the executor has none.
func (l *launches) run(step *model.Step) (model.Result, error) {
	all, before := l.e.segments[0].graphs, l.n
	width := 1
	for width < len(step.Rows) {
		width *= 2
	}
	l.e.segments[0].graphs = map[int]*gpu.Graph{}
	want := 1
	if g := all[width]; g != nil {
		l.e.segments[0].graphs[width] = g
		want = 0
	}
	res, err := l.e.Run(step)
	l.e.segments[0].graphs = all
	if got := l.n - before; err == nil && got != want {
		err = fmt.Errorf("%d passes without a graph, want %d", got, want)
	}
	return res, err
}

// cellOf scatters the sequences' cells over the pool.
func cellOf(seq, pos int) int32 {
	at := seq*mixLength + pos
	return int32(1 + at*11%(mixLength*mixSeqs))
}

// Draft rows are sampled as the rows that they stand for, and what a wrong one wrote
// does no harm.
func TestDraft(t *testing.T) {
	p := load(t, builtin)
	e := start(t, p, Options{Cells: 300})
	r := rand.New(rand.NewPCG(3, 3))
	knobs := model.DefaultSampling()
	knobs.RepeatPenalty, knobs.PresencePenalty = 1.1, 0.2
	text := prompt(r, 20, p.Spec.Vocab)
	at := func(n int) model.SamplingRow {
		return model.SamplingRow{Sampling: knobs, Seed: 77, Pos: int32(n), History: text[max(0, n-knobs.RepeatLastN):n], Alternatives: 3}
	}
	s := newSequence(200)
	next := func(tokens []int32) model.TokenProb {
		st := s.step(tokens)
		st.Outputs = []model.Output{{Row: len(tokens) - 1, Sampling: at(len(s.tokens))}}
		res, err := e.Run(st)
		if err != nil {
			t.Fatal(err)
		}
		if n := len(res.Outputs[0].Alternatives[0]); n != 3 {
			t.Fatalf("%d alternatives, want 3", n)
		}
		return res.Outputs[0].Tokens[0]
	}
	var want []model.TokenProb
	tok := next(text)
	for range 20 {
		want = append(want, tok)
		text = append(text, tok.ID)
		tok = next([]int32{tok.ID})
	}
	for n := range 8 {
		s = newSequence(200)
		text = text[:20]
		next(text)
		draft := make([]int32, 0, 8)
		for i := range 7 {
			id := want[1+i].ID
			if i == n {
				id = (id + 1) % int32(p.Spec.Vocab)
			}
			draft = append(draft, id)
		}
		text = append(text, want[0].ID)
		st := s.step(append([]int32{want[0].ID}, draft...))
		st.Outputs = []model.Output{{Row: 0, Sampling: at(21), Draft: draft}}
		res, err := e.Run(st)
		if err != nil {
			t.Fatal(err)
		}
		got := res.Outputs[0].Tokens
		if len(got) != min(n, 7)+1 {
			t.Fatalf("draft wrong at %d: %d tokens", n, len(got))
		}
		for i, g := range got {
			if g != want[1+i] {
				t.Errorf("draft wrong at %d: token %d is %v, want %v", n, i, g, want[1+i])
			}
		}
	}
}
