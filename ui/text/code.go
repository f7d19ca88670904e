package text

import (
	"slices"
	"strings"

	gmtext "github.com/yuin/goldmark/text"
)

// codeBar stands before code.
const codeBar = "▏"

// codeRows are the rows in which code was set, and what they hold for.
type codeRows struct {
	rows  [][]glyph
	width int
	m     margin
	// count and last are the number of lines and the place of the last one.
	count, last int
}

// code renders a block of code behind a thin bar, long lines wrapped.
func (p *page) code(lines *gmtext.Segments, lang string, m margin) {
	m = p.indent(m, codeBar+" ", codeBar+" ")
	if lang != "" {
		p.put(m, glyphs(nil, CleanLine(lang), Span{Role: RoleFaint, Src: -1}))
		m = m.next()
	}
	if lines.Len() == 0 {
		p.put(m, nil)
		return
	}
	if all := lines.Sliced(0, lines.Len()); !p.open {
		if c := p.colours.block(p.place(all[0]), lang, p.text(all)); c != nil {
			p.setCode(all, c, m)
			return
		}
		p.unsettled = true
	}
	for at := 0; at < lines.Len(); at += hastyLines {
		some := lines.Sliced(at, min(at+hastyLines, lines.Len()))
		p.setPiece(some, p.colours.piece(p.place(some[0]), lang, p.text(some)), m)
		m = m.next()
	}
}

// place is where a line of code begins in the document.
func (p *page) place(line gmtext.Segment) int { return p.base + line.Start }

// text is some lines of code, each with its end.
func (p *page) text(lines []gmtext.Segment) string {
	var b strings.Builder
	for i := range lines {
		b.WriteString(strings.TrimRight(string(lines[i].Value(p.src)), "\n"))
		b.WriteByte('\n')
	}
	return b.String()
}

// setPiece sets a part of a block that still grows, once for all frames.
func (p *page) setPiece(lines []gmtext.Segment, c *coloured, m margin) {
	now := codeRows{width: p.width, m: m, count: len(lines), last: p.place(lines[len(lines)-1])}
	if !c.set.holds(&now) {
		start := len(p.rows)
		p.setCode(lines, c, m)
		now.rows = slices.Clone(p.rows[start:])
		c.set = now
		return
	}
	p.rows = append(p.rows, c.set.rows...)
}

func (r *codeRows) holds(now *codeRows) bool {
	return r.width == now.width && r.count == now.count && r.last == now.last &&
		slices.Equal(r.m.first, now.m.first) && slices.Equal(r.m.rest, now.m.rest)
}

// setCode sets lines of code in their colours.
func (p *page) setCode(lines []gmtext.Segment, c *coloured, m margin) {
	n, off, line := 0, 0, []glyph(nil)
	code := c.code
	for _, r := range c.runs {
		for part := range strings.SplitAfterSeq(code[:r.n], "\n") {
			text := strings.TrimSuffix(part, "\n")
			line = glyphs(line, text, Span{Role: r.role, Src: p.place(lines[n]) + off})
			off += len(text)
			if len(text) == len(part) {
				continue
			}
			p.put(m, line)
			m, line, off = m.next(), nil, 0
			if n++; n == len(lines) {
				return
			}
		}
		code = code[r.n:]
	}
}
