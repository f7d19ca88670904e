package engine

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// BenchConfig says what to measure.
type BenchConfig struct {
	Config Config
	// Sampling holds for generated tokens, unless Greedy.
	Sampling Sampling
	Greedy   bool
	// Prompt is the length of the prompt to measure, 0 for none.
	Prompt int
	// Generate tokens are made in each of Batch conversations together, each of
	// which holds Depth tokens already.
	Generate, Depth int
	Batch           []int
	// Repeat is how often each figure is measured; the median counts.
	Repeat int
}

// Figure is one measurement: load_s in seconds; ppN, prompt tokens a second of
// one conversation; tgNxB@D, generated tokens a second of all together.
type Figure struct {
	What  string    `json:"what"`
	Value float64   `json:"value"`
	All   []float64 `json:"all,omitempty"`
}

// Bench opens a model and measures it through the loop that chats go through.
// report gets each figure as it is known.
func Bench(ctx context.Context, c BenchConfig, report func(Figure) error) error {
	if c.Config.Cells == 0 {
		most := 1
		for _, batch := range c.Batch {
			most = max(most, batch)
		}
		c.Config.Cells = max(c.Prompt, most*(max(c.Depth, 1)+c.Generate+1)) + 1
	}
	e, err := Open(ctx, c.Config, nil)
	if err != nil {
		return err
	}
	defer e.Close()
	if err := report(Figure{What: "load_s", Value: e.info.Load.Seconds()}); err != nil {
		return err
	}
	if c.Prompt > 0 {
		err := c.measure(fmt.Sprintf("pp%d", c.Prompt), report, func() (float64, error) { return e.benchPrompt(ctx, c) })
		if err != nil {
			return err
		}
	}
	if c.Generate == 0 {
		return nil
	}
	for _, batch := range c.Batch {
		what := fmt.Sprintf("tg%dx%d@%d", c.Generate, batch, c.Depth)
		err := c.measure(what, report, func() (float64, error) { return e.benchGenerate(ctx, c, batch) })
		if err != nil {
			return err
		}
	}
	return nil
}

// measure takes one run to warm up, then the median of Repeat.
func (c BenchConfig) measure(what string, report func(Figure) error, once func() (float64, error)) error {
	var all []float64
	for i := range max(c.Repeat, 1) + 1 {
		rate, err := once()
		if err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
		if i > 0 {
			all = append(all, rate)
		}
	}
	slices.Sort(all)
	return report(Figure{What: what, Value: all[len(all)/2], All: all})
}

// benchPrompt is how many tokens of a prompt are evaluated a second.
func (e *Engine) benchPrompt(ctx context.Context, c BenchConfig) (float64, error) {
	began := time.Now()
	a := e.newAnswer(Request{Tokens: e.benchTokens(c.Prompt, 0), MaxTokens: 1, IgnoreEnd: true, Sampling: c.sampling()})
	a.alone = true
	if err := e.together(ctx, []*answer{a}); err != nil {
		return 0, err
	}
	return float64(c.Prompt) / time.Since(began).Seconds(), nil
}

// benchGenerate is how many tokens a second batch conversations make. Their
// prompts are evaluated before and found in the pool but for the last token,
// which is the first row of the first step that counts.
func (e *Engine) benchGenerate(ctx context.Context, c BenchConfig, batch int) (float64, error) {
	depth := max(c.Depth, 1)
	ask := func(most int) []*answer {
		var all []*answer
		for i := range batch {
			all = append(all, e.newAnswer(Request{
				Conversation: fmt.Sprint(i), Tokens: e.benchTokens(depth, i+1), MaxTokens: most,
				IgnoreEnd: true, Sampling: c.sampling(),
			}))
		}
		return all
	}
	if err := e.together(ctx, ask(1)); err != nil {
		return 0, err
	}
	began := time.Now()
	if err := e.together(ctx, ask(c.Generate)); err != nil {
		return 0, err
	}
	return float64(batch*c.Generate) / time.Since(began).Seconds(), nil
}

// together hands answers to the loop at the same moment and waits for all.
func (e *Engine) together(ctx context.Context, all []*answer) error {
	refused := e.inbox.post(func() {
		for _, a := range all {
			a.plain = true // what the model can do, not how often it repeats itself
			e.receive(a, prompt{tokens: a.req.Tokens}, nil)
		}
	})
	if refused != nil {
		return refused
	}
	var failed error
	for _, a := range all {
		defer context.AfterFunc(ctx, a.stream.Cancel)()
		if end, _, err := a.stream.drain(nil); err != nil {
			failed = err
		} else if end.Reason != ReasonLength {
			failed = fmt.Errorf("ended after %d tokens: %s", end.Counts.Generated, end.Reason)
		}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return failed
}

func (c BenchConfig) sampling() Sampling {
	if c.Greedy {
		return Sampling{TopP: 1, RepeatPenalty: 1}
	}
	return c.Sampling
}

// benchTokens is a prompt of ordinary tokens; another which begins otherwise.
func (e *Engine) benchTokens(n, which int) []int32 {
	tokens := make([]int32, n)
	for i := range tokens {
		tokens[i] = int32((i*7 + 3 + which*13) % min(400, e.info.Vocab))
	}
	return tokens
}
