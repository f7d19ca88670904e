package ui

import (
	"cmp"
	"strings"

	"github.com/confab-tui/confab/engine"
	"github.com/confab-tui/confab/engine/chat"
	"github.com/confab-tui/confab/ui/store"
	"github.com/confab-tui/confab/ui/text"
)

// turn is one message as it stands on the screen.
type turn struct {
	m *store.Message
	// answer is what is known of how a model made the message, else nil.
	answer *answer
	// which and of count the message's versions, from 1.
	which, of int

	// system is the system prompt that stands above the chat's first message, asked how
	// many messages of a person there are down to this one.
	system       string
	asked        int
	doc, thought text.Document
	fold         fold
	// version grows with every change of what the turn shows.
	version int
	cache   rendered
}

// fold is how much of a thinking block is shown.
type fold int

const (
	foldAuto   fold = iota // the last lines while it thinks, one line afterwards
	foldClosed             // one line
	foldOpen               // all of it
)

// answer is the record of how an assistant's message came about.
type answer struct {
	model, modelID string
	backend        string
	context        int // the limit in force
	think          *bool
	seed           uint64
	// start is the sampling of the first token, changes what took effect later,
	// by the number of the token; together with the seed they replay the answer.
	start   settings
	changes []engine.Change
	// tokens are the records of the message's tokens behind the first lead ones,
	// which have none. Those of a stored answer come with recall.
	tokens text.List[token]
	others candidates // that could have stood in their places
	lead   int
	// given counts the tokens at its beginning that a person wrote or chose, -1
	// where that is known only at the end.
	given int
	// template, version and system name what else made the text: the chat
	// template, this program, and the system prompt, which begins with begins.
	template, version, system, begins string
	counts                            engine.Counts
	state                             engine.State
	reason                            engine.Reason
	err                               string
	dropped                           int
	// dropOldest says that old turns might be left out of the prompt.
	dropOldest bool
	// recalled says that the stored token records were read.
	recalled bool
	// first is how many tokens the answer had when it was continued: the engine
	// counts the new ones from 0. said and thought are what it had in bytes.
	first         int
	said, thought int
	rate          rate
}

// token is one token of an answer and where its text lies in the document.
type token struct {
	id            int32
	prob, logProb float32
	start, end    int
	thinking      bool
	alts          span // of the answer's candidates
}

func (a *answer) running() bool { return a != nil && a.reason == "" }

func newTurn(m *store.Message) *turn {
	t := &turn{m: m, which: 1, of: 1}
	t.doc.Append(m.Content)
	t.thought.Append(m.Thinking)
	if m.Facts != nil && m.Facts.Sampling != nil { // else another program made it
		t.answer = restoreAnswer(m.Facts)
	}
	if !t.answer.running() {
		t.doc.Finish()
		t.thought.Finish()
	}
	return t
}

func (t *turn) touch() { t.version++ }

// settle colours some more of the code that was shown in haste, and reports whether
// there was any.
func (t *turn) settle() bool {
	if !t.doc.Settle() {
		return false
	}
	t.touch()
	return true
}

func (t *turn) running() bool { return t.answer.running() }

// model is the name of the one that made the message.
func (t *turn) model() string {
	name := ""
	if t.answer != nil {
		name = t.answer.model
	} else if t.m.Facts != nil {
		name = t.m.Facts.ModelName
	}
	return cmp.Or(text.CleanLine(name), "model")
}

// plain is the message as a person would copy it.
func (t *turn) plain() string { return strings.TrimSpace(t.m.Content) }

// take appends what one event brought.
func (t *turn) take(ev *engine.Event, w *store.Answer) {
	a := t.answer
	a.count(ev.State, ev.Counts)
	t.thought.Append(ev.Thinking)
	t.doc.Append(ev.Text)
	w.Append(ev.Text, ev.Thinking)
	if len(ev.ToolCalls) > 0 {
		w.AddToolCalls(ev.ToolCalls...)
	}
	for i := range ev.Tokens {
		t.takeToken(&ev.Tokens[i])
	}
	for _, c := range ev.Changes {
		c.Index += a.first
		a.changes = append(a.changes, c)
	}
	a.dropped = max(a.dropped, ev.Dropped)
	if len(ev.Changes) > 0 {
		w.SetFacts(a.facts())
	}
	t.touch()
}

// count takes over the numbers of a stream; its tokens come on top of those that
// were there before.
func (a *answer) count(state engine.State, c engine.Counts) {
	c.Generated += a.first
	a.state, a.counts = state, c
}

// begunBy says that a person wrote the first n tokens.
func (a *answer) begunBy(n int) {
	a.given, a.lead = max(n, 0), max(n, 0)
	for i := range a.changes {
		a.changes[i].Index += a.given
	}
}

// takeToken notes where a token's text lies: behind the token before it, for
// the engine's pieces join into the text.
func (t *turn) takeToken(ev *engine.Token) {
	a := t.answer
	limit, at := t.doc.Len(), a.said
	if ev.Thinking {
		limit, at = t.thought.Len(), a.thought
	}
	for i := a.tokens.Len() - 1; i >= 0; i-- {
		if before := a.tokens.At(i); before.thinking == ev.Thinking {
			at = before.end
			break
		}
	}
	end := min(at+len(text.Clean(ev.Text)), limit)
	a.tokens.Add(token{
		id: ev.ID, prob: ev.Prob, logProb: ev.LogProb, start: min(at, end), end: end,
		thinking: ev.Thinking, alts: a.others.add(ev.Alternatives),
	})
}

// finish closes the answer with what the engine says it is.
func (t *turn) finish(e *engine.End, w *store.Answer) {
	a := t.answer
	a.count(engine.StateEnded, e.Counts)
	a.reason, a.seed = e.Reason, e.Seed
	if e.Err != nil {
		a.err = text.CleanLine(e.Err.Error())
	}
	whole := e.Message
	if whole.Content == "" && whole.Thinking == "" && len(whole.Tokens) == 0 {
		whole = t.m.Message // it failed before it began, or knows no better
		whole.Unfinished = e.Reason != engine.ReasonStop
	}
	whole.Role = chat.Assistant
	if a.given < 0 {
		a.begunBy(len(whole.Tokens) - a.tokens.Len())
	}
	w.Finish(whole, a.facts(), a.odds())
	if t.doc.Source() != text.Clean(whole.Content) {
		t.doc.Set(whole.Content)
	}
	t.doc.Finish()
	t.thought.Finish()
	t.touch()
}
