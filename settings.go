package main

import (
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/confab-tui/confab/engine"
	"github.com/confab-tui/confab/ui"
)

// settings is everything that flags, the environment and the config file can
// set. The names of flags are llama.cpp's where it has the thing.
type settings struct {
	engine   engine.Config
	sampling engine.Sampling
	predict  int
	system   string
	think    string
	drop     bool
	theme    string
	still    bool
	// accessible talks in plain lines, without a screen.
	accessible bool
	folders    []string
	// hub names a model to fetch where it is not here yet.
	hub string
	// source says, by flag, where a value comes from: "flag", "env" or "config".
	source map[string]string
	file   configFile
}

// keys gives the config file's key of each flag. A flag without a key can only
// be given on the command line.
var keys = map[string]string{
	"model": "model.path", "ctx-size": "model.ctx-size",
	"backend": "engine.backend", "device": "engine.device", "gpu-layers": "engine.gpu-layers", "threads": "engine.threads",
	"cells": "engine.cells", "cell-type": "engine.cell-type", "batch-size": "engine.batch-size",
	"temp": "sampling.temp", "top-k": "sampling.top-k", "top-p": "sampling.top-p", "min-p": "sampling.min-p",
	"repeat-penalty": "sampling.repeat-penalty", "presence-penalty": "sampling.presence-penalty",
	"frequency-penalty": "sampling.frequency-penalty", "repeat-last-n": "sampling.repeat-last-n",
	"temp-last": "sampling.temp-last", "seed": "sampling.seed",
	"predict": "chat.predict", "system-prompt": "chat.system-prompt", "think": "chat.think", "drop-oldest": "chat.drop-oldest",
	"theme": "ui.theme", "reduced-motion": "ui.reduced-motion", "accessible": "ui.accessible",
	"models-folder": "library.folders",
}

func (s *settings) modelFlags(fs *pflag.FlagSet) {
	c := &s.engine
	fs.StringVar(&s.hub, "hf", "", "model on Hugging Face, OWNER/NAME[:QUANT], fetched where it is not here yet (also -hf)")
	fs.StringVarP(&c.Model, "model", "m", "", "path of a GGUF file, or the name of a model that `confab models` lists (default: the built-in one)")
	fs.IntVarP(&c.Context, "ctx-size", "c", 0, "most tokens of one conversation (0: the model's own limit)")
	fs.StringVar(&c.Backend, "backend", "auto", "auto, cpu or cuda")
	fs.IntVar(&c.Device, "device", 0, "number of the GPU")
	fs.StringVar(&c.GPULayers, "gpu-layers", "auto", "most layers on the GPU, the last ones: auto (as many as fit), all or a number (also -ngl)")
	fs.IntVarP(&c.Threads, "threads", "t", 0, "number of CPU threads (0: all cores)")
	fs.IntVar(&c.Cells, "cells", 0, "size of the pool of key/value cells that all chats share (0: from free memory)")
	fs.StringVar(&c.CellType, "cell-type", "f16", "type of the cells: f16 or f32")
	fs.IntVarP(&c.BatchTokens, "batch-size", "b", 0, "most prompt tokens in one step (0: chosen)")
	fs.StringSliceVar(&s.folders, "models-folder", nil, "more folders to look for models in")
}

func (s *settings) samplingFlags(fs *pflag.FlagSet) {
	p := &s.sampling
	fs.Float32Var(&p.Temperature, "temp", p.Temperature, "temperature; 0 always takes the likeliest token")
	fs.IntVar(&p.TopK, "top-k", p.TopK, "keep the k likeliest tokens (0: all)")
	fs.Float32Var(&p.TopP, "top-p", p.TopP, "keep the likeliest tokens up to this probability together (1: all)")
	fs.Float32Var(&p.MinP, "min-p", p.MinP, "drop tokens below this share of the likeliest (0: none)")
	fs.Float32Var(&p.RepeatPenalty, "repeat-penalty", p.RepeatPenalty, "penalty for repeated tokens (1: off)")
	fs.Float32Var(&p.PresencePenalty, "presence-penalty", p.PresencePenalty, "penalty for tokens that were there (0: off)")
	fs.Float32Var(&p.FrequencyPenalty, "frequency-penalty", p.FrequencyPenalty, "penalty for each time a token was there (0: off)")
	fs.IntVar(&p.RepeatLastN, "repeat-last-n", p.RepeatLastN, "how many tokens penalties look back at")
	fs.BoolVar(&p.TemperatureLast, "temp-last", p.TemperatureLast, "apply temperature after the filters, as llama.cpp does")
	fs.Int64VarP(&p.Seed, "seed", "s", p.Seed, "seed of the dice (-1: a new one for every answer)")
}

func (s *settings) chatFlags(fs *pflag.FlagSet) {
	fs.IntVarP(&s.predict, "predict", "n", 0, "most tokens of an answer (0: up to the context)")
	fs.StringVar(&s.system, "system-prompt", "", "system prompt (also -sys)")
	fs.StringVar(&s.think, "think", "auto", "let the model think first: auto, on or off")
	fs.BoolVar(&s.drop, "drop-oldest", false, "when the context is full, leave out the oldest turns instead of stopping")
}

func (s *settings) screenFlags(fs *pflag.FlagSet) {
	fs.StringVar(&s.theme, "theme", "auto", "auto (the terminal's own colours), "+strings.Join(ui.Themes()[1:], ", "))
	fs.BoolVar(&s.still, "reduced-motion", false, "no moving parts on the screen")
	fs.BoolVar(&s.accessible, "accessible", false, "plain lines without a screen, for screen readers (also ACCESSIBLE=1)")
}

