package screen

import (
	"bytes"
	"fmt"
	"image/color"
	"math/rand/v2"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
)

// emulator is a terminal that notes its modes.
type emulator struct {
	*vt.Emulator
	alt   bool
	modes map[ansi.Mode]bool
}

func newEmulator(w, h int) *emulator {
	e := &emulator{Emulator: vt.NewEmulator(w, h), modes: map[ansi.Mode]bool{}}
	e.SetCallbacks(vt.Callbacks{
		AltScreen:   func(on bool) { e.alt = on },
		EnableMode:  func(m ansi.Mode) { e.modes[m] = true },
		DisableMode: func(m ansi.Mode) { e.modes[m] = false },
	})
	go func() { // its answers
		for b := make([]byte, 256); ; {
			if _, err := e.Read(b); err != nil {
				return
			}
		}
	}()
	return e
}

// cells are the letters and styles on a screen.
func (e *emulator) cells() string {
	var b strings.Builder
	for y := range e.Height() {
		for x := range e.Width() {
			if c := e.CellAt(x, y); c != nil && c.Width > 0 && (c.Content != " " || !c.Style.IsZero()) {
				fmt.Fprintf(&b, "%d,%d %q %v\n", x, y, c.Content, c.Style.String())
			}
		}
	}
	return b.String()
}

func painterOf(questions string) *painter {
	return newPainter([]string{"TERM=xterm-256color"}, colorprofile.TrueColor, questions)
}

var words = []string{"cell", "\x1b[31mred\x1b[m", "\x1b[1;44mbold\x1b[m", "漢字", "é", "x", "  ", "\x1b[7m \x1b[m", "──"}

// randomView fills some rows of a screen with words.
func randomView(rnd *rand.Rand, lines []string, w int) tea.View {
	for range 1 + rnd.IntN(3) {
		var b strings.Builder
		for n := rnd.IntN(w / 4); n > 0; n-- {
			b.WriteString(words[rnd.IntN(len(words))])
		}
		lines[rnd.IntN(len(lines))] = ansi.Truncate(b.String(), w, "")
	}
	if rnd.IntN(4) == 0 { // as text that runs
		copy(lines, lines[1:])
	}
	v := tea.View{Content: strings.Join(lines, "\n"), ReportFocus: true}
	if rnd.IntN(3) > 0 {
		v.Cursor = tea.NewCursor(rnd.IntN(w), rnd.IntN(len(lines)))
	}
	return v
}

// TestFramesAsIfDrawnAnew: whatever was shown before, and whatever size the window
// had, the screen is what it would be if the last frame had been the first.
func TestFramesAsIfDrawnAnew(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 11))
	for range 20 {
		w, h := 10+rnd.IntN(50), 3+rnd.IntN(20)
		em, p := newEmulator(w, h), painterOf("")
		f := frame{w: w, h: h, atOnce: rnd.IntN(2) == 0}
		lines := make([]string, h)
		for range 30 {
			if rnd.IntN(8) == 0 {
				f.w, f.h, f.erased = 10+rnd.IntN(50), 3+rnd.IntN(20), f.erased+1
				em.Resize(f.w, f.h)
				lines = make([]string, f.h)
			}
			f.view = randomView(rnd, lines, f.w)
			em.Write(p.paint(&f))
		}
		fresh := newEmulator(f.w, f.h)
		fresh.Write(painterOf("").paint(&f))
		if got, want := em.cells(), fresh.cells(); got != want {
			t.Fatalf("%d x %d: the screen is\n%swant\n%s", f.w, f.h, got, want)
		}
		if c := f.view.Cursor; c != nil && (em.CursorPosition().X != c.X || em.CursorPosition().Y != c.Y) {
			t.Errorf("the cursor is at %v, want %v", em.CursorPosition(), c.Position)
		}
		if on := em.modes[ansi.ModeTextCursorEnable]; on != (f.view.Cursor != nil) {
			t.Errorf("a cursor is shown: %v", on)
		}
	}
}

