package ui

import (
	"image/color"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/confab-tui/confab/ui/text"
)

// pen is the escape sequence that begins a style; the empty pen is the
// terminal's own foreground.
type pen string

func (p pen) draw(s string) string {
	if p == "" || s == "" {
		return s
	}
	return string(p) + s + "\x1b[m"
}

// sgr are the parameters of the pen's sequence.
func (p pen) sgr() string { return strings.TrimSuffix(strings.TrimPrefix(string(p), "\x1b["), "m") }

// theme holds every style and mark of the program by meaning. Its colours are
// the terminal's own palette with one accent; the two greys are mixed from the
// terminal's background and foreground where it tells them.
type theme struct {
	name string // one of Themes
	// dark is the terminal's ground, colour tells that colours may be used.
	dark, colour bool
	// few tells that the terminal has sixteen colours at most, still that nothing
	// may turn by itself.
	few, still bool
	// version grows with every change, for the caches of rendered text.
	version int
	bg, fg  color.Color

	doc *text.Theme
	// keys are those in force, for the words that name them.
	keys *keymap
	mark marks

	strong, dim, faint     pen
	accent, accentStrong   pen
	good, warn, bad        pen
	selected, user, label  pen
	likelyPen, unlikelyPen pen // tokens under a half, under a tenth
	differs                pen // words that another answer does not have
}

// marks are the characters with a meaning of their own.
type marks struct {
	unread, idle, busy, wait   string
	folded, open               string
	rule, divider, cross, tee  string
	joint, end, pinned         string
	track, fill, handle        string
	bar                        string
	eighths                    []string
	empty, cursor, dot, more   string
	prev, next, up, down, edge string
	ellipsis                   string
	shades                     [2]string
	dashes                     string
}

var richMarks = marks{
	unread: "●", idle: "○", busy: "◐", wait: "⏸", folded: "▸", open: "▾",
	rule: "─", divider: "│", cross: "┼", tee: "┬", joint: "┴", end: "┤", pinned: "◆", track: "─", fill: "━", handle: "●",
	bar: "▇", eighths: []string{"▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"},
	empty: "·", cursor: "▌", dot: "·", more: "↓", prev: "‹", next: "›", up: "↑", down: "↓",
	edge: "▎", ellipsis: "…", shades: [2]string{"░", "▒"}, dashes: "┄",
}

var plainMarks = marks{
	unread: "*", idle: "o", busy: "@", wait: "=", folded: ">", open: "v",
	rule: "-", divider: "|", cross: "+", tee: "+", joint: "+", end: "+", pinned: "^", track: "-", fill: "=", handle: "O",
	bar: "#", eighths: []string{".", ".", ":", ":", "+", "+", "#", "#"},
	empty: ".", cursor: "_", dot: "-", more: "v", prev: "<", next: ">", up: "^", down: "v",
	edge: ">", ellipsis: "~", shades: [2]string{":", "%"}, dashes: "-",
}

// asASCII spells the marks that text brings along, cell for cell, for terminals
// that draw only ASCII.
var asASCII = strings.NewReplacer("▏", "|", "│", "|", "─", "-", "━", "=", "┄", "-", "•", "*", "…", "~", "→", ">", "·", "-", "▌", "_")

func newTheme(name string, colour, rich bool) *theme {
	t := &theme{name: name, dark: true, colour: colour, mark: plainMarks}
	t.keys, _ = newKeymap(nil)
	if rich {
		t.mark = richMarks
	}
	t.build()
	return t
}

// setBackground takes the terminal's answer about its background colour.
func (t *theme) setBackground(c color.Color, dark bool) {
	if g, _ := t.ground(); g != nil || same(t.bg, c) && t.dark == dark {
		return // painted by us, or nothing new
	}
	t.bg, t.dark = c, dark
	t.build()
}

// setForeground takes the terminal's answer about its foreground colour.
func (t *theme) setForeground(c color.Color) {
	if g, _ := t.ground(); g == nil && !same(t.fg, c) {
		t.fg = c
		t.build()
	}
}

func same(a, b color.Color) bool {
	if a == nil || b == nil {
		return a == b
	}
	r1, g1, b1, _ := a.RGBA()
	r2, g2, b2, _ := b.RGBA()
	return r1 == r2 && g1 == g2 && b1 == b2
}

