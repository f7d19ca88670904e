package ui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/confab-tui/confab/engine"
	"github.com/confab-tui/confab/engine/library"
	"github.com/confab-tui/confab/ui/text"
)

// Options say what the program works with.
type Options struct {
	// Open opens a model, Config is the one to begin with.
	Open   Opener
	Config engine.Config
	// DataDir holds the conversations; empty keeps them in memory only.
	DataDir string
	// ConfigDir may hold presets.toml.
	ConfigDir string
	// Sampling lays what was chosen outside over a model's suggestion; Sources
	// says by the flag's name where a value was chosen: "flag", "env", "config".
	Sampling func(engine.Sampling) engine.Sampling
	Sources  map[string]string
	// MaxTokens limits answers, System is the system prompt of new chats, Think
	// asks them for or against thinking.
	MaxTokens int
	System    string
	Think     *bool
	// DropOldest leaves out the oldest turns of a chat that is full.
	DropOldest bool
	// Models lists the model files of this machine; nil where there is no list.
	Models func() []library.Model
	// Hub gives where models are fetched from when a person asks for it, into
	// ModelsDir; nil where none are fetched.
	Hub       func() (Hub, error)
	ModelsDir string
	// Theme is one of Themes; empty is the terminal's own.
	Theme string
	// Keys gives actions other keys, by the names that CheckKeys knows.
	Keys map[string][]string
	// Accessible talks in plain lines, without a screen.
	Accessible bool
	// ReducedMotion stops what turns by itself.
	ReducedMotion bool
	// Notices are shown when the program starts.
	Notices []string
	Version string

	// now is the clock, frame what starts the next tick, waits tells whether a key was
	// pressed that Update has not seen, room is the memory that is free and need what a
	// model takes of it; tests set them.
	now   func() time.Time
	frame func() tea.Cmd
	waits func() bool
	room  func(engine.Config) (int64, bool)
	need  func(engine.Config) int64
}

// Clean makes text of a model, a file or the network harmless to a terminal.
func Clean(s string) string { return text.Clean(s) }

// Wrap makes an Engine of the real one.
func Wrap(e *engine.Engine) Engine { return real{e} }

type real struct{ *engine.Engine }

func (r real) Generate(ctx context.Context, req engine.Request) Stream {
	return r.Engine.Generate(ctx, req)
}
