package ui

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/confab-tui/confab/engine/chat"
	"github.com/confab-tui/confab/engine/library"
	"github.com/confab-tui/confab/ui/text"
)

// compareTemperatures are what the preset sets side by side.
var compareTemperatures = []float64{0, 0.4, 0.8, 1.2}

// titlePart stands in a chat's title before what tells it from others of that title.
const titlePart = " · "

// variant is what a pane of a comparison alone is: name tells it from the others,
// make begins what it needs.
type variant struct {
	name string
	make func(*pane) tea.Cmd
}

// atTemperatures are panes that differ in their temperature.
func atTemperatures(all []float64) []variant {
	out := make([]variant, len(all))
	for i, v := range all {
		out[i] = variant{"T " + trimNumber(v), func(p *pane) tea.Cmd {
			p.conv.layers.put(knobTemperature, v, false)
			return nil
		}}
	}
	return out
}

// compare opens a tab in which the same prompt is answered in several ways, with
// one set of dice for all: what is being written, or else the last prompt of this
// chat again. What came before it goes along.
func (r *root) compare(all []variant) tea.Cmd {
	from := r.pane()
	if r.roomForPanes() < len(all) {
		r.panel.open = false
	}
	if fit := r.roomForPanes(); fit < len(all) {
		r.say(toneWarn, fmt.Sprintf("%d of %d panes are what this width holds; a wider window holds more", fit, len(all)))
		all = all[:fit]
	}
	prompt, leaf := strings.TrimSpace(from.input.value()), from.conv.chat.Leaf()
	last := from.conv.lastOf(chat.User)
	switch {
	case prompt != "" && from.conv.running():
		r.say(toneWarn, "an answer is being written: "+r.keys.key(doStop)+" stops it, then compare")
		return nil
	case prompt != "":
		from.input.set("")
		r.noteHistory(prompt)
	case last != nil:
		prompt, leaf = last.m.Content, last.m.Parent
	}
	t := &tab{broadcast: true, compare: true}
	var cmds []tea.Cmd
	for _, v := range all {
		p := newPane(from.conv.chat.Fork(leaf), r.th)
		p.model = r.backOf(from)
		p.conv.think = from.conv.think
		p.conv.layers = from.conv.layers
		t.panes = append(t.panes, p)
		p.conv.variant = titlePart + v.name
		p.conv.entitle()
		cmds = append(cmds, v.make(p))
		p.conv.chat.SetSampling(p.conv.layers.save())
	}
	r.tabs = slices.Insert(r.tabs, r.active+1, t)
	r.goTab(r.active + 1)
	if prompt != "" {
		cmds = append(cmds, r.send(prompt))
	}
	return tea.Batch(cmds...)
}

// compareCommand is /compare, /compare 0 0.7 1.5, /compare precise creative and
// /compare MODEL MODEL.
func (r *root) compareCommand(arg string) tea.Cmd {
	names := strings.Fields(arg)
	if len(names) == 0 {
		return r.compare(atTemperatures(compareTemperatures))
	}
	if len(names) == 1 || len(names) > maxPanes {
		return r.fail("write /compare, /compare 0 0.7 1.5, /compare PRESET PRESET or /compare MODEL MODEL, with 2 to %d of them", maxPanes)
	}
	switch all, err := r.tuned(names); {
	case err != nil:
		return r.fail("%v", err)
	case len(all) == len(names):
		return r.compare(all)
	}
	list := r.options.Models
	return func() tea.Msg {
		m := compareMsg{names: names}
		if list != nil {
			m.files = list()
		}
		return m
	}
}

// tuned are panes that differ in their knobs, by temperatures and by names of
// presets, as far as the words are such; it reports a number that is no temperature.
func (r *root) tuned(words []string) ([]variant, error) {
	var out []variant
	for _, w := range words {
		if _, err := strconv.ParseFloat(w, 64); err == nil {
			v, err := knobs[knobTemperature].parse(w)
			if err != nil {
				return nil, err
			}
			out = append(out, atTemperatures([]float64{v})...)
		} else if set, ok := r.base().preset(w); ok {
			out = append(out, variant{w, func(p *pane) tea.Cmd { p.conv.layers.choose(set); return nil }})
		}
	}
	return out, nil
}

// compareMsg is the list of models in which those of a comparison are looked up.
type compareMsg struct {
	names []string
	files []library.Model
}

func (m compareMsg) apply(r *root) tea.Cmd {
	var all []variant
	for _, n := range m.names {
		path, err := findModel(m.files, n)
		if err != nil {
			return r.fail("%v", err)
		}
		all = append(all, variant{n, func(p *pane) tea.Cmd {
			p.model = r.backend(path)
			return r.want(p.model)
		}})
	}
	return r.compare(all)
}

// findModel finds the file that a name means: a path, the name itself, or all but
// one have not got it.
func findModel(files []library.Model, name string) (string, error) {
	switch low := strings.ToLower(name); {
	case low == "builtin" || low == "built-in":
		return "", nil
	case strings.ContainsAny(name, "/\\") && strings.HasSuffix(low, ".gguf"):
		return expandHome(name), nil
	}
	var found []library.Model
	for _, f := range files {
		switch {
		case f.Err != nil:
		case strings.EqualFold(f.Name, name):
			return f.Path, nil
		case strings.Contains(strings.ToLower(f.Name), strings.ToLower(name)):
			found = append(found, f)
		}
	}
	if len(found) == 1 {
		return found[0].Path, nil
	}
	if len(found) == 0 {
		return "", fmt.Errorf("no model of this machine has %q in its name; there is always builtin", text.CleanLine(name))
	}
	var names []string
	for _, f := range found {
		names = append(names, text.CleanLine(f.Name))
	}
	return "", errors.New(strconv.Quote(text.CleanLine(name)) + " may be " + strings.Join(names, ", ") + ": write more of its name")
}
