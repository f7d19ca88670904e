package ui

import (
	"fmt"
	"strings"

	"github.com/confab-tui/confab/ui/text"
)

// panel is the knob panel: sliders for the focused chat, and a picture of what
// they do to the next token.
type panel struct {
	open bool
	knob knobIndex
	top  int // the first line in sight, where they do not all fit
	// entry is a number that is being typed.
	entry  string
	typing bool
}

const (
	panelLabel = 13 // cells for a knob's name
	panelValue = 8
	panelFrom  = 7
	// panelRoomy is the height from which the panel has lines to spare;
	// explainMost are the lines kept for what a knob does.
	panelRoomy  = 24
	explainMost = 3
)

// panelTrack is how many cells a slider has in a panel of w cells.
func panelTrack(w int) int { return max(w-2-panelLabel-panelValue-panelFrom-2, 6) }

// drawPanel gives h lines of w cells.
func (r *root) drawPanel(w, h int) []string {
	compact := h < panelRoomy
	lines := make([]string, 0, h)
	gap := func() {
		if !compact {
			lines = append(lines, spaces(w))
		}
	}
	lines = append(lines, spaces(w))
	for k := range knobCount {
		lines = append(lines, r.knobLine(k, w))
	}
	gap()
	lines = append(lines, r.presetLines(w)...)
	gap()
	lines = append(lines, r.explainLines(w, compact)...)
	lines = append(lines, r.pictureLines(w, h-len(lines))...)
	for len(lines) < h {
		lines = append(lines, spaces(w))
	}
	p := &r.panel
	p.top = min(max(p.top, panelLine(p.knob)-h+1), panelLine(p.knob)-1, len(lines)-h)
	return lines[p.top : p.top+h]
}

// panelLine is the line of the panel on which a knob stands.
func panelLine(k knobIndex) int { return int(k) + 1 }

func (r *root) knobLine(k knobIndex, w int) string {
	th, kb := r.th, &knobs[k]
	v, from := r.pane().conv.layers.get(r.base(), k)
	chosen := r.focus == focusPanel && r.panel.knob == k
	name, mark := th.dim, "  "
	if chosen {
		name, mark = th.accentStrong, th.accentStrong.draw(th.mark.edge)+" "
	}
	value := kb.write(v)
	if chosen && r.panel.typing {
		value = r.panel.entry + th.mark.cursor
	}
	pen := th.strong
	if chosen {
		pen = th.accentStrong
	}
	src := th.dim
	if from == fromLive || from == fromChat {
		src = th.accent
	}
	slider := spaces(panelTrack(w))
	if !kb.entry && !kb.toggle {
		slider = r.slider(kb, v, panelTrack(w), chosen)
	}
	return mark + name.draw(fit(kb.label, panelLabel)) + slider +
		pen.draw(right(value, panelValue)) + "  " + src.draw(fit(r.base().origin(k, from), panelFrom))
}

// slider draws where a value lies between its ends.
func (r *root) slider(k *knob, v float64, w int, chosen bool) string {
	th := r.th
	place := func(v float64) int { return int(k.share(v)*float64(w-1) + 0.5) }
	at, from := place(v), place(k.origin)
	pen := th.dim
	if chosen {
		pen = th.accent
	}
	handle := th.strong
	if chosen {
		handle = th.accentStrong
	}
	track := func(n int) string { return th.faint.draw(strings.Repeat(th.mark.track, n)) }
	fill := func(n int) string { return pen.draw(strings.Repeat(th.mark.fill, n)) }
	knob := handle.draw(th.mark.handle)
	if at < from {
		return track(at) + knob + fill(from-at) + track(w-1-from)
	}
	return track(from) + fill(at-from) + knob + track(w-1-at)
}

// right puts s at the right of a field.
func right(s string, w int) string {
	s = text.Truncate(s, w, "")
	return spaces(w-text.Width(s)) + s
}

// explainLines say in a line or two what the chosen knob does.
func (r *root) explainLines(w int, compact bool) []string {
	if r.focus != focusPanel {
		return nil
	}
	var out []string
	for _, l := range text.Wrap(knobs[r.panel.knob].explain, w-2*gutter) {
		out = append(out, fit("  "+r.th.dim.draw(l), w))
	}
	for len(out) < explainMost {
		out = append(out, spaces(w))
	}
	if !compact {
		out = append(out, spaces(w))
	}
	return out
}

