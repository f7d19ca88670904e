//go:build linux

package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
)

// figuresEnv names the file that the program under a soak test writes figures of
// itself to.
const figuresEnv = "CONFAB_TEST_FIGURES"

func init() {
	if path := os.Getenv(figuresEnv); path != "" {
		go writeFigures(path)
	}
}

// figures are what must not grow.
type figures struct {
	heap       uint64 // bytes that are in use after a collection
	goroutines int
}

func writeFigures(path string) {
	for {
		time.Sleep(time.Second)
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		text := fmt.Sprintln(m.HeapAlloc, runtime.NumGoroutine())
		os.WriteFile(path+".new", []byte(text), 0o600)
		os.Rename(path+".new", path)
	}
}

// rest is the program at rest: nothing answers.
type rest struct {
	figures
	after    time.Duration
	resident int64 // bytes
	cells    string
	speed    float64 // tokens a second of one answer alone
	answers  int
}

// TestSoak has a monkey use eight chats for as long as SOAK says, and now and then
// lets everything come to rest and measures. Memory, goroutines and speed must
// stay as they were when the program was warm.
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
	for range 7 {
		m.keys("\x0e")
	}
	every := max(20*time.Second, long/60)
	var rests []rest
	for time.Since(m.began) < long {
		for until := time.Now().Add(every); time.Now().Before(until) && !t.Failed(); {
			m.act()
		}
		r := m.rest()
		fmt.Printf("%8v  %4d answers  heap %5.1f MiB  resident %5.0f MiB  %3d goroutines  %6.1f tok/s  cells %s\n",
			r.after.Round(time.Second), r.answers, float64(r.heap)/(1<<20), float64(r.resident)/(1<<20), r.goroutines, r.speed, r.cells)
		rests = append(rests, r)
	}
	steady(t, rests)
	m.keys("\x15\x04")
	if err := m.wait(); err != nil {
		t.Error(err)
	}
	m.restored()
	if n := len(saved(t, env)); n < 8 {
		t.Errorf("%d chats are saved", n)
	}
}

// steady compares the last third of the measurements with the second, when the
// program was warm. Of speeds the best count, since other programs take some, and
// they may differ by half.
func steady(t *testing.T, rests []rest) {
	if len(rests) < 6 {
		t.Skipf("%d measurements are too few to compare", len(rests))
	}
	third := len(rests) / 3
	rank := func(part []rest, of func(rest) float64, at float64) float64 {
		var v []float64
		for _, r := range part {
			v = append(v, of(r))
		}
		slices.Sort(v)
		return v[int(at*float64(len(v)-1))]
	}
	for _, c := range []struct {
		what  string
		of    func(rest) float64
		at    float64 // which of the measurements counts: the middle one is 0.5
		least float64 // of the end, in shares of the middle
		most  float64
		slack float64
	}{
		{"heap in MiB", func(r rest) float64 { return float64(r.heap) / (1 << 20) }, 0.5, 0, 1.1, 8},
		{"resident MiB", func(r rest) float64 { return float64(r.resident) / (1 << 20) }, 0.5, 0, 1.1, 32},
		{"goroutines", func(r rest) float64 { return float64(r.goroutines) }, 0.5, 0, 1, 3},
		{"tokens a second", func(r rest) float64 { return r.speed }, 1, 0.5, 100, 0},
	} {
		middle, end := rank(rests[third:2*third], c.of, c.at), rank(rests[len(rests)-third:], c.of, c.at)
		if end > middle*c.most+c.slack || end < middle*c.least {
			t.Errorf("%s: %.1f in the middle, %.1f in the end", c.what, middle, end)
		}
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
	switch m.rnd.IntN(20) {
	case 0, 1, 2, 3, 4, 5:
		m.keys("\x1b" + string(rune('1'+m.rnd.IntN(8)))) // a tab
	case 6, 7, 8, 9, 10:
		m.keys(questions[m.rnd.IntN(len(questions))] + "\r")
		m.answers++
	case 11:
		m.keys("\x1b")
		time.Sleep(60 * time.Millisecond) // or it would be Alt with the next key
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
		m.keys("\x1b")
		time.Sleep(60 * time.Millisecond)
	case 16:
		m.keys("\t" + string("jkJKudgG"[m.rnd.IntN(8)]) + "i")
	case 17:
		pty.Setsize(m.tty, &pty.Winsize{Rows: uint16(20 + m.rnd.IntN(30)), Cols: uint16(70 + m.rnd.IntN(130))})
	case 18:
		m.keys("\x1bs") // one more pane
	case 19:
		m.keys("\x1bw\x1bw")
	}
	time.Sleep(time.Duration(5+m.rnd.IntN(120)) * time.Millisecond)
}

var (
	speedText = regexp.MustCompile(`([\d.]+) tok/s`)
	cellsText = regexp.MustCompile(`cells +([\d,]+ of [\d,]+)`)
)

// rest lets every chat end, asks one the same question as always, and measures.
func (m *monkey) rest() rest {
	m.Helper()
	pty.Setsize(m.tty, &pty.Winsize{Rows: emulatorHeight, Cols: emulatorWidth})
	for range 3 {
		m.keys("\x1b")
		time.Sleep(60 * time.Millisecond)
	}
	m.until("everything has ended", func(screen string) bool { return !streaming(screen) })
	m.keys("\x15\x17\x0e")
	time.Sleep(200 * time.Millisecond)
	m.keys("Tell me a long story about a bear and a bee.\r")
	m.until("the answer begins", func(screen string) bool { return speedText.MatchString(screen) || streaming(screen) })
	m.until("the answer ends", func(screen string) bool { return !streaming(screen) && speedText.MatchString(screen) })
	time.Sleep(2500 * time.Millisecond)
	screen := m.screen()
	r := rest{after: time.Since(m.began), answers: m.answers, cells: "?"}
	if found := speedText.FindStringSubmatch(screen); found != nil {
		r.speed, _ = strconv.ParseFloat(found[1], 64)
	}
	if found := cellsText.FindStringSubmatch(screen); found != nil {
		r.cells = found[1]
	}
	text, err := os.ReadFile(m.file)
	if err != nil {
		m.Fatal(err)
	}
	fmt.Sscan(string(text), &r.heap, &r.goroutines)
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", m.cmd.Process.Pid))
	if err != nil {
		m.Fatalf("%v\n%s", err, m.screen())
	}
	for line := range strings.Lines(string(status)) {
		if words := strings.Fields(line); len(words) > 1 && words[0] == "VmRSS:" {
			kib, _ := strconv.ParseInt(words[1], 10, 64)
			r.resident = kib << 10
		}
	}
	return r
}
