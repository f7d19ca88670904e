package ui

import (
	"strings"

	"github.com/confab-tui/confab/ui/text"
)

// presetGap are the cells between two presets of the panel.
const presetGap = 2

// presetRows are the numbers of the presets on each row of a panel of w cells.
func (r *root) presetRows(w int) [][]int {
	var rows [][]int
	x := w
	for i, p := range r.base().presets {
		n := text.Width(p.name)
		if x+n > w-gutter {
			rows, x = append(rows, nil), gutter
		}
		rows[len(rows)-1] = append(rows[len(rows)-1], i)
		x += n + presetGap
	}
	return rows
}

// presetTop is the line of a panel of h lines on which the first row of presets stands.
func presetTop(h int) int { return panelLine(knobCount) + b2i(h >= panelRoomy) }

// presetLines draw the presets, the chosen one accented. Where the key of one is its
// first letter, that is underlined.
func (r *root) presetLines(w int) []string {
	th := r.th
	now := r.pane().conv.layers.preset
	if now == "" {
		now = ownPresets[0].name
	}
	var out []string
	for _, row := range r.presetRows(w) {
		var names []string
		for _, i := range row {
			name := r.base().presets[i].name
			switch key := r.presetKey(i); {
			case name == now:
				name = th.accentStrong.draw(name)
			case th.colour && key != "" && strings.HasPrefix(name, key):
				name = pen(string(th.dim)+"\x1b[4m").draw(key) + th.dim.draw(name[len(key):])
			default:
				name = th.dim.draw(name)
			}
			names = append(names, name)
		}
		out = append(out, fit(spaces(gutter)+strings.Join(names, spaces(presetGap)), w))
	}
	return out
}

// presetKey is the key that chooses a preset; a person's own have none.
func (r *root) presetKey(i int) string {
	if i >= len(ownPresets) {
		return ""
	}
	return r.keys.key(doPresetModel+action(i), r.keys.knobs)
}

// clickPreset chooses the preset at a place of a panel of w cells, x cells from its left
// and row rows below the first.
func (r *root) clickPreset(x, row, w int) {
	rows := r.presetRows(w)
	if row < 0 || row >= len(rows) {
		return
	}
	from := gutter
	for _, i := range rows[row] {
		p := &r.base().presets[i]
		to := from + text.Width(p.name)
		if x >= from && x < to {
			r.choosePreset(p.name)
			return
		}
		from = to + presetGap
	}
}
