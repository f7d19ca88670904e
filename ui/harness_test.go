package ui

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/vt"

	"github.com/confab-tui/confab/engine"
	"github.com/confab-tui/confab/ui/picture"
)

var (
	update   = flag.Bool("update", false, "rewrite the golden screens")
	pictures = flag.String("pictures", "", "folder for pictures of the golden screens")
)

// bench is a program in the hands of a test: no terminal, no goroutines, and a
// clock that stands still until the test turns it.
type bench struct {
	testing.TB
	r     *root
	f     *fake
	clock *clock
	// ticks counts the frames asked for and not yet given.
	ticks int
	// sent are messages that no part of the ui took: what goes to the terminal.
	sent []tea.Msg
}

var testStart = time.Date(2026, 3, 14, 15, 9, 26, 0, time.UTC)

// tickMsg marks a frame that was asked for.
type tickMsg struct{}

func newBench(t testing.TB, w, h int, change ...func(*Options, *fake)) *bench {
	t.Helper()
	b := &bench{TB: t, clock: &clock{at: testStart, set: true}}
	b.f = newFake(b.clock)
	o := Options{Open: b.f.open, now: b.clock.now, frame: func() tea.Cmd { return func() tea.Msg { return tickMsg{} } }}
	o.room = func(engine.Config) (int64, bool) { return 16 << 30, true }
	for _, c := range change {
		c(&o, b.f)
	}
	b.r = newRoot(context.Background(), o, []string{"LANG=C.UTF-8", "TERM=xterm-256color"})
	closeStore, err := b.r.openStore()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeStore() })
	b.r.restore(context.Background())
	b.send(tea.WindowSizeMsg{Width: w, Height: h})
	b.run(b.r.Init())
	return b
}

// send gives a message to the program and carries out what it asks for.
func (b *bench) send(msg tea.Msg) {
	b.Helper()
	before := b.f.io()
	_, cmd := b.r.Update(msg)
	b.r.View() // as Bubble Tea does after every message
	if after := b.f.io(); after != before {
		b.Fatalf("%T made Update or View wait for the engine: %d calls", msg, after-before)
	}
	b.run(cmd)
}

func (b *bench) run(cmd tea.Cmd) {
	b.Helper()
	if cmd == nil {
		return
	}
	msg := cmd()
	switch m := msg.(type) {
	case nil:
	case tea.BatchMsg:
		for _, c := range m {
			b.run(c)
		}
	case tickMsg:
		b.ticks++
	case openedMsg, statsMsg, sheetMsg:
		b.send(m)
	default:
		b.sent = append(b.sent, msg)
	}
}

// frames turns the clock and gives n frames, as long as they are asked for.
func (b *bench) frames(n int) {
	b.Helper()
	for range n {
		if b.ticks == 0 {
			return
		}
		b.ticks--
		b.clock.add(frameTime)
		b.send(frameMsg{})
	}
}

// settle gives frames until nothing moves.
func (b *bench) settle() {
	b.Helper()
	for range 10000 {
		if b.ticks == 0 {
			return
		}
		b.frames(1)
	}
	b.Fatal("the program never comes to rest")
}

var namedKeys = map[string]rune{
	"enter": tea.KeyEnter, "esc": tea.KeyEscape, "tab": tea.KeyTab, "up": tea.KeyUp, "down": tea.KeyDown,
	"left": tea.KeyLeft, "right": tea.KeyRight, "home": tea.KeyHome, "end": tea.KeyEnd, "pgup": tea.KeyPgUp,
	"pgdown": tea.KeyPgDown, "backspace": tea.KeyBackspace, "delete": tea.KeyDelete, "space": tea.KeySpace,
	"f1": tea.KeyF1, "f2": tea.KeyF2, "f6": tea.KeyF6,
}

// keys presses keys by their names, parted by spaces.
func (b *bench) keys(names string) {
	b.Helper()
	for _, name := range strings.Fields(names) {
		b.send(keyPress(name))
	}
}

