package model

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/confab-tui/confab/engine/gguf"
)

var update = flag.Bool("update", false, "write the printed programs of testdata anew")

const models = "../../testdata/models"

// testModels lists the small models by name.
func testModels(t testing.TB) map[string][]byte {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(models, "*.gguf"))
	if err != nil {
		t.Fatal(err)
	}
	if len(paths) == 0 {
		t.Fatalf("no models in %s", models)
	}
	out := map[string][]byte{}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		out[strings.TrimSuffix(filepath.Base(path), ".gguf")] = data
	}
	return out
}

func parse(t testing.TB, name string, data []byte) *gguf.File {
	t.Helper()
	f, err := gguf.Parse(name, data)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestPrograms holds what programs print, and that they use every tensor of their file.
func TestPrograms(t *testing.T) {
	archs := map[string]bool{}
	for name, data := range testModels(t) {
		p, err := Load(parse(t, name, data))
		if err != nil {
			t.Error(err)
			continue
		}
		archs[p.Spec.Arch] = true
		beyond := layerName(p.Spec.Layers, "") // of layers that predict further ahead
		for _, unused := range p.Inventory().Unused {
			if !strings.HasPrefix(unused, beyond) {
				t.Errorf("%s: no operation reads %s", name, unused)
			}
		}
		path := filepath.Join("testdata", name+".txt")
		if *update {
			if err := os.WriteFile(path, []byte(p.String()), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		checkLines(t, name, p.String(), string(want))
	}
	for _, arch := range Architectures() {
		if !archs[arch] && arch != "gpt2" {
			t.Errorf("no small model has architecture %s", arch)
		}
	}
	for _, golden := range must(filepath.Glob("testdata/*.txt")) {
		if _, err := os.Stat(filepath.Join(models, strings.TrimSuffix(filepath.Base(golden), ".txt")+".gguf")); err != nil {
			t.Errorf("%s belongs to no model", golden)
		}
	}
}

// checkLines reports the first line that differs.
func checkLines(t *testing.T, name, got, want string) {
	t.Helper()
	lines := strings.Split(want, "\n")
	for i, line := range strings.Split(got, "\n") {
		if i >= len(lines) || line != lines[i] {
			t.Errorf("%s: line %d is\n%s\nwant\n%s", name, i+1, line, lines[min(i, len(lines)-1)])
			return
		}
	}
	if got != want {
		t.Errorf("%s: the text ends early", name)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// TestRefusals spoils files in one place; the error must name what is wrong.
func TestRefusals(t *testing.T) {
	all := testModels(t)
	for _, c := range []struct {
		model, from, to string
		spoil           func(*gguf.File)
		want            []string
	}{
		{model: "tiny-llama-f32", from: "\x05\x00\x00\x00\x00\x00\x00\x00llama", to: "\x05\x00\x00\x00\x00\x00\x00\x00lamma",
			want: []string{`"lamma"`, "qwen3moe"}},
		{model: "tiny-llama-f32", from: "general.architecture", to: "general.architectura", want: []string{"no general.architecture"}},
		{model: "tiny-llama-f32", from: "blk.1.ffn_up.weight", to: "blk.1.ffn_ap.weight",
			want: []string{"blk.1.ffn_up.weight", "missing", "[64 96]"}},
		{model: "tiny-llama-f32", from: "llama.block_count", to: "llama.block_caunt", want: []string{"llama.block_count", "missing"}},
		{model: "tiny-llama-f32", from: "llama.attention.head_count\x04\x00\x00\x00\x04\x00\x00\x00", to: "llama.attention.head_count\x04\x00\x00\x00\x04\x00\x00\x01",
			want: []string{"16777220 attention heads", "4096"}},
		{model: "tiny-deepseek2-f32", from: "deepseek2.expert_group_count\x04\x00\x00\x00\x04", to: "deepseek2.expert_group_count\x04\x00\x00\x00\x41",
			want: []string{"expert_group_count is 65", "64"}},
		{model: "tiny-mistral3-f32", from: "\x04\x00\x00\x00\x00\x00\x00\x00yarn", to: "\x04\x00\x00\x00\x00\x00\x00\x00warn",
			want: []string{`"warn"`, "linear"}},
		{model: "tiny-qwen3-f32", spoil: func(f *gguf.File) { f.Tensor("blk.0.attn_k.weight").Shape = []int{64, 32} },
			want: []string{"blk.0.attn_k.weight", "[64 32]", "[64 64]"}},
		{model: "tiny-qwen3-f32", spoil: func(f *gguf.File) { f.Tensor("blk.2.attn_norm.weight").Type = gguf.Q8_0 },
			want: []string{"blk.2.attn_norm.weight", "Q8_0", "F32"}},
		{model: "tiny-gemma2-f32", from: "tokenizer.ggml.add_bos_token", to: "gemma2.use_parallel_residual",
			want: []string{"gemma2.use_parallel_residual is true", "not supported"}},
		{model: "tiny-llama-f32", from: "general.quantization_version", to: "llama.rescale_every_n_layers",
			want: []string{"llama.rescale_every_n_layers is 2", "not supported"}},
		{model: "tiny-qwen3moe-f32", spoil: func(f *gguf.File) { f.Tensor("blk.1.ffn_down_exps.weight").Shape = []int{48, 64, 3} },
			want: []string{"blk.1.ffn_down_exps.weight", "[48 64 3]", "[48 64 4]"}},
	} {
		data := bytes.Clone(all[c.model])
		if c.from != "" {
			if !bytes.Contains(data, []byte(c.from)) {
				t.Fatalf("%s does not have %q", c.model, c.from)
			}
			data = bytes.Replace(data, []byte(c.from), []byte(c.to), 1)
		}
		f := parse(t, c.model, data)
		if c.spoil != nil {
			c.spoil(f)
		}
		_, err := Load(f)
		for _, want := range c.want {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: error is %v; want %s in it", c.model, err, want)
			}
		}
	}
}

// TestInventory counts a file by hand.
func TestInventory(t *testing.T) {
	p := must(Load(parse(t, "tiny-llama-q4_k_m", testModels(t)["tiny-llama-q4_k_m"])))
	v := p.Inventory()
	var bytes, values int64
	for i, of := range v.Types {
		bytes += of.Bytes
		values += of.Values
		if i > 0 && of.Bytes > v.Types[i-1].Bytes {
			t.Errorf("%v is larger than %v before it", of, v.Types[i-1])
		}
	}
	if bytes != p.WeightBytes() || values != p.Spec.Params {
		t.Errorf("%d bytes and %d values; the program has %d and %d", bytes, values, p.WeightBytes(), p.Spec.Params)
	}
	// Two layers with two heads of 64 keys and 64 values each.
	if want := int64(2 * 2 * 128 * 2); v.CellBytes != want || p.CellBytes(true) != 2*want {
		t.Errorf("a cell takes %d or %d bytes, want %d", v.CellBytes, p.CellBytes(true), want)
	}
}

// TestLongContext checks that phi3 chooses its rotary factors by the context wanted.
func TestLongContext(t *testing.T) {
	data := testModels(t)["tiny-phi3-f32"]
	for context, want := range map[int]struct {
		factors string
		context int
	}{0: {"short", 4096}, 4096: {"short", 4096}, 5000: {"long", 8192}} {
		p := must(LoadFor(parse(t, "tiny-phi3-f32", data), context))
		if p.Spec.Context != want.context || !strings.Contains(p.String(), "rope_factors_"+want.factors) {
			t.Errorf("for %d positions: context %d, want %d with %s factors", context, p.Spec.Context, want.context, want.factors)
		}
	}
}

// TestMatrixBytes gathers rows that do not lie together.
func TestMatrixBytes(t *testing.T) {
	data := make([]byte, 2*6*4)
	for i := range data {
		data[i] = byte(i / 4) // one number a row: rows of one F32
	}
	tensor := &gguf.Tensor{Name: "w", Type: gguf.F32, Shape: []int{1, 6, 2}, Data: data}
	whole := &Matrix{Tensor: tensor, Rows: 6, K: 1, Experts: 2, Spans: []Span{{0, 6}}}
	for _, c := range []struct {
		spans []Span
		want  [2][]byte
	}{
		{[]Span{{2, 3}}, [2][]byte{{2, 3, 4}, {8, 9, 10}}},
		{[]Span{{4, 2}, {0, 1}}, [2][]byte{{4, 5, 0}, {10, 11, 6}}},
	} {
		for expert, want := range c.want {
			var got []byte
			for b := range slices.Chunk(whole.part(c.spans...).Bytes(expert), 4) {
				got = append(got, b[0])
			}
			if !slices.Equal(got, want) {
				t.Errorf("spans %v of expert %d: rows %v, want %v", c.spans, expert, got, want)
			}
		}
	}
}