// newSettings starts from what holds where nobody chose.
func newSettings() *settings {
	return &settings{sampling: engine.DefaultSampling(), source: map[string]string{}}
}

// resolve fills in, for every flag that the command line did not set, the
// environment's or the config file's value, and checks them all.
func (s *settings) resolve(fs *pflag.FlagSet) error {
	var err error
	if s.file, err = readConfig(configPath()); err != nil {
		return err
	}
	var bad error
	fs.VisitAll(func(f *pflag.Flag) {
		key, known := keys[f.Name]
		if bad != nil || !known {
			return
		}
		bad = s.fill(f, key)
	})
	if bad != nil {
		return usageError{bad}
	}
	return s.check()
}

func (s *settings) fill(f *pflag.Flag, key string) error {
	if f.Changed {
		s.source[f.Name] = "flag"
		return nil
	}
	if v, ok := os.LookupEnv(envName(f.Name)); ok {
		if err := f.Value.Set(v); err != nil {
			return fmt.Errorf("%s=%q: it %s", envName(f.Name), v, misfit(err))
		}
		s.source[f.Name] = "env"
		return nil
	}
	if v, ok := s.file.values[key]; ok {
		if err := f.Value.Set(v); err != nil {
			return s.file.misfit(key, v, err)
		}
		s.source[f.Name] = "config"
	}
	return nil
}

// number writes a whole number in full, and others with the digits that 32 bits hold.
func number(v float64) string {
	if v == math.Trunc(v) {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.6g", v)
}

// flagError names the flag, the value that it was given, and what is wrong with it.
func flagError(err error) error {
	if v, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		return fmt.Errorf("--%s %q: it %s", v.GetFlag().Name, v.GetValue(), misfit(v.Unwrap()))
	}
	return err
}

// misfit says why a text is no value for a flag.
func misfit(err error) string {
	n, ok := errors.AsType[*strconv.NumError](err)
	switch {
	case !ok:
		return "does not fit: " + err.Error()
	case errors.Is(n, strconv.ErrRange):
		return "is too large"
	case n.Func == "ParseBool":
		return "is neither true nor false"
	case n.Func == "ParseFloat":
		return "is no number"
	}
	return "is no whole number"
}

// envName is the environment variable of a flag: CONFAB_TOP_K of top-k.
func envName(flag string) string {
	return "CONFAB_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// over lays the sampling that a person chose over a model's suggestion.
func (s *settings) over(base engine.Sampling) engine.Sampling {
	mine, out := pflag.NewFlagSet("", pflag.ContinueOnError), &settings{sampling: base}
	s2 := *s
	s2.samplingFlags(mine)
	theirs := pflag.NewFlagSet("", pflag.ContinueOnError)
	out.samplingFlags(theirs)
	mine.VisitAll(func(f *pflag.Flag) {
		if s.source[f.Name] != "" {
			_ = theirs.Set(f.Name, f.DefValue) // DefValue is the value now in force
		}
	})
	return out.sampling
}

// check refuses values that make no sense, naming the flag and its source.
func (s *settings) check() error {
	p := s.sampling
	for _, c := range []struct {
		flag     string
		v        float64
		low, top float64
	}{
		{"temp", float64(p.Temperature), 0, 100}, {"top-k", float64(p.TopK), 0, math.MaxInt32},
		{"top-p", float64(p.TopP), 0, 1}, {"min-p", float64(p.MinP), 0, 1},
		{"repeat-penalty", float64(p.RepeatPenalty), 0.01, 100},
		{"presence-penalty", float64(p.PresencePenalty), -100, 100}, {"frequency-penalty", float64(p.FrequencyPenalty), -100, 100},
		{"repeat-last-n", float64(p.RepeatLastN), 0, math.MaxInt32}, {"predict", float64(s.predict), 0, math.MaxInt32},
		{"ctx-size", float64(s.engine.Context), 0, math.MaxInt32}, {"cells", float64(s.engine.Cells), 0, math.MaxInt32},
		{"threads", float64(s.engine.Threads), 0, 4096}, {"batch-size", float64(s.engine.BatchTokens), 0, 4096},
		{"device", float64(s.engine.Device), 0, 255},
	} {
		if !(c.v >= c.low && c.v <= c.top) {
			return s.refuse(c.flag, fmt.Sprintf("%s is not within %s .. %s", number(c.v), number(c.low), number(c.top)))
		}
	}
	for _, c := range []struct {
		flag, v string
		words   []string
	}{
		{"backend", s.engine.Backend, []string{"", "auto", "cpu", "cuda"}}, {"cell-type", s.engine.CellType, []string{"", "f16", "f32"}},
		{"think", s.think, []string{"", "auto", "on", "off"}}, {"theme", s.theme, append([]string{"", "auto"}, ui.Themes()...)},
	} {
		if !slices.Contains(c.words, c.v) {
			return s.refuse(c.flag, fmt.Sprintf("%q is none of %s", c.v, strings.Join(c.words[1:], ", ")))
		}
	}
	if _, err := engine.GPULayers(s.engine.GPULayers); err != nil {
		return s.refuse("gpu-layers", err.Error())
	}
	return nil
}

func (s *settings) refuse(flag, why string) error {
	where := "--" + flag
	switch s.source[flag] {
	case "env":
		where = envName(flag)
	case "config":
		where = s.file.place(keys[flag])
	}
	return usageError{fmt.Errorf("%s: %s", where, why)}
}

// thinking is what a request asks of the template: nil leaves it alone.
func (s *settings) thinking() *bool {
	switch s.think {
	case "on", "off":
		on := s.think == "on"
		return &on
	}
	return nil
}
