package ui

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/confab-tui/confab/engine"
	"github.com/confab-tui/confab/ui/text"
)

// poolSheet shows who holds the cells.
type poolSheet struct{ top, lines, shown int }

func (s *poolSheet) draw(r *root, w, h int) ([]string, *tea.Cursor) {
	th := r.th
	if r.back().engine == nil {
		return []string{spaces(w), fit("  "+th.dim.draw("no model is open, so there is no pool"), w)}, nil
	}
	p := &r.back().stats.Pool
	lines := []string{spaces(w), fit("  "+poolLine(th, p), w), spaces(w)}
	if !r.noScreen {
		lines = append(lines, s.picture(th, p, w)...)
		lines = append(lines, fit("  "+poolLegend(th, w), w), spaces(w))
	}
	lines = append(lines, s.owners(r, p, w)...)
	lines = append(lines, r.waitLines(w)...)
	lines = append(lines, spaces(w))
	lines = append(lines, r.engineLines(w)...)
	lines = append(lines, r.otherPools(w)...)
	s.lines, s.shown = len(lines), h
	s.top = max(min(s.top, len(lines)-h), 0)
	return lines[s.top:min(s.top+h, len(lines))], nil
}

func poolLine(th *theme, p *engine.PoolStats) string {
	dot := th.dim.draw(" " + th.mark.dot + " ")
	word := func(n int, s string) string { return th.strong.draw(group(n)) + th.dim.draw(" "+s) }
	return word(p.Total, "cells") + dot + word(p.Held, "held") + dot + word(p.Shared, "shared") + dot +
		word(p.Cached, "cached") + dot + word(p.Free, "free")
}

// kindMark is how a kind of cells is drawn.
func kindMark(th *theme, k engine.CellKind) string {
	switch k {
	case engine.CellHeld:
		return th.accent.draw(th.mark.bar)
	case engine.CellShared:
		return th.accentStrong.draw(th.mark.shades[1])
	case engine.CellCached:
		return th.dim.draw(th.mark.shades[0])
	}
	return th.faint.draw(th.mark.empty)
}

func poolLegend(th *theme, w int) string {
	var parts []string
	for _, x := range []struct {
		k           engine.CellKind
		name, short string
	}{{engine.CellHeld, "held by an answer", "held"}, {engine.CellShared, "shared by several", "shared"}, {engine.CellCached, "cached, goes first", "cached"}, {engine.CellFree, "free", "free"}} {
		name := x.name
		if w < poolRoomy {
			name = x.short
		}
		parts = append(parts, kindMark(th, x.k)+" "+th.dim.draw(name))
	}
	return strings.Join(parts, "   ")
}

// picture draws the pool's map over a few lines.
func (s *poolSheet) picture(th *theme, p *engine.PoolStats, w int) []string {
	width := min(w-4, 128)
	n := len(p.Map)
	if n == 0 {
		return nil
	}
	rows := min(max((n+width-1)/width, 1), 8)
	cells := rows * width
	var out []string
	for y := range rows {
		var b strings.Builder
		b.WriteString("  ")
		for x := range width {
			from := (y*width + x) * n / cells
			to := max((y*width+x+1)*n/cells, from+1)
			most := engine.CellFree
			for _, k := range p.Map[from:min(to, n)] {
				most = max(most, k)
			}
			b.WriteString(kindMark(th, most))
		}
		out = append(out, fit(b.String(), w))
	}
	return out
}

const (
	poolState = 18
	poolCells = 10
	// the longest and the shortest bar, and the least name beside them.
	poolBarMost, poolBarLeast, poolNameLeast = 16, 4, 22
	// poolRoomy is the width from which the legend has whole sentences.
	poolRoomy = 76
	poolRest  = 2*gutter + poolCells + 3 + poolState + 3 + 13 // "   1,234 shared"
)

// poolBar is how long the bars are in a line of w cells: they give way to words.
func poolBar(w int) int { return min(max(w-poolRest-poolNameLeast, poolBarLeast), poolBarMost) }

// poolName is how many cells the chats' names have in a line of w cells: as many as
// the longest takes, up to what the numbers beside it leave, and to a title's length.
func (r *root) poolName(w int) int {
	longest := 0
	for _, o := range r.back().stats.Pool.Owners {
		longest = max(longest, text.Width(r.ownerName(o.Conversation, w))+2)
	}
	least := min(w-gutter-poolBarLeast-poolCells-3-poolState, poolNameLeast)
	return max(min(longest, w-poolRest-poolBar(w), 72), least)
}

