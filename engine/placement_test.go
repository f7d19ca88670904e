package engine

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/confab-tui/confab/engine/model"
)

// sizes is a model of equal layers, in GiB: what a GPU needs beside them, then for each
// layer without its experts and for its experts.
type sizes struct {
	layers, dense int // the first dense layers have no experts
	base          float64
	layer, bank   float64
}

func (s sizes) experts(layers int) int { return max(0, min(layers, s.layers-s.dense)-1) }

func (s sizes) need(at model.Placement) int64 {
	banks := min(at.Layers, s.layers-s.dense) - at.HostExperts
	return bytesOf(s.base + float64(at.Layers)*s.layer + float64(banks)*s.bank)
}

func bytesOf(gib float64) int64 { return int64(math.Round(gib * (1 << 30))) }

func TestDivide(t *testing.T) {
	plain := sizes{layers: 48, dense: 48, base: 2, layer: 0.5} // 26 GiB
	mixed := sizes{layers: 48, base: 2, layer: 0.1, bank: 0.5} // 30.8 GiB
	mixed.dense = 3
	for _, c := range []struct {
		name string
		s    sizes
		free float64
		wish int
		want model.Placement
		err  string
	}{
		{"all fits", plain, 26, -1, model.Placement{Layers: 48}, ""},
		{"a byte less", plain, 26 - 1e-9, -1, model.Placement{Layers: 47}, ""},
		{"half fits", plain, 14.2, -1, model.Placement{Layers: 24}, ""},
		{"one layer fits", plain, 2.5, -1, model.Placement{Layers: 1}, ""},
		{"nothing fits", plain, 2.4, -1, model.Placement{}, "1 of the model's layers need 2.5 GiB of the GPU, 2.4 GiB free"},
		{"fewer are wanted", plain, 80, 10, model.Placement{Layers: 10}, ""},
		{"all are wanted", plain, 80, math.MaxInt, model.Placement{Layers: 48}, ""},
		{"more than there are", plain, 80, 99, model.Placement{Layers: 48}, ""},
		{"more than fit", plain, 14.2, 30, model.Placement{}, "30 layers need 17.0 GiB of the GPU, 14.2 GiB free: lower engine.gpu-layers to 24"},
		{"more than nothing", plain, 1, 30, model.Placement{}, "1 of the model's layers need 2.5 GiB of the GPU, 1.0 GiB free"},
		{"none are wanted", plain, 80, 0, model.Placement{}, "engine.gpu-layers is 0, and the GPU takes 1 of this model's layers or none"},
		{"all experts fit", mixed, 29.5, -1, model.Placement{Layers: 48}, ""},
		{"all but some experts", mixed, 24, -1, model.Placement{Layers: 48, HostExperts: 11}, ""},
		{"no experts but the last layer's", mixed, 7.4, -1, model.Placement{Layers: 48, HostExperts: 44}, ""},
		{"not all layers", mixed, 7.2, -1, model.Placement{Layers: 47, HostExperts: 44}, ""},
		{"few layers", mixed, 3, -1, model.Placement{Layers: 5, HostExperts: 4}, ""},
		{"few wanted, with their experts", mixed, 24, 20, model.Placement{Layers: 20}, ""},
		{"few wanted, some experts", mixed, 10, 20, model.Placement{Layers: 20, HostExperts: 8}, ""},
	} {
		d := dividing{free: bytesOf(c.free), experts: c.s.experts, need: c.s.need, wish: c.wish}
		for n := range c.s.layers {
			d.layers = append(d.layers, n+1)
		}
		got, err := d.choose()
		if got != c.want || (err == nil) != (c.err == "") || err != nil && err.Error() != c.err {
			t.Errorf("%s: %+v, %v; want %+v, %q", c.name, got, err, c.want, c.err)
		}
	}
}

// Where a model may be divided in few places, the next lower is taken.
func TestDivideWhereItMay(t *testing.T) {
	s := sizes{layers: 35, dense: 35, base: 1, layer: 0.1}
	for wish, want := range map[int]int{-1: 25, 24: 23, 22: 22, 30: 0, 21: 0} {
		d := dividing{free: bytesOf(3.7), layers: []int{22, 23, 25, 30, 35}, experts: s.experts, need: s.need, wish: wish}
		if got, err := d.choose(); got.Layers != want || (err != nil) != (want == 0) {
			t.Errorf("of %d layers wanted there are %d, %v; want %d", wish, got.Layers, err, want)
		}
	}
}

func TestGPULayers(t *testing.T) {
	for text, want := range map[string]int{"": -1, "auto": -1, "all": math.MaxInt, "0": 0, "31": 31} {
		if got, err := GPULayers(text); got != want || err != nil {
			t.Errorf("%q is %d, %v; want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"some", "-1", "1.5", "all "} {
		if _, err := GPULayers(text); err == nil || !strings.Contains(err.Error(), "nor auto or all") {
			t.Errorf("%q gives %v", text, err)
		}
	}
}

func TestPlaced(t *testing.T) {
	var got []string
	for _, at := range []model.Placement{{Layers: 31, HostExperts: 20}, {Layers: 48, HostExperts: 3}, {Layers: 7}} {
		got = append(got, placed(at, 48))
	}
	if want := []string{"31 of 48 layers on the GPU, experts of 20 on the host", "48 of 48 layers on the GPU, experts of 3 on the host",
		"7 of 48 layers on the GPU"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
