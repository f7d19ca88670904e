package model

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"testing"
)

// tablesOf lists the rotary tables of each layer's queries, nil for a layer without.
func tablesOf(p *Program) []*Rotary {
	var tables []*Rotary
	for layer := range p.Spec.Layers {
		var table *Rotary
		for _, op := range p.Ops[p.Layers[layer]:p.Layers[layer+1]] {
			if r, ok := op.(*Rope); ok {
				table = r.Table
			}
		}
		tables = append(tables, table)
	}
	return tables
}

func tables(t *testing.T, name string, context int) []*Rotary {
	t.Helper()
	return tablesOf(must(LoadFor(parse(t, name, testModels(t)[name]), context)))
}

// plainFreq is the frequency of a pair before anything scales it.
func plainFreq(base float64, pair, turned int) float64 {
	return math.Pow(base, -2*float64(pair)/float64(turned))
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-6*math.Abs(b) }

// setFloat changes a number of 32 bits in a file.
func setFloat(t *testing.T, data []byte, key string, v float32) []byte {
	t.Helper()
	at := bytes.Index(data, append(binary.LittleEndian.AppendUint64(nil, uint64(len(key))), key...))
	if at < 0 {
		t.Fatalf("the file has no %s", key)
	}
	out := bytes.Clone(data)
	binary.LittleEndian.PutUint32(out[at+8+len(key)+4:], math.Float32bits(v))
	return out
}

// TestLinear: gemma3's full layers turn 8 times slower, its sliding ones by another base.
func TestLinear(t *testing.T) {
	name := "tiny-gemma3-f32"
	f := parse(t, name, testModels(t)[name])
	base, _ := f.Float("gemma3.rope.freq_base")
	all := tables(t, name, 0)
	for i := range all[5].Freqs {
		n := 2 * len(all[5].Freqs)
		if full, slide := all[5].Freqs[i], all[0].Freqs[i]; !near(8*full, plainFreq(base, i, n)) || !near(slide, plainFreq(10000, i, n)) {
			t.Errorf("pair %d turns by %g in full layers and by %g in sliding ones", i, full, slide)
		}
	}
}

// TestOtherBase is what NTK scaling comes down to: a larger base.
func TestOtherBase(t *testing.T) {
	name := "tiny-qwen3-f32"
	data := setFloat(t, testModels(t)[name], "qwen3.rope.freq_base", 5e6)
	for _, r := range tablesOf(must(Load(parse(t, name, data)))) {
		for i, freq := range r.Freqs {
			if !near(freq, plainFreq(5e6, i, 2*len(r.Freqs))) {
				t.Errorf("pair %d turns by %g", i, freq)
			}
		}
	}
}

// TestYaRN: fast pairs turn as they did, slow ones by the factor slower, none faster or
// slower than that, and what is turned is sharpened.
func TestYaRN(t *testing.T) {
	name := "tiny-gpt-oss-f32"
	f := parse(t, name, testModels(t)[name])
	base, _ := f.Float("gpt-oss.rope.freq_base")
	factor, _ := f.Float("gpt-oss.rope.scaling.factor")
	if factor != 32 {
		t.Fatalf("the factor is %g", factor)
	}
	r := tables(t, name, 0)[0]
	n := len(r.Freqs)
	for i, freq := range r.Freqs {
		plain := plainFreq(base, i, 2*n)
		if freq > plain*(1+1e-9) || freq < plain/factor*(1-1e-9) {
			t.Errorf("pair %d turns by %g, before by %g", i, freq, plain)
		}
	}
	if last := plainFreq(base, n-1, 2*n); !near(r.Freqs[0], 1) || !near(r.Freqs[n-1], last/factor) {
		t.Errorf("the fastest pair turns by %g, the slowest by %g", r.Freqs[0], r.Freqs[n-1])
	}
	if want := 1 + 0.1*math.Log(factor); !near(float64(r.Magnitude), want) {
		t.Errorf("sharpened by %g, want %g", r.Magnitude, want)
	}
}

// TestLongRoPE: the file's long divisors beyond the context first trained for, in part of
// a head.
func TestLongRoPE(t *testing.T) {
	name := "tiny-phi3-f32"
	f := parse(t, name, testModels(t)[name])
	base, ok := f.Float("phi3.rope.freq_base")
	if !ok {
		base = 10000
	}
	for context, tensor := range map[int]string{0: "rope_factors_short.weight", 5000: "rope_factors_long.weight"} {
		by := f.Tensor(tensor)
		for _, r := range tables(t, name, context) {
			if r.Dim != 32 || len(r.Freqs) != 12 {
				t.Fatalf("%d pairs of %d values turn", len(r.Freqs), r.Dim)
			}
			for i, freq := range r.Freqs {
				divisor := float64(math.Float32frombits(binary.LittleEndian.Uint32(by.Data[4*i:])))
				if !near(freq, plainFreq(base, i, 24)/divisor) {
					t.Errorf("%s: pair %d turns by %g", tensor, i, freq)
				}
			}
			if math.Abs(float64(r.Magnitude)-1.19) > 0.005 {
				t.Errorf("sharpened by %g", r.Magnitude)
			}
		}
	}
}

