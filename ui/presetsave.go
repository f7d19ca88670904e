package ui

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/confab-tui/confab/ui/text"
)

// presetName is what a person may call a preset: a word that needs no quotes in TOML.
var presetName = regexp.MustCompile(`^[a-z][a-z0-9_-]*$`)

// savePreset is /preset save NAME: the knobs in force, put behind what the file of
// presets holds.
func (r *root) savePreset(name string) tea.Cmd {
	dir := r.options.ConfigDir
	path := filepath.Join(dir, presetFile)
	switch _, taken := r.base().preset(name); {
	case dir == "":
		return r.fail("there is no config folder to keep presets in")
	case !presetName.MatchString(name) || name == "save":
		return r.fail("write /preset save NAME, the name being a word of small letters")
	case taken:
		return r.fail("there is a preset %s already: give another name, or change it in %s", name, text.CleanLine(path))
	}
	table := presetTable(name, r.pane().conv.layers.settings(r.base()))
	return func() tea.Msg {
		err := appendTo(path, table)
		m := presetSavedMsg{name: name, path: path, err: err}
		m.presets, m.faults = readPresets(dir)
		return m
	}
}

// presetTable is a preset as it stands in the file: everything about how tokens are
// chosen. The seed and the limit are of a chat.
func presetTable(name string, s settings) string {
	var b strings.Builder
	fmt.Fprintf(&b, "[%s]\n", name)
	for k := range knobCount {
		if k == knobSeed || k == knobMaxTokens {
			continue
		}
		v := knobs[k].clamp(knobs[k].get(&s))
		word := trimNumber(v)
		if knobs[k].toggle {
			word = strconv.FormatBool(v != 0)
		}
		fmt.Fprintf(&b, "%s = %s\n", knobs[k].flag, word)
	}
	return b.String()
}

// appendTo puts text behind what a file holds, parted by an empty line.
func appendTo(path, s string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if st, err := f.Stat(); err == nil && st.Size() > 0 {
		s = "\n" + s
	}
	_, err = f.WriteString(s)
	if e := f.Close(); err == nil {
		err = e
	}
	return err
}

// presetSavedMsg is the end of it, with what the file holds now.
type presetSavedMsg struct {
	name, path string
	presets    []preset
	faults     []string
	err        error
}

func (m presetSavedMsg) apply(r *root) tea.Cmd {
	if m.err != nil {
		return r.fail("%s", text.CleanLine(m.err.Error()))
	}
	for _, b := range r.models.all {
		b.base.presets = m.presets
	}
	if len(m.faults) > 0 {
		r.say(toneWarn, strings.Join(m.faults, "\n"))
		return nil
	}
	r.choosePreset(m.name)
	r.say(toneQuiet, "preset "+m.name+" is kept in "+text.CleanLine(m.path))
	return nil
}
