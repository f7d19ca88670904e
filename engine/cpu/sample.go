package cpu

import (
	"github.com/confab-tui/confab/engine/model"
	"github.com/confab-tui/confab/kernels"
	"github.com/confab-tui/confab/kernels/sample"
)

// sampler draws the token that follows each row of the outputs, and keeps what a
// Result refers to.
type sampler struct {
	e       *Executor
	workers []samplerWorker
	// rows say what each row of the outputs belongs to.
	rows    []sampleRow
	drawn   []model.TokenProb   // one a row
	others  [][]model.TokenProb // alternatives, one list a row
	results []model.Sampled
}

// sampleRow is one row of the outputs: the output's row itself, or that of its draft
// token number draft-1.
type sampleRow struct{ output, draft int }

type samplerWorker struct {
	scratch sample.SampleScratch
	history []int32
}

func (s *sampler) init(e *Executor) {
	s.e = e
	s.workers = make([]samplerWorker, e.options.Threads)
}

func (s *sampler) prepare(step *model.Step) {
	s.rows = s.rows[:0]
	for i, o := range step.Outputs {
		for d := range 1 + len(o.Draft) {
			s.rows = append(s.rows, sampleRow{i, d})
		}
	}
	s.drawn = kernels.Grow(s.drawn, len(s.rows))
	for len(s.others) < len(s.rows) {
		s.others = append(s.others, nil)
	}
	s.results = kernels.Grow(s.results, len(step.Outputs))
}

// samplePhase is the last phase; a unit is one row of the outputs.
type samplePhase struct{ e *Executor }

func (p *samplePhase) units() int { return p.e.count(outputs) }

func (p *samplePhase) run(unit, worker int) { p.e.sampler.draw(unit, worker) }

func (s *sampler) draw(row, worker int) {
	w := &s.workers[worker]
	r := s.rows[row]
	o := &s.e.step.Outputs[r.output]
	k := &o.Sampling
	history := k.History
	if r.draft > 0 && k.RepeatLastN > 0 {
		w.history = append(append(w.history[:0], history...), o.Draft[:r.draft]...)
		history = w.history[max(0, len(w.history)-k.RepeatLastN):]
	}
	d := sample.Sample(s.e.row(s.e.program.Logits, row), sample.SampleParams{
		Temperature: k.Temperature, TopK: k.TopK, TopP: k.TopP, MinP: k.MinP,
		Repeat: k.RepeatPenalty, Presence: k.PresencePenalty, Frequency: k.FrequencyPenalty,
		TemperatureLast: k.TemperatureLast, Seed: k.Seed, Pos: k.Pos + int32(r.draft),
		History: history, Alternatives: k.Alternatives,
	}, &w.scratch)
	s.drawn[row] = model.TokenProb(d)
	s.others[row] = s.others[row][:0]
	for _, a := range w.scratch.Alternatives {
		s.others[row] = append(s.others[row], model.TokenProb(a))
	}
}

// collect makes the result: of every output the tokens up to and with the first that
// differs from its draft.
func (s *sampler) collect(step *model.Step) model.Result {
	first := 0
	for i, o := range step.Outputs {
		n := 1
		for n <= len(o.Draft) && s.drawn[first+n-1].ID == o.Draft[n-1] {
			n++
		}
		s.results[i] = model.Sampled{Tokens: s.drawn[first : first+n]}
		if o.Sampling.Alternatives > 0 {
			s.results[i].Alternatives = s.others[first : first+n]
		}
		if o.Logits {
			s.results[i].Logits = s.e.row(s.e.program.Logits, first)
		}
		first += 1 + len(o.Draft)
	}
	return model.Result{Outputs: s.results}
}
