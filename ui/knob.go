package ui

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/confab-tui/confab/engine"
)

// settings are everything that a person can turn for one chat.
type settings struct {
	engine.Sampling
	// MaxTokens limits an answer; 0 leaves it to the context.
	MaxTokens int
}

// knob describes one setting: how it is called, drawn and turned.
type knob struct {
	// label is for the panel, key is the name in requests, flag that on the
	// command line, alias what others call it.
	label, key, flag string
	alias            []string
	short            string // in the margin, where it changed
	explain          string
	min, max         float64
	// step and coarse are what one turn adds; decimals how a value is written.
	step, coarse float64
	decimals     int
	// origin is from where its slider is filled, or the end that is nearest to it.
	origin float64
	// off is the value at which the knob does nothing; offWord names it.
	off     float64
	offWord string
	toggle  bool
	entry   bool // a number to type rather than a slider
	get     func(*settings) float64
	set     func(*settings, float64)
}

// knobIndex numbers the knobs in the order of the panel.
type knobIndex int

const (
	knobTemperature knobIndex = iota
	knobTopK
	knobTopP
	knobMinP
	knobRepeat
	knobPresence
	knobFrequency
	knobLastN
	knobSeed
	knobMaxTokens
	knobTemperatureLast
	knobCount
)

var knobs = [knobCount]knob{
	knobTemperature: {
		label: "temperature", key: "temperature", flag: "temp", alias: []string{"temp", "t"}, short: "T",
		explain: "How much chance decides: 0 always takes the likeliest token, 1 follows the model's own odds.",
		min:     0, max: 2, step: 0.05, coarse: 0.25, decimals: 2, off: 1, offWord: "1",
		get: func(s *settings) float64 { return float64(s.Temperature) },
		set: func(s *settings, v float64) { s.Temperature = float32(v) },
	},
	knobTopK: {
		label: "top-k", key: "top_k", flag: "top-k", alias: []string{"topk"}, short: "k",
		explain: "Keeps only this many of the likeliest tokens; 0 keeps all.",
		min:     0, max: 200, step: 1, coarse: 10, off: 0, offWord: "off",
		get: func(s *settings) float64 { return float64(s.TopK) },
		set: func(s *settings, v float64) { s.TopK = int(v) },
	},
	knobTopP: {
		label: "top-p", key: "top_p", flag: "top-p", alias: []string{"topp"}, short: "p",
		explain: "Keeps the fewest likeliest tokens that together reach this probability; 1 keeps all.",
		min:     0, max: 1, step: 0.01, coarse: 0.1, decimals: 2, off: 1, offWord: "off",
		get: func(s *settings) float64 { return float64(s.TopP) },
		set: func(s *settings, v float64) { s.TopP = float32(v) },
	},
	knobMinP: {
		label: "min-p", key: "min_p", flag: "min-p", alias: []string{"minp"}, short: "m",
		explain: "Drops tokens less likely than this share of the likeliest one; 0 drops none.",
		min:     0, max: 1, step: 0.01, coarse: 0.1, decimals: 2, off: 0, offWord: "off",
		get: func(s *settings) float64 { return float64(s.MinP) },
		set: func(s *settings, v float64) { s.MinP = float32(v) },
	},
	knobRepeat: {
		label: "repeat", key: "repeat_penalty", flag: "repeat-penalty", alias: []string{"repetition_penalty"}, short: "r",
		explain: "Makes tokens of the last-n less likely, by this factor; 1 is off.",
		min:     0.5, max: 2, step: 0.01, coarse: 0.1, decimals: 2, origin: 1, off: 1, offWord: "off",
		get: func(s *settings) float64 { return float64(s.RepeatPenalty) },
		set: func(s *settings, v float64) { s.RepeatPenalty = float32(v) },
	},
	knobPresence: {
		label: "presence", key: "presence_penalty", flag: "presence-penalty", short: "r",
		explain: "Subtracted once from every token that stands among the last-n; 0 is off.",
		min:     -2, max: 2, step: 0.05, coarse: 0.5, decimals: 2, off: 0, offWord: "off",
		get: func(s *settings) float64 { return float64(s.PresencePenalty) },
		set: func(s *settings, v float64) { s.PresencePenalty = float32(v) },
	},
	knobFrequency: {
		label: "frequency", key: "frequency_penalty", flag: "frequency-penalty", short: "r",
		explain: "Subtracted once for each time a token stands among the last-n; 0 is off.",
		min:     -2, max: 2, step: 0.05, coarse: 0.5, decimals: 2, off: 0, offWord: "off",
		get: func(s *settings) float64 { return float64(s.FrequencyPenalty) },
		set: func(s *settings, v float64) { s.FrequencyPenalty = float32(v) },
	},
	knobLastN: {
		label: "last-n", key: "repeat_last_n", flag: "repeat-last-n", alias: []string{"last_n"}, short: "n",
		explain: "How many of the last tokens the three penalties look at.",
		min:     0, max: 512, step: 8, coarse: 64, off: 0, offWord: "none",
		get: func(s *settings) float64 { return float64(s.RepeatLastN) },
		set: func(s *settings, v float64) { s.RepeatLastN = int(v) },
	},
	knobSeed: {
		label: "seed", key: "seed", flag: "seed", short: "s", entry: true,
		explain: "The dice. Random draws a new seed for every answer; a number gives the same answer again.",
		min:     -1, max: 1 << 53, step: 1, coarse: 10, off: -1, offWord: "random",
		get: func(s *settings) float64 { return float64(s.Seed) },
		set: func(s *settings, v float64) { s.Seed = int64(v) },
	},
	knobMaxTokens: {
		label: "max tokens", key: "max_tokens", flag: "predict", alias: []string{"n_predict", "num_predict"}, short: "x", entry: true,
		explain: "Ends an answer after this many tokens; it can be continued. Applies to the next answer.",
		min:     0, max: 1 << 20, step: 16, coarse: 256, off: 0, offWord: "no limit",
		get: func(s *settings) float64 { return float64(s.MaxTokens) },
		set: func(s *settings, v float64) { s.MaxTokens = int(v) },
	},
	knobTemperatureLast: {
		label: "temp. last", key: "temperature_last", flag: "temp-last", short: "o", toggle: true,
		explain: "On: the filters see the odds before temperature, as llama.cpp does. Off: after it.",
		min:     0, max: 1, step: 1, coarse: 1, off: 0, offWord: "off",
		get: func(s *settings) float64 {
			if s.TemperatureLast {
				return 1
			}
			return 0
		},
		set: func(s *settings, v float64) { s.TemperatureLast = v != 0 },
	},
}