// setFew takes what is known of the terminal's colours.
func (t *theme) setFew(few, none bool) {
	t.few = few
	t.colour = t.colour && !none
	t.build()
}

func (t *theme) build() {
	t.version++
	dark := t.dark
	if t.name == themeDark || t.name == themeLight {
		dark = t.name == themeDark
	}
	t.doc = text.NewTheme(dark, t.colourful())
	style := func() ansi.Style { return ansi.NewStyle() }
	t.strong = pen(style().Bold().String())
	t.user = t.strong
	t.selected = pen(style().Reverse(true).String())
	t.likelyPen = pen(style().UnderlineStyle(ansi.UnderlineDotted).String())
	t.differs = pen(style().Underline(true).String())
	t.unlikelyPen = pen(style().Underline(true).String())
	if !t.colourful() {
		t.dim, t.faint = pen(style().Faint().String()), pen(style().Faint().String())
		t.accent, t.accentStrong = t.strong, pen(style().Bold().Underline(true).String())
		t.good, t.warn, t.bad, t.label = "", t.strong, t.strong, t.strong
		return
	}
	if p := t.palette(); p != nil {
		t.paintWith(p)
		return
	}
	accent := ansi.BasicColor(6)
	if !dark {
		accent = ansi.BasicColor(4)
	}
	t.accent = pen(style().ForegroundColor(accent).String())
	t.accentStrong = pen(style().Bold().ForegroundColor(accent).String())
	t.label = t.accentStrong
	t.good = pen(style().ForegroundColor(ansi.BasicColor(2)).String())
	t.warn = pen(style().ForegroundColor(ansi.BasicColor(3)).String())
	t.bad = pen(style().ForegroundColor(ansi.BasicColor(1)).String())
	t.likelyPen = pen(style().ForegroundColor(ansi.BasicColor(3)).String())
	t.differs = pen(style().ForegroundColor(ansi.BasicColor(3)).Underline(true).String())
	t.unlikelyPen = pen(style().ForegroundColor(ansi.BasicColor(1)).Underline(true).String())
	// On a light ground a grey needs more of the text's colour to be read as well.
	t.dim, t.faint = t.grey(0.6), t.grey(0.32)
	if !dark {
		t.dim = t.grey(0.68)
	}
	t.doc.SGR[text.RoleFaint], t.doc.SGR[text.RoleComment] = t.dim.sgr(), t.dim.sgr()+";3"
}

// grey mixes share of the foreground into the background. Where neither is known it
// is the foreground made faint: a palette's own grey may be that of the ground.
func (t *theme) grey(share float64) pen {
	if t.few || t.name == themeSixteen {
		return pen(ansi.NewStyle().ForegroundColor(ansi.BasicColor(8)).String())
	}
	if t.bg == nil {
		return pen(ansi.NewStyle().Faint().String())
	}
	fg := t.fg
	if fg == nil {
		fg = color.Gray{Y: 0xe0}
		if !t.dark {
			fg = color.Gray{Y: 0x20}
		}
	}
	r1, g1, b1, _ := t.bg.RGBA()
	r2, g2, b2, _ := fg.RGBA()
	mix := func(a, b uint32) uint8 {
		return uint8(uint32(float64(a)*(1-share)+float64(b)*share) >> 8)
	}
	c := color.RGBA{R: mix(r1, r2), G: mix(g1, g2), B: mix(b1, b2), A: 0xff}
	return pen(ansi.NewStyle().ForegroundColor(c).String())
}

// rule is a thin line across w cells.
func (t *theme) rule(w int) string {
	return t.faint.draw(strings.Repeat(t.mark.rule, max(w, 0)))
}

// fit makes s exactly w cells wide.
func fit(s string, w int) string {
	if w <= 0 {
		return ""
	}
	return text.Pad(s, w)
}

// beside puts left and right on one line of w cells; right gives way where both
// do not fit.
func beside(left, right string, w int) string {
	lw, rw := text.Width(left), text.Width(right)
	if lw+rw+1 > w {
		return fit(left, w)
	}
	return left + spaces(w-lw-rw) + right
}

const blanks = "                                                                                                                                "

func spaces(n int) string {
	if n <= 0 {
		return ""
	}
	if n <= len(blanks) {
		return blanks[:n]
	}
	return strings.Repeat(" ", n)
}
