package ui

import (
	"context"
	"hash/fnv"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/confab-tui/confab/engine"
	"github.com/confab-tui/confab/engine/chat"
)

// clock is a time that tests turn by hand; the zero value is real time.
type clock struct {
	mu  sync.Mutex
	at  time.Time
	set bool
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.set {
		return time.Now()
	}
	return c.at
}

func (c *clock) add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// fake is an engine that answers from a script, a token every so often.
type fake struct {
	clock *clock
	info  engine.Info
	// script gives what is answered to a request.
	script func(engine.Request) reply
	every  time.Duration // between tokens
	first  time.Duration // to the first token

	mu      sync.Mutex
	scripts map[[2]string][]fakeToken // by thinking and text: made once for all panes
	asked   []engine.Request
	streams []*fakeStream
	calls   map[string]int
	closed  bool
}

// reply is a scripted answer.
type reply struct {
	thinking, text string
	reason         engine.Reason
	err            error
	// waitAt makes the answer wait for cells before this token, for waitFor.
	waitAt  int
	waitFor time.Duration
	dropped int
}

func newFake(c *clock) *fake {
	return &fake{
		clock: c, every: 16 * time.Millisecond, first: 120 * time.Millisecond, calls: map[string]int{}, scripts: map[[2]string][]fakeToken{},
		info: engine.Info{
			ID: "fake", Name: "confab tiny", Quant: "Q8_0", Arch: "llama", Params: 3_400_000, FileBytes: 3_700_000,
			Context: 2048, TrainedContext: 2048, Cells: 65536, CellBytes: 3072, Backend: "CPU, 2 threads",
			Sampling: engine.DefaultSampling(), Vocab: 4096, TemplateID: "a1b2c3d4e5f6",
		},
		script: func(engine.Request) reply { return reply{text: poem, reason: engine.ReasonStop} },
	}
}

const poem = `I hear the wide blue sea,
Its waves are calling me,
The birds are flying wild and free,
There is so much to hear and see.`

func (f *fake) open(context.Context, engine.Config, func(engine.Progress)) (Engine, error) {
	f.count("Open")
	return f, nil
}

func (f *fake) count(name string) {
	f.mu.Lock()
	f.calls[name]++
	f.mu.Unlock()
}

// io counts the calls that may take time, which Update must not make.
func (f *fake) io() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.calls["Stats"] + f.calls["Close"] + f.calls["Open"]
}

func (f *fake) Info() engine.Info { return f.info }

func (f *fake) Close() error {
	f.count("Close")
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	return nil
}

func (f *fake) Stats() engine.Stats {
	f.count("Stats")
	f.mu.Lock()
	defer f.mu.Unlock()
	held, n := 0, 0
	st := engine.Stats{Steps: map[int]int64{1: 812, 2: 40, 4: 96, 64: 12}, TokensPerSecond: 61.3, PromptPerSecond: 840}
	for i, s := range f.streams {
		cells := 64 + 40*i + s.sent
		state := engine.StateEnded
		if !s.ended {
			held += cells
			n++
			state = s.state
		}
		st.Pool.Owners = append(st.Pool.Owners, engine.PoolOwner{Conversation: s.req.Conversation, Cells: cells, State: state, Shared: 32 * (i % 2)})
	}
	st.Streams = n
	cached := 1248
	st.Pool.Total, st.Pool.Held, st.Pool.Cached, st.Pool.Shared = f.info.Cells, held, cached, 64
	st.Pool.Free = st.Pool.Total - held - cached
	for i := range 512 {
		switch {
		case i < 12:
			st.Pool.Map = append(st.Pool.Map, engine.CellHeld)
		case i < 16:
			st.Pool.Map = append(st.Pool.Map, engine.CellShared)
		case i < 40:
			st.Pool.Map = append(st.Pool.Map, engine.CellCached)
		default:
			st.Pool.Map = append(st.Pool.Map, engine.CellFree)
		}
	}
	return st
}

