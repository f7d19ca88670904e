package ui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/confab-tui/confab/engine"
	"github.com/confab-tui/confab/engine/chat"
	"github.com/confab-tui/confab/ui/text"
)

// replay makes an answer again: the same prompt, seed and changes of the knobs at
// the same tokens. It stands beside the chat until it is kept as a version.
type replay struct {
	p    *pane
	t    *turn
	then answer // how the answer was made
	now  answer // how it is made again
	// want are the tokens to come, those that a person gave left out; same counts
	// how many came again.
	want   []int32
	came   int
	same   int
	stream Stream
	end    *engine.End
	// said and thought are the text so far, what was given included.
	said, thought text.Document
}

func (y *replay) running() bool { return y != nil && y.stream != nil && y.end == nil }

// replay begins to make an answer again and shows how it goes.
func (r *root) replayAnswer(p *pane, t *turn) tea.Cmd {
	if t == nil || t.m.Role != chat.Assistant {
		t = p.conv.lastOf(chat.Assistant)
	}
	switch {
	case t == nil:
		return r.fail("there is no answer to replay yet")
	case t.answer == nil:
		return r.fail("confab did not write this answer: how it was made is not known")
	case t.running():
		return r.fail("the answer is still being written")
	case len(t.m.Tokens) <= t.answer.given:
		return r.fail("this answer has no tokens of its own to make again")
	case r.replayed.running():
		r.replayed.stream.Cancel()
	}
	if !r.ready(p) {
		return nil
	}
	r.replayed = newReplay(r, p, t)
	r.sheet = &replaySheet{y: r.replayed}
	return r.tick()
}

func newReplay(r *root, p *pane, t *turn) *replay {
	a := t.answer
	e := r.engineOf(p, a.modelID)
	info := e.Info()
	y := &replay{p: p, t: t, then: *a, want: t.m.Tokens[a.given:]}
	y.now = answer{
		model: info.Name, modelID: info.ID, template: info.TemplateID, backend: info.Backend, context: info.Context,
		system: nameText(p.conv.chat.System), begins: beginOf(p.conv.chat.System), version: r.options.Version, think: a.think, given: a.given, seed: a.seed,
	}
	req := engine.Request{
		Conversation: p.conv.chat.ID.String(), Messages: p.conv.messages(t.m.Parent), Sampling: a.start.Sampling,
		MaxTokens: len(y.want), Think: a.think, Now: t.m.Created, DropOldest: a.dropped > 0, Alternatives: alternatives,
	}
	if a.reason == engine.ReasonStop {
		req.MaxTokens++ // so that it shows whether it ends there too
	}
	if a.given > 0 {
		req.Messages = append(req.Messages, t.givenPart())
	}
	for _, c := range a.changes {
		if c.Index <= a.given {
			req.Sampling = c.Sampling
			continue
		}
		c.Index -= a.given
		req.Changes = append(req.Changes, c)
	}
	y.now.start = settings{Sampling: req.Sampling, MaxTokens: a.start.MaxTokens}
	y.stream = e.Generate(r.ctx, req)
	return y
}

// givenPart is the beginning of an answer that a person gave, to be continued.
func (t *turn) givenPart() chat.Message {
	m := t.m.Message
	m.Tokens, m.Unfinished, m.ToolCalls = slices.Clip(m.Tokens[:t.answer.given]), true, nil
	t.recall()
	if i := t.answer.given - t.answer.lead; i >= 0 && i < t.answer.tokens.Len() && !t.answer.tokens.At(i).thinking {
		m.Content = t.doc.Source()[:t.answer.tokens.At(i).start]
	}
	return m
}

// drain takes what came; it reports the end.
func (y *replay) drain() (ended bool) {
	for y.running() {
		ev, ok := y.stream.Poll()
		if !ok {
			return false
		}
		y.said.Append(ev.Text)
		y.thought.Append(ev.Thinking)
		for i := range ev.Tokens {
			if y.same == y.came && y.came < len(y.want) && ev.Tokens[i].ID == y.want[y.came] {
				y.same++
			}
			y.came++
			y.now.tokens.Add(token{id: ev.Tokens[i].ID, logProb: ev.Tokens[i].LogProb, prob: ev.Tokens[i].Prob})
		}
		y.now.changes = append(y.now.changes, ev.Changes...)
		y.now.dropped = max(y.now.dropped, ev.Dropped)
		y.now.count(ev.State, ev.Counts)
		if y.end = ev.End; y.end != nil {
			y.now.reason = ev.End.Reason
			return true
		}
	}
	return false
}

