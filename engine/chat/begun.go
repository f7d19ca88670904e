package chat

import (
	"slices"
	"strings"
)

// begun is what of the prompt lies behind the header of the answer: the end of
// the generation prompt and the unfinished answer. The header is found by its control
// tokens, which no text can spell, or, where it has none, by its text.
func (t *Template) begun(prompt []int32) []int32 {
	header, err := t.generationPrompt(Options{})
	if err != nil {
		return nil
	}
	for _, m := range []string{t.format.open, t.format.close} {
		header, _, _ = strings.Cut(header, m)
	}
	ids := t.tokens.EncodeSpecial(nil, header)
	first, behind := 0, 0
	for i := range ids {
		if t.tokens.IsControl(ids[i]) {
			if behind == 0 {
				first = i
			}
			behind = i + 1
		}
	}
	after := t.tokens.Decode(ids[behind:], true)
	ids = ids[first:behind]
	for i := len(prompt) - len(ids); i >= 0; i-- {
		if !slices.Equal(prompt[i:i+len(ids)], ids) {
			continue
		}
		if rest, ok := t.without(prompt[i+len(ids):], after); ok {
			return rest
		}
	}
	return nil
}

// without drops the ids at the beginning that spell the text, if they do.
func (t *Template) without(ids []int32, text string) ([]int32, bool) {
	for n := 0; ; n++ {
		got := t.tokens.Decode(ids[:n], true)
		if got == text {
			return ids[n:], true
		}
		if n == len(ids) || !strings.HasPrefix(text, got) {
			return nil, false
		}
	}
}
