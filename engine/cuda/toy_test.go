//go:build cuda

package cuda

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/confab-tui/confab/engine/gguf"
	"github.com/confab-tui/confab/engine/model"
	"github.com/confab-tui/confab/kernels"
)

// The toy's token t is followed by successor(t), whatever stands before it: its
// embedding is a scaled identity and its head a permutation, and layers of small
// random weights add to every logit far less than the lead.
const (
	toyVocab   = 250
	toyDim     = 256
	toyContext = 8192
)

func successor(t int32) int32 { return (t*7 + 3) % toyVocab }

// writer makes a GGUF file.
type writer struct {
	head, directory, data bytes.Buffer
	keys, tensors         uint64
	half                  bool
}

func (w *writer) text(b *bytes.Buffer, s string) {
	binary.Write(b, binary.LittleEndian, uint64(len(s)))
	b.WriteString(s)
}

func (w *writer) key(name string, kind uint32, value any) {
	w.keys++
	w.text(&w.head, name)
	binary.Write(&w.head, binary.LittleEndian, kind)
	if s, ok := value.(string); ok {
		w.text(&w.head, s)
		return
	}
	binary.Write(&w.head, binary.LittleEndian, value)
}

func (w *writer) tensor(name string, x []float32, shape ...uint64) {
	w.tensors++
	w.text(&w.directory, name)
	typ := uint32(0)
	if w.half && len(shape) > 1 {
		typ = 1
	}
	binary.Write(&w.directory, binary.LittleEndian, uint32(len(shape)))
	binary.Write(&w.directory, binary.LittleEndian, shape)
	binary.Write(&w.directory, binary.LittleEndian, typ)
	binary.Write(&w.directory, binary.LittleEndian, uint64(w.data.Len()))
	for _, v := range x {
		if typ == 1 {
			binary.Write(&w.data, binary.LittleEndian, kernels.F32ToF16(v))
		} else {
			binary.Write(&w.data, binary.LittleEndian, math.Float32bits(v))
		}
	}
	for w.data.Len()%32 != 0 {
		w.data.WriteByte(0)
	}
}

func (w *writer) bytes() []byte {
	var b bytes.Buffer
	b.WriteString("GGUF")
	binary.Write(&b, binary.LittleEndian, uint32(3))
	binary.Write(&b, binary.LittleEndian, [2]uint64{w.tensors, w.keys})
	b.Write(w.head.Bytes())
	b.Write(w.directory.Bytes())
	for b.Len()%32 != 0 {
		b.WriteByte(0)
	}
	b.Write(w.data.Bytes())
	return b.Bytes()
}

