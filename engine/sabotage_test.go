package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/confab-tui/confab/engine/model"
)

// saboteur is a toy one of whose steps goes wrong.
type saboteur struct {
	*toy
	at   int // the step that does, from 1
	how  string
	call int
}

var errBroken = errors.New("saboteur: broken")

// deadDevice is an error after which nothing runs.
type deadDevice struct{ error }

func (deadDevice) Fatal() bool { return true }

func (s *saboteur) Run(step *model.Step) (model.Result, error) {
	if s.call++; s.call != s.at {
		return s.toy.Run(step)
	}
	switch s.how {
	case "before":
		return model.Result{}, errBroken
	case "half":
		// What a step was to write may be written, half written or spoilt.
		for i, r := range step.Rows {
			s.cells[r.Cell] = toyCell{token: -1, pos: int32(i), written: i%2 == 0}
		}
		return model.Result{}, errBroken
	case "short":
		result, err := s.toy.Run(step)
		result.Outputs = result.Outputs[:max(0, len(result.Outputs)-1)]
		return result, err
	case "fatal":
		return model.Result{}, deadDevice{errBroken}
	}
	panic("saboteur: broken")
}

// TestEveryStepGoesWrong lets each step of a busy minute go wrong, one after the
// other and in every way. Who ends has said a part of its answer and not a word
// else; whoever goes on, and whoever asks the same afterwards, says all of it.
func TestEveryStepGoesWrong(t *testing.T) {
	for _, how := range []string{"before", "half", "short", "fatal", "panic"} {
		for _, slots := range []int{0, 3} {
			t.Run(fmt.Sprint(how, slots), func(t *testing.T) {
				failed, whole := 0, 0
				for at := 1; ; at++ {
					x := newToy(t, 141)
					x.slots = slots
					s := &saboteur{toy: x, at: at, how: how}
					n, m := s.minute(t)
					failed, whole = failed+n, whole+m
					if s.call < at || t.Failed() {
						break
					}
				}
				if failed == 0 || whole == 0 {
					t.Errorf("%d answers ended by it, %d whole: nothing was tried", failed, whole)
				}
			})
		}
	}
}

// minute runs answers with shared beginnings over a pool too small for them.
func (s *saboteur) minute(t *testing.T) (failed, whole int) {
	e := openToy(t, s.toy, 140, func(p *parts) { p.place = func(*Engine) (executor, error) { return s, nil } })
	request := func(i int) Request {
		return Request{
			Tokens: slices.Concat(run(0, 20), run(1000*i, 20)), MaxTokens: 12, IgnoreEnd: true,
			Sampling: Sampling{Temperature: float32(i % 2), TopP: 1, Seed: int64(i), RepeatPenalty: 1},
		}
	}
	const chats = 4
	var streams []*Stream
	for i := range chats {
		streams = append(streams, e.Generate(context.Background(), request(i)))
	}
	for i, stream := range streams {
		got := finish(t, stream)
		want := s.answerOf(request(i).Tokens, 12, true, fixed(request(i).Sampling))
		said := ids(got.Tokens)
		switch got.End.Reason {
		case ReasonError:
			failed++
			if got.End.Err == nil || len(said) > len(want) || !slices.Equal(said, want[:len(said)]) || !slices.Equal(got.End.Message.Tokens, said) {
				t.Errorf("step %d: answer %d ended by %v after %v, the message has %v, wants a part of %v",
					s.at, i, got.End.Err, said, got.End.Message.Tokens, want)
			}
		default:
			whole++
			if !slices.Equal(said, want) {
				t.Errorf("step %d: answer %d says %v, wants %v", s.at, i, said, want)
			}
		}
	}
	hit := s.call >= s.at
	for i := range chats {
		got := finish(t, e.Generate(context.Background(), request(i)))
		want := s.answerOf(request(i).Tokens, 12, true, fixed(request(i).Sampling))
		switch {
		case e.Err() != nil || !hit && s.call >= s.at:
			hit = true
			if got.End.Reason == ReasonError && got.End.Err == nil {
				t.Errorf("step %d: ended without an error", s.at)
			}
		case !slices.Equal(ids(got.Tokens), want):
			t.Errorf("after step %d answer %d says %v, %v, wants %v", s.at, i, ids(got.Tokens), got.End.Err, want)
		}
	}
	dead := s.call >= s.at && (s.how == "fatal" || s.how == "panic")
	if dead != (e.Err() != nil) {
		t.Fatalf("step %d: the engine's error is %v", s.at, e.Err())
	}
	if late := finish(t, e.Generate(context.Background(), request(0))); dead && (late.End.Reason != ReasonError || late.End.Err == nil) {
		t.Errorf("a dead engine answers with %q", late.End.Reason)
	}
	if p := e.Stats().Pool; e.Err() == nil && (p.Held != 0 || p.Cached+p.Free != p.Total) {
		t.Errorf("after step %d: %d held, %d cached, %d free of %d", s.at, p.Held, p.Cached, p.Free, p.Total)
	}
	return failed, whole
}