func (f *fake) Generate(_ context.Context, req engine.Request) Stream {
	f.count("Generate")
	r := f.script(req)
	s := &fakeStream{f: f, req: req, reply: r, began: f.clock.now(), sampling: req.Sampling, tokens: f.tokens(r.thinking, r.text)}
	if req.MaxTokens > 0 && len(s.tokens) > req.MaxTokens {
		s.tokens, s.reply.reason = s.tokens[:req.MaxTokens], engine.ReasonLength
	}
	f.mu.Lock()
	f.asked = append(f.asked, req)
	f.streams = append(f.streams, s)
	f.mu.Unlock()
	return s
}

func (f *fake) tokens(thinking, text string) []fakeToken {
	f.mu.Lock()
	defer f.mu.Unlock()
	key := [2]string{thinking, text}
	all, made := f.scripts[key]
	if !made {
		for _, p := range pieces(thinking) {
			all = append(all, fakeToken{p, true})
		}
		for _, p := range pieces(text) {
			all = append(all, fakeToken{p, false})
		}
		f.scripts[key] = all
	}
	return all
}

// pieces cuts text into tokens: words with the space before them.
func pieces(s string) []string {
	var out []string
	start := 0
	for i := 1; i < len(s); i++ {
		if (s[i] == ' ' || s[i] == '\n' || s[i-1] == '\n') && i > start {
			out = append(out, s[start:i])
			start = i
		}
	}
	if start < len(s) {
		out = append(out, s[start:])
	}
	return out
}

type fakeToken struct {
	text     string
	thinking bool
}

type fakeStream struct {
	f        *fake
	req      engine.Request
	reply    reply
	began    time.Time
	tokens   []fakeToken
	sent     int
	sampling engine.Sampling
	turned   bool
	sets     []engine.Sampling
	cancel   bool
	ended    bool
	state    engine.State
}

func (s *fakeStream) Set(v engine.Sampling) {
	s.f.count("Set")
	s.sampling, s.turned = v, true
	s.sets = append(s.sets, v)
}

func (s *fakeStream) Cancel() { s.f.count("Cancel"); s.cancel = true }

func (s *fakeStream) Poll() (engine.Event, bool) {
	s.f.count("Poll")
	s.f.mu.Lock() // Stats looks at it from elsewhere
	defer s.f.mu.Unlock()
	if s.ended {
		return engine.Event{}, false
	}
	since := s.f.clock.now().Sub(s.began)
	due := 0
	if since >= s.f.first {
		due = int((since-s.f.first)/s.f.every) + 1
	}
	ev := engine.Event{State: engine.StatePrefill, Dropped: s.reply.dropped}
	waiting := s.reply.waitFor > 0 && due > s.reply.waitAt && since < s.f.first+time.Duration(s.reply.waitAt)*s.f.every+s.reply.waitFor
	if waiting {
		due = s.reply.waitAt
	}
	for s.sent < min(due, len(s.tokens)) {
		s.emit(&ev)
	}
	if s.sent > 0 {
		ev.State = engine.StateDecoding
	}
	if waiting {
		ev.State = engine.StateWaiting
	}
	ev.Counts = s.counts(since)
	if waiting {
		ev.Counts.WaitingFor = 96
	}
	if s.cancel || s.sent == len(s.tokens) && due > 0 {
		ev.End = s.end(ev.Counts)
		ev.State, s.ended = engine.StateEnded, true
		return ev, true
	}
	if len(ev.Tokens) == 0 && ev.State == s.state {
		return engine.Event{}, false
	}
	s.state = ev.State
	return ev, true
}

