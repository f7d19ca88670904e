package ui

import (
	"context"
	"math/rand/v2"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/confab-tui/confab/engine"
	"github.com/confab-tui/confab/ui/store"
	"github.com/confab-tui/confab/ui/text"
)

// focus says what keys go to.
type focus int

const (
	focusInput focus = iota
	focusText
	focusPanel
)

// root is the one tea.Model.
type root struct {
	ctx     context.Context
	options Options
	store   *store.Store
	th      *theme
	keys    *keymap
	term    ability
	models  models

	w, h      int
	tabs      []*tab
	active    int
	focus     focus
	panel     panel
	sheet     sheet // covers the body, or nil
	toast     toast
	keyFaults []KeyFault
	// ownKeys are those that the person gave actions in the program.
	ownKeys map[string][]string
	// chosenTheme is the one that the person chose in the program, for next time.
	chosenTheme string
	noticed     map[string]bool // what models told already
	saveErr     string          // why saving fails at the moment
	saveFailed  string          // why what was kept is not there, or nothing is kept
	saved       string          // the workspace as it was last remembered
	complete    completion
	find        finder
	pace        float64  // tokens a second that a person wants to read, 0 for no limit
	dropOldest  bool     // where a chat no longer fits the context
	copied      string   // the text that was copied last
	closed      []func() // what undo brings back, the last one last
	replayed    *replay  // the answer that is, or was last, made again
	leaving     []*pane  // closed with an answer that has not ended yet
	history     []string // prompts, newest first
	frame       int
	ticking     bool
	news        bool // something came in this frame
	// enhanced tells that the terminal tells shift+enter from enter.
	enhanced bool
	focused  bool // the terminal has the focus
	mouseOff bool
	fetches  []*fetching // models on their way
	noScreen bool        // lines are said instead
	looked   time.Time   // when it was looked what other programs wrote
	// wordGone is set by the key that deletes a word, so that holding it down
	// does not go on to close the tab.
	wordGone bool
	// quitArmed is set by the first ctrl+c of two.
	quitArmed bool
	beforeG   *sight // where the last key was a g, which may be that of gt or gT
	spans     []tabSpan
	drag      dragging
	clicks    clicks
	dragPane  int
	dice      func() int64 // draws a seed
	failed    bool         // the command that runs could not do what it should
}

func newRoot(ctx context.Context, o Options, env []string) *root {
	if o.now == nil {
		o.now = time.Now
	}
	if o.room == nil {
		o.room = engine.Room
	}
	if o.need == nil {
		o.need = modelNeed
	}
	if o.frame == nil {
		o.frame = nextFrame
	}
	if o.waits == nil {
		o.waits = func() bool { return false }
	}
	r := &root{
		ctx: ctx, options: o, focused: true, dropOldest: o.DropOldest,
		noticed: map[string]bool{}, ownKeys: map[string][]string{},
		dice:   func() int64 { return rand.Int64N(1_000_000) },
		models: models{open: o.Open, all: []*backend{{config: o.Config, base: newBase(&o, engine.DefaultSampling(), ownPresets)}}},
		th:     newTheme(themeTerminal, !noColour(env), richTerminal(env)),
	}
	r.th.still = o.ReducedMotion
	r.term = abilityOf(env)
	if name, ok := themeName(o.Theme); ok {
		r.th.name = name
		r.th.build()
	}
	r.keyFaults = r.buildKeys()
	return r
}

// noColour follows the convention, any value of NO_COLOR but an empty one, and knows
// DEC's terminals of one colour, vt100 to vt420, whose names serial lines give.
func noColour(env []string) bool {
	model, dec := strings.CutPrefix(lookup(env, "TERM"), "vt")
	return lookup(env, "NO_COLOR") != "" || dec && strings.IndexAny(model, "1234") == 0
}

// richTerminal tells whether the terminal draws more than ASCII.
func richTerminal(env []string) bool {
	if lookup(env, "TERM") == "linux" {
		return false
	}
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := lookup(env, name); v != "" {
			v = strings.ToUpper(v)
			return strings.Contains(v, "UTF-8") || strings.Contains(v, "UTF8")
		}
	}
	return true
}

func lookup(env []string, name string) string {
	for i := len(env) - 1; i >= 0; i-- {
		if v, ok := strings.CutPrefix(env[i], name+"="); ok {
			return v
		}
	}
	return ""
}

func (r *root) now() time.Time { return r.options.now() }

func (r *root) tab() *tab   { return r.tabs[r.active] }
func (r *root) pane() *pane { return r.tab().pane() }

// targets are the panes that what is written goes to.
func (r *root) targets() []*pane {
	if t := r.tab(); t.broadcast && len(t.panes) > 1 {
		return t.panes
	}
	return []*pane{r.pane()}
}

// Init asks the terminal for its colours and begins to load the model.
func (r *root) Init() tea.Cmd {
	return tea.Batch(r.askColours(), r.want(r.models.all[0]), r.tick())
}

// notify tells the desktop, through the terminal, that an answer has ended while
// nobody looked.
func (r *root) notify(t *tab) tea.Cmd {
	note := r.term.notes.note("confab has answered: " + t.title())
	if r.focused || note == "" {
		return nil
	}
	return tea.Raw(note)
}

// checkSaving shows when conversations cannot be written to the disk.
func (r *root) checkSaving() {
	r.saveErr = ""
	if err := r.store.Err(); err != nil {
		r.saveErr = err.Error()
	}
}

// ended goes on after an answer: with what was queued.
func (r *root) ended(p *pane) tea.Cmd {
	c := p.conv
	if r.sheet == nil { // which may show tokens
		c.release()
	}
	r.checkEngine(r.backOf(p))
	if len(c.waiting) == 0 || c.last() != nil && c.last().answer != nil && c.last().answer.reason == engine.ReasonError {
		return nil
	}
	next := c.waiting[0]
	c.waiting = c.waiting[1:]
	c.say(next.text)
	return r.start(p, next.seed)
}

// checkEngine tells when a model itself has failed, and what can be done.
func (r *root) checkEngine(b *backend) {
	if e, ok := b.engine.(interface{ Err() error }); ok && e.Err() != nil {
		b.err = text.Clean(e.Err().Error()) + "; everything written is kept, /reload opens the model again, /reload cpu on the CPU"
	}
}

// start begins the model's turn in a pane.
func (r *root) start(p *pane, seed int64) tea.Cmd {
	if r.backOf(p).engine == nil {
		return nil
	}
	p.view.follow = true
	p.conv.answer(r.launch(p, seed))
	return tea.Batch(r.tick(), r.backOf(p).ask())
}

func (r *root) launch(p *pane, seed int64) launch {
	b := r.backOf(p)
	b.used = r.now()
	return launch{ctx: r.ctx, engine: b.engine, base: &b.base, seed: seed, dice: r.dice, dropOldest: r.dropOldest, version: r.options.Version, pace: r.pace}
}

// say shows a message until the next key.
func (r *root) say(t tone, s string) { r.toast = toast{text: s, tone: t} }

// sayMore shows a message below a warning or an error that still stands.
func (r *root) sayMore(t tone, s string) {
	if before := r.toast; before.tone != toneQuiet {
		t, s = max(t, before.tone), before.text+"\n"+s
	}
	r.say(t, s)
}
