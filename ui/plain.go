package ui

import (
	"bufio"
	"context"
	"io"
	"os"
	"os/signal"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/confab-tui/confab/ui/text"
)

// plain is the program without a screen, for screen readers and for terminals
// that cannot place text: lines in, plain text out, nothing drawn over. The
// root is the same, with its commands and its chats; only what it would draw is
// said instead.
type plain struct {
	r    *root
	out  *rows
	tty  bool // lines are typed: what comes at once is a paste
	msgs chan tea.Msg
	quit bool

	turn     *turn // the answer that is being said
	said     int   // bytes of it that were said
	thinking bool  // that it thinks was said
	spoken   map[*turn]bool
	told     string // of the model, last
	sheet    sheet  // the list that was said, for a number to choose from
	prompted bool   // the line ends in a prompt
	awaited  int    // lines whose commands have not ended
	mute     bool   // a command was carried out, and nothing was said since
}

const (
	plainFrame = 50 * time.Millisecond
	// pasteGap is how soon lines follow each other that belong together.
	pasteGap   = 30 * time.Millisecond
	plainWidth = 80
	// plainWhole is the width for views that are said, so that nothing is cut off.
	plainWhole = 400
)

// wantsPlain tells whether the program is to be without a screen.
func wantsPlain(o *Options, env []string) bool {
	return o.Accessible || lookup(env, "TERM") == "dumb"
}

// runPlain holds the conversation until the lines end or the person leaves.
func runPlain(ctx context.Context, r *root, in io.Reader, out *rows, tty bool) {
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	defer signal.Stop(interrupts)
	newPlain(r, out, tty).loop(ctx, readLines(in), interrupts)
}

func newPlain(r *root, out *rows, tty bool) *plain {
	r.options.frame = func() tea.Cmd { return tea.Tick(plainFrame, func(time.Time) tea.Msg { return frameMsg{} }) }
	r.th.name, r.th.mark, r.th.still = themeNone, plainMarks, true
	r.th.build()
	r.w, r.h, r.noScreen = plainWidth, minHeight, true
	r.keys.words = plainWords
	p := &plain{r: r, out: out, tty: tty, msgs: make(chan tea.Msg, 64), spoken: map[*turn]bool{}}
	for _, t := range r.tabs {
		for _, pn := range t.panes {
			for _, x := range pn.conv.turns {
				p.spoken[x] = true
			}
		}
	}
	return p
}

// readLines gives the lines of a reader, and closes the channel at its end.
func readLines(in io.Reader) <-chan string {
	lines := make(chan string)
	go func() {
		defer close(lines)
		b := bufio.NewReader(in)
		for {
			s, err := b.ReadString('\n')
			if s != "" {
				lines <- strings.TrimRight(s, "\r\n")
			}
			if err != nil {
				return
			}
		}
	}()
	return lines
}

func (p *plain) loop(ctx context.Context, lines <-chan string, interrupts <-chan os.Signal) {
	p.line("confab: write a message and press enter. /help lists the commands, ctrl+c stops an answer, ctrl+d leaves.")
	p.begin(p.r.Init())
	defer func() {
		if p.prompted {
			p.out.put("\n")
		}
	}()
	p.speak()
	for !p.quit {
		typed := lines
		if !p.tty && p.busy() {
			typed = nil // a script's next line waits for the answer
		}
		select {
		case <-ctx.Done():
			return
		case <-interrupts:
			p.prompted = false
			p.begin(p.r.interrupt(p.r.pane()))
		case msg := <-p.msgs:
			p.take(msg)
		case s, ok := <-typed:
			if !ok {
				return
			}
			p.typed(p.whole(s, lines))
		}
		p.speak()
	}
}

// busy tells whether something is to be waited for.
func (p *plain) busy() bool {
	return p.awaited > 0 || p.r.back().loading != 0 || p.r.anyRunning() || len(p.r.pane().conv.waiting) > 0 && p.r.back().engine != nil || p.r.sheet != nil && !p.ready()
}

// whole joins what was pasted: lines that come at once.
func (p *plain) whole(s string, lines <-chan string) (all string, pasted bool) {
	for p.tty {
		select {
		case more, ok := <-lines:
			if !ok {
				return s, pasted
			}
			s, pasted = s+"\n"+more, true
		case <-time.After(pasteGap):
			return s, pasted
		}
	}
	p.out.put(text.Clean(s) + "\n") // nobody else shows what a script says
	return s, false
}

// typed takes a line as the input of the screen would.
func (p *plain) typed(s string, pasted bool) {
	r := p.r
	p.prompted = false
	r.toast, r.quitArmed = toast{}, false
	if list, ok := p.sheet.(numbered); ok && p.choose(list, s) {
		return
	}
	p.sheet = nil
	if s == "/transcript" {
		p.transcript()
		return
	}
	command := !pasted && strings.HasPrefix(s, "/") && !strings.HasPrefix(s, "//")
	in := &r.pane().input
	attached := *in
	if command || len(in.chips) == 0 {
		in.reset()
	}
	in.goTo(len(in.s))
	in.insert(s)
	in.pasted = in.pasted || pasted
	p.mute = command
	before := len(r.pane().conv.waiting)
	p.await(r.submit())
	if in.reset(); command && len(attached.chips) > 0 {
		*in = attached
	}
	if n := len(r.pane().conv.waiting); n > before {
		p.line("queued: it is sent when this answer is complete.")
	}
	r.remember()
}

// await carries out what a line asks for; the next prompt comes when it is done.
func (p *plain) await(cmd tea.Cmd) {
	if cmd != nil {
		p.awaited++
		go func() { p.msgs <- awaitedMsg{cmd()} }()
	}
}

// awaitedMsg is the end of what a line asked for.
type awaitedMsg struct{ tea.Msg }

// begin carries out what the root asks for.
func (p *plain) begin(cmd tea.Cmd) {
	if cmd != nil {
		go func() { p.msgs <- cmd() }()
	}
}

// take gives a message to the root.
func (p *plain) take(msg tea.Msg) {
	switch m := msg.(type) {
	case nil:
	case awaitedMsg:
		p.awaited--
		p.take(m.Msg)
	case tea.QuitMsg:
		p.quit = true
	case tea.BatchMsg:
		for _, c := range m {
			p.begin(c)
		}
	default:
		_, cmd := p.r.Update(msg)
		p.begin(cmd)
	}
}

// line says one line of our own, on a line of its own.
func (p *plain) line(s string) {
	if p.prompted {
		p.prompted = false
		p.out.put("\n")
	}
	p.mute = false
	p.out.put(text.Clean(s) + "\n")
}