// findKnob finds a knob by any of its names; it reports false for an unknown one.
func findKnob(name string) (knobIndex, bool) {
	name = strings.ReplaceAll(strings.ToLower(name), "-", "_")
	for i := range knobs {
		k := &knobs[i]
		if name == k.key || name == strings.ReplaceAll(k.flag, "-", "_") || name == strings.ReplaceAll(k.label, "-", "_") {
			return knobIndex(i), true
		}
		for _, a := range k.alias {
			if a == name {
				return knobIndex(i), true
			}
		}
	}
	return 0, false
}

func (k *knob) clamp(v float64) float64 {
	scale := math.Pow(10, float64(k.decimals))
	return min(max(math.Round(v*scale)/scale, k.min), k.max)
}

// write gives a value as it stands in the panel.
func (k *knob) write(v float64) string {
	switch {
	case k.toggle && v != 0:
		return "on"
	case k.toggle:
		return "off"
	case v == k.off && k.entry:
		return k.offWord
	}
	return strconv.FormatFloat(v, 'f', k.decimals, 64)
}

// parse reads what a person typed for this knob.
func (k *knob) parse(s string) (float64, error) {
	switch word := strings.ToLower(strings.TrimSpace(s)); {
	case word == "off", word == "random", word == "none", word == strings.ToLower(k.offWord), k.toggle && word == "false":
		return k.off, nil
	case k.toggle && (word == "on" || word == "true"):
		return 1, nil
	}
	v, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if k.toggle && (err != nil || v != 0 && v != 1) {
		return 0, fmt.Errorf("%s is on or off, not %q", k.key, s)
	}
	if err != nil || math.IsNaN(v) {
		return 0, fmt.Errorf("%s is a number from %s to %s, not %q", k.key, trimNumber(k.min), trimNumber(k.max), s)
	}
	if v < k.min || v > k.max {
		return 0, fmt.Errorf("%s goes from %s to %s, not %s", k.key, trimNumber(k.min), trimNumber(k.max), trimNumber(v))
	}
	return k.clamp(v), nil
}

func trimNumber(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// share is where a value lies on its slider, from 0 to 1.
func (k *knob) share(v float64) float64 {
	if k.max <= k.min {
		return 0
	}
	return min(max((v-k.min)/(k.max-k.min), 0), 1)
}

// at is the value at a place on the slider, on the knob's own steps.
func (k *knob) at(share float64) float64 {
	v := k.min + share*(k.max-k.min)
	return k.clamp(math.Round(v/k.step) * k.step)
}
