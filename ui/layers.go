package ui

import (
	"github.com/confab-tui/confab/engine"
)

// source says where a knob's value comes from, nearest first.
type source int

const (
	fromModel source = iota
	fromConfig
	fromPreset
	fromChat
	fromLive
)

func (s source) String() string {
	return [...]string{"model", "config", "preset", "chat", "live"}[s]
}

// base are the values under every chat: the model's, and over them what the
// command line, the environment and the config file say.
type base struct {
	model, given settings
	// word says where a given value comes from; empty where nobody gave one.
	word    [knobCount]string
	presets []preset
}

// newBase lays what was given over a model's suggestion.
func newBase(o *Options, model engine.Sampling, presets []preset) base {
	b := base{presets: presets, model: settings{Sampling: model}, given: settings{Sampling: model, MaxTokens: o.MaxTokens}}
	if o.Sampling != nil {
		b.given.Sampling = o.Sampling(model)
	}
	for k := range knobCount {
		b.word[k] = o.Sources[knobs[k].flag]
	}
	return b
}

// layers are one chat's own values over the base. The zero value adds nothing.
type layers struct {
	preset string
	set    [knobCount]bool
	value  [knobCount]float64
	// live marks what was turned during the running answer.
	live [knobCount]bool
}

// get gives a knob's value and where it comes from.
func (l *layers) get(b *base, k knobIndex) (float64, source) {
	if l.set[k] {
		if l.live[k] {
			return l.value[k], fromLive
		}
		return l.value[k], fromChat
	}
	if p, ok := b.preset(l.preset); ok {
		if v, ok := p.values[k]; ok {
			return v, fromPreset
		}
	}
	if b.word[k] != "" {
		return knobs[k].get(&b.given), fromConfig
	}
	return knobs[k].get(&b.model), fromModel
}

// put sets a knob for the chat; live says that an answer is running.
func (l *layers) put(k knobIndex, v float64, live bool) {
	l.set[k], l.value[k], l.live[k] = true, knobs[k].clamp(v), live
}

// reset lets the value below through again.
func (l *layers) reset(k knobIndex) {
	l.set[k], l.live[k], l.value[k] = false, false, 0
}

// choose takes a preset, which covers what was set by hand before of the knobs that
// presets are about: of the rest only what this one names.
func (l *layers) choose(p preset) {
	l.preset = p.name
	for k := range knobCount {
		if _, named := p.values[k]; named || k < knobLastN {
			l.reset(k)
		}
	}
}

// settle turns what was live into the chat's own, when its answer ends.
func (l *layers) settle() { l.live = [knobCount]bool{} }

// origin is the word for where a value comes from.
func (b *base) origin(k knobIndex, from source) string {
	if from == fromConfig {
		return b.word[k]
	}
	return from.String()
}

// settings are the values in force.
func (l *layers) settings(b *base) settings {
	var s settings
	for k := range knobCount {
		v, _ := l.get(b, k)
		knobs[k].set(&s, v)
	}
	return s
}

// values and restore are how layers travel to and from the disk.
func (l *layers) values() map[string]float64 {
	m := map[string]float64{}
	for k := range knobCount {
		if l.set[k] {
			m[knobs[k].key] = l.value[k]
		}
	}
	return m
}

func restoreLayers(preset string, values map[string]float64) layers {
	l := layers{preset: preset}
	for name, v := range values {
		if k, ok := findKnob(name); ok {
			l.put(k, v, false)
		}
	}
	return l
}

// changed lists the knobs in which two settings differ.
func changed(a, b settings) []knobIndex {
	var out []knobIndex
	for k := range knobCount {
		if knobs[k].get(&a) != knobs[k].get(&b) {
			out = append(out, k)
		}
	}
	return out
}
