package engine

import (
	"fmt"
	"hash/fnv"
	"math"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/confab-tui/confab/engine/builtin"
	"github.com/confab-tui/confab/engine/chat"
	"github.com/confab-tui/confab/engine/gguf"
	"github.com/confab-tui/confab/engine/model"
	"github.com/confab-tui/confab/engine/token"
)

// toy is an executor without a model. A cell stores its token and position, and
// the token that follows a row is a hash of everything that the row sees and of
// the knobs: whatever goes wrong with cells, positions, sharing or knobs changes
// the text.
type toy struct {
	t     testing.TB
	cells []toyCell
	eog   int32
	vocab int
	// sees limits how far back a row looks, 0 for everything.
	sees int
	// slots makes it a recurrent model: a slot remembers what went through it.
	slots    int
	memories map[int][]int32
	// perRow is how long each row takes.
	perRow time.Duration
	// says, where set, is the model instead of the hash; asked is its prompt's
	// length.
	says  func(seen []int32, p model.SamplingRow) int32
	asked int
	// fail, where set, may refuse a step or panic.
	fail func(*model.Step) error

	busy atomic.Bool
	// mu guards what tests read meanwhile.
	mu     sync.Mutex
	steps  int
	rows   int
	most   int // sequences in one step
	agreed int // draft tokens
}

type toyCell struct {
	token, pos int32
	written    bool
}

func newToy(t testing.TB, cells int) *toy {
	return &toy{t: t, cells: make([]toyCell, cells), memories: make(map[int][]int32), eog: 6143, vocab: 6144}
}

func (x *toy) Cells() int       { return len(x.cells) }
func (x *toy) CellBytes() int64 { return 8 }
func (x *toy) Name() string     { return "toy" }
func (x *toy) Close() error     { return nil }

func (x *toy) Slots() int { return x.slots }

func (x *toy) Poison(cell int32) { x.cells[cell] = toyCell{} }

func (x *toy) Run(step *model.Step) (model.Result, error) {
	if x.busy.Swap(true) {
		x.t.Error("two steps at the same time")
	}
	defer x.busy.Store(false)
	x.mu.Lock()
	x.steps++
	x.rows += len(step.Rows)
	x.most = max(x.most, len(step.Seqs))
	x.mu.Unlock()
	if x.fail != nil {
		if err := x.fail(step); err != nil {
			return model.Result{}, err
		}
	}
	time.Sleep(time.Duration(len(step.Rows)) * x.perRow)
	x.examine(step)
	of := make([]model.Seq, len(step.Rows))
	for _, s := range step.Seqs {
		for r := s.First; r < s.First+s.Count; r++ {
			of[r] = s
			row := step.Rows[r]
			x.remember(s.Slot, row)
			x.cells[row.Cell] = toyCell{row.Token, row.Pos, true}
		}
	}
	var result model.Result
	for _, o := range step.Outputs {
		result.Outputs = append(result.Outputs, x.output(step, of, o))
	}
	return result, nil
}

// remember runs a row through a slot, which must have gone through all before.
func (x *toy) remember(slot int, row model.Row) {
	if x.slots == 0 {
		return
	}
	if slot < 0 || slot >= x.slots {
		x.t.Errorf("slot %d of %d", slot, x.slots)
	}
	if row.Pos == 0 {
		x.memories[slot] = nil
	}
	if len(x.memories[slot]) != int(row.Pos) {
		x.t.Errorf("slot %d remembers %d tokens at position %d", slot, len(x.memories[slot]), row.Pos)
	}
	x.memories[slot] = append(x.memories[slot], row.Token)
}

// examine holds the step against what model.Step promises.
func (x *toy) examine(step *model.Step) {
	next, written := 0, make(map[int32]bool)
	for _, s := range step.Seqs {
		if s.First != next || s.Count == 0 || len(s.Cells) != int(step.Rows[s.First].Pos)+s.Count {
			x.t.Errorf("sequence %d+%d after row %d with %d cells", s.First, s.Count, next, len(s.Cells))
		}
		next = s.First + s.Count
		for i, row := range step.Rows[s.First:next] {
			if row.Cell <= 0 || written[row.Cell] || s.Cells[row.Pos] != row.Cell || row.Pos != step.Rows[s.First].Pos+int32(i) {
				x.t.Errorf("row %d: position %d, cell %d, the sequence says %d", s.First+i, row.Pos, row.Cell, s.Cells[row.Pos])
			}
			written[row.Cell] = true
		}
	}
	for _, s := range step.Seqs {
		for _, c := range s.Cells[:len(s.Cells)-s.Count] {
			if written[c] {
				x.t.Errorf("cell %d is written while a sequence reads it", c)
			}
		}
	}
	if next != len(step.Rows) {
		x.t.Errorf("%d rows, sequences cover %d", len(step.Rows), next)
	}
}