// TestWhatIsEqualIsNotWritten: a frame like the last one costs the terminal nothing,
// one that differs in a word little more than the word.
func TestWhatIsEqualIsNotWritten(t *testing.T) {
	p := painterOf("")
	f := frame{w: 80, h: 24, view: tea.View{Content: strings.Repeat("some text\n", 24), Cursor: tea.NewCursor(3, 4)}}
	p.paint(&f)
	again := f
	again.view.Cursor = tea.NewCursor(3, 4)
	if out := p.paint(&again); len(out) > 0 {
		t.Errorf("the same frame writes %q", out)
	}
	again.view.Content = strings.Replace(again.view.Content, "some", "more", 1)
	if out := p.paint(&again); !bytes.Contains(out, []byte("mor")) || len(out) > 60 {
		t.Errorf("a word writes %q", out)
	}
	again.erased++
	if out := p.paint(&again); bytes.Count(out, []byte("text")) < 24 {
		t.Errorf("a screen that was lost is not drawn anew: %q", out)
	}
}

// TestModesComeAndGo: what a view asks for is set, and gone at the end.
func TestModesComeAndGo(t *testing.T) {
	red := color.RGBA{R: 255, A: 255}
	cursor := tea.NewCursor(1, 1)
	cursor.Shape, cursor.Blink = tea.CursorBar, false
	full := tea.View{Content: "hello", ReportFocus: true, MouseMode: tea.MouseModeCellMotion, WindowTitle: "title",
		ForegroundColor: red, BackgroundColor: red, Cursor: cursor, ProgressBar: tea.NewProgressBar(tea.ProgressBarDefault, 40)}
	p := painterOf(ansi.RequestModeUnicodeCore)
	em := newEmulator(20, 5)
	out := p.paint(&frame{w: 20, h: 5, view: full, clusters: true})
	em.Write(out)
	for _, want := range []string{ansi.RequestModeUnicodeCore, ansi.SetModeUnicodeCore, ansi.SetWindowTitle("title"),
		ansi.SetForegroundColor("#ff0000"), ansi.SetBackgroundColor("#ff0000"), ansi.SetCursorStyle(6), ansi.SetProgressBar(40),
		ansi.PushKittyKeyboard(1), ansi.SetModifyOtherKeys2} {
		if !bytes.Contains(out, []byte(want)) {
			t.Errorf("%q is not written: %q", want, out)
		}
	}
	set := 0
	for m, on := range em.modes {
		if on && m != ansi.ModeTextCursorEnable && m != ansi.ModeAutoWrap {
			set++
		}
	}
	if !em.alt || set < 4 {
		t.Errorf("alternate screen %v, modes %v", em.alt, em.modes)
	}
	out = p.end()
	em.Write(out)
	for m, on := range em.modes {
		if on && m != ansi.ModeTextCursorEnable && m != ansi.ModeAutoWrap {
			t.Errorf("mode %v is still on", m.Mode())
		}
	}
	for _, want := range []string{ansi.SetWindowTitle(""), ansi.ResetForegroundColor, ansi.ResetBackgroundColor,
		ansi.SetCursorStyle(0), ansi.ResetProgressBar, ansi.PopKittyKeyboard(1), ansi.ResetModifyOtherKeys} {
		if !bytes.Contains(out, []byte(want)) {
			t.Errorf("%q is not written at the end: %q", want, out)
		}
	}
	if em.alt || !em.modes[ansi.ModeTextCursorEnable] {
		t.Errorf("alternate screen %v, cursor %v", em.alt, em.modes[ansi.ModeTextCursorEnable])
	}
}

// TestOneScreen: on a terminal without an alternate screen, what comes after the end has
// the last line to itself, and what stood above is still there.
func TestOneScreen(t *testing.T) {
	p := painterOf("")
	em := newEmulator(20, 3)
	only := func(b []byte) []byte {
		b = bytes.ReplaceAll(b, []byte(ansi.SetModeAltScreenSaveCursor), nil)
		return bytes.ReplaceAll(b, []byte(ansi.ResetModeAltScreenSaveCursor), nil)
	}
	em.Write(only(p.paint(&frame{w: 20, h: 3, view: tea.View{Content: "first\nsecond\nthird line"}})))
	em.Write(append(only(p.end()), "$ "...))
	if got, want := strings.TrimRight(em.String(), " \n"), "first\nsecond\n$"; got != want {
		t.Errorf("the terminal shows %q, want %q", got, want)
	}
}
