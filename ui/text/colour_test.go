package text

import (
	"strings"
	"testing"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"
)

// counting is a lexer that makes each word a token, and counts the bytes that it was
// asked for.
type counting struct {
	chroma.Lexer
	bytes int
}

func (c *counting) Config() *chroma.Config {
	return &chroma.Config{Name: "counting", Aliases: []string{"counting"}}
}

func (c *counting) SetRegistry(*chroma.LexerRegistry) chroma.Lexer { return c }

func (c *counting) Tokenise(_ *chroma.TokeniseOptions, code string) (chroma.Iterator, error) {
	words := strings.SplitAfter(code, " ")
	return func() chroma.Token {
		if len(words) == 0 {
			return chroma.EOF
		}
		w := words[0]
		words = words[1:]
		c.bytes += len(w)
		return chroma.Token{Type: []chroma.TokenType{chroma.Keyword, chroma.LiteralString}[len(words)%2], Value: w}
	}, nil
}

var counted = &counting{}

func init() { lexers.Register(counted) }

// codeLine is a line of code that a test streams.
const codeLine = "some words of code in a line of its own\n"

// TestLongCodeIsColouredBitByBit: while a block of code grows, a frame colours its last
// lines; when it has ended, Settle colours the whole in small parts, and what is shown in
// the end is what a document shows that came at once.
func TestLongCodeIsColouredBitByBit(t *testing.T) {
	th := NewTheme(true, true)
	var d Document
	d.Append("before\n\n```counting\n")
	most := hastyLines*len(codeLine) + settleBytes + len("words ")
	frame := func(what string) {
		t.Helper()
		before := counted.bytes
		d.Settle()
		d.Lines(80, th)
		if n := counted.bytes - before; n > most {
			t.Errorf("%s: a frame colours %d bytes, want at most %d", what, n, most)
		}
	}
	for range 300 {
		d.Append(codeLine)
		frame("while it grows")
	}
	counted.bytes = 0
	d.Append("```\n\nbehind\n\nthe code")
	frame("when it ends")
	for range 10 {
		d.Append(" more")
		frame("behind it")
	}
	d.Finish()
	for frame("at the end"); d.Settle(); {
		frame("at the end")
	}
	if n := 300 * len(codeLine); counted.bytes > n+n/10 {
		t.Errorf("a block of %d bytes that has ended was coloured anew by %d", n, counted.bytes)
	}
	var whole Document
	whole.Set(d.Source())
	whole.Finish()
	got, want := linesOf(&d, 80, th), linesOf(&whole, 80, th)
	for i := range want {
		if len(got) != len(want) || got[i] != want[i] {
			t.Fatalf("%d lines, want %d; line %d is not as if it had come at once", len(got), len(want), i)
		}
	}
}

// TestColoursOutlastTheWidth: a page of another width is set without colouring anew.
func TestColoursOutlastTheWidth(t *testing.T) {
	var d Document
	d.Set("```counting\n" + strings.Repeat(codeLine, 50) + "```\n\nbehind")
	d.Finish()
	d.Lines(80, NewTheme(true, true))
	counted.bytes = 0
	d.Lines(60, NewTheme(false, true))
	if counted.bytes > 0 {
		t.Errorf("%d bytes of code are coloured anew", counted.bytes)
	}
}

// TestSolidLinesStay: what a document calls solid is not rendered again, whatever comes.
func TestSolidLinesStay(t *testing.T) {
	var d Document
	th := NewTheme(true, true)
	var solid []Line
	thaws := 0
	for range 3 {
		for i := 0; i < len(sample); i += 7 {
			d.Append(sample[i:min(i+7, len(sample))])
			lines := linesOf(&d, 50, th)
			n, now := d.Solid()
			for j := range solid {
				if now == thaws && lines[j] != solid[j] {
					t.Fatalf("line %d was %q and is %q", j, solid[j].ANSI, lines[j].ANSI)
				}
			}
			solid, thaws = append(solid[:0], lines[:n]...), now
		}
		d.Append("\n\n[no]: reference\n\n")
	}
	if len(solid) < 40 {
		t.Errorf("%d lines of three samples are solid", len(solid))
	}
	d.Lines(40, th)
	if _, now := d.Solid(); now == thaws {
		t.Error("another width keeps the lines")
	}
}