// TestWhichLayersTurn: families leave rotary positions out, pair values in two ways, and
// slide, in the layers that they should.
func TestWhichLayersTurn(t *testing.T) {
	const none, halves, neighbours = "-", "h", "n"
	for name, want := range map[string]string{
		"tiny-llama-f32": "nn", "tiny-qwen2-f32": "hh", "tiny-qwen3-f32": "hhh", "tiny-glm4-f32": "nn", "tiny-smollm3-f32": "nnn-",
		"tiny-mistral3-f32": "nn", "tiny-phi3-f32": "hh", "tiny-gemma2-f32": "hh",
	} {
		got := ""
		for _, r := range tables(t, name, 0) {
			switch {
			case r == nil:
				got += none
			case r.Interleaved:
				got += neighbours
			default:
				got += halves
			}
		}
		if got != want {
			t.Errorf("%s: layers turn %q, want %q", name, got, want)
		}
	}
	// Muse's positions turn where it slides, and nowhere else.
	name := "tiny-muse-glimmer-f32"
	p := must(Load(parse(t, name, testModels(t)[name])))
	for layer, r := range tablesOf(p) {
		if slides := p.Caches[layer].Window > 0; slides != (r != nil) {
			t.Errorf("%s: layer %d slides: %v, turns: %v", name, layer, slides, r != nil)
		}
	}
}

// TestYaRNBlend: half of the blend leaves fast pairs halfway between as they were and slow;
// none slows all of them, and magnitudes are the file's.
func TestYaRNBlend(t *testing.T) {
	name := "tiny-mistral3-f32"
	const factor, turned = 16, 32
	table := func(blend float64) *Rotary {
		b := &builder{f: parse(t, name, testModels(t)[name]), arch: "mistral3", p: &Program{}, asked: map[string]bool{}}
		r := &Rotary{Magnitude: 3, Freqs: make([]float64, turned/2)}
		for i := range r.Freqs {
			r.Freqs[i] = plainFreq(10000, i, turned)
		}
		if b.yarn(r, factor, blend, rotary{turned: turned, base: 10000}); b.err != nil {
			t.Fatal(b.err)
		}
		return r
	}
	none, half, whole := table(0), table(0.5), table(1)
	for i, f := range half.Freqs {
		if slow := plainFreq(10000, i, turned) / factor; !near(none.Freqs[i], slow) || !near(f, (slow+whole.Freqs[i])/2) {
			t.Errorf("pair %d turns by %g, %g and %g", i, none.Freqs[i], f, whole.Freqs[i])
		}
	}
	if none.Magnitude != 3 || whole.Freqs[0] != 1 {
		t.Errorf("magnitude %g, the fastest pair turns by %g", none.Magnitude, whole.Freqs[0])
	}
}

// TestSections: a pair that goes by a fourth place would stand still in a text.
func TestSections(t *testing.T) {
	for _, name := range []string{"tiny-qwen35-f32", "tiny-qwen35moe-f32"} {
		p := must(Load(parse(t, name, testModels(t)[name])))
		key := p.Spec.Arch + ".rope.dimension_sections"
		if slices.Contains(p.Inventory().UnusedKeys, key) {
			t.Errorf("%s: %s counts as unused", name, key)
		}
		list, _ := p.File.Ints(key)
		array := func(list ...int64) []byte {
			out := binary.LittleEndian.AppendUint64([]byte{5, 0, 0, 0}, uint64(len(list)))
			for _, n := range list {
				out = binary.LittleEndian.AppendUint32(out, uint32(n))
			}
			return out
		}
		was := testModels(t)[name]
		for _, c := range []struct {
			sections []int64
			refused  string
		}{{[]int64{3, 3, 3, 0}, ""}, {[]int64{3, 2, 2, 1}, "pair 7 goes by none"}, {[]int64{8, 0, 0, 0}, "pair 1 goes by none"}, {[]int64{0, 0, 0, 0}, "wanted three or four"}} {
			_, err := Load(parse(t, name, bytes.Replace(was, array(list...), array(c.sections...), 1)))
			if (err == nil) != (c.refused == "") || err != nil && !strings.Contains(err.Error(), c.refused) {
				t.Errorf("%s with sections %v: %v, want %q", name, c.sections, err, c.refused)
			}
		}
	}
}