// toy makes the toy's program.
func toy(t testing.TB, half bool) *model.Program {
	t.Helper()
	const layers, heads, kv, dim, ff = 2, 4, 2, 64, 128
	w := &writer{half: half}
	w.key("general.architecture", 8, "llama")
	for name, v := range map[string]uint32{"block_count": layers, "context_length": toyContext, "embedding_length": toyDim,
		"feed_forward_length": ff, "attention.head_count": heads, "attention.head_count_kv": kv, "attention.key_length": dim,
		"attention.value_length": dim, "rope.dimension_count": dim, "vocab_size": toyVocab} {
		w.key("llama."+name, 4, v)
	}
	w.key("llama.attention.layer_norm_rms_epsilon", 6, float32(1e-5))
	w.key("llama.rope.freq_base", 6, float32(1e4))
	w.key("tokenizer.ggml.model", 8, "none")
	r := rand.New(rand.NewPCG(5, 6))
	random := func(n int, by float32) []float32 {
		x := make([]float32, n)
		for i := range x {
			x[i] = float32(r.NormFloat64()) * by
		}
		return x
	}
	ones := make([]float32, toyDim)
	for i := range ones {
		ones[i] = 1
	}
	embed, head := make([]float32, toyVocab*toyDim), make([]float32, toyVocab*toyDim)
	for i := range int32(toyVocab) {
		embed[int(i)*toyDim+int(i)] = 8
		head[int(successor(i))*toyDim+int(i)] = 1
	}
	w.tensor("token_embd.weight", embed, toyDim, toyVocab)
	w.tensor("output_norm.weight", ones, toyDim)
	w.tensor("output.weight", head, toyDim, toyVocab)
	for i := range layers {
		p := "blk." + string(rune('0'+i)) + "."
		w.tensor(p+"attn_norm.weight", ones, toyDim)
		w.tensor(p+"attn_q.weight", random(toyDim*heads*dim, 0.1), toyDim, heads*dim)
		w.tensor(p+"attn_k.weight", random(toyDim*kv*dim, 0.1), toyDim, kv*dim)
		w.tensor(p+"attn_v.weight", random(toyDim*kv*dim, 0.1), toyDim, kv*dim)
		w.tensor(p+"attn_output.weight", random(heads*dim*toyDim, 0.02), heads*dim, toyDim)
		w.tensor(p+"ffn_norm.weight", ones, toyDim)
		w.tensor(p+"ffn_gate.weight", random(toyDim*ff, 0.05), toyDim, ff)
		w.tensor(p+"ffn_up.weight", random(toyDim*ff, 0.05), toyDim, ff)
		w.tensor(p+"ffn_down.weight", random(ff*toyDim, 0.02), ff, toyDim)
	}
	f, err := gguf.Parse("toy", w.bytes())
	if err != nil {
		t.Fatal(err)
	}
	p, err := model.Load(f)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// goOn checks that what follows some tokens is the toy's text.
func goOn(t *testing.T, e runner, n, more int) {
	t.Helper()
	s := newSequence(n + more)
	tokens := prompt(rand.New(rand.NewPCG(uint64(n), 1)), n, toyVocab)
	for range more {
		last := tokens[len(tokens)-1]
		res, err := e.Run(s.step(tokens, len(s.tokens)+len(tokens)-1))
		if err != nil {
			t.Fatal(err)
		}
		got := res.Outputs[0].Tokens[0].ID
		if got != successor(last) {
			t.Fatalf("after %d tokens, the last %d, comes %d, want %d", len(s.tokens), last, got, successor(last))
		}
		tokens = []int32{got}
	}
}

// A model whose margins are wide says exactly what it must.
func TestToyText(t *testing.T) {
	for _, half := range []bool{false, true} {
		p := toy(t, half)
		for _, e := range []runner{startCPU(t, p, 600), start(t, p, Options{Cells: 600}), start(t, p, Options{Cells: 600, Eager: true})} {
			for _, n := range []int{1, 3, 7, 20, 65, 200} {
				goOn(t, e, n, 200)
			}
		}
	}
}

// The widest step is 4,096 rows; of 4,097 the last runs in a step of its own, as the
// engine cuts them. Fewer buffers cut a step inside.
func TestWidestStep(t *testing.T) {
	p := toy(t, true)
	e := start(t, p, Options{Cells: 4200})
	tokens := prompt(rand.New(rand.NewPCG(1, 9)), MaxRows+1, toyVocab)
	if _, err := e.Run(newSequence(MaxRows + 1).step(tokens)); err == nil {
		t.Errorf("a step of %d rows was run", MaxRows+1)
	}
	for _, rows := range []int{MaxRows, 512, 100} {
		e.rows = rows
		s := newSequence(MaxRows + 1)
		for _, part := range [][]int32{tokens[:MaxRows], tokens[MaxRows:]} {
			first := len(s.tokens)
			var outs []int
			for i := first; i < first+len(part); i += 37 {
				outs = append(outs, i)
			}
			res, err := e.Run(s.step(part, outs...))
			if err != nil {
				t.Fatal(err)
			}
			if len(res.Outputs) != len(outs) {
				t.Fatalf("%d outputs, want %d", len(res.Outputs), len(outs))
			}
			for k, pos := range outs {
				if got := res.Outputs[k].Tokens[0].ID; got != successor(tokens[pos]) {
					t.Fatalf("in slices of %d rows, position %d: token %d, want %d", rows, pos, got, successor(tokens[pos]))
				}
			}
		}
	}
}
