package text

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode"
)

const sample = `# Title with *stress*

A paragraph of **bold** and ` + "`code`" + `, a [link](https://example.org/x) and 日本語の文章が続きます。
Second line, kept apart. <b>not lost</b> &amp; \*plain\*

- one
- two with more words than a narrow page can hold
  1. nested
  2. again

  loose text
- [x] done

> quoted
> text

` + "```go\nfunc main() {\n\tfmt.Println(\"hi\") // say\n}\n```" + `

| name | value |
|:-----|------:|
| a | 1 |
| longer name | 12345 |

---
last 👩‍👩‍👧 line e` + "\u0301" + ` मराठी`

func init() { Patience = time.Hour }

var sgr = regexp.MustCompile("\x1b\\[[0-9;]*m")

// linesOf are the lines of a document, as a slice.
func linesOf(d *Document, width int, th *Theme) (all []Line) {
	for _, l := range d.Lines(width, th).All() {
		all = append(all, *l)
	}
	return all
}

func plain(lines []Line) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(sgr.ReplaceAllString(l.ANSI, ""))
		b.WriteByte('\n')
	}
	return b.String()
}

func TestRendersEveryKindOfBlock(t *testing.T) {
	var d Document
	d.Set(sample)
	d.Finish()
	got := plain(linesOf(&d, 60, NewTheme(true, true)))
	for _, want := range []string{
		"Title with stress\n", "bold and code", "link (https://example.org/x)", "<b>not lost</b> & *plain*\n",
		"• one\n", "  1. nested\n", "• [x] done\n", "│ quoted\n│ text\n", "▏ go\n▏ func main() {\n▏     fmt.Println(\"hi\") // say\n",
		"name         value\n", "longer name  12345\n", "────", "last 👩‍👩‍👧 line e\u0301 मराठी",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
}

func TestNoLineIsTooWideAndNoControlByteStays(t *testing.T) {
	th := NewTheme(true, true)
	for width := 1; width < 90; width++ {
		var d Document
		d.Set(sample + "\n\x1b[31mred\x1b]0;title\x07 \u202eabc\x9b")
		for _, l := range linesOf(&d, width, th) {
			if w := Width(l.ANSI); w > width && width > 12 {
				t.Fatalf("width %d: a line of %d cells: %q", width, w, l.ANSI)
			}
			for _, r := range sgr.ReplaceAllString(l.ANSI, "") {
				if unicode.IsControl(r) || turnsDirection(r) {
					t.Fatalf("width %d: %U in %q", width, r, l.ANSI)
				}
			}
		}
	}
}

// pieces feeds src in random pieces, looking at the lines in between.
func pieces(src string, width int, th *Theme, rng *rand.Rand) []Line {
	var d Document
	rs := []rune(src)
	for len(rs) > 0 {
		n := min(1+rng.IntN(12), len(rs))
		d.Append(string(rs[:n]))
		rs = rs[n:]
		if rng.IntN(2) == 0 {
			d.Lines(width, th)
		}
		if rng.IntN(40) == 0 {
			d.Lines(1+rng.IntN(60), th)
		}
	}
	d.Finish()
	d.Lines(width, th)
	for d.Settle() {
	}
	return linesOf(&d, width, th)
}

// outOfOrder tells the rare trees (a table inside what an underline makes a
// heading) in which the parser itself puts blocks before what they follow.
func outOfOrder(src string) bool {
	at := -1
	for c := parse([]byte(src)).FirstChild(); c != nil; c = c.NextSibling() {
		first := place(c)
		if first >= 0 && first < at {
			return true
		}
		at = max(at, first)
	}
	return false
}

func checkPieces(t *testing.T, src string, seed uint64) {
	t.Helper()
	if outOfOrder(src) {
		return
	}
	th := NewTheme(false, true)
	rng := rand.New(rand.NewPCG(seed, 1))
	width := 10 + rng.IntN(60)
	var whole Document
	whole.Set(src)
	whole.Finish()
	want := linesOf(&whole, width, th)
	got := pieces(src, width, th, rng)
	if len(got) != len(want) {
		t.Fatalf("seed %d: %d lines in pieces, %d at once\n%s---\n%s", seed, len(got), len(want), plain(got), plain(want))
	}
	for i := range got {
		if got[i] != want[i] {
			t.Fatalf("seed %d line %d: in pieces %+v, at once %+v", seed, i, got[i], want[i])
		}
	}
}

var scraps = []string{
	"word ", "more words ", "\n", "\n\n", "- ", "1. ", "  ", "    ", "> ", "# ", "```", "```go\n", "`x` ", "**b** ", "*i ", "_",
	"| a | b |\n|---|---|\n| 1 | 2 |\n", "---\n", "===\n", "日本", "👍🏽", "[l](u) ", "[r]: http://x\n", "[r] ", "\\", "&lt;", "\t", "~~s~~", "~~~\n", "func f() {\n",
}

func TestAnyPiecesGiveTheSameLines(t *testing.T) {
	checkPieces(t, sample, 0)
	for seed := uint64(1); seed < 500; seed++ {
		rng := rand.New(rand.NewPCG(seed, 2))
		var b strings.Builder
		for range 3 + rng.IntN(25) {
			b.WriteString(scraps[rng.IntN(len(scraps))])
		}
		checkPieces(t, b.String(), seed)
	}
}

func FuzzDocument(f *testing.F) {
	f.Add(sample, uint64(1))
	f.Add("- a\n\n      code\n\n1. ```\nx", uint64(2))
	f.Add("0000\n |\n-: \n0000\n\n000\n", uint64(4))
	f.Fuzz(func(t *testing.T, src string, seed uint64) {
		if strings.Contains(src, "\r") {
			t.Skip("a line end cut in two is two line ends")
		}
		checkPieces(t, src, seed)
	})
}

func TestLinesKnowTheirSource(t *testing.T) {
	var d Document
	d.Set("First words here.\n\nSecond **bold** end\n\n```\ncode\n```\n")
	for _, l := range linesOf(&d, 80, NewTheme(true, true)) {
		if l.Start == l.End {
			continue
		}
		shown := sgr.ReplaceAllString(l.ANSI, "")
		got := strings.NewReplacer("*", "", "▏ ", "").Replace(d.Source()[l.Start:l.End])
		if strings.TrimPrefix(shown, "▏ ") != got {
			t.Errorf("a line shows %q and claims %q", shown, got)
		}
	}
}

func BenchmarkStream(b *testing.B) {
	th := NewTheme(true, true)
	for b.Loop() {
		var d Document
		for i := 0; i+8 <= len(sample); i += 8 {
			d.Append(sample[i : i+8])
			d.Lines(80, th)
		}
	}
}
