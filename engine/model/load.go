package model

import (
	"fmt"
	"slices"
	"strings"

	"github.com/confab-tui/confab/engine/gguf"
)

// families are the architectures that Load knows, by general.architecture.
var families = map[string]func(*builder){
	"deepseek2":    deepseek2,
	"exaone4":      exaone4,
	"gemma2":       gemma2,
	"gemma3":       gemma3,
	"gemma4":       gemma4,
	"glm4":         glm4,
	"glm4moe":      glm4moe,
	"gpt-oss":      gptOSS,
	"gpt2":         gpt2,
	"granite":      granite,
	"granitemoe":   granite,
	"lfm2":         lfm2,
	"lfm2moe":      lfm2,
	"llama":        llama,
	"mistral3":     mistral3,
	"muse-glimmer": museGlimmer,
	"nemotron":     nemotron,
	"olmo2":        olmo2,
	"phi3":         phi3,
	"qwen2":        qwen2,
	"qwen3":        qwen3,
	"qwen35":       qwen35,
	"qwen35moe":    qwen35,
	"qwen3moe":     qwen3moe,
	"smollm3":      smollm3,
}

// Load reads the Spec, binds and checks every weight, and lists the operations.
func Load(f *gguf.File) (*Program, error) { return LoadFor(f, 0) }

// LoadFor is Load for conversations of up to so many positions, 0 leaving it to the
// model. A few models (Phi 3) compute positions differently beyond the context that they
// were first trained for, from the first position on: without a wish they are loaded for
// that context, and Spec.Context says so.
func LoadFor(f *gguf.File, context int) (*Program, error) {
	arch, ok := f.String("general.architecture")
	if !ok {
		return nil, fmt.Errorf("model: %s has no general.architecture: it is not a language model", f.Path)
	}
	family := families[arch]
	if family == nil {
		return nil, fmt.Errorf("model: architecture %q is not supported; these are: %s", arch, strings.Join(Architectures(), ", "))
	}
	b := &builder{f: f, arch: arch, context: context, p: &Program{File: f}, used: map[string]bool{}, asked: map[string]bool{}}
	b.readSpec()
	if b.err == nil {
		family(b)
		b.refuseKeys()
	}
	if b.err != nil {
		return nil, fmt.Errorf("model: %s: %w", f.Path, b.err)
	}
	b.p.used, b.p.unasked = b.used, b.unasked()
	b.finish()
	return b.p, nil
}

// Architectures lists what Load knows, sorted.
func Architectures() []string {
	var names []string
	for name := range families {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// These are more than any model has. Routing keeps a bit for each group.
const mostLayers, mostHeads, mostGroups = 4096, 4096, 64

// readSpec reads the sizes that all families share.
func (b *builder) readSpec() {
	s := &b.p.Spec
	s.Arch = b.arch
	s.Name, _ = b.f.String("general.name")
	b.key("vocab_size") // as many as there are embeddings
	s.Context = b.int("context_length")
	s.Width = b.int("embedding_length")
	// Layers that predict tokens further ahead come last, and are not run.
	s.Layers = b.int("block_count") - b.intOr("nextn_predict_layers", 0)
	b.check(s.Layers > 0 && s.Layers <= mostLayers, "has %d layers; wanted 1 to %d", s.Layers, mostLayers)
	s.Heads = b.int("attention.head_count")
	b.check(s.Heads > 0 && s.Heads <= mostHeads, "has %d attention heads; wanted 1 to %d", s.Heads, mostHeads)
	if b.err != nil {
		return
	}
	for _, n := range slices.Backward(b.layerInts("attention.head_count_kv", s.Heads)) {
		if n > 0 { // recurrent layers have none
			s.KVHeads = n
		}
	}
	if b.err != nil {
		return
	}
	s.KeyDim = b.intOr("attention.key_length", s.Width/s.Heads)
	s.ValueDim = b.intOr("attention.value_length", s.Width/s.Heads)
	s.Hidden = b.layerInts("feed_forward_length", 0)[0]
	s.Experts = b.intOr("expert_count", 0)
	if s.Experts > 0 {
		s.ExpertsUsed = b.int("expert_used_count")
		s.Hidden = b.intOr("expert_feed_forward_length", s.Hidden)
		b.check(s.ExpertsUsed > 0 && s.ExpertsUsed <= s.Experts, "expert_used_count is %d of %d experts", s.ExpertsUsed, s.Experts)
	}
	s.Eps = b.floatOr("attention.layer_norm_rms_epsilon", b.floatOr("attention.layer_norm_epsilon", 0))
	b.check(s.Eps > 0, "no epsilon for its norms (attention.layer_norm_rms_epsilon)")
	if t := b.f.Tensor("token_embd.weight"); t != nil && len(t.Shape) == 2 {
		s.Vocab = t.Shape[1]
	}
	for _, t := range b.f.Tensors() {
		s.Params += int64(t.Len())
	}
	for _, n := range []struct {
		value int
		of    string
	}{{s.Width, "embedding_length"}, {s.KVHeads, "attention.head_count_kv"}, {s.KeyDim, "attention.key_length"},
		{s.ValueDim, "attention.value_length"}, {s.Context, "context_length"}, {s.Hidden, "feed_forward_length"}} {
		b.check(n.value > 0, "%s.%s is 0", b.arch, n.of)
	}
}
