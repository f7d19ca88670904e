//go:build cuda

package cuda

import (
	"fmt"
	"unsafe"

	"github.com/confab-tui/confab/engine/model"
	"github.com/confab-tui/confab/gpu"
	"github.com/confab-tui/confab/kernels/sample"
)

// sampler keeps what a Result refers to.
type sampler struct {
	e      *Executor
	room   sample.SampleRoom
	host   []byte // pinned: what was drawn, then the alternatives
	outs   []outputRow
	drawn  []model.TokenProb // one for each of outs
	others [][]model.TokenProb
	logits [][]float32 // of each output that wants them
	// alternatives is how many each of outs wants.
	alternatives []int
	result       []model.Sampled
	// history is room for the penalties' view of draft rows.
	history []int32
}

// outputRow is one row to sample: that of an output, or of its draft token number
// draft-1.
type outputRow struct {
	index, output, draft int
	row                  int // of the step
}

const drawnBytes = 12

func (s *sampler) init(e *Executor) error {
	s.e = e
	logits := e.program.Logits
	if logits.Width > sample.MaxVocab {
		return fmt.Errorf("cuda: a vocabulary of %d tokens; draws take up to %d", logits.Width, sample.MaxVocab)
	}
	s.room = sample.SampleRoom{Logits: e.place(logits), HistoryMax: mostHistory}
	var err error
	if s.room.Drawn, err = e.alloc(drawnBytes * graphRows * (1 + sample.MaxAlternatives)); err != nil {
		return err
	}
	s.room.Alternatives = s.room.Drawn + drawnBytes*graphRows
	if s.room.Saved, err = e.alloc(4 * mostHistory * graphRows); err != nil {
		return err
	}
	if s.room.Scan, err = e.alloc(4 * sample.ScanFloats * graphRows); err != nil {
		return err
	}
	s.host, err = e.device.Pinned(drawnBytes * graphRows * (1 + sample.MaxAlternatives))
	return err
}

// launch queues the draws.
func (s *sampler) launch(p *pass) {
	room := s.room
	room.Rows, room.Count = p.in.at(p.in.draws), p.in.at(4*headerOuts)
	room.History = p.in.device
	sample.QueueSample(s.e.queue, &room, s.e.program.Logits.Width, p.outs)
}

// begin lists the rows to sample.
func (s *sampler) begin(step *model.Step) {
	s.outs, s.alternatives = s.outs[:0], s.alternatives[:0]
	for i, o := range step.Outputs {
		for d := range 1 + len(o.Draft) {
			s.outs = append(s.outs, outputRow{len(s.outs), i, d, o.Row + d})
			s.alternatives = append(s.alternatives, o.Sampling.Alternatives)
		}
	}
	s.drawn = grow(s.drawn, len(s.outs))
	s.others = grow(s.others, len(s.outs))
	s.logits = grow(s.logits, len(step.Outputs))
	clear(s.logits)
	s.result = grow(s.result, len(step.Outputs))
	for i := range step.Outputs {
		if step.Outputs[i].Logits {
			s.logits[i] = make([]float32, s.e.program.Logits.Width)
		}
	}
}

// within returns the rows to sample among some rows of the step.
func (s *sampler) within(first, last int) []outputRow {
	from := 0
	for from < len(s.outs) && s.outs[from].row < first {
		from++
	}
	to := from
	for to < len(s.outs) && s.outs[to].row < last {
		to++
	}
	return s.outs[from:to]
}

// params are the knobs of one row.
func (s *sampler) params(step *model.Step, r outputRow) sample.SampleParams {
	o := &step.Outputs[r.output]
	k := &o.Sampling
	history := k.History
	if r.draft > 0 && k.RepeatLastN > 0 {
		s.history = append(append(s.history[:0], history...), o.Draft[:r.draft]...)
		history = s.history[max(0, len(s.history)-k.RepeatLastN):]
	}
	return sample.SampleParams{
		Temperature: k.Temperature, TopK: k.TopK, TopP: k.TopP, MinP: k.MinP,
		Repeat: k.RepeatPenalty, Presence: k.PresencePenalty, Frequency: k.FrequencyPenalty,
		TemperatureLast: k.TemperatureLast, Seed: k.Seed, Pos: k.Pos + int32(r.draft),
		History: history, Alternatives: min(k.Alternatives, sample.MaxAlternatives),
	}
}

// tokens reads n draws.
func tokens(b []byte, n int) []model.TokenProb {
	return unsafe.Slice((*model.TokenProb)(unsafe.Pointer(&b[0])), n)
}

// fetch waits for the rows' draws and takes them over.
func (e *Executor) fetch(outs []outputRow) error {
	s := &e.sampler
	if len(outs) == 0 {
		return e.queue.Sync()
	}
	drawn := s.host[:drawnBytes*len(outs)]
	if err := e.queue.Download(drawn, s.room.Drawn); err != nil {
		return err
	}
	const each = drawnBytes * sample.MaxAlternatives
	others := s.host[drawnBytes*graphRows:][:each*len(outs)]
	wanted := false
	for _, o := range outs {
		wanted = wanted || s.alternatives[o.index] > 0
	}
	if wanted {
		if err := e.queue.Download(others, s.room.Alternatives); err != nil {
			return err
		}
	}
	if err := e.queue.Sync(); err != nil {
		return err
	}
	for i, o := range outs {
		s.drawn[o.index] = tokens(drawn[drawnBytes*i:], 1)[0]
		s.others[o.index] = s.others[o.index][:0]
		for _, a := range tokens(others[each*i:], min(s.alternatives[o.index], sample.MaxAlternatives)) {
			if a.ID >= 0 {
				s.others[o.index] = append(s.others[o.index], a)
			}
		}
		if at := s.logits[o.output]; o.draft == 0 && at != nil {
			row := s.room.Logits.Row(i)
			if err := e.device.Download(gpu.Bytes(at), row.Ptr); err != nil {
				return err
			}
		}
	}
	return nil
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
		s.result[i] = model.Sampled{Tokens: s.drawn[first : first+n], Logits: s.logits[i]}
		if o.Sampling.Alternatives > 0 {
			s.result[i].Alternatives = s.others[first : first+n]
		}
		first += 1 + len(o.Draft)
	}
	return model.Result{Outputs: s.result}
}

// grow returns s with n values, of any content.
func grow[T any](s []T, n int) []T {
	if cap(s) < n {
		return append(s[:cap(s)], make([]T, n-cap(s))...)
	}
	return s[:n]
}
