package model

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// TestSplit divides every model in every way: the halves have its operations, once each, and
// its caches and states; what one gives the other takes; and the device ends it.
func TestSplit(t *testing.T) {
	divided := 0
	for name, data := range testModels(t) {
		p, err := Load(parse(t, name, data))
		if err != nil {
			t.Fatal(err)
		}
		for _, layers := range p.MayPlace() {
			for experts := range p.MostHostExperts(layers) + 1 {
				at := Placement{layers, experts}
				device, host := p.Split(at)
				checkHalves(t, name, p, device, host)
				if (len(host.Ops) == 0) != (at == Placement{Layers: p.Spec.Layers}) {
					t.Errorf("%s, %+v: the host has %d operations", name, at, len(host.Ops))
				}
				divided++
			}
		}
	}
	if divided < 100 {
		t.Errorf("%d divisions", divided)
	}
}

func checkHalves(t *testing.T, name string, p, device, host *Program) {
	t.Helper()
	given, taken, others := map[string][]string{}, map[string][]string{}, 0
	for who, half := range map[string]*Program{"device": device, "host": host} {
		for i, op := range half.Ops {
			switch op.(type) {
			case *Give:
				given[who] = append(given[who], strings.TrimPrefix(half.opText(i), "give "))
			case *Take:
				taken[who] = append(taken[who], strings.TrimPrefix(half.opText(i), "take "))
			default:
				others++
			}
		}
		if half.String() == "" || len(half.Ops) > 0 && half.Inventory().CellBytes != half.CellBytes(false) {
			t.Errorf("%s: the %s does not say what it is", name, who)
		}
	}
	if !slices.Equal(given["device"], taken["host"]) || !slices.Equal(given["host"], taken["device"]) {
		t.Errorf("%s: given %v, taken %v", name, given, taken)
	}
	for _, text := range slices.Concat(slices.Collect(maps.Values(given))...) {
		if text == "" || strings.Contains(text, ".out") || strings.Contains(text, "expert") {
			t.Errorf("%s: %q is handed over", name, text)
		}
	}
	if others != len(p.Ops) || device.CellBytes(true)+host.CellBytes(true) != p.CellBytes(true) || device.StateBytes()+host.StateBytes() != p.StateBytes() {
		t.Errorf("%s: %d of %d operations; cells of %d and %d bytes for %d, states of %d and %d for %d", name, others, len(p.Ops),
			device.CellBytes(true), host.CellBytes(true), p.CellBytes(true), device.StateBytes(), host.StateBytes(), p.StateBytes())
	}
	if n := len(device.Ops); p.opText(len(p.Ops)-1) != device.opText(n-1) {
		t.Errorf("%s: the device ends with %s", name, device.opText(n-1))
	}
}

// TestSplitHandsOver holds what crosses: the residual stream between layers, and for experts
// on the host what they and their choice read, and what they make of it.
func TestSplitHandsOver(t *testing.T) {
	for name, want := range map[string]struct {
		at           Placement
		gives, takes string
	}{
		"tiny-llama-f32":     {Placement{Layers: 1}, "", "x"},
		"tiny-qwen3moe-f32":  {Placement{Layers: 2, HostExperts: 1}, "scores, h", "y"},
		"tiny-gemma4moe-f32": {Placement{Layers: 2, HostExperts: 1}, "scores, x", "z"},
		"tiny-qwen35moe-f32": {Placement{Layers: 1}, "", "x"},
	} {
		p, err := Load(parse(t, name, testModels(t)[name]))
		if err != nil {
			t.Fatal(err)
		}
		device, host := p.Split(want.at)
		for _, half := range []*Program{device, host} {
			gives, takes := want.gives, want.takes
			if half == host {
				gives, takes = takes, gives
			}
			text := half.String()
			if strings.Contains(text, "give") != (gives != "") || !strings.Contains(text, "give "+gives) && gives != "" ||
				strings.Contains(text, "take") != (takes != "") || !strings.Contains(text, "take "+takes) && takes != "" {
				t.Errorf("%s: wanted give %q and take %q in\n%s", name, gives, takes, text)
			}
		}
		if device.WeightBytes() == 0 || host.WeightBytes() == 0 || device.WeightBytes() > p.WeightBytes()*9/10 {
			t.Errorf("%s: weights of %d and %d bytes for %d", name, device.WeightBytes(), host.WeightBytes(), p.WeightBytes())
		}
	}
}

// TestMayPlace: layers that read the keys and values of others stay with them.
func TestMayPlace(t *testing.T) {
	for name, want := range map[string][]int{"tiny-gemma4-f32": {4}, "tiny-gemma3-f32": {1, 2, 3, 4, 5, 6}, "tiny-qwen35-f32": {1, 2, 3, 4}} {
		p, err := Load(parse(t, name, testModels(t)[name]))
		if err != nil {
			t.Fatal(err)
		}
		if got := p.MayPlace(); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

// TestFetch: of the columns wanted those go over that only the other half has, and once.
func TestFetch(t *testing.T) {
	c := columns{make([]side, 10)}
	c.set(Ref{At: 0, Width: 8}, onHost)
	c.set(Ref{At: 3, Width: 2}, onDevice)
	if got := c.fetch(Ref{At: 1, Width: 9}, onDevice); !slices.Equal(got, []Ref{{At: 1, Width: 2}, {At: 5, Width: 3}}) {
		t.Errorf("first %v", got)
	}
	if got := c.fetch(Ref{At: 0, Width: 10}, onDevice); !slices.Equal(got, []Ref{{At: 0, Width: 1}}) {
		t.Errorf("then %v", got)
	}
	if got := c.fetch(Ref{At: 0, Width: 10}, onHost); !slices.Equal(got, []Ref{{At: 3, Width: 2}}) {
		t.Errorf("the host %v", got)
	}
}
