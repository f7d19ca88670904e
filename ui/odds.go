package ui

import (
	"fmt"
	"math"

	"github.com/confab-tui/confab/engine"
)

// odd is a candidate as the knobs in force would leave it.
type odd struct {
	id    int32
	text  string
	share float64
	// own is the share that the model itself gives it.
	own float64
	// cut names the filter that removed it, empty where it stays.
	cut string
}

// simulate applies temperature and the filters to the candidates that a token
// record carries, so that the picture follows the hand before the next token
// comes. The candidates are the likeliest only: what the rest of the vocabulary
// holds counts as one lump that the temperature does not move.
func simulate(alts []engine.Alternative, s settings) []odd {
	out := make([]odd, len(alts))
	t := float64(s.Temperature)
	raw := 0.0
	for i := range alts {
		own := math.Exp(float64(alts[i].LogProb))
		out[i] = odd{id: alts[i].ID, text: alts[i].Text, own: own}
		raw += own
	}
	if len(alts) == 0 {
		return out
	}
	rest := max(1-raw, 0) / math.Exp(float64(alts[0].LogProb))
	weigh := func(temperature float64) {
		sum := rest
		for i := range alts {
			out[i].share = math.Exp(float64(alts[i].LogProb-alts[0].LogProb) / max(temperature, 1e-3))
			sum += out[i].share
		}
		for i := range out {
			out[i].share /= sum
		}
	}
	if t == 0 {
		weigh(1)
		for i := range out[1:] {
			out[i+1].cut = "temperature 0"
		}
		out[0].share = 1
		return out
	}
	if s.TemperatureLast {
		weigh(1)
	} else {
		weigh(t)
	}
	filter(out, s)
	if s.TemperatureLast {
		before := make([]string, len(out))
		for i := range out {
			before[i] = out[i].cut
		}
		weigh(t)
		for i := range out {
			out[i].cut = before[i]
		}
	}
	return renormalise(out)
}

// filter marks what top-k, top-p and min-p remove, in that order.
func filter(out []odd, s settings) {
	mass := 0.0
	for i := range out {
		switch {
		case s.TopK > 0 && i >= s.TopK:
			out[i].cut = fmt.Sprintf("top-k %d", s.TopK)
		case s.TopP < 1 && mass >= float64(s.TopP):
			out[i].cut = fmt.Sprintf("top-p %.2f", s.TopP)
		case out[i].share < float64(s.MinP)*out[0].share:
			out[i].cut = fmt.Sprintf("min-p %.2f", s.MinP)
		}
		mass += out[i].share
	}
}

// renormalise makes the shares of what stays a whole where something was cut;
// what was cut keeps its share from before, to compare.
func renormalise(out []odd) []odd {
	kept, any := 0.0, false
	for i := range out {
		if out[i].cut == "" {
			kept += out[i].share
		} else {
			any = true
		}
	}
	if any && kept > 0 {
		for i := range out {
			if out[i].cut == "" {
				out[i].share /= kept
			}
		}
	}
	return out
}
