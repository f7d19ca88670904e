package ui

import (
	"image/color"
	"math"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
)

// linear is a colour's light, from 0 to 1 each.
func linear(c color.Color) [3]float64 {
	r, g, b, _ := c.RGBA()
	var out [3]float64
	for i, v := range []uint32{r, g, b} {
		s := float64(v) / 0xffff
		if s <= 0.04045 {
			out[i] = s / 12.92
		} else {
			out[i] = math.Pow((s+0.055)/1.055, 2.4)
		}
	}
	return out
}

// contrast is the ratio of WCAG 2.2.
func contrast(a, b color.Color) float64 {
	l := func(c color.Color) float64 {
		v := linear(c)
		return 0.2126*v[0] + 0.7152*v[1] + 0.0722*v[2]
	}
	x, y := l(a), l(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

// colours are a palette's by their roles; words are read, rules only seen.
func (p *palette) colours() (words map[string]color.RGBA, rules color.RGBA) {
	return map[string]color.RGBA{
		"accent": p.accent, "good": p.good, "warn": p.warn, "bad": p.bad, "dim": p.dim,
		"keyword": p.keyword, "string": p.quoted, "number": p.number, "function": p.function, "type": p.kind,
	}, p.faint
}

// TestContrast: what is read has 4.5 to 1 on its ground, a rule can be seen. The
// colour-blind theme does not paint the ground, so it must hold on those that
// terminals have.
func TestContrast(t *testing.T) {
	for _, c := range []struct {
		name    string
		p       *palette
		grounds []color.Color
	}{
		{"dark", &paletteDark, []color.Color{paletteDark.ground}},
		{"light", &paletteLight, []color.Color{paletteLight.ground}},
		{"colour-blind on dark", &paletteBlindDark, []color.Color{rgb(0), rgb(0x1e1e1e), rgb(0x002b36), rgb(0x282c34)}},
		{"colour-blind on light", &paletteBlindLight, []color.Color{rgb(0xffffff), rgb(0xfcfcfa), rgb(0xfdf6e3)}},
	} {
		words, rules := c.p.colours()
		for _, ground := range c.grounds {
			for role, colour := range words {
				if got := contrast(colour, ground); got < 4.5 {
					t.Errorf("%s: %s has a contrast of %.2f on %v", c.name, role, got, ground)
				}
			}
			if got := contrast(rules, ground); got < 1.6 {
				t.Errorf("%s: rules have a contrast of %.2f on %v", c.name, got, ground)
			}
		}
		if p := c.p; p.text != nil && contrast(p.text, p.ground) < 7 {
			t.Errorf("%s: text has a contrast of %.2f", c.name, contrast(p.text, p.ground))
		}
	}
}

// What is seen where the red or the green cones are missing, as matrices on
// linear light (Viénot, Brettel and Mollon 1999).
var missing = map[string][3][3]float64{
	"protanopia":   {{0.1124, 0.8876, 0}, {0.1124, 0.8876, 0}, {0.0040, -0.0040, 1}},
	"deuteranopia": {{0.2926, 0.7074, 0}, {0.2926, 0.7074, 0}, {-0.0223, 0.0223, 1}},
}

// lab is CIELAB of linear sRGB light under D65.
func lab(v [3]float64) [3]float64 {
	f := func(t float64) float64 {
		if t > 0.008856 {
			return math.Cbrt(t)
		}
		return 7.787*t + 16.0/116
	}
	x := f((0.4124*v[0] + 0.3576*v[1] + 0.1805*v[2]) / 0.9505)
	y := f(0.2126*v[0] + 0.7152*v[1] + 0.0722*v[2])
	z := f((0.0193*v[0] + 0.1192*v[1] + 0.9505*v[2]) / 1.089)
	return [3]float64{116*y - 16, 500 * (x - y), 200 * (y - z)}
}

// TestColourBlind: the roles that stand against each other stay apart for every
// kind of eye, by 20 in CIELAB, where 2 can just be told apart side by side.
func TestColourBlind(t *testing.T) {
	missing["every cone"] = [3][3]float64{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}
	for name, p := range map[string]*palette{"dark": &paletteBlindDark, "light": &paletteBlindLight} {
		for eye, m := range missing {
			seen := map[string][3]float64{}
			for role, c := range map[string]color.RGBA{"accent": p.accent, "good": p.good, "warn": p.warn, "bad": p.bad} {
				v := linear(c)
				var s [3]float64
				for i := range s {
					s[i] = min(max(m[i][0]*v[0]+m[i][1]*v[1]+m[i][2]*v[2], 0), 1)
				}
				seen[role] = lab(s)
			}
			for a := range seen {
				for b := range seen {
					d := math.Sqrt(math.Pow(seen[a][0]-seen[b][0], 2) + math.Pow(seen[a][1]-seen[b][1], 2) + math.Pow(seen[a][2]-seen[b][2], 2))
					if a < b && d < 20 {
						t.Errorf("%s, %s: %s and %s are %.1f apart", name, eye, a, b, d)
					}
				}
			}
		}
	}
}

func TestThemeSwitch(t *testing.T) {
	b := newBench(t, 80, 24)
	b.send(tea.BackgroundColorMsg{Color: rgb(0x101010)})
	b.ask("Write a poem about the sea.")
	colours := func() string { return b.r.View().Content }
	for _, c := range []struct{ theme, has, hasNot string }{
		{"dark", "38;2;", ""}, {"light", "38;2;", ""}, {"colour-blind", "38;2;86;180;233", ""},
		{"16", "\x1b[90m", "38;2;"}, {"none", "", "\x1b[3"}, {"terminal", "\x1b[1;36m", ""},
	} {
		b.write("/theme " + c.theme)
		b.keys("enter")
		b.shows("theme " + c.theme)
		got := colours()
		if !strings.Contains(got, c.has) || c.hasNot != "" && strings.Contains(got, c.hasNot) {
			t.Errorf("%s: %q", c.theme, got)
		}
		v := b.r.View()
		if painted := v.BackgroundColor != nil; painted != (c.theme == "dark" || c.theme == "light") {
			t.Errorf("%s: the ground is painted with %v", c.theme, v.BackgroundColor)
		}
		b.send(tea.BackgroundColorMsg{Color: rgb(0x101010)})
		exact(t, b, c.theme)
	}
	b.write("/theme lihgt")
	b.keys("enter")
	b.shows("there is no theme", "/theme lihgt", "colour-blind")
}

// TestThemeIsKept: what was chosen in the program holds next time, unless the
// command line says something else.
func TestThemeIsKept(t *testing.T) {
	dir := t.TempDir()
	b := newBench(t, 80, 24, func(o *Options, _ *fake) { o.DataDir = dir })
	b.write("/theme light")
	b.keys("enter")
	b.r.leave()
	for _, c := range []struct{ given, from, want string }{{"", "", "light"}, {"dark", "config", "light"}, {"dark", "flag", "dark"}} {
		b = newBench(t, 80, 24, func(o *Options, _ *fake) {
			o.DataDir, o.Theme, o.Sources = dir, c.given, map[string]string{"theme": c.from}
		})
		if got := b.r.th.name; got != c.want {
			t.Errorf("%+v: the theme is %s", c, got)
		}
		b.r.leave()
	}
}

func TestNoColourStays(t *testing.T) {
	for _, v := range []string{"1", "yes", "0", "x"} {
		b := newBench(t, 80, 24)
		b.r.th = newTheme(themeTerminal, !noColour([]string{"NO_COLOR=" + v}), true)
		b.write("/theme dark")
		b.keys("enter")
		b.shows("NO_COLOR is set")
		if s := b.r.View(); strings.Contains(s.Content, "38;2") || s.BackgroundColor != nil {
			t.Errorf("NO_COLOR=%s is not obeyed", v)
		}
	}
}
