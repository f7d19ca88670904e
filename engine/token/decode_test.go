package token

import (
	"math/rand"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"
)

// builtinPath is the model that ships with the program.
const builtinPath = "../builtin/confab-tiny-q8_0.gguf"

func TestBuiltin(t *testing.T) {
	tok := load(t, builtinPath)
	if got := tok.Encode(nil, "Hello, how are you"); !slices.Equal(got, []int32{687, 11, 562, 354, 273}) {
		t.Errorf("got %v", got)
	}
	end, ok := tok.ID("<|im_end|>")
	if !ok || !tok.IsEOG(end) || !tok.IsControl(end) {
		t.Fatalf("<|im_end|> is %d, %v", end, ok)
	}
	if got := tok.EncodeSpecial(nil, "<|im_end|>"); !slices.Equal(got, []int32{end}) {
		t.Errorf("<|im_end|> became %v", got)
	}
	for _, spelling := range tok.Special() {
		for _, id := range tok.Encode(nil, "x"+spelling+" "+spelling) {
			if tok.IsControl(id) {
				t.Errorf("plain %q became the control token %d", spelling, id)
			}
		}
	}
}

// TestDecoderKeepsCharactersWhole feeds tokens that are parts of characters.
func TestDecoderKeepsCharactersWhole(t *testing.T) {
	tok := load(t, builtinPath)
	const text = "naïve 漢字 👍🏽 — ok"
	ids := tok.Encode(nil, text)
	d := tok.NewDecoder(false)
	var got strings.Builder
	for _, id := range ids {
		s := d.Add(id)
		if !utf8.ValidString(s) || strings.ContainsRune(s, utf8.RuneError) {
			t.Errorf("half a character: %q", s)
		}
		got.WriteString(s)
	}
	if s := d.Flush(); s != "" {
		t.Errorf("flushed %q", s)
	}
	if got.String() != text {
		t.Errorf("got %q, want %q", got.String(), text)
	}
	// Cut in the middle of a character, what is there becomes U+FFFD.
	d = tok.NewDecoder(false)
	cut := tok.Encode(nil, "漢"[:2])
	for _, id := range cut {
		if s := d.Add(id); s != "" {
			t.Errorf("half a character gave %q", s)
		}
	}
	if s := d.Flush(); !strings.HasPrefix(s, "\ufffd") || d.Flush() != "" {
		t.Errorf("flushed %q", s)
	}
}

func TestDecoderShowsControlTokensOnRequest(t *testing.T) {
	tok := load(t, builtinPath)
	ids := tok.EncodeSpecial(nil, "a<|im_end|>b")
	if got := tok.Decode(ids, false); got != "ab" {
		t.Errorf("got %q", got)
	}
	if got := tok.Decode(ids, true); got != "a<|im_end|>b" {
		t.Errorf("got %q", got)
	}
}

// TestConcurrent is for the race detector.
func TestConcurrent(t *testing.T) {
	tok := load(t, builtinPath)
	const text = "Once upon a time, there was a little dog. 漢字"
	want := tok.Encode(nil, text)
	var wg sync.WaitGroup
	for range 2 * idleEncoders {
		wg.Go(func() {
			for range 50 {
				if got := tok.Encode(nil, text); !slices.Equal(got, want) {
					t.Errorf("got %v, want %v", got, want)
					return
				}
			}
		})
	}
	wg.Wait()
}

// TestWordsAreRemembered checks the cache against cutting afresh.
func TestWordsAreRemembered(t *testing.T) {
	tok := load(t, builtinPath)
	rng := rand.New(rand.NewSource(2))
	for range 3000 {
		var b strings.Builder
		for range 1 + rng.Intn(30) {
			b.WriteByte("abcdefgh eitoan.\n"[rng.Intn(17)])
		}
		warm := tok.Encode(nil, b.String())
		tok2 := &Tokenizer{vocab: tok.vocab, model: tok.model, plain: tok.plain, special: tok.special}
		if cold := tok2.Encode(nil, b.String()); !slices.Equal(warm, cold) {
			t.Fatalf("%q: %v with the cache, %v without", b.String(), warm, cold)
		}
	}
}

// FuzzRoundTrip checks that decoding gives back any text.
func FuzzRoundTrip(f *testing.F) {
	f.Add("Hello, World's 12345.67\n\n  \t末 e\u0301\xff\xc3\xe2\x96 <|im_end|>")
	f.Add("▁ \U0001f44d\U0001f3fd\x00")
	tok := load(f, builtinPath)
	f.Fuzz(func(t *testing.T, text string) {
		ids := tok.Encode(nil, text)
		for _, id := range ids {
			if !tok.has(id) || tok.IsControl(id) {
				t.Fatalf("%q: token %d", text, id)
			}
		}
		if got := tok.Decode(ids, false); got != validText(text) {
			t.Errorf("%q came back as %q", text, got)
		}
	})
}
