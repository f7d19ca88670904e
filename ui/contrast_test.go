package ui

import (
	"image/color"
	"math"
	"testing"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"github.com/confab-tui/confab/ui/picture"
)

// leastContrast is what letters must have against their ground, as the Web Content
// Accessibility Guidelines (AA) ask for text. Lines and marks need less.
const leastContrast = 4.5

// TestLettersCanBeRead draws every golden screen in every theme on a dark and on a
// light terminal: the text is the same, and every letter stands out.
func TestLettersCanBeRead(t *testing.T) {
	looks := map[string]picture.Look{"dark": picture.Dark, "light": picture.Light}
	for _, g := range goldens {
		size := g.sizes[len(g.sizes)-1]
		b := goldenBench(t, size, g.build)
		want := b.screen()
		for _, theme := range []string{themeTerminal, themeDark, themeLight, themeColourBlind} {
			for ground, look := range looks {
				b.r.setTheme(theme)
				b.send(tea.BackgroundColorMsg{Color: look.Back})
				b.send(tea.ForegroundColorMsg{Color: look.Fore})
				if back, fore := b.r.th.ground(); back != nil {
					look.Back, look.Fore = color.RGBAModel.Convert(back).(color.RGBA), color.RGBAModel.Convert(fore).(color.RGBA)
				}
				least, at := b.leastContrast(look)
				if least < leastContrast {
					t.Errorf("%s in theme %s on a %s terminal: %q has a contrast of %.1f", g.name, theme, ground, at, least)
				}
				if b.screen() != want {
					t.Errorf("%s in theme %s on a %s terminal says something else", g.name, theme, ground)
				}
			}
		}
	}
}

// TestGreyWithoutAnAnswer: where the terminal does not tell its colours, what is grey
// is made of the letters' own colour, for the palette's grey may be the ground's.
func TestGreyWithoutAnAnswer(t *testing.T) {
	th := newTheme(themeTerminal, true, true)
	if dim, faint := th.dim.sgr(), th.faint.sgr(); dim != "2" || faint != "2" {
		t.Errorf("dim is drawn with %q, faint with %q", dim, faint)
	}
}

// leastContrast is that of the letter which stands out least, with the letters
// beside it.
func (b *bench) leastContrast(look picture.Look) (least float64, near string) {
	em := b.emulator()
	least = math.Inf(1)
	for y := range b.r.h {
		for x := range b.r.w {
			c := em.CellAt(x, y)
			if c == nil || c.Content == "" || !unicode.In([]rune(c.Content)[0], unicode.Letter, unicode.Digit) {
				continue
			}
			fore, back := look.Colours(c)
			if v := contrast(fore, back); v < least {
				least, near = v, ""
				for i := x; i < min(x+12, b.r.w); i++ {
					near += em.CellAt(i, y).Content
				}
			}
		}
	}
	return least, near
}