// owners lists the conversations, with bars that are as long as their share of
// the largest one's.
func (s *poolSheet) owners(r *root, p *engine.PoolStats, w int) []string {
	th := r.th
	var out []string
	idle, most := 0, 1
	for i := range p.Owners {
		most = max(most, p.Owners[i].Cells)
	}
	name, length := r.poolName(w), poolBar(w)
	for i := range p.Owners {
		o := &p.Owners[i]
		idle += b2i(o.State == engine.StateEnded)
		fill, rest := th.thickBar(float64(o.Cells)/float64(most), length)
		bar := th.accent
		if o.State == engine.StateEnded {
			bar = th.dim
		}
		line := "  " + fit(r.ownerName(o.Conversation, name-2), name) + bar.draw(fill) + spaces(rest) +
			th.strong.draw(right(group(o.Cells), poolCells)) + "   " + ownerState(th, o, idle)
		if o.Shared > 0 {
			line += th.dim.draw(fmt.Sprintf("   %s shared", group(o.Shared)))
		}
		out = append(out, fit(line, w))
	}
	if len(out) == 0 {
		out = []string{fit("  "+th.dim.draw("no chat holds cells"), w)}
	}
	return out
}

// ownerState is what an owner does; of those that do nothing it is the nth.
func ownerState(th *theme, o *engine.PoolOwner, nth int) string {
	switch o.State {
	case engine.StateWaiting:
		return th.warn.draw(fit(th.mark.wait+" waiting", poolState))
	case engine.StateQueued:
		return th.dim.draw(fit("queued", poolState))
	case engine.StatePrefill:
		return th.accent.draw(fit(th.mark.busy+" reading", poolState))
	case engine.StateDecoding:
		return th.accent.draw(fit(th.mark.busy+" answering", poolState))
	}
	if nth == 1 {
		return th.dim.draw(fit("idle, goes first", poolState))
	}
	return th.dim.draw(fit(fmt.Sprintf("idle, goes %s", ordinal(nth)), poolState))
}

func ordinal(n int) string {
	switch {
	case n%100/10 == 1:
	case n%10 == 1:
		return fmt.Sprintf("%dst", n)
	case n%10 == 2:
		return fmt.Sprintf("%dnd", n)
	case n%10 == 3:
		return fmt.Sprintf("%drd", n)
	}
	return fmt.Sprintf("%dth", n)
}

// ownerName is the title of a conversation that the engine knows by its number, in
// at most w cells.
func (r *root) ownerName(id string, w int) string {
	for _, t := range r.tabs {
		for i, p := range t.panes {
			if p.conv.chat.ID.String() != id {
				continue
			}
			name := text.CleanLine(p.conv.chat.Title)
			if len(t.panes) > 1 {
				name = fmt.Sprintf("%d %s", i+1, name)
			}
			return text.Truncate(name, w, r.th.mark.ellipsis)
		}
	}
	return "a closed chat"
}

// engineLines are the engine's own numbers.
func (r *root) engineLines(w int) []string {
	th, st, i := r.th, &r.back().stats, &r.back().info
	dim := func(s string) string { return fit("  "+th.dim.draw(s), w) }
	out := []string{
		dim(fmt.Sprintf("%s   %s a cell, %s the pool   context %s", text.CleanLine(i.Name), size(i.CellBytes), size(i.CellBytes*int64(i.Cells)), group(i.Context))),
		dim(speedLine(st)),
	}
	return append(out, dim(stepLine(st.Steps)))
}

func speedLine(st *engine.Stats) string {
	write, read := perSecond(st.TokensPerSecond), perSecond(st.PromptPerSecond)
	if st.Streams == 0 {
		return fmt.Sprintf("wrote %6s tok/s   read %8s tok/s", write, read)
	}
	return fmt.Sprintf("writes %6s tok/s for %s   reads %8s tok/s", write, plural(st.Streams, "answer", "answers"), read)
}

// otherPools tell of the models that other chats use.
func (r *root) otherPools(w int) []string {
	var out []string
	for _, b := range r.models.all {
		if p := &b.stats.Pool; b != r.back() && b.engine != nil {
			line := fmt.Sprintf("also open: %s   %s of %s cells in use   %s", b.name(), group(p.Total-p.Free), group(p.Total), size(b.bytes()))
			out = append(out, fit("  "+r.th.dim.draw(line), w))
		}
	}
	if len(out) > 0 {
		out = append([]string{spaces(w)}, out...)
	}
	return out
}

// stepLine tells with how many rows the engine's steps ran.
func stepLine(steps map[int]int64) string {
	if len(steps) == 0 {
		return "no steps yet"
	}
	s := "steps by batch  "
	for i, n := range slices.Sorted(maps.Keys(steps)) {
		if i > 0 {
			s += "   "
		}
		s += fmt.Sprintf("%d: %s", n, group(int(steps[n])))
	}
	return s
}

func (s *poolSheet) key(_ *root, key string, _ tea.KeyPressMsg) (bool, tea.Cmd) {
	switch key {
	case "j", "down":
		s.top++
	case "k", "up":
		s.top--
	default:
		return false, nil
	}
	return true, nil
}

func (s *poolSheet) hints() []string { return []string{"esc back"} }