func (s *fakeStream) emit(ev *engine.Event) {
	t := s.tokens[s.sent]
	for _, c := range s.req.Changes {
		if c.Index == s.sent {
			s.sampling, s.turned = c.Sampling, true
		}
	}
	if s.turned {
		ev.Changes = append(ev.Changes, engine.Change{Index: s.sent, Sampling: s.sampling})
		s.turned = false
	}
	tok := engine.Token{Index: s.sent, Text: t.text, Thinking: t.thinking, Alternatives: likely(t.text, s.req.Alternatives)}
	tok.ID, tok.LogProb = tok.Alternatives[0].ID, tok.Alternatives[0].LogProb
	for _, a := range tok.Alternatives {
		if a.Text == t.text {
			tok.TokenProb = a.TokenProb
		}
	}
	ev.Tokens = append(ev.Tokens, tok)
	if t.thinking {
		ev.Thinking += t.text
	} else {
		ev.Text += t.text
	}
	s.sent++
}

func (s *fakeStream) counts(since time.Duration) engine.Counts {
	prompt := 0
	for _, m := range s.req.Messages {
		prompt += len(pieces(m.Content)) + 4
	}
	c := engine.Counts{Prompt: prompt, Cached: prompt * 3 / 4, Generated: s.sent}
	c.Evaluated = c.Prompt - c.Cached
	if s.sent > 0 {
		c.FirstToken, c.Prefill = s.f.first, s.f.first
		c.Decode = time.Duration(s.sent-1) * s.f.every // from the first token on
	}
	return c
}

func (s *fakeStream) end(c engine.Counts) *engine.End {
	e := &engine.End{Reason: s.reply.reason, Err: s.reply.err, Seed: uint64(s.req.Sampling.Seed), Counts: c}
	if s.cancel && s.sent < len(s.tokens) {
		e.Reason = engine.ReasonCancel
	}
	m := chat.Message{Role: chat.Assistant, TokensOf: s.f.info.ID}
	if n := len(s.req.Messages); n > 0 && s.req.Messages[n-1].Unfinished {
		m = s.req.Messages[n-1]
		m.Tokens = slices.Clone(m.Tokens) // the request stays its sender's
	}
	var content, thinking strings.Builder
	for _, t := range s.tokens[:s.sent] {
		if t.thinking {
			thinking.WriteString(t.text)
		} else {
			content.WriteString(t.text)
		}
		m.Tokens = append(m.Tokens, tokenID(t.text))
	}
	m.Content, m.Thinking = m.Content+content.String(), m.Thinking+thinking.String()
	m.Unfinished = e.Reason != engine.ReasonStop
	e.Message = m
	return e
}

func tokenID(s string) int32 {
	h := fnv.New32a()
	h.Write([]byte(s))
	return int32(h.Sum32() & 0xfff)
}

// likely makes up a distribution whose shape depends on the token.
func likely(s string, n int) []engine.Alternative {
	words := []string{" the", " a", " sea", " blue", " and", " of", " to", " see", " be", " it"}
	id := tokenID(s)
	sharp := 0.4 + float64(id%7)/3
	rank := 0
	if id%5 == 0 {
		rank = int(id/5) % 3
	}
	out := make([]engine.Alternative, 0, max(n, 1))
	sum := 0.0
	for i := range max(n, 1) {
		sum += math.Exp(-sharp * float64(i))
	}
	w := 0
	for i := range max(n, 1) {
		word := words[(int(id)+w)%len(words)]
		if i == rank {
			word = s
		} else {
			if word == s {
				w++
				word = words[(int(id)+w)%len(words)]
			}
			w++
		}
		p := math.Exp(-sharp*float64(i)) / sum * 0.97
		out = append(out, engine.Alternative{TokenProb: engine.TokenProb{ID: tokenID(word), LogProb: float32(math.Log(p)), Prob: float32(p)}, Text: word})
	}
	return out
}

// echo answers with what was asked, in markdown.
func echo(req engine.Request) reply {
	last := req.Messages[len(req.Messages)-1].Content
	return reply{text: "You wrote:\n\n> " + strings.ReplaceAll(last, "\n", "\n> "), reason: engine.ReasonStop}
}

// modelFileAt makes a file of a name; what is in it nobody reads.
func modelFileAt(t testing.TB, name string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
