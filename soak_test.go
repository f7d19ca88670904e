//go:build linux

package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"
)

// TestSoak has a monkey use eight chats for as long as SOAK says, over a pool half as
// large as they may need, and now and then lets everything come to rest and measures.
// Memory, goroutines and speed must stay as they were when the program was warm, and
// no cell may be held by nobody. CONFAB_BACKEND=cuda runs it on a GPU.
func TestSoak(t *testing.T) {
	long, err := time.ParseDuration(os.Getenv("SOAK"))
	if err != nil {
		t.Skip("SOAK is not set to a duration such as 2h")
	}
	file := t.TempDir() + "/figures"
	env := append(home(t), figuresEnv+"="+file)
	s := openSession(t, env, "--cells", "4000")
	s.patience = 5 * time.Minute // eight chats may have a queue each
	m := &monkey{session: s, rnd: rand.New(rand.NewPCG(1, 1)), file: file, began: time.Now()}
	every := max(20*time.Second, long/60)
	var rests []rest
	for time.Since(m.began) < long {
		for until := time.Now().Add(every); time.Now().Before(until) && !t.Failed(); {
			m.act()
		}
		rests = append(rests, m.rest())
		fmt.Println(rests[len(rests)-1])
	}
	steady(t, rests)
	m.keys("\x15\x04")
	if err := m.wait(); err != nil {
		t.Error(err)
	}
	m.restored()
	if n := len(saved(t, env)); n < 8 || n < rests[len(rests)-1].answers/100 {
		t.Errorf("%d chats are saved: the monkey did too little", n)
	}
}

// monkey presses keys that a person might.
type monkey struct {
	*session
	rnd     *rand.Rand
	file    string
	began   time.Time
	answers int
}

var questions = []string{
	"Tell me a story about a fox.", "What is a cell?", "And then?", "Write a poem about the sea.",
	"Say it again, shorter.", "What does temperature do?", "Why?", "List three animals.",
}

func (m *monkey) act() {
	select {
	case err := <-m.exited:
		m.Fatalf("the program ended: %v\n%s", err, m.screen())
	default:
	}
	if tabs := m.tabs(); tabs > 0 && tabs < 8 {
		m.keys("\x0e")
	}
	switch m.rnd.IntN(20) {
	case 0, 1, 2, 3, 4, 5:
		m.keys("\x1b" + string(rune('1'+m.rnd.IntN(8)))) // a tab
	case 6, 7, 8, 9, 10:
		m.keys(questions[m.rnd.IntN(len(questions))] + "\r")
		m.answers++
	case 11:
		m.escape(1)
	case 12:
		m.keys("\x12") // answer again
		m.answers++
	case 13: // a knob
		m.keys("\x0b" + strings.Repeat(string("jkhl"[m.rnd.IntN(4)]), 1+m.rnd.IntN(5)) + "\x0b")
	case 14: // close and open anew, or undo that
		m.keys("\x15\x17")
		time.Sleep(30 * time.Millisecond)
		m.keys([]string{"\x0e", "\x1bz"}[m.rnd.IntN(2)])
	case 15: // look at something
		m.keys([]string{"\x14", "\x10", "\x13", "\x1bOP"}[m.rnd.IntN(4)])
		time.Sleep(100 * time.Millisecond)
		m.escape(1)
	case 16: // read; or fork, whose tab is closed again; or delete, and undo that
		m.keys("\t" + []string{"jJkKi", "uGdgi", "fi\x15\x17", "KxGi\x1bz"}[m.rnd.IntN(4)])
	case 17:
		m.resize(70+m.rnd.IntN(130), 20+m.rnd.IntN(30))
	case 18: // one more pane, or edit the last message
		m.keys([]string{"\x1bs", "\x1b[A again\r"}[m.rnd.IntN(2)])
	case 19:
		m.keys("\x1bw\x1bw")
	}
	time.Sleep(time.Duration(5+m.rnd.IntN(120)) * time.Millisecond)
}

// tabs is how many the title line shows, 0 where it does not show all.
func (m *monkey) tabs() (n int) {
	title, _, _ := strings.Cut(m.screen(), "\n")
	if strings.ContainsAny(title, "‹›") {
		return 0
	}
	for _, mark := range "○●◐⏸" {
		n += strings.Count(title, string(mark)+" ")
	}
	return n
}

// escape presses the key n times, and waits, or it would be Alt with the next key.
func (m *monkey) escape(n int) {
	m.Helper()
	for range n {
		m.keys("\x1b")
		time.Sleep(60 * time.Millisecond)
	}
}

// press leaves whatever is open and presses keys until something holds: on a crowded
// machine a key may come before the escape has had its effect.
func (m *monkey) press(what, keys string, holds func(screen string) bool) {
	m.Helper()
	m.until(what, func(screen string) bool {
		if holds(screen) {
			return true
		}
		m.escape(1)
		m.keys(keys)
		time.Sleep(200 * time.Millisecond)
		return false
	})
}
