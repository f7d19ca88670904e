//go:build linux

package main

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
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
	answers  int
	resident int64 // bytes
	device   int64 // bytes in use on the GPU, 0 where there is none
	// Cells of the pool: those of answers, those kept for their beginnings, all.
	held, cached, free, total int
	// The same answer of one chat alone, every time, the best of some: tokens a second, and
	// what it took of the processors. Other programs can make it take more, never less.
	speed float64
	work  time.Duration
}

func (r rest) String() string {
	mib := func(bytes int64) float64 { return float64(bytes) / (1 << 20) }
	s := fmt.Sprintf("%8v  %5d answers  heap %5.1f MiB  resident %5.0f MiB  %3d goroutines  %4d held %5d cached of %d cells  an answer %6.1f tok/s, %4d ms of processor",
		r.after.Round(time.Second), r.answers, mib(int64(r.heap)), mib(r.resident), r.goroutines, r.held, r.cached, r.total, r.speed, r.work.Milliseconds())
	if r.device > 0 {
		s += fmt.Sprintf("  GPU %.0f MiB", mib(r.device))
	}
	return s
}

var (
	speedText = regexp.MustCompile(`([\d.]+) tok/s`)
	poolText  = regexp.MustCompile(`([\d,]+) cells · ([\d,]+) held · [\d,]+ shared · ([\d,]+) cached · ([\d,]+) free`)
)

// rest lets every chat end, asks the same question as always, and measures.
func (m *monkey) rest() rest {
	m.Helper()
	m.resize(emulatorWidth, emulatorHeight)
	m.escape(3)
	quiet := time.Now()
	m.until("everything has ended", func(screen string) bool { // queues too, whose next begins a moment later
		if streaming(screen) {
			quiet = time.Now()
		}
		return time.Since(quiet) > 500*time.Millisecond
	})
	m.press("no more than eight chats are open", "\x15\x17", func(string) bool { n := m.tabs(); return n > 0 && n <= 8 })
	r := rest{answers: m.answers, work: math.MaxInt64}
	for range 3 {
		speed, work := m.sameAnswer()
		r.speed, r.work = max(r.speed, speed), min(r.work, work)
	}
	m.keys("\x10")
	m.until("the pool is shown", poolText.MatchString)
	time.Sleep(2500 * time.Millisecond)
	found := poolText.FindStringSubmatch(m.screen())
	for i, n := range []*int{&r.total, &r.held, &r.cached, &r.free} {
		*n, _ = strconv.Atoi(strings.ReplaceAll(found[1+i], ",", ""))
	}
	m.escape(1)
	text, err := os.ReadFile(m.file)
	if err != nil {
		m.Fatal(err)
	}
	fmt.Sscan(string(text), &r.heap, &r.goroutines)
	r.resident, r.device, r.after = m.resident(), deviceMemory(), time.Since(m.began)
	return r
}

// sameAnswer asks in a new chat, in the place of an old one, what is always asked.
func (m *monkey) sameAnswer() (speed float64, work time.Duration) {
	m.Helper()
	m.press("a new chat is open", "\x15\x17\x0e", func(screen string) bool {
		return strings.Contains(screen, "answers here") && strings.Contains(screen, "enter send")
	})
	m.keys("/set parameter temp 0\r")
	m.until("the knob is turned", func(screen string) bool { return strings.Contains(screen, "temperature is 0.00") })
	before := m.processor()
	m.keys("Tell me a long story about a bear and a bee.\r")
	m.until("the answer begins", func(screen string) bool { return speedText.MatchString(screen) || streaming(screen) })
	m.until("the answer ends", func(screen string) bool {
		found := speedText.FindStringSubmatch(screen)
		if streaming(screen) || found == nil || m.processor() == before { // what is seen may be another chat's
			return false
		}
		speed, _ = strconv.ParseFloat(found[1], 64)
		return true
	})
	return speed, m.processor() - before
}

// resident is how many bytes of memory the program takes.
func (m *monkey) resident() (bytes int64) {
	m.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", m.cmd.Process.Pid))
	if err != nil {
		m.Fatalf("%v\n%s", err, m.screen())
	}
	for line := range strings.Lines(string(status)) {
		if words := strings.Fields(line); len(words) > 1 && words[0] == "VmRSS:" {
			kib, _ := strconv.ParseInt(words[1], 10, 64)
			bytes = kib << 10
		}
	}
	return bytes
}

// processor is how long the program has run on the processors.
func (m *monkey) processor() time.Duration {
	m.Helper()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", m.cmd.Process.Pid))
	if err != nil {
		m.Fatalf("%v\n%s", err, m.screen())
	}
	_, fields, _ := strings.Cut(string(stat), ") ") // behind the name
	var ticks time.Duration
	for _, f := range strings.Fields(fields)[11:13] { // user and system time, in hundredths
		n, _ := strconv.Atoi(f)
		ticks += time.Duration(n)
	}
	return ticks * 10 * time.Millisecond
}

// deviceMemory is how many bytes are in use on the first GPU, by whomever.
func deviceMemory() int64 {
	out, err := exec.Command("nvidia-smi", "--query-gpu=memory.used", "--format=csv,noheader,nounits").Output()
	if err != nil {
		return 0
	}
	first, _, _ := strings.Cut(string(out), "\n")
	mib, _ := strconv.ParseInt(strings.TrimSpace(first), 10, 64)
	return mib << 20
}

// steady compares the last third of the measurements with the second, when the
// program was warm.
func steady(t *testing.T, rests []rest) {
	for _, r := range rests {
		if r.held != 0 || r.cached+r.free != r.total {
			t.Errorf("after %v nobody answers, and of %d cells %d are held, %d cached, %d free", r.after, r.total, r.held, r.cached, r.free)
		}
	}
	if len(rests) < 6 {
		t.Skipf("%d measurements are too few to compare", len(rests))
	}
	third := len(rests) / 3
	for _, c := range []struct {
		what  string
		of    func(rest) float64
		pick  func([]float64) float64
		most  float64 // of the end, in shares of the middle
		slack float64
	}{
		{"heap in MiB", func(r rest) float64 { return float64(r.heap) / (1 << 20) }, median, 1.05, 3},
		{"resident MiB", func(r rest) float64 { return float64(r.resident) / (1 << 20) }, median, 1.1, 24},
		{"MiB on the GPU", func(r rest) float64 { return float64(r.device) / (1 << 20) }, median, 1, 32},
		{"goroutines", func(r rest) float64 { return float64(r.goroutines) }, median, 1, 3},
		{"ms of processor for an answer", func(r rest) float64 { return float64(r.work.Milliseconds()) }, slices.Min[[]float64], 1.2, 20},
	} {
		middle, end := c.pick(all(rests[third:2*third], c.of)), c.pick(all(rests[len(rests)-third:], c.of))
		if end > middle*c.most+c.slack {
			t.Errorf("%s: %.1f in the middle, %.1f in the end", c.what, middle, end)
		}
	}
}

func all(part []rest, of func(rest) float64) (v []float64) {
	for _, r := range part {
		v = append(v, of(r))
	}
	return v
}