// matches tells whether the answer came again to its end.
func (y *replay) matches() bool {
	if y.end == nil || y.same < len(y.want) || y.came > len(y.want) {
		return false
	}
	return y.then.reason != engine.ReasonStop || y.end.Reason == engine.ReasonStop
}

// verdict says how it went, in a few words.
func (y *replay) verdict() (string, tone) {
	n := plural(len(y.want), "token", "tokens")
	switch {
	case y.running():
		return fmt.Sprintf("%*s of %s came again", len(group(len(y.want))), group(y.same), n), toneQuiet
	case y.end.Err != nil:
		return "the replay failed: " + text.CleanLine(y.end.Err.Error()), toneBad
	case y.matches():
		return "same text: all of the " + n + " came again", toneQuiet
	case y.end.Reason == engine.ReasonCancel && y.same == y.came:
		return fmt.Sprintf("stopped; the %s so far are the same", plural(y.same, "token", "tokens")), toneQuiet
	case y.same == len(y.want):
		return "same text, but it does not end there this time", toneWarn
	}
	return fmt.Sprintf("differs from token %s of %s on", group(y.given()+y.same+1), group(y.given()+len(y.want))), toneWarn
}

func (y *replay) given() int { return y.then.given }

// fact is one thing that an answer was made with, then and now.
type fact struct {
	name, then, now string
	unknown         bool // an older confab did not record it
}

func (f *fact) differs() bool { return f.then != f.now && !f.unknown }

// facts are what decides the text.
func (y *replay) facts() []fact {
	a, b := &y.then, &y.now
	model := func(a *answer) string { return strings.TrimSpace(a.model + "  " + cut(a.modelID, 12)) }
	all := []fact{
		{"model", model(a), model(b), a.modelID == ""},
		{"template", a.templateOf(a), b.templateOf(a), a.template == "" && b.template != ""},
		{"system", a.systemBeside(b), b.systemBeside(a), a.template == "" && a.system == ""},
		{"backend", a.backend, b.backend, a.backend == ""},
		{"context", group(a.context), group(b.context), a.context == 0},
		{"version", a.version, b.version, a.version == ""},
	}
	for i := range all {
		for _, s := range []*string{&all[i].then, &all[i].now} {
			if *s == "" {
				*s = "none"
			}
		}
	}
	return all
}

// templateOf names a template and the model that it came with, the one of another answer
// where that has the same.
func (a *answer) templateOf(other *answer) string {
	if a.template == "" {
		return ""
	}
	from := a.model
	if a.template == other.template {
		from = other.model
	}
	return a.template + "  of " + from
}

// systemBeside is how a system prompt begins, and its name where that does not tell it
// from another answer's. Older answers have only the name.
func (a *answer) systemBeside(other *answer) string {
	begins := a.begins
	if a.system == other.system {
		begins = cmp.Or(begins, other.begins)
	} else if begins == "" || begins == other.begins {
		begins = strings.TrimSpace(begins + "  " + a.system)
	}
	return cmp.Or(begins, a.system)
}

func cut(s string, n int) string { return s[:min(n, len(s))] }

// why names the causes that a difference may have.
func (y *replay) why() string {
	var all []string
	for _, f := range y.facts() {
		if f.differs() && (f.name != "context" || y.then.dropped+y.now.dropped > 0) {
			all = append(all, map[string]string{
				"model": "another model file", "template": "another chat template", "system": "another system prompt",
				"backend": "another backend, which rounds in another order", "context": "another context limit, so that other turns are left out",
				"version": "another version of confab",
			}[f.name])
		}
	}
	if len(all) == 0 {
		return "nothing that is recorded differs: a fault of the device or of confab"
	}
	return strings.Join(all, "; ")
}
