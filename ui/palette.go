package ui

import (
	"image/color"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/confab-tui/confab/ui/text"
)

// The themes. The terminal's own palette is the one that needs nothing to be
// known of the terminal.
const (
	themeTerminal    = "terminal"
	themeDark        = "dark"
	themeLight       = "light"
	themeColourBlind = "colour-blind"
	themeSixteen     = "16"
	themeNone        = "none"
)

// themeNames are the themes in the order in which they are offered, with what is
// said of them.
var themeNames = [][2]string{
	{themeTerminal, "the terminal's own colours"},
	{themeDark, "light text on a dark ground"},
	{themeLight, "dark text on a light ground"},
	{themeColourBlind, "blue and orange, told apart by every eye"},
	{themeSixteen, "the sixteen colours of the palette only"},
	{themeNone, "no colours"},
}

// Themes are the names that a theme can be given by.
func Themes() []string {
	var out []string
	for _, n := range themeNames {
		out = append(out, n[0])
	}
	return out
}

// themeName finds a theme by its name, in either spelling; "auto" and "" are
// the terminal's own.
func themeName(s string) (string, bool) {
	s = strings.ToLower(strings.TrimSpace(s))
	switch s {
	case "", "auto":
		s = themeTerminal
	case "color-blind", "colorblind", "colourblind":
		s = themeColourBlind
	}
	return s, slices.Contains(Themes(), s)
}

// palette holds a theme's own colours. Ground and text are those that it paints
// the terminal with; a theme that leaves them alone has none.
type palette struct {
	ground, text            color.Color
	accent, good, warn, bad color.RGBA
	dim, faint              color.RGBA
	// of code
	keyword, quoted, number, function, kind color.RGBA
}

func rgb(v uint32) color.RGBA {
	return color.RGBA{R: uint8(v >> 16), G: uint8(v >> 8), B: uint8(v), A: 0xff}
}

var (
	paletteDark = palette{
		ground: rgb(0x16181d), text: rgb(0xd8dee9),
		accent: rgb(0x6cc7d6), good: rgb(0x98c379), warn: rgb(0xe5c07b), bad: rgb(0xf28b82), dim: rgb(0x8f98a6), faint: rgb(0x4b515d),
		keyword: rgb(0xc99be0), quoted: rgb(0x98c379), number: rgb(0xe0a872), function: rgb(0x82b8f5), kind: rgb(0x6cc7d6),
	}
	paletteLight = palette{
		ground: rgb(0xfcfcfa), text: rgb(0x24292f),
		accent: rgb(0x0b5cad), good: rgb(0x22702b), warn: rgb(0x7a5500), bad: rgb(0xb3261e), dim: rgb(0x5d6670), faint: rgb(0xaab1ba),
		keyword: rgb(0x8b2a9b), quoted: rgb(0x22702b), number: rgb(0x8a4b00), function: rgb(0x0b5cad), kind: rgb(0x0b6e78),
	}
	// Blue and orange of unlike lightness: what the red and the green cones tell
	// apart is never needed.
	paletteBlindDark = palette{
		accent: rgb(0x56b4e9), good: rgb(0xc4e3fa), warn: rgb(0xf0e442), bad: rgb(0xe8870e), dim: rgb(0x9aa0a8), faint: rgb(0x565b63),
		keyword: rgb(0x8fc6f0), quoted: rgb(0xf0c060), number: rgb(0xe8a04c), function: rgb(0x56b4e9), kind: rgb(0xc4e3fa),
	}
	paletteBlindLight = palette{
		accent: rgb(0x0067b8), good: rgb(0x002f5f), warn: rgb(0x8a6a00), bad: rgb(0x7c2d00), dim: rgb(0x5d6670), faint: rgb(0xaab1ba),
		keyword: rgb(0x00508f), quoted: rgb(0x855a00), number: rgb(0x7c2d00), function: rgb(0x0067b8), kind: rgb(0x002f5f),
	}
)

// palette is the theme's own, nil where it uses the terminal's.
func (t *theme) palette() *palette {
	switch {
	case !t.colourful() || t.few:
		return nil
	case t.name == themeDark:
		return &paletteDark
	case t.name == themeLight:
		return &paletteLight
	case t.name == themeColourBlind && t.dark:
		return &paletteBlindDark
	case t.name == themeColourBlind:
		return &paletteBlindLight
	}
	return nil
}

// ground and text are what the terminal is painted with, nil for its own.
func (t *theme) ground() (ground, text color.Color) {
	if p := t.palette(); p != nil {
		return p.ground, p.text
	}
	return nil, nil
}

// colourful tells whether colours are drawn at all.
func (t *theme) colourful() bool { return t.colour && t.name != themeNone }

// paintWith takes the styles from a palette.
func (t *theme) paintWith(p *palette) {
	in := func(c color.RGBA) ansi.Style { return ansi.NewStyle().ForegroundColor(c) }
	t.accent, t.accentStrong = pen(in(p.accent).String()), pen(in(p.accent).Bold().String())
	t.label = t.accentStrong
	t.good, t.warn, t.bad = pen(in(p.good).String()), pen(in(p.warn).String()), pen(in(p.bad).String())
	t.likelyPen, t.unlikelyPen = t.warn, pen(in(p.bad).Underline(true).String())
	t.differs = pen(in(p.warn).Underline(true).String())
	t.dim, t.faint = pen(in(p.dim).String()), pen(in(p.faint).String())
	sgr := func(s ansi.Style) string { return pen(s.String()).sgr() }
	doc := &text.Theme{}
	doc.SGR[text.RoleHeading] = sgr(ansi.NewStyle().Bold())
	doc.SGR[text.RoleFaint] = sgr(in(p.dim))
	doc.SGR[text.RoleComment] = sgr(in(p.dim).Italic(true))
	doc.SGR[text.RoleLink] = sgr(in(p.accent).Underline(true))
	doc.SGR[text.RoleCode] = sgr(in(p.accent))
	for role, c := range map[text.Role]color.RGBA{
		text.RoleKeyword: p.keyword, text.RoleString: p.quoted, text.RoleNumber: p.number,
		text.RoleFunction: p.function, text.RoleType: p.kind,
	} {
		doc.SGR[role] = sgr(in(c))
	}
	t.doc = doc
}
