package ui

import (
	"context"
	"slices"
	"time"

	"github.com/confab-tui/confab/engine"
	"github.com/confab-tui/confab/engine/chat"
	"github.com/confab-tui/confab/ui/store"
)

// Stream is one running answer. Poll never blocks; Set takes effect on the next
// token; after Cancel the end still comes through Poll.
type Stream interface {
	Poll() (engine.Event, bool)
	Set(engine.Sampling)
	Cancel()
}

// Engine answers. Generate returns at once.
type Engine interface {
	Info() engine.Info
	Generate(context.Context, engine.Request) Stream
	Stats() engine.Stats
	Close() error
}

// alternatives is how many candidates every token record carries: as many as
// the token view shows.
const alternatives = 8

// conversation is one chat: its tree of messages, its knobs, and the answer
// that may be running in it.
type conversation struct {
	chat  *store.Chat
	turns []*turn // the active path
	byID  map[store.ID]*turn

	layers layers
	undo   []layers
	// variant is what tells a chat of a comparison from the others, with what parts
	// it from a title.
	variant string
	// think asks for thinking or against it; nil leaves it to the template.
	think *bool

	stream  Stream
	live    *turn
	writing *store.Answer
	// settling are answers that have ended and whose code gets its last colours.
	settling []*turn
	// waiting holds what to send when the running answer has ended, or the
	// model is loaded.
	waiting []queued
	unread  bool
	frame   int // the last one in which it had its turn
}

// queued is a message that waits, with the dice for its answer, -1 for any.
type queued struct {
	text string
	seed int64
}

func newConversation(c *store.Chat) *conversation {
	v := &conversation{chat: c, byID: map[store.ID]*turn{}, layers: readLayers(c.Sampling)}
	v.walk()
	return v
}

// walk builds the path's turns anew, keeping those that are there.
func (c *conversation) walk() {
	c.turns = c.turns[:0]
	for _, m := range c.chat.Path() {
		t := c.byID[m.ID]
		if t == nil {
			t = newTurn(m)
			c.byID[m.ID] = t
		}
		ids, at := c.chat.Versions(m.ID)
		if t.which != at+1 || t.of != len(ids) {
			t.which, t.of = at+1, len(ids)
			t.touch()
		}
		c.turns = append(c.turns, t)
	}
	asked := 0
	for i, t := range c.turns {
		system := ""
		if i == 0 {
			system = c.chat.System
		}
		asked += b2i(t.m.Role == chat.User)
		if t.system != system || t.asked != asked {
			t.system, t.asked = system, asked
			t.touch()
		}
	}
}

func (c *conversation) last() *turn {
	if len(c.turns) == 0 {
		return nil
	}
	return c.turns[len(c.turns)-1]
}

// lastOf is the last message of a role on the path, or nil.
func (c *conversation) lastOf(r chat.Role) *turn {
	for _, t := range slices.Backward(c.turns) {
		if t.m.Role == r {
			return t
		}
	}
	return nil
}

func (c *conversation) running() bool { return c.stream != nil }

// moving tells whether the chat changes by itself.
func (c *conversation) moving() bool { return c.running() || len(c.settling) > 0 }

func (c *conversation) state() engine.State {
	if c.live == nil {
		return engine.StateEnded
	}
	return c.live.answer.state
}

// say puts a person's message at the end of the path.
func (c *conversation) say(content string) {
	c.chat.AddUser(c.chat.Leaf(), content)
	c.entitle()
	c.walk()
}

// entitle puts what tells a chat of a comparison from the others behind its title.
func (c *conversation) entitle() {
	if c.variant != "" && c.chat.Title != "" {
		c.chat.SetTitle(c.chat.Title + c.variant)
		c.variant = ""
	}
}

// messages is the conversation up to id for the engine. An answer that was cut
// and then talked past is one like any other.
func (c *conversation) messages(id store.ID) []chat.Message {
	all := c.chat.Conversation(id)
	for i := range all {
		all[i].Unfinished = false
	}
	return all
}

// launch is everything that an answer needs beside the conversation.
type launch struct {
	ctx    context.Context
	engine Engine
	base   *base
	// seed pins the dice for answers that are compared; negative leaves it to
	// the knobs.
	seed       int64
	dice       func() int64
	dropOldest bool
	version    string  // of this program
	pace       float64 // see engine.Request
}

// answer begins the model's turn at the end of the path.
func (c *conversation) answer(l launch) {
	a, req := c.prepare(l)
	req.Messages = c.messages(c.chat.Leaf())
	c.writing = c.chat.BeginAnswer(c.chat.Leaf(), a.facts())
	c.walk()
	c.begin(l, a, req)
}

