package text

import (
	"strings"
	"time"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"
	gmtext "github.com/yuin/goldmark/text"
)

// openChunk is how many lines of a code block that still grows are coloured
// together. Colouring starts anew after so many lines until the block is
// finished; otherwise each new token would cost the whole block again.
const openChunk = 64

// longestCode is the size in bytes up to which code is coloured at all.
const longestCode = 256 << 10

// longestTake is how long it may take: some lexers are slow on code that is not what
// it says it is, and a document that met that once stays without colours. Tests,
// which a busy machine may hold up, wait longer.
var longestTake = 150 * time.Millisecond

// codeBar stands before code.
const codeBar = "▏"

// code renders a block of code behind a thin bar, long lines wrapped.
func (p *page) code(lines *gmtext.Segments, lang string, m margin) {
	m = p.indent(m, codeBar+" ", codeBar+" ")
	if lang != "" {
		p.put(m, glyphs(nil, CleanLine(lang), Span{Role: RoleFaint, Src: -1}))
		m = m.next()
	}
	var lexer chroma.Lexer
	if !*p.slow {
		lexer = lexerFor(lang)
	}
	step := lines.Len()
	if p.open {
		step = openChunk
	}
	for at := 0; at < lines.Len(); at += step {
		p.codeChunk(lines.Sliced(at, min(at+step, lines.Len())), lexer, m)
	}
	if lines.Len() == 0 {
		p.put(m, nil)
	}
}

func (p *page) codeChunk(lines []gmtext.Segment, lexer chroma.Lexer, m margin) {
	var b strings.Builder
	for i := range lines {
		b.WriteString(strings.TrimRight(string(lines[i].Value(p.src)), "\n"))
		b.WriteByte('\n')
	}
	n, rest := 0, []glyph(nil)
	place := func() int { return p.base + lines[n].Start }
	start, off := place(), 0
	began := time.Now()
	toks := tokens(b.String(), lexer)
	*p.slow = *p.slow || time.Since(began) > longestTake
	for _, tok := range toks {
		for part := range strings.SplitAfterSeq(tok.Value, "\n") {
			text := strings.TrimSuffix(part, "\n")
			rest = glyphs(rest, text, Span{Role: roleOf(tok.Type), Src: start + off})
			off += len(text)
			if len(text) == len(part) || n >= len(lines) {
				continue
			}
			p.put(m, rest)
			m, rest = m.next(), nil
			if n++; n < len(lines) {
				start, off = place(), 0
			}
		}
	}
}

// tokens colours code; where there is no lexer, it is one token.
func tokens(code string, lexer chroma.Lexer) []chroma.Token {
	if lexer != nil && len(code) <= longestCode {
		if it, err := lexer.Tokenise(nil, code); err == nil {
			if all := it.Tokens(); joined(all) == code {
				return all
			}
		}
	}
	return []chroma.Token{{Type: chroma.Text, Value: code}}
}

func joined(all []chroma.Token) string {
	var b strings.Builder
	for _, t := range all {
		b.WriteString(t.Value)
	}
	return b.String()
}

// lexerFor finds a lexer by the name behind the fence.
func lexerFor(lang string) chroma.Lexer {
	if lang == "" {
		return nil
	}
	l := lexers.Get(lang)
	if l == nil {
		return nil
	}
	return chroma.Coalesce(l)
}
