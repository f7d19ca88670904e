package engine

import (
	"context"
	"errors"
	"io"
)

// Evaluate runs tokens through the model as they are and returns the logits of
// every position, one value for each token of the vocabulary, and the n likeliest
// tokens that follow, going on past end tokens. Nothing of it is cached.
func (e *Engine) Evaluate(ctx context.Context, tokens []int32, n int) (rows [][]float32, greedy []int32, err error) {
	a := e.newAnswer(Request{
		Tokens: tokens, MaxTokens: max(n, 1), IgnoreEnd: true,
		Sampling: Sampling{TopP: 1, RepeatPenalty: 1},
	})
	a.probe = &probe{}
	a.unwatch = context.AfterFunc(ctx, a.stream.Cancel)
	p, err := e.compose(&a.req)
	e.arrive(a, p, err)
	end, greedy, err := a.stream.drain(nil)
	if err != nil {
		return nil, nil, err
	}
	if end.Reason == ReasonCancel {
		return nil, nil, ctx.Err()
	}
	return a.probe.rows, greedy[:min(n, len(greedy))], nil
}

// drain reads a stream to its end, which is never far: the engine ends all of
// them.
func (s *Stream) drain(each func(Event)) (*End, []int32, error) {
	var made []int32
	for {
		event, err := s.Next(context.Background())
		if errors.Is(err, io.EOF) {
			return nil, made, errors.New("engine: the stream was read by somebody else")
		} else if err != nil {
			return nil, made, err
		}
		for _, t := range event.Tokens {
			made = append(made, t.ID)
		}
		if each != nil {
			each(event)
		}
		if event.End != nil {
			return event.End, made, event.End.Err
		}
	}
}
