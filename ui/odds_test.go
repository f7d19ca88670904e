package ui

import (
	"math"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/confab-tui/confab/engine"
)

// TestPictureOfTheKnobs: a candidate's bar shows what the model gives it and what the
// knobs make of that, and every filter has a line of its own above what it cut off.
func TestPictureOfTheKnobs(t *testing.T) {
	b := newBench(t, 120, 40)
	b.ask("poem")
	a := b.r.pane().conv.last().answer
	tok := a.tokens.Last()
	var alts []engine.Alternative
	for i, p := range []float64{0.5, 0.3, 0.1, 0.05, 0.05} {
		alts = append(alts, engine.Alternative{Text: string(rune('a' + i)), TokenProb: engine.TokenProb{ID: int32(i), LogProb: float32(math.Log(p))}})
	}
	tok.id, tok.alts = 0, a.others.add(alts)
	b.r.setKnob(knobTemperature, 1)
	b.r.setKnob(knobTopK, 3)
	b.r.setKnob(knobTopP, 0.7)
	b.r.setKnob(knobMinP, 0)
	var lines []string
	for _, l := range b.r.pictureLines(45, 20) {
		lines = append(lines, strings.TrimSpace(ansi.Strip(l)))
	}
	got := strings.Join(lines, "\n")
	want := strings.Join([]string{
		"last token              ▒ raised  ░ lowered",
		"a          ▇▇▇▇▇▇▇▇▇▇▇▒▒▒              62.5 %",
		"b          ▇▇▇▇▇▇▇▒                    37.5 %",
		"┄┄┄┄┄┄┄┄┄┄┄┄┄┄ top-p 0.70 ┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄",
		"c          ░░                          10.0 %",
		"┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄ top-k 3 ┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄",
		"d          ░                            5.0 %",
		"e          ░                            5.0 %",
	}, "\n")
	if squeeze(got) != squeeze(want) {
		t.Errorf("the picture is\n%s\nwant\n%s", got, want)
	}
}

// squeeze makes one space of several.
func squeeze(s string) string {
	var out []string
	for _, l := range strings.Split(s, "\n") {
		out = append(out, strings.Join(strings.Fields(l), " "))
	}
	return strings.Join(out, "\n")
}

// TestSlidersBeginWhereTheKnobIsOff: a penalty that does nothing has no filled track,
// and one below that is filled to the other side.
func TestSlidersBeginWhereTheKnobIsOff(t *testing.T) {
	r := newBench(t, 120, 40).r
	for _, c := range []struct {
		k    knobIndex
		v    float64
		want string
	}{
		{knobPresence, 0, "────●────"}, {knobPresence, 1, "────━━●──"}, {knobPresence, -2, "●━━━━────"},
		{knobRepeat, 1, "───●─────"}, {knobTemperature, 1, "━━━━●────"}, {knobTopK, 0, "●────────"},
	} {
		if got := ansi.Strip(r.slider(&knobs[c.k], c.v, 9, false)); got != c.want {
			t.Errorf("%s at %g is drawn %s, want %s", knobs[c.k].label, c.v, got, c.want)
		}
	}
}

// TestPassage: a part of an answer has a perplexity of its own.
func TestPassage(t *testing.T) {
	b := newBench(t, 120, 32)
	b.ask("poem")
	b.keys("ctrl+t home")
	for i, tok := range b.r.pane().conv.last().answer.tokens.All() {
		tok.logProb = float32(-math.Log(2 + float64(i)))
	}
	b.keys("l v l")
	b.shows("3.46 in this passage of 2") // the root of 3 x 4
	b.keys("esc")
	b.hides("in this passage")
	b.shows("perplexity")
	b.keys("esc")
	b.hides("perplexity")
}

// TestTokensBreakBetweenWords: a line of tokens ends where a word does, and a word of
// several tokens stays whole.
func TestTokensBreakBetweenWords(t *testing.T) {
	b := newBench(t, 120, 32)
	b.f.script = func(engine.Request) reply { return reply{text: poem, reason: engine.ReasonStop} }
	b.ask("poem")
	b.keys("ctrl+t")
	s := b.r.sheet.(*tokenSheet)
	s.lines = []tokenLine{{}}
	for i, p := range []string{"One", " two", " th", "ree", "!", " four", "abcdefghijkl"} {
		s.put(tokenPiece{token: i, text: p, w: len(p)}, 12)
	}
	var got []string
	for i := range s.lines {
		line := ""
		for _, p := range s.lines[i].pieces {
			if p.x != len(line) {
				t.Errorf("%q stands in column %d, not %d", p.text, p.x, len(line))
			}
			line += p.text
		}
		got = append(got, line)
	}
	if want := "One two|three! four|abcdefghijkl"; strings.Join(got, "|") != want {
		t.Errorf("the lines are %q, want %q", got, want)
	}
}
