package sample

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
)

// samplerCase is one case of testdata/sampling: what llama.cpp's samplers keep.
type samplerCase struct {
	Row           string
	Chain         []map[string]json.RawMessage
	History       []int32
	Count         int
	IDs           []int32
	Probabilities []float64
}

// inexpressible are the samplers and the order that SampleParams has no knob for.
var inexpressible = []string{"typical_p", "top_n_sigma", "temperature top_p top_k"}

func (c *samplerCase) names() string {
	var names []string
	for _, step := range c.Chain {
		for name := range step {
			names = append(names, name)
		}
	}
	return strings.Join(names, " ")
}

// params turns a chain into knobs. Temperature comes last in all chains that have
// filters too.
func (c *samplerCase) params(t *testing.T) SampleParams {
	p := SampleParams{Temperature: 1, TopP: 1, TemperatureLast: true}
	for _, step := range c.Chain {
		for name, value := range step {
			var number float64
			var penalties struct {
				Last                        int
				Repeat, Frequency, Presence float32
			}
			into := any(&number)
			if name == "penalties" {
				into = &penalties
			}
			if err := json.Unmarshal(value, into); err != nil {
				t.Fatal(err)
			}
			switch name {
			case "penalties":
				p.Repeat, p.Frequency, p.Presence = penalties.Repeat, penalties.Frequency, penalties.Presence
				p.History = c.History[max(0, len(c.History)-penalties.Last):]
			case "temperature":
				p.Temperature = float32(number)
			case "top_k":
				p.TopK = int(number)
			case "top_p":
				p.TopP = float32(number)
			case "min_p":
				p.MinP = float32(number)
			default:
				t.Fatalf("sampler %q is not known", name)
			}
		}
	}
	return p
}

// left lists the tokens that the last draw of s could have drawn in principle,
// likeliest first, with their probabilities.
func left(logits []float32, p SampleParams, s *SampleScratch) (ids []int32, probs []float64) {
	s.Alternatives = nil
	p.Alternatives = len(logits)
	Sample(logits, p, s)
	all := slices.Clone(s.Alternatives)
	slices.SortStableFunc(all, func(a, b Drawn) int {
		switch {
		case a.Prob > b.Prob:
			return -1
		case a.Prob < b.Prob:
			return 1
		}
		return 0
	})
	for _, d := range all {
		if d.Prob > 0 {
			ids, probs = append(ids, d.ID), append(probs, float64(d.Prob))
		}
	}
	return ids, probs
}

// TestSampleVectors compares with llama.cpp's samplers.
func TestSampleVectors(t *testing.T) {
	data, err := os.ReadFile("../../testdata/sampling/samplers.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Rows  map[string][]*float32
		Cases []samplerCase
	}
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	tried, s := 0, new(SampleScratch)
	for _, c := range file.Cases {
		names := c.names()
		if slices.Contains(inexpressible, names) {
			continue
		}
		tried++
		logits := make([]float32, len(file.Rows[c.Row]))
		for i, v := range file.Rows[c.Row] {
			logits[i] = float32(math.Inf(-1))
			if v != nil {
				logits[i] = *v
			}
		}
		ids, probs := left(logits, c.params(t), s)
		// A probability too small for float32 counts as gone here.
		for i, want := range c.Probabilities {
			if want < 1e-38 {
				continue
			}
			if i >= len(ids) || ids[i] != c.IDs[i] || math.Abs(probs[i]-want) > 1e-5*want {
				t.Errorf("%s, %s: place %d is %d with %g, want %d with %g", c.Row, names, i, ids[i], probs[i], c.IDs[i], want)
				break
			}
		}
		if !strings.Contains(names, "penalties") {
			// The cut says it exactly; a probability may vanish in float32.
			count := 0
			for id, v := range logits {
				if rankOf(v, int32(id)) <= s.draw.cut {
					count++
				}
			}
			if count != c.Count {
				t.Errorf("%s, %s: %d left, want %d", c.Row, names, count, c.Count)
			}
		}
	}
	if tried != 126 {
		t.Errorf("%d of %d cases tried", tried, len(file.Cases))
	}
}
