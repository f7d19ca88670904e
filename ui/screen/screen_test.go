package screen

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
)

// model shows what was typed; capitals make it do what a test needs.
type model struct {
	typed string
	do    map[string]tea.Cmd
	panic string // the key at which Update panics
	hold  func(key string)
	views []string // what was typed when each was asked for
}

func (m *model) Init() tea.Cmd { return m.do["init"] }

func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	k, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return m, nil
	}
	if m.panic != "" && k.Text == m.panic {
		panic("the model broke")
	}
	if m.hold != nil {
		m.hold(k.Text)
	}
	m.typed += k.Text
	return m, m.do[k.Text]
}

func (m *model) View() tea.View {
	m.views = append(m.views, m.typed)
	return tea.View{Content: m.typed, AltScreen: true, Cursor: tea.NewCursor(len(m.typed), 0)}
}

// paper takes what a program writes.
type paper struct {
	mu     sync.Mutex
	text   strings.Builder
	writes int
	came   chan struct{} // has a value where something was written
	err    error         // of a terminal that is gone
	stuck  chan struct{} // where not nil, writing waits for it
}

func (p *paper) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err != nil {
		return 0, p.err
	}
	p.writes++
	p.text.Write(b)
	select {
	case p.came <- struct{}{}:
	default:
	}
	if p.stuck != nil {
		<-p.stuck
	}
	return len(b), nil
}

func (p *paper) String() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.String()
}

// program runs a model, with the test at its keys.
type program struct {
	testing.TB
	*paper
	keys  *os.File
	waits *atomic.Int32
	ended chan error
	stop  context.CancelFunc
}

func start(t testing.TB, m tea.Model) *program {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	p := &program{TB: t, paper: &paper{came: make(chan struct{}, 1)}, keys: w, waits: new(atomic.Int32), ended: make(chan error, 1), stop: stop}
	go func() {
		p.ended <- Run(ctx, m, Options{In: r, Out: p, Env: []string{"TERM=xterm"}, Profile: colorprofile.TrueColor, Width: 40, Height: 5, Keys: p.waits})
	}()
	t.Cleanup(func() { stop(); w.Close() })
	return p
}

// shows waits until the program has written something.
func (p *program) shows(s string) {
	p.Helper()
	for !strings.Contains(p.String(), s) {
		select {
		case <-p.came:
		case err := <-p.ended:
			p.Fatalf("the program ended with %v and wrote %q", err, p.String())
		case <-time.After(time.Minute):
			p.Fatalf("%q never comes: %q", s, p.String())
		}
	}
}

// over waits for the end, which gives the terminal back.
func (p *program) over() error {
	p.Helper()
	err := <-p.ended
	if s := p.String(); p.err == nil && !(strings.Contains(s, ansi.ResetModeAltScreenSaveCursor) && strings.HasSuffix(s, ansi.SetModeTextCursorEnable)) {
		p.Errorf("the terminal is not given back: %q", s)
	}
	return err
}

// running tells whether some goroutine is in a function.
func running(function string) bool {
	b := make([]byte, 1<<20)
	return strings.Contains(string(b[:runtime.Stack(b, true)]), function)
}

// TestNothingRunsWhenIdle: when Bubble Tea's clock has stopped, only messages can make
// the program draw, one frame each, and none that changes nothing.
func TestNothingRunsWhenIdle(t *testing.T) {
	m := &model{do: map[string]tea.Cmd{"q": tea.Quit}}
	p := start(t, m)
	p.shows(ansi.SetModeAltScreenSaveCursor)
	for running("startRenderer") {
		time.Sleep(10 * time.Millisecond)
	}
	for i, key := range []string{"a", "b", "c"} {
		io.WriteString(p.keys, key)
		p.shows(key)
		if p.mu.Lock(); p.writes > i+3 { // the first frame may come before and after the window's size
			t.Errorf("%d frames after %d keys", p.writes, i+1)
		}
		p.mu.Unlock()
	}
	io.WriteString(p.keys, "q")
	if err := p.over(); err != nil {
		t.Error(err)
	}
}

// TestGone: a terminal that ends, or that takes nothing, ends the program.
func TestGone(t *testing.T) {
	p := start(t, &model{})
	p.shows(ansi.SetModeAltScreenSaveCursor)
	p.keys.Close()
	if err := p.over(); err != nil {
		t.Errorf("input that ends: %v", err)
	}
	p = start(t, &model{})
	p.shows(ansi.SetModeAltScreenSaveCursor)
	p.mu.Lock()
	p.err = errors.New("input/output error")
	p.mu.Unlock()
	io.WriteString(p.keys, "x")
	if err := p.over(); err != nil {
		t.Errorf("output that fails: %v", err)
	}
}

