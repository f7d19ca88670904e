package token

import (
	"math/rand"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The patterns as the makers of the vocabularies published them, but for white
// space at the end of a pattern, \s+(?!\S)|\s+, which is the group last.
const (
	white       = `[\t-\r \x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}]`
	notWhiteNor = `[^\t-\r \x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}`
	last        = `|(` + white + `+)`
	gpt2Words   = `'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?` + notWhiteNor + `\p{L}\p{N}]+` + last
	contracted  = `(?i:'[st]|'re|'ve|'m|'ll|'d)`
	lineTail    = `|` + white + `*[\r\n]+` + last
	chinese     = `[一-龥\x{800}-一가-\x{d7ff}]+`
)

func llama3Words(letters, digits, tail string) string {
	return contracted + `|[^\r\n\p{L}\p{N}]?[` + letters + `]+|\p{N}` + digits + `| ?` + notWhiteNor + letters + `\p{N}]+` + tail + lineTail
}

func gpt4oWords(suffix, digits string) string {
	const first = `[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]`
	const then = `[\p{Ll}\p{Lm}\p{Lo}\p{M}]`
	return first + `*` + then + `+` + suffix + `|` + first + `+` + then + `*` + suffix + `|\p{N}` + digits +
		`| ?` + notWhiteNor + `\p{L}\p{N}]+[\r\n/]*` + lineTail
}

// published are the patterns of the rules.
var published = map[string][]string{
	"default":        {`[\p{P}$+<=>^~|]+`, gpt2Words, `\p{N}+`, `[0-9][0-9][0-9]`},
	"falcon":         {"[\\p{P}$+<=>^~|`]+", gpt2Words, `[0-9][0-9][0-9]`},
	"gpt-2":          {gpt2Words},
	"starcoder":      {`\p{N}`, gpt2Words},
	"llama-bpe":      {llama3Words(`\p{L}`, `{1,3}`, `[\r\n]*`)},
	"qwen2":          {llama3Words(`\p{L}`, ``, `[\r\n]*`)},
	"qwen35":         {llama3Words(`\p{L}\p{M}`, ``, `[\r\n]*`)},
	"seed-coder":     {llama3Words(`\p{L}`, ``, ``)},
	"laguna":         {`[^\n]+|[\n]+`, llama3Words(`\p{L}`, ``, `[\r\n]*`)},
	"minicpm5":       {`\p{N}{1,3}`, llama3Words(`\p{L}`, `+`, `[\r\n]*`)},
	"gpt-4o":         {gpt4oWords(contracted+`?`, `{1,3}`)},
	"tekken":         {gpt4oWords(``, ``)},
	"deepseek-coder": {`[\r\n]`, white + `?\p{L}+`, white + `?\p{P}+`, chinese, `\p{N}`},
	"deepseek-v3": {`\p{N}{1,3}`, `[一-龥\x{3040}-\x{309f}\x{30a0}-\x{30ff}]+`,
		`[!-/:-@\[-` + "`" + `{-~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*` + lineTail},
	"bloom":  {` ?` + notWhiteNor + `(|.,!?…。，、।۔)]+`},
	"viking": {` ?` + notWhiteNor + `(|.,!?…。，、।۔)]+`, `\p{N}`},
	"gemma4": {`[^\n]+|[\n]+`},
}

// splitBy splits a text by patterns, one after the other.
func splitBy(patterns []*regexp.Regexp, text string) []string {
	pieces := []string{text}
	for _, p := range patterns {
		var next []string
		for _, piece := range pieces {
			next = append(next, splitOnce(p, piece)...)
		}
		pieces = next
	}
	return pieces
}

func splitOnce(p *regexp.Regexp, text string) (pieces []string) {
	for text != "" {
		m := p.FindStringSubmatchIndex(text)
		if m == nil {
			return append(pieces, text)
		}
		if m[0] > 0 {
			pieces = append(pieces, text[:m[0]])
		}
		end := m[1]
		if len(m) > 2 && m[2] >= 0 && end < len(text) {
			// White space leaves its last character to what follows.
			r := []rune(text[m[0]:end])
			if cut := len(string(r[len(r)-1])); len(r) > 1 {
				end -= cut
			}
		}
		pieces = append(pieces, text[m[0]:end])
		text = text[end:]
	}
	return pieces
}

// split is what the stages make of a text.
func split(stages []stage, text string) (pieces []string) {
	for text != "" {
		n := stages[0](text)
		if n < 1 || n > len(text) {
			panic("a stage that cuts nothing, or too much")
		}
		if len(stages) > 1 {
			pieces = append(pieces, split(stages[1:], text[:n])...)
		} else {
			pieces = append(pieces, text[:n])
		}
		text = text[n:]
	}
	return pieces
}

func TestRulesAgainstPatterns(t *testing.T) {
	alphabet := []rune("aabcsStTrReEvVlLdDmMABZ  \t\n\n\r''''0123459.,!/-_$<|>`~()\"éÉßǅʰªアあ漢字한글ㄱะاअ्िเ\u0301\u20e3\u0308½Ⅷ०٣€¥©…“”、。，\u3000\u00a0\u2028\u200d👍🏽\x00\a\u00ad\u1680\u0378𝔸𝟘𞤀\U000e0100")
	rng := rand.New(rand.NewSource(1))
	for name, sources := range published {
		var patterns []*regexp.Regexp
		for _, s := range sources {
			patterns = append(patterns, regexp.MustCompile(s))
		}
		r, ok := rulesOf(name)
		if !ok {
			t.Fatalf("no rules for %q", name)
		}
		for range 2000 {
			var b strings.Builder
			c := 'a'
			for range 1 + rng.Intn(14) {
				if rng.Intn(4) > 0 {
					c = alphabet[rng.Intn(len(alphabet))]
				}
				b.WriteRune(c)
			}
			got, want := split(r.stages, b.String()), splitBy(patterns, b.String())
			if !slices.Equal(got, want) {
				t.Fatalf("%s: %q:\n got %q\nwant %q", name, b.String(), got, want)
			}
		}
	}
}

// FuzzRules checks that every rule takes any bytes apart without loss.
func FuzzRules(f *testing.F) {
	f.Add("Hello, World's 12345.67\n\n  \t末 e\u0301\xff\xc3\xe2\x96")
	f.Fuzz(func(t *testing.T, text string) {
		for name, r := range preTokenizers {
			if back := strings.Join(split(r().stages, text), ""); back != text {
				t.Errorf("%s: %q became %q", name, text, back)
			}
		}
	})
}

func TestNumbersInThrees(t *testing.T) {
	for name, want := range map[string]map[string][]string{
		"afmoe":    {"1234567 a12": {"1", "234", "567", " a", "12"}, "123456": {"123", "456"}},
		"tiny_aya": {"1234567": {"1", "234", "567"}, "1234abc": {"123", "4", "abc"}, "x12345.6": {"x", "12", "345", ".", "6"}},
	} {
		r, ok := rulesOf(name)
		if !ok {
			t.Fatalf("no rules for %q", name)
		}
		for text, pieces := range want {
			if got := split(r.stages, text); !slices.Equal(got, pieces) {
				t.Errorf("%s: %q: got %q, want %q", name, text, got, pieces)
			}
		}
	}
}
