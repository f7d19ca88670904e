package ui

import (
	"encoding/json"
	"strconv"

	"github.com/confab-tui/confab/engine"
	"github.com/confab-tui/confab/ui/store"
	"github.com/confab-tui/confab/ui/text"
)

// savedKnobs is how settings stand on the disk: llama.cpp's names.
func savedKnobs(s settings) json.RawMessage {
	m := map[string]json.Number{}
	for k := range knobCount {
		m[knobs[k].key] = number(knobs[k].get(&s))
	}
	b, _ := json.Marshal(m) // numbers that came out of a knob are finite
	return b
}

// number writes a value with as many digits as give it back: those of 32 bits where
// it has no more.
func number(v float64) json.Number {
	bits := 64
	if float64(float32(v)) == v {
		bits = 32
	}
	return json.Number(strconv.FormatFloat(v, 'f', -1, bits))
}

// readKnobs is the other way; what is missing keeps the default.
func readKnobs(raw json.RawMessage) settings {
	s := settings{Sampling: engine.DefaultSampling()}
	m := map[string]float64{}
	if json.Unmarshal(raw, &m) != nil {
		return s
	}
	for name, v := range m {
		if k, ok := findKnob(name); ok {
			knobs[k].set(&s, knobs[k].clamp(v))
		}
	}
	return s
}

// savedLayers is how a chat's own knobs stand on the disk.
type savedLayers struct {
	Preset string             `json:"preset,omitempty"`
	Values map[string]float64 `json:"values,omitempty"`
}

func (l *layers) save() json.RawMessage {
	b, _ := json.Marshal(savedLayers{l.preset, l.values()})
	return b
}

func readLayers(raw json.RawMessage) layers {
	var s savedLayers
	if len(raw) == 0 || json.Unmarshal(raw, &s) != nil {
		return layers{}
	}
	return restoreLayers(s.Preset, s.Values)
}

// facts is the answer's record for the disk.
func (a *answer) facts() store.Facts {
	f := store.Facts{
		ModelID: a.modelID, ModelName: a.model, Seed: a.seed, Sampling: savedKnobs(a.start),
		TemplateID: a.template, Backend: a.backend, Context: a.context, Think: a.think,
		Given: max(a.given, 0), Before: a.first, SystemID: a.system, System: a.begins, AppVersion: a.version,
		Reason: string(a.reason), Error: a.err, Dropped: a.dropped, DropOldest: a.dropOldest,
		Counts: store.Counts{
			Prompt: a.counts.Prompt, Cached: a.counts.Cached, Evaluated: a.counts.Evaluated,
			Generated: a.counts.Generated, FirstToken: a.counts.FirstToken,
			Prefill: a.counts.Prefill, Decode: a.counts.Decode,
		},
	}
	for _, c := range a.changes {
		f.Changes = append(f.Changes, store.Change{
			Index: c.Index, Sampling: savedKnobs(settings{Sampling: c.Sampling, MaxTokens: a.start.MaxTokens}),
		})
	}
	return f
}

// reasonLost is the end of an answer whose program ended before it did.
const reasonLost engine.Reason = "interrupted"

func restoreAnswer(f *store.Facts) *answer {
	a := &answer{
		model: text.CleanLine(f.ModelName), modelID: f.ModelID, seed: f.Seed, start: readKnobs(f.Sampling),
		backend: f.Backend, context: f.Context, think: f.Think,
		template: f.TemplateID, given: f.Given, first: f.Before, system: f.SystemID, begins: text.CleanLine(f.System), version: f.AppVersion,
		reason: engine.Reason(f.Reason), err: text.CleanLine(f.Error), dropped: f.Dropped, dropOldest: f.DropOldest, state: engine.StateEnded,
		counts: engine.Counts{
			Prompt: f.Counts.Prompt, Cached: f.Counts.Cached, Evaluated: f.Counts.Evaluated,
			Generated: f.Counts.Generated, FirstToken: f.Counts.FirstToken,
			Prefill: f.Counts.Prefill, Decode: f.Counts.Decode,
		},
	}
	if a.reason == "" {
		a.reason = reasonLost
	}
	for _, c := range f.Changes {
		a.changes = append(a.changes, engine.Change{Index: c.Index, Sampling: readKnobs(c.Sampling).Sampling})
	}
	return a
}