// again regenerates an answer as a new version beside it.
func (c *conversation) again(t *turn, l launch) {
	parent := t.m.Parent
	a, req := c.prepare(l)
	req.Messages = c.messages(parent)
	c.writing = c.chat.BeginAnswer(parent, a.facts())
	c.walk()
	c.begin(l, a, req)
}

// goOn continues an answer that was cut.
func (c *conversation) goOn(t *turn, l launch) {
	before := c.messages(t.m.ID)
	before[len(before)-1].Unfinished = true
	if t.answer != nil && l.seed < 0 {
		l.seed = int64(t.answer.seed) // the same dice go on
	}
	a, req := c.prepare(l)
	req.Messages = before
	if old := t.answer; old != nil {
		t.goOnFrom()
		if len(changed(lastSettings(old), a.start)) > 0 {
			old.changes = append(old.changes, engine.Change{Index: old.first, Sampling: a.start.Sampling})
		}
		if old.modelID != a.modelID { // what the other model said is given to this one
			old.given = old.first
			old.model, old.modelID, old.template, old.backend, old.context = a.model, a.modelID, a.template, a.backend, a.context
		}
		a = old
	} else {
		a.given, a.said, a.thought = -1, t.doc.Len(), t.thought.Len()
	}
	c.writing = c.chat.Continue(t.m.ID, a.facts())
	c.walk()
	c.begin(l, a, req)
}

func lastSettings(a *answer) settings {
	s := a.start
	if n := len(a.changes); n > 0 {
		s.Sampling = a.changes[n-1].Sampling
	}
	return s
}

// prepare makes the request and the record of a new answer. The dice are drawn
// here, six digits at most, so that a person can read and pin them.
func (c *conversation) prepare(l launch) (*answer, engine.Request) {
	s := c.layers.settings(l.base)
	if s.Seed < 0 {
		s.Seed = l.seed
	}
	if s.Seed < 0 {
		s.Seed = l.dice()
	}
	info := l.engine.Info()
	if c.chat.ModelPath != info.Path || c.chat.ModelName != info.Name {
		c.chat.SetModel(info.Path, info.Name)
	}
	a := &answer{
		model: info.Name, modelID: info.ID, backend: info.Backend, context: info.Context, dropOldest: l.dropOldest,
		think: c.think, seed: uint64(s.Seed), start: s,
		template: info.TemplateID, system: nameText(c.chat.System), begins: beginOf(c.chat.System), version: l.version,
	}
	return a, engine.Request{
		Conversation: c.chat.ID.String(), Sampling: s.Sampling, MaxTokens: s.MaxTokens,
		Think: c.think, DropOldest: l.dropOldest, Alternatives: alternatives, Pace: l.pace,
	}
}

func (c *conversation) begin(l launch, a *answer, req engine.Request) {
	c.live = c.byID[c.writing.ID()]
	c.live.answer = a
	c.live.touch()
	c.stream = l.engine.Generate(l.ctx, req)
}

// tune hands the knobs in force to the running answer, with the dice it has.
func (c *conversation) tune(b *base) {
	c.chat.SetSampling(c.layers.save())
	if c.stream == nil {
		return
	}
	s := c.layers.settings(b)
	if s.Seed < 0 {
		s.Seed = int64(c.live.answer.start.Seed)
	}
	c.stream.Set(s.Sampling)
}

// drain takes what the stream brought since the last frame; it reports whether
// anything came and whether the answer has ended.
func (c *conversation) drain(now time.Time) (news, ended bool) {
	for c.stream != nil {
		ev, ok := c.stream.Poll()
		if !ok {
			break
		}
		news = true
		t := c.live
		t.take(&ev, c.writing)
		if ev.End != nil {
			t.finish(ev.End, c.writing)
			c.settling = append(c.settling, t)
			c.layers.settle()
			c.stream, c.live, c.writing = nil, nil, nil
			return true, true
		}
	}
	if c.live != nil {
		c.live.answer.rate.add(now, c.live.answer.counts.Generated)
		c.live.settle()
	}
	return news, false
}

// settle goes on colouring answers that have ended.
func (c *conversation) settle() {
	c.settling = slices.DeleteFunc(c.settling, func(t *turn) bool { return !t.settle() })
}

// stop asks the running answer to end; its partial text stays.
func (c *conversation) stop() {
	if c.stream != nil {
		c.stream.Cancel()
	}
}

// edit replaces a message of a person: the old one stays as another version.
func (c *conversation) edit(t *turn, content string) {
	c.chat.Edit(t.m.ID, content)
	c.walk()
}

// swap goes to the version of t that is step away; it reports whether there is one.
func (c *conversation) swap(t *turn, step int) bool {
	ids, at := c.chat.Versions(t.m.ID)
	if at+step < 0 || at+step >= len(ids) {
		return false
	}
	c.chat.Switch(ids[at+step])
	c.walk()
	return true
}