// TestStalled: a terminal that does not take what is written holds up neither the
// model nor the end.
func TestStalled(t *testing.T) {
	seen := make(chan struct{})
	m := &model{do: map[string]tea.Cmd{"z": func() tea.Msg { close(seen); return nil }}}
	p := start(t, m)
	p.shows(ansi.SetModeAltScreenSaveCursor)
	p.mu.Lock()
	p.stuck = make(chan struct{})
	p.mu.Unlock()
	defer close(p.stuck)
	for _, key := range "abcdefgz" {
		io.WriteString(p.keys, string(key))
	}
	<-seen
	p.stop()
	if err := <-p.ended; err != nil {
		t.Error(err)
	}
}

// TestKeysGoFirst: while the model is at work it can see that a key waits for it, and then
// its view is not drawn before that key's.
func TestKeysGoFirst(t *testing.T) {
	was := mostSkipped
	mostSkipped = time.Hour
	defer func() { mostSkipped = was }()
	waits := make(chan *atomic.Int32, 1)
	m := &model{do: map[string]tea.Cmd{"q": tea.Quit}}
	m.hold = func(key string) {
		if key == "a" {
			for count := <-waits; count.Load() == 0; time.Sleep(time.Millisecond) {
				continue
			}
		}
	}
	p := start(t, m)
	waits <- p.waits
	io.WriteString(p.keys, "ab")
	p.shows("ab")
	if n := p.waits.Load(); n != 0 {
		t.Errorf("%d keys wait when all of them have been shown", n)
	}
	io.WriteString(p.keys, "q")
	if err := p.over(); err != nil {
		t.Error(err)
	}
	if slices.Contains(m.views, "a") {
		t.Errorf("the views %q were drawn, one of them while a key waited", m.views)
	}
}

// TestPanics: whoever panics, the terminal is given back.
func TestPanics(t *testing.T) {
	boom := func() tea.Msg { panic("a command broke") }
	for key, m := range map[string]*model{
		"u": {panic: "u"},
		"c": {do: map[string]tea.Cmd{"c": boom}},
		"b": {do: map[string]tea.Cmd{"b": tea.Batch(boom, func() tea.Msg { return nil })}},
	} {
		p := start(t, m)
		p.shows(ansi.SetModeAltScreenSaveCursor)
		io.WriteString(p.keys, key)
		if err := p.over(); !errors.Is(err, tea.ErrProgramPanic) {
			t.Errorf("%s: %v", key, err)
		}
	}
}

// TestAside: while somebody else has the terminal it is as it was found, and then
// everything is drawn anew; commands for the terminal reach it.
func TestAside(t *testing.T) {
	m := &model{do: map[string]tea.Cmd{"q": tea.Quit, "init": tea.Raw("\x1b[5n"), "r": tea.Raw("\x1b]52;c;aGk=\x07")}}
	m.do["e"] = func() tea.Msg {
		return Exec(exec.Command("true"), func(err error) tea.Msg {
			if err != nil {
				t.Error(err)
			}
			return nil
		})
	}
	p := start(t, m)
	io.WriteString(p.keys, "hi")
	p.shows("i")
	io.WriteString(p.keys, "r")
	p.shows("\x1b]52;c;aGk=\x07")
	io.WriteString(p.keys, "e")
	p.shows(ansi.ResetModeAltScreenSaveCursor)
	_, after, _ := strings.Cut(p.String(), ansi.ResetModeAltScreenSaveCursor)
	for !strings.Contains(after, "hire") {
		<-p.came
		_, after, _ = strings.Cut(p.String(), ansi.ResetModeAltScreenSaveCursor)
	}
	if !strings.Contains(after, ansi.SetModeAltScreenSaveCursor) {
		t.Errorf("the screen is not taken again: %q", after)
	}
	io.WriteString(p.keys, "q")
	if err := p.over(); err != nil {
		t.Error(err)
	}
	for _, command := range []string{"\x1b[5n", "\x1b]52;c;aGk=\x07"} {
		if n := strings.Count(p.String(), command); n != 1 {
			t.Errorf("%q is written %d times", command, n)
		}
	}
}

// TestLateInterrupt: an interrupt that was meant for who had the terminal before may be felt
// when it is ours again.
func TestLateInterrupt(t *testing.T) {
	own := &terminal{painter: painterOf("")}
	if !own.ours() {
		t.Error("an interrupt from outside is not for us")
	}
	own.back = time.Now().Add(time.Hour) // as if it had been given back just now
	if own.ours() {
		t.Error("an interrupt that the editor had is taken for ours")
	}
}
