//go:build unix

package main

import (
	"flag"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/vt"

	"github.com/confab-tui/confab/ui/picture"
)

var demo = flag.String("demo", "", "file to write the README's moving picture to")

// beat is how often the tape looks at the screen.
const beat = 80 * time.Millisecond

// tape films the real program while keys are typed to it, with a line below that
// says what is shown.
type tape struct {
	*screen
	film *picture.Film
	over chan struct{} // closed when nothing more is to be filmed
	end  chan struct{} // closed when nothing more is filmed

	mu      sync.Mutex
	caption *vt.Emulator
}

// captioned is a screen with a line below it.
type captioned struct {
	picture.Screen
	line *vt.Emulator
}

func (c captioned) Height() int { return c.Screen.Height() + 2 }

func (c captioned) CellAt(x, y int) *uv.Cell {
	switch h := c.Screen.Height(); {
	case y < h:
		return c.Screen.CellAt(x, y)
	case y == h+1:
		return c.line.CellAt(x, 0)
	}
	return nil
}

func (p *tape) record() {
	defer close(p.end)
	tick := time.NewTicker(beat)
	defer tick.Stop()
	for {
		select {
		case <-p.over:
			return
		case <-tick.C:
		}
		p.mu.Lock()
		line := p.caption
		p.mu.Unlock()
		if line != nil {
			p.lock.Lock()
			p.film.Add(captioned{p.term, line}, beat)
			p.lock.Unlock()
		}
	}
}

// say begins a scene.
func (p *tape) say(what, key string) {
	line := vt.NewEmulator(p.w, 1)
	_, _ = line.WriteString("  \x1b[1;36m" + key + "\x1b[m  " + what)
	p.mu.Lock()
	p.caption = line
	p.mu.Unlock()
}

// write types as a person does.
func (p *tape) write(s string) {
	for _, c := range s {
		p.keys(string(c))
		time.Sleep(15 * time.Millisecond)
	}
}

// press types keys with time to see what each does.
func (p *tape) press(keys ...string) {
	for _, k := range keys {
		p.keys(k)
		time.Sleep(350 * time.Millisecond)
	}
}

// TestDemo films the README's moving picture: open, compare four temperatures,
// turn a knob while the answer streams, inspect its tokens, branch, watch the pool.
func TestDemo(t *testing.T) {
	if *demo == "" {
		t.Skip("only with -demo FILE")
	}
	p := &tape{screen: openScreen(t, home(t), 120, 30, "--seed", "417"), film: picture.NewFilm(picture.Dark),
		over: make(chan struct{}), end: make(chan struct{})}
	go p.record()
	p.awaitText("Ask anything")
	p.keys("/pace 16", "\r")
	p.awaitText("at most 16")
	p.keys("\x1b")
	p.play()
	close(p.over)
	<-p.end
	f, err := os.Create(*demo)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := p.film.WriteGIF(f); err != nil {
		t.Fatal(err)
	}
}

func (p *tape) play() {
	const pause = 1500 * time.Millisecond
	p.say("The model is inside the program: open it and write.", "confab")
	time.Sleep(pause)
	p.write("Tell me a story about a dragon.")

	p.say("The same prompt at four temperatures, on the same dice, at the same time.", "alt+c")
	p.keys(altC)
	p.await("four endings", func(all string) bool { return strings.Count(all, "done") == 4 })
	time.Sleep(pause)

	p.say("Knobs turn while the answer streams; the margin tells where.", "ctrl+n  ctrl+k")
	p.keys("\x0e")
	p.write("Tell me a story about the sea.")
	p.keys("\r", ctrlK)
	time.Sleep(pause)
	p.press("L", "L", "L")
	time.Sleep(pause)
	p.press("H", "H", "H", "H", "H")
	p.await("an ending", func(all string) bool { return strings.Contains(all, "last token") })
	time.Sleep(pause / 2)

	p.say("How likely was each token, and what else could have come?", "ctrl+k  ctrl+t")
	p.keys("\t", ctrlK, ctrlK, ctrlT)
	p.awaitText("perplexity")
	time.Sleep(pause)
	p.press("\x1b[H")
	for range 12 {
		p.keys("\x1b[C")
		time.Sleep(60 * time.Millisecond)
	}
	p.press("j", "j")
	time.Sleep(pause / 2)

	p.say("Go on from another one: both versions are kept.", "enter")
	p.keys("\r")
	p.awaitText("2/2")
	time.Sleep(2 * pause)

	p.say("All chats share one pool of cells: who holds it, what is shared, what goes first.", "ctrl+p")
	p.press("\x1b[5;5~")
	p.write("Tell me a story about a bear.")
	p.keys("\r", ctrlP)
	time.Sleep(3 * pause)
}