func (x *toy) output(step *model.Step, of []model.Seq, o model.Output) model.Sampled {
	var out model.Sampled
	p := o.Sampling
	for i := 0; ; i++ {
		row := step.Rows[o.Row+i]
		cells := of[o.Row+i].Cells[:row.Pos+1]
		seen := make([]int32, len(cells))
		for at, c := range cells {
			cell := x.cells[c]
			if seen[at] = cell.token; !cell.written || cell.pos != int32(at) {
				x.t.Errorf("position %d reads cell %d, which holds %+v", at, c, cell)
			}
		}
		if x.slots > 0 && o.Row+i == of[o.Row+i].First+of[o.Row+i].Count-1 {
			seen = x.memories[of[o.Row+i].Slot]
		}
		id := x.next(seen, p)
		t := model.TokenProb{ID: id, LogProb: -1, Prob: 0.5}
		out.Tokens = append(out.Tokens, t)
		var others []model.TokenProb
		for k := range p.Alternatives {
			others = append(others, model.TokenProb{ID: (id + int32(k)) % int32(x.vocab), LogProb: -1 - float32(k)})
		}
		out.Alternatives = append(out.Alternatives, others)
		if o.Logits {
			out.Logits = []float32{float32(id)}
		}
		if i == len(o.Draft) || o.Draft[i] != id {
			return out
		}
		x.agreed++
		p.Pos++
		if p.History != nil {
			p.History = append(append([]int32(nil), p.History...), id)
			p.History = p.History[max(0, len(p.History)-p.RepeatLastN):]
		}
	}
}

// next is the toy model: what follows the tokens seen.
func (x *toy) next(seen []int32, p model.SamplingRow) int32 {
	if int(p.Pos) != len(seen) {
		x.t.Errorf("a token for position %d after %d tokens", p.Pos, len(seen))
	}
	if x.says != nil {
		return x.says(seen, p)
	}
	if x.sees > 0 && len(seen) > x.sees {
		seen = seen[len(seen)-x.sees:]
	}
	h := fnv.New64a()
	put := func(v uint64) { h.Write([]byte{byte(v), byte(v >> 8), byte(v >> 16), byte(v >> 24), byte(v >> 32)}) }
	for _, t := range seen {
		put(uint64(t))
	}
	put(uint64(math.Float32bits(p.Temperature)))
	if p.Temperature > 0 {
		put(p.Seed)
		put(uint64(p.Pos))
	}
	for _, t := range p.History {
		put(uint64(t) + 7)
	}
	v := h.Sum64() >> 8
	if v%97 == 0 {
		return x.eog
	}
	return int32(v / 97 % uint64(x.vocab))
}

var toyParts = sync.OnceValues(func() (*token.Tokenizer, *chat.Template) {
	file, err := gguf.Parse(builtin.Name, builtin.Model())
	if err != nil {
		panic(err)
	}
	tok, err := token.New(file)
	if err != nil {
		panic(err)
	}
	source, _ := file.String("tokenizer.chat_template")
	template, err := chat.New(source, tok, chat.Names{})
	if err != nil {
		panic(err)
	}
	return tok, template
})

// openToy is an engine over a toy, with the built-in model's vocabulary.
func openToy(t testing.TB, x *toy, context int, options ...func(*parts)) *Engine {
	t.Helper()
	tok, template := toyParts()
	context = min(context, x.Cells()-1)
	p := parts{info: Info{ID: "toy", Context: context, Vocab: tok.Len(), Cells: x.Cells()}, words: words{tok, template}}
	p.place = func(*Engine) (executor, error) { return x, nil }
	for _, option := range options {
		option(&p)
	}
	e, err := p.start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

// untilAsked waits until n requests are with the engine, whose steps the toy holds back.
func untilAsked(e *Engine, n int) {
	for asked := 0; asked < n; time.Sleep(time.Millisecond) {
		e.mu.Lock()
		e.inbox.mu.Lock()
		asked = len(e.answers) + len(e.inbox.posts)
		e.inbox.mu.Unlock()
		e.mu.Unlock()
	}
}

// answerOf is what the toy says by itself: naive decoding, one token at a time.
// knobs gives the sampling of each token by its index.
func (x *toy) answerOf(prompt []int32, n int, ignoreEnd bool, knobs func(index int) Sampling) []int32 {
	tokens := append([]int32(nil), prompt...)
	for i := range n {
		s := bounded(knobs(i))
		row := model.SamplingRow{Sampling: s, Seed: uint64(s.Seed), Pos: int32(len(tokens))}
		if penalised(s) {
			row.History = tokens[max(0, len(tokens)-s.RepeatLastN):]
		}
		id := x.next(tokens, row)
		if x.ends(id) && !ignoreEnd {
			break
		}
		tokens = append(tokens, id)
	}
	return tokens[len(prompt):]
}

func (x *toy) ends(id int32) bool {
	tok, _ := toyParts()
	return tok.IsEOG(id)
}

func ids(tokens []Token) []int32 {
	var list []int32
	for _, t := range tokens {
		list = append(list, t.ID)
	}
	return list
}

// finish reads a stream to its end.
func finish(t testing.TB, s *Stream) Event {
	t.Helper()
	all, err := gather(s)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// gather merges a stream's events.
func gather(s *Stream) (all Event, err error) {
	deadline := time.Now().Add(time.Minute)
	for {
		event, err := s.Next(ctxUntil(deadline))
		if err != nil {
			return all, fmt.Errorf("after %+v: %w", all, err)
		}
		all.merge(event)
		if event.End != nil {
			return all, nil
		}
	}
}

// merge adds a later event.
func (e *Event) merge(next Event) {
	e.Text += next.Text
	e.Thinking += next.Thinking
	e.Tokens = append(e.Tokens, next.Tokens...)
	e.Changes = append(e.Changes, next.Changes...)
	e.Dropped = max(e.Dropped, next.Dropped)
	e.State, e.Counts, e.End = next.State, next.Counts, next.End
}
