package engine

import (
	"errors"
	"fmt"
	"slices"
	"sort"

	"github.com/confab-tui/confab/engine/chat"
	"github.com/confab-tui/confab/engine/kv"
)

// prompt is a conversation as tokens.
type prompt struct {
	tokens []int32
	// said are the last of them: what an unfinished answer at the end of the
	// conversation has said already.
	said    []int32
	dropped int // messages left out
}

// compose turns a request into tokens, outside the loop, since a long
// conversation takes its time.
func (e *Engine) compose(r *Request) (p prompt, err error) {
	err = guarded(func() (err error) {
		p, err = e.tokens(r)
		return err
	})
	return p, err
}

func (e *Engine) tokens(r *Request) (p prompt, err error) {
	switch {
	case len(r.Messages) > 0:
		p, err = e.render(r.Messages, r)
	case r.Prompt != "":
		p.tokens, err = e.words.raw(r.Prompt)
	default:
		p.tokens = r.Tokens
	}
	for i, t := range p.tokens {
		if t < 0 || int(t) >= e.info.Vocab {
			return p, fmt.Errorf("engine: token %d of the prompt is %d; the vocabulary has %d", i, t, e.info.Vocab)
		}
	}
	if err == nil && len(p.tokens) == 0 {
		err = errors.New("engine: there is nothing to answer: the conversation is empty")
	}
	return p, err
}

// render encodes messages. Where they leave no room for an answer and the
// request wants it, the oldest turns are left out.
func (e *Engine) render(messages []chat.Message, r *Request) (p prompt, err error) {
	o := e.options(r.Think, r.Now)
	if p.tokens, err = e.words.encode(messages, o); err != nil {
		return p, err
	}
	if r.DropOldest && len(p.tokens) >= e.info.Context {
		if messages, p.dropped, err = e.shorten(messages, o); err != nil {
			return p, err
		}
		if p.tokens, err = e.words.encode(messages, o); err != nil {
			return p, err
		}
	}
	p.said, err = e.alreadySaid(messages, p.tokens, o)
	return p, err
}

// alreadySaid is the part of tokens that the unfinished answer at the end of
// messages stands for.
func (e *Engine) alreadySaid(messages []chat.Message, tokens []int32, o chat.Options) ([]int32, error) {
	last := messages[len(messages)-1]
	switch {
	case last.Role != chat.Assistant || !last.Unfinished:
		return nil, nil
	case last.TokensOf == e.info.ID && len(last.Tokens) <= len(tokens):
		return tokens[len(tokens)-len(last.Tokens):], nil
	}
	before, err := e.words.encode(messages[:len(messages)-1], o)
	if err != nil {
		return nil, err
	}
	return tokens[kv.Common(before, tokens):], nil
}

// shorten leaves out the oldest turns, system messages excepted, so that a
// quarter of the context is free for the answer, or as much as can be.
func (e *Engine) shorten(messages []chat.Message, o chat.Options) (rest []chat.Message, dropped int, err error) {
	system := 0
	for system < len(messages) && messages[system].Role == chat.System {
		system++
	}
	starts := turns(messages, system)
	if len(starts) == 0 {
		return messages, 0, nil
	}
	without := func(turn int) []chat.Message { return slices.Concat(messages[:system], messages[starts[turn]:]) }
	// Encoding takes its time, and the more turns are left out the less is to be encoded.
	least := sort.Search(len(starts)-1, func(turn int) bool {
		if err != nil {
			return true
		}
		var tokens []int32
		tokens, err = e.words.encode(without(turn), o)
		return len(tokens) <= e.info.Context-e.info.Context/4
	})
	return without(least), starts[least] - system, err
}

// turns lists where the second, third ... turn begins: at a message of the
// user's that follows another turn.
func turns(messages []chat.Message, from int) []int {
	var starts []int
	for i := from + 1; i < len(messages); i++ {
		if messages[i].Role == chat.User && messages[i-1].Role != chat.User {
			starts = append(starts, i)
		}
	}
	return starts
}

// outgrown deals with an answer that has reached the context's limit: it ends, or
// goes on with the oldest turns left out.
func (e *Engine) outgrown(a *answer) {
	if !a.req.DropOldest || len(a.req.Messages) == 0 {
		e.finish(a, ReasonContext, nil)
		return
	}
	e.leave(a, false)
	a.composing, a.state = true, StateQueued
	messages := slices.Clone(a.req.Messages)
	if last := len(messages) - 1; messages[last].Role == chat.Assistant && messages[last].Unfinished {
		messages = messages[:last]
	}
	r := a.req
	r.Messages = append(messages, a.voice.whole())
	go func() {
		p, err := e.compose(&r)
		if p.dropped <= a.dropped && err == nil {
			err = errOutgrown
		}
		e.arrive(a, p, err)
	}()
}

// errOutgrown says that a conversation cannot be made shorter.
var errOutgrown = errors.New("engine: the last turn alone fills the context")

// begin makes the prompt that was composed the answer's own: its first, or, after
// turns were left out, the next.
func (e *Engine) begin(a *answer, p prompt) {
	first := a.voice == nil
	if first {
		a.voice = e.newVoice(&a.req, p)
	}
	a.tokens, a.composing = p.tokens, false
	a.prompt = len(p.tokens) - a.counts.Generated
	if p.dropped > a.dropped {
		a.dropped, a.event.Dropped = p.dropped, p.dropped
	}
	a.counts.Prompt, a.counts.Cached, a.counts.Evaluated = a.prompt, 0, 0
	a.resumed = false
}
