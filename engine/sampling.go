package engine

import (
	"math"

	"github.com/confab-tui/confab/engine/model"
)

// DefaultSampling is what an answer gets where nobody chose anything.
func DefaultSampling() Sampling { return model.DefaultSampling() }

// bounded takes every knob to the nearest value that means something.
func bounded(s Sampling) Sampling {
	clamp := func(v, low, high, unknown float32) float32 {
		if v != v {
			return unknown
		}
		return min(max(v, low), high)
	}
	s.Temperature = clamp(s.Temperature, 0, 1e6, 0)
	s.TopK = max(s.TopK, 0)
	s.TopP = clamp(s.TopP, 0, 1, 1)
	s.MinP = clamp(s.MinP, 0, 1, 0)
	if s.RepeatPenalty == 0 {
		s.RepeatPenalty = 1 // a Sampling that was left empty
	}
	s.RepeatPenalty = clamp(s.RepeatPenalty, 1e-3, 1e3, 1)
	s.PresencePenalty = clamp(s.PresencePenalty, -1e3, 1e3, 0)
	s.FrequencyPenalty = clamp(s.FrequencyPenalty, -1e3, 1e3, 0)
	s.RepeatLastN = min(max(s.RepeatLastN, 0), math.MaxInt32)
	return s
}

// penalised says that the last tokens matter.
func penalised(s Sampling) bool {
	return s.RepeatLastN > 0 && (s.RepeatPenalty != 1 || s.PresencePenalty != 0 || s.FrequencyPenalty != 0)
}
