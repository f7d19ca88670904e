package ui

import (
	"bytes"
	"fmt"
	"testing"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"github.com/confab-tui/confab/engine"
)

// FuzzTerminal gives the program whatever bytes a terminal may send: keys, pastes,
// clicks, reports that nobody asked for, halves of them. Nothing may panic, the
// screen keeps its measure, and every answer comes to its end.
func FuzzTerminal(f *testing.F) {
	for _, input := range []string{
		"hello\r\x1b[A\x1b[B\x12\t" + "jkey" + "\x1b",
		"\x1b[200~pasted\r\n\x1b]52;c;aGk=\x07\x1b[201~\r\x0bhlhl0.7\r\x0b",
		"\x1b[<0;10;5M\x1b[<32;30;9M\x1b[<0;30;9m\x1b[<64;10;10M\x1b[<2;200;200M",
		"ask\r\x1bs\x1ba\x1bc\x1b1\x1bw\x0e\x17\x1bz\x14jjb\x1b\x10\x1b\x13x\x1b",
		"/set parameter temp 2\r/preset neutral\r/theme dark\r//\x7f\x7f?\x1b/export x.md\r/import x.md\r/system you\r",
		"\x1b]11;rgb:ffff/0000/zz\x07\x1b[?2027;2$y\x1bP>|xterm(3)\x1b\\\x1b[97;5u\x1b[48;40;100;0;0t\x1b[I\x1b[O",
		"漢字e\u0301👩\u200d👩\u200d👧\xff\xc3\x00\x7f\x1b[3~\x1b[H\x1b[1;2D\x1b[1;5C\x17\x15",
		"\x1b[200~never ends",
	} {
		f.Add([]byte(input))
	}
	f.Setenv("HOME", f.TempDir())
	f.Fuzz(func(t *testing.T, input []byte) {
		t.Chdir(t.TempDir()) // files that are exported
		b := newBench(t, 100, 30, func(o *Options, _ *fake) { o.Models = func() []modelFile { return demoModels } })
		b.f.script = func(r engine.Request) reply {
			return reply{thinking: "so", text: poem + demoMarkdown, waitAt: 3 * (len(r.Messages) % 2), waitFor: frameTime, reason: engine.ReasonStop}
		}
		for i, msg := range fromTerminal(t, input) {
			b.send(msg)
			if i%4 == 3 {
				b.frames(2)
			}
			if b.r.w >= minWidth && b.r.h >= minHeight {
				exact(t, b, fmt.Sprintf("message %d, %T", i, msg))
			}
		}
		b.settle()
	})
}

// fromTerminal reads messages out of a terminal's bytes as Bubble Tea does.
func fromTerminal(t *testing.T, input []byte) (all []tea.Msg) {
	events, done := make(chan uv.Event), make(chan error, 1)
	go func() {
		done <- uv.NewTerminalReader(bytes.NewReader(input), "xterm-256color").StreamEvents(t.Context(), events)
		close(events)
	}()
	for e := range events {
		if msg := toMessage(e); msg != nil {
			all = append(all, msg)
		}
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	return all
}

// toMessage is what the program is sent for a terminal's event.
func toMessage(e uv.Event) tea.Msg {
	switch e := e.(type) {
	case uv.BackgroundColorEvent:
		return tea.BackgroundColorMsg(e)
	case uv.ForegroundColorEvent:
		return tea.ForegroundColorMsg(e)
	case uv.FocusEvent:
		return tea.FocusMsg(e)
	case uv.BlurEvent:
		return tea.BlurMsg(e)
	case uv.KeyPressEvent:
		return tea.KeyPressMsg(e)
	case uv.MouseClickEvent:
		return tea.MouseClickMsg(e)
	case uv.MouseMotionEvent:
		return tea.MouseMotionMsg(e)
	case uv.MouseReleaseEvent:
		return tea.MouseReleaseMsg(e)
	case uv.MouseWheelEvent:
		return tea.MouseWheelMsg(e)
	case uv.PasteEvent:
		return tea.PasteMsg(e)
	case uv.WindowSizeEvent:
		return tea.WindowSizeMsg(e)
	case uv.KeyboardEnhancementsEvent:
		return tea.KeyboardEnhancementsMsg(e)
	}
	return nil
}
