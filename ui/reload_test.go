package ui

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/confab-tui/confab/engine"
)

// dying is an engine whose device is gone.
type dying struct{ *fake }

func (dying) Err() error { return errors.New("cuGraphLaunch: CUDA_ERROR_ILLEGAL_ADDRESS") }

// TestDeadDevice: a model whose device has failed says so and what can be done; what
// was said is kept, and the chat goes on once the model is opened again, there or on
// the CPU. A device that cannot be opened again leaves everything in place: what is sent
// waits for the CPU.
func TestDeadDevice(t *testing.T) {
	var opened []string
	b := newBench(t, 160, 40, func(o *Options, f *fake) {
		o.Config.Backend = "cuda"
		o.Open = func(ctx context.Context, c engine.Config, p func(engine.Progress)) (Engine, error) {
			opened = append(opened, c.Backend)
			e, err := f.open(ctx, c, p)
			switch len(opened) {
			case 1:
				return dying{e.(*fake)}, err
			case 3:
				return nil, errors.New("the GPU is lost")
			}
			return e, err
		}
	})
	script := b.f.script
	b.f.script = func(engine.Request) reply {
		return reply{text: "It began", reason: engine.ReasonError, err: dying{}.Err()}
	}
	b.ask("Tell me")
	b.shows("cuGraphLaunch", "It began", "/reload cpu")
	b.f.script = script
	b.runCommand("/reload")
	b.ask("And now?")
	b.shows("It began", "And now?")
	b.runCommand("/reload")
	b.shows("And now?", "the GPU is lost", "/reload cpu")
	b.hides("a message opens it")
	b.ask("Are you there?")
	b.write("/reload cpu")
	b.keys("enter") // without an esc, which would take back what waits
	b.settle()
	b.shows("Are you there?")
	b.ask("And there?")
	b.runCommand("/reload gpu")
	b.shows("cpu, on cuda")
	if !slices.Equal(opened, []string{"cuda", "cuda", "cuda", "cpu"}) || len(b.f.asked) != 4 {
		t.Errorf("opened on %q, %d requests", opened, len(b.f.asked))
	}
}
