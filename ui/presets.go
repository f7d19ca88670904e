package ui

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"github.com/confab-tui/confab/ui/text"
)

// preset is a named set of values; only the knobs it names are touched.
type preset struct {
	name    string
	explain string
	values  map[knobIndex]float64
}

// ownPresets in the order of the panel. "model" names nothing: every value comes
// from the model or the configuration again.
var ownPresets = []preset{
	{"model", "what the model and the configuration suggest", nil},
	{"neutral", "the model's own odds, nothing filtered", map[knobIndex]float64{
		knobTemperature: 1, knobTopK: 0, knobTopP: 1, knobMinP: 0,
		knobRepeat: 1, knobPresence: 0, knobFrequency: 0}},
	{"precise", "close to the likeliest words", map[knobIndex]float64{
		knobTemperature: 0.2, knobTopK: 20, knobTopP: 0.9, knobMinP: 0.05,
		knobRepeat: 1, knobPresence: 0, knobFrequency: 0}},
	{"creative", "wide, with the unlikely tail cut off", map[knobIndex]float64{
		knobTemperature: 1.2, knobTopK: 0, knobTopP: 0.98, knobMinP: 0.05,
		knobRepeat: 1.05, knobPresence: 0.2, knobFrequency: 0}},
}

// presetFile holds a person's own presets: a table each, with the names that the
// configuration uses for the knobs.
const presetFile = "presets.toml"

// CheckPresets tells what is wrong with the presets in a config folder.
func CheckPresets(dir string) []string {
	_, faults := readPresets(dir)
	return faults
}

// readPresets adds a person's presets to the program's own. What is wrong in the
// file is told, and the rest of it used.
func readPresets(dir string) (all []preset, faults []string) {
	all = slices.Clone(ownPresets)
	if dir == "" {
		return all, nil
	}
	path := filepath.Join(dir, presetFile)
	var tables map[string]map[string]any
	if _, err := toml.DecodeFile(path, &tables); err != nil {
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, os.ErrNotExist) {
			return all, nil
		}
		return all, []string{path + ": " + text.CleanLine(err.Error())}
	}
	for _, name := range slices.Sorted(maps.Keys(tables)) {
		p, wrong := readPreset(name, tables[name])
		for _, w := range wrong {
			faults = append(faults, fmt.Sprintf("%s: [%s] %s", path, text.CleanLine(name), w))
		}
		if i := slices.IndexFunc(all, func(q preset) bool { return q.name == p.name }); i >= 0 {
			all[i] = p
		} else {
			all = append(all, p)
		}
	}
	return all, faults
}

func readPreset(name string, table map[string]any) (p preset, faults []string) {
	p = preset{name: strings.ToLower(text.CleanLine(name)), explain: "from " + presetFile, values: map[knobIndex]float64{}}
	for _, key := range slices.Sorted(maps.Keys(table)) {
		k, ok := findKnob(key)
		if !ok {
			faults = append(faults, fmt.Sprintf("has no knob %q", key))
			continue
		}
		v, err := knobs[k].parse(fmt.Sprint(table[key]))
		if err != nil {
			faults = append(faults, err.Error())
			continue
		}
		p.values[k] = v
	}
	return p, faults
}

// preset finds one by its name.
func (b *base) preset(name string) (preset, bool) {
	for _, p := range b.presets {
		if p.name == name {
			return p, true
		}
	}
	return preset{}, false
}

// presetNames lists them for a person.
func (b *base) presetNames() string {
	var names []string
	for _, p := range b.presets {
		names = append(names, p.name)
	}
	return strings.Join(names, ", ")
}