func keyPress(name string) tea.KeyPressMsg {
	k := tea.KeyPressMsg{}
	rest := name
	for _, m := range []struct {
		prefix string
		mod    tea.KeyMod
	}{{"ctrl+", tea.ModCtrl}, {"alt+", tea.ModAlt}, {"shift+", tea.ModShift}} {
		if s, ok := strings.CutPrefix(rest, m.prefix); ok && s != "" {
			rest, k.Mod = s, k.Mod|m.mod
		}
	}
	if code, ok := namedKeys[rest]; ok {
		k.Code = code
		if rest == "space" && k.Mod == 0 {
			k.Text = " "
		}
		return k
	}
	r := []rune(rest)[0]
	k.Code = r
	if k.Mod == 0 {
		k.Text = string(r)
	}
	return k
}

// write types text.
func (b *bench) write(s string) {
	b.Helper()
	for _, c := range s {
		b.send(tea.KeyPressMsg{Code: c, Text: string(c)})
	}
}

// ask writes a prompt, sends it and waits for the end of the answer.
func (b *bench) ask(s string) {
	b.Helper()
	b.write(s)
	b.keys("enter")
	b.settle()
}

func (b *bench) click(x, y int) {
	b.Helper()
	b.send(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft})
	b.send(tea.MouseReleaseMsg{X: x, Y: y, Button: tea.MouseLeft})
}

// screen is what stands on the terminal, read from an emulator's cells, without
// the blanks at the ends of lines.
func (b *bench) screen() string {
	b.Helper()
	return cells(b.emulator(), b.r.w, b.r.h)
}

func (b *bench) emulator() *vt.Emulator {
	b.Helper()
	v := b.r.View()
	em := vt.NewEmulator(b.r.w, b.r.h)
	if n := strings.Count(v.Content, "\n") + 1; n > b.r.h {
		b.Fatalf("the view has %d lines, the window %d", n, b.r.h)
	}
	em.Write([]byte(strings.ReplaceAll(v.Content, "\n", "\r\n")))
	return em
}

// picture writes the screen as an image, once on a dark and once on a light
// terminal.
func (b *bench) picture(name string) {
	b.Helper()
	for suffix, look := range map[string]picture.Look{"dark": picture.Dark, "light": picture.Light} {
		b.send(tea.BackgroundColorMsg{Color: look.Back})
		b.send(tea.ForegroundColorMsg{Color: look.Fore})
		f, err := os.Create(filepath.Join(*pictures, name+"-"+suffix+".png"))
		if err != nil {
			b.Fatal(err)
		}
		if err := picture.WritePNG(f, b.emulator(), look); err != nil {
			b.Error(err)
		}
		f.Close()
	}
}

func cells(em *vt.Emulator, w, h int) string {
	var out []string
	for y := range h {
		var l strings.Builder
		for x := 0; x < w; x++ {
			c := em.CellAt(x, y)
			switch {
			case c == nil || c.Content == "" && c.Width != 0:
				l.WriteByte(' ')
			case c.Width > 0:
				l.WriteString(c.Content)
			}
		}
		out = append(out, strings.TrimRight(l.String(), " "))
	}
	return strings.Join(out, "\n") + "\n"
}

// shows fails unless the screen has all of the texts.
func (b *bench) shows(texts ...string) {
	b.Helper()
	s := b.screen()
	for _, t := range texts {
		if !strings.Contains(s, t) {
			b.Errorf("the screen does not show %q:\n%s", t, s)
		}
	}
}

func (b *bench) hides(texts ...string) {
	b.Helper()
	s := b.screen()
	for _, t := range texts {
		if strings.Contains(s, t) {
			b.Errorf("the screen shows %q:\n%s", t, s)
		}
	}
}

// golden compares the screen with a file, or with -update writes it.
func (b *bench) golden(name string) {
	b.Helper()
	path := filepath.Join("testdata", name+".golden")
	got := b.screen()
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			b.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		b.Fatalf("%v (go test -update writes it)", err)
	}
	if got != string(want) {
		b.Errorf("%s differs.\n--- want\n%s--- got\n%s", path, want, got)
	}
}