// pictureLines show the odds of the newest token of the chat: what the knobs in
// force keep, and below the line what they cut off.
func (r *root) pictureLines(w, h int) []string {
	if h < 2 {
		return nil
	}
	th := r.th
	title := "next token"
	tok, live := r.newestToken()
	if tok == nil {
		return []string{fit("  "+th.dim.draw(title), w), fit("  "+th.dim.draw("its odds appear with an answer"), w)}
	}
	if !live {
		title = "last token"
	}
	s := r.pane().conv.layers.settings(r.base())
	odds := simulate(r.pane().lastAnswer().others.of(tok), s)
	raised, lowered := th.mark.shades[1], th.mark.shades[0]
	lines := []string{beside("  "+th.dim.draw(title), th.dim.draw(raised+" raised  "+lowered+" lowered")+"  ", w)}
	cut := ""
	for i := range odds {
		o := &odds[i]
		if o.cut != cut {
			cut = o.cut
			lines = append(lines, r.filterLine(cut, w))
		}
		lines = append(lines, r.oddsLine(o, o.id == tok.id, w))
	}
	return lines[:min(len(lines), h)]
}

func (r *root) filterLine(name string, w int) string {
	th := r.th
	label := " " + name + " "
	n := max(w-4-text.Width(label), 2)
	left := n / 2
	return fit("  "+th.faint.draw(strings.Repeat(th.mark.dashes, left))+th.dim.draw(label)+th.faint.draw(strings.Repeat(th.mark.dashes, n-left)), w)
}

func (r *root) oddsLine(o *odd, taken bool, w int) string {
	th := r.th
	name := text.Truncate(shownToken(o.text), 10, th.mark.ellipsis)
	track := max(w-4-11-8, 4)
	pen, bar := th.dim, th.dim
	if o.cut == "" {
		pen, bar = "", th.dim
	}
	if taken {
		pen, bar = th.accentStrong, th.accent
	}
	return fit("  "+pen.draw(fit(name, 11))+r.oddsBar(o, bar, track)+th.dim.draw(right(percent(float32(o.share)), 8)), w)
}

// oddsBar is a candidate's share in w cells: solid where the model's own and the one
// in force overlap, shaded where the knobs raised or lowered it.
func (r *root) oddsBar(o *odd, p pen, w int) string {
	after := o.share
	if o.cut != "" {
		after = 0
	}
	th := r.th
	solid, rest := th.thickBar(min(o.own, after), w)
	more := min(int(max(o.own, after)*float64(w)+0.5)-(w-rest), rest)
	shade := th.mark.shades[0]
	if after > o.own {
		shade = th.mark.shades[1]
	}
	return p.draw(solid) + th.dim.draw(strings.Repeat(shade, max(more, 0))) + spaces(rest-max(more, 0))
}

// thickBar is a bar with room above, in whole cells and a thin last one; what is
// written as 0.0 % has none.
func (t *theme) thickBar(share float64, w int) (string, int) {
	n := int(share*float64(w) + 0.5)
	if n == 0 && share >= 0.0005 {
		return t.mark.eighths[0], w - 1
	}
	return strings.Repeat(t.mark.bar, min(n, w)), w - min(n, w)
}

// newestToken is the last token of the focused chat that has candidates; live
// tells whether its answer is being written.
func (r *root) newestToken() (*token, bool) {
	a := r.pane().lastAnswer()
	if a == nil {
		return nil, false
	}
	r.pane().conv.last().recall()
	for i := a.tokens.Len() - 1; i >= 0; i-- {
		if t := a.tokens.At(i); t.alts.len() > 0 {
			return t, a.running()
		}
	}
	return nil, false
}

// shownToken makes a token's spelling visible: spaces and line ends too.
func shownToken(s string) string {
	s = text.Clean(s)
	switch {
	case s == "":
		return "(none)"
	case strings.Trim(s, " ") == "":
		return fmt.Sprintf("(%s)", plural(len(s), "space", "spaces"))
	}
	s = strings.ReplaceAll(s, "\n", "\\n")
	return strings.TrimPrefix(strings.ReplaceAll(s, "\t", "\\t"), " ")
}
