package ui

import (
	"math/rand/v2"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/confab-tui/confab/engine"
)

// TestMonkey presses keys, clicks, pastes and resizes at random while answers
// stream. The screen must keep its measure, and nothing may panic.
func TestMonkey(t *testing.T) {
	rounds := 6
	if testing.Short() {
		rounds = 3
	}
	for seed := range rounds {
		monkey(t, uint64(seed))
		if t.Failed() {
			return
		}
	}
}

func monkey(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 42))
	b := newBench(t, 120, 34, func(o *Options, _ *fake) { o.Models = func() []modelFile { return demoModels } })
	b.f.script = func(req engine.Request) reply {
		return []reply{
			{text: poem, reason: engine.ReasonStop},
			{thinking: poem, text: demoMarkdown, reason: engine.ReasonStop},
			{text: "cut", reason: engine.ReasonLength},
			{reason: engine.ReasonError, err: errTest},
			{text: poem, waitAt: 3, waitFor: frameTime * 20, reason: engine.ReasonStop},
			{text: "", reason: engine.ReasonStop},
		}[rng.IntN(6)]
	}
	var names []string
	for _, a := range b.r.keys.all {
		for _, x := range a.bindings {
			names = append(names, strings.Fields(x.keys)...)
		}
	}
	names = append(names, "enter", "enter", "enter", "esc", "tab", "up", "down", "left", "right", "backspace", "/", "a", "b", "space", "?", "1", "2", "3")
	var done []string
	defer func() {
		if p := recover(); p != nil {
			t.Fatalf("seed %d: %v after %s", seed, p, strings.Join(done[max(len(done)-30, 0):], " "))
		}
	}()
	for range 400 {
		b.sent = nil
		switch rng.IntN(12) {
		case 0:
			done = append(done, "click")
			b.click(rng.IntN(b.r.w), rng.IntN(b.r.h))
		case 1:
			b.frames(1 + rng.IntN(30))
		case 2:
			b.write([]string{"hello", "/set parameter ", "/preset ", "漢字", "think"}[rng.IntN(5)])
		case 3:
			b.send(tea.WindowSizeMsg{Width: 60 + rng.IntN(150), Height: 14 + rng.IntN(46)})
		case 4:
			b.send(tea.PasteMsg{Content: strings.Repeat("pasted\n", rng.IntN(20))})
		case 5:
			b.send(tea.MouseWheelMsg{X: rng.IntN(b.r.w), Y: rng.IntN(b.r.h), Button: tea.MouseWheelUp})
		default:
			k := names[rng.IntN(len(names))]
			if k == "ctrl+g" || k == "ctrl+z" { // they leave the program
				continue
			}
			done = append(done, k)
			b.send(keyPress(k))
		}
		if b.r.w >= minWidth && b.r.h >= minHeight {
			exact(t, b, strings.Join(done[max(len(done)-8, 0):], " "))
		}
		if t.Failed() {
			return
		}
	}
	b.settle()
}
