package text

import (
	"strconv"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	gmtext "github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// markdown reads GitHub's dialect without raw HTML, which stays text: a chat
// about HTML must show it.
var markdown = goldmark.New(
	goldmark.WithParser(parser.NewParser(
		parser.WithBlockParsers(
			util.Prioritized(parser.NewSetextHeadingParser(), 100),
			util.Prioritized(parser.NewThematicBreakParser(), 200),
			util.Prioritized(parser.NewListParser(), 300),
			util.Prioritized(parser.NewListItemParser(), 400),
			util.Prioritized(parser.NewCodeBlockParser(), 500),
			util.Prioritized(parser.NewATXHeadingParser(), 600),
			util.Prioritized(parser.NewFencedCodeBlockParser(), 700),
			util.Prioritized(parser.NewBlockquoteParser(), 800),
			util.Prioritized(parser.NewParagraphParser(), 1000),
		),
		parser.WithInlineParsers(
			util.Prioritized(parser.NewCodeSpanParser(), 100),
			util.Prioritized(parser.NewLinkParser(), 200),
			util.Prioritized(parser.NewAutoLinkParser(), 300),
			util.Prioritized(parser.NewEmphasisParser(), 500),
		),
	)),
	goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.TaskList, extension.Linkify),
)

func parse(src []byte) ast.Node { return markdown.Parser().Parse(gmtext.NewReader(src)) }

// page collects the rows of one block tree.
type page struct {
	src     []byte
	base    int // where src begins in the document
	width   int
	open    bool // the text may still grow
	colours *colours
	rows    [][]glyph
	// unsettled: there is code whose colours are not final.
	unsettled bool
}

// margin is what stands before a block's rows: first before the first, rest
// before the others.
type margin struct {
	first, rest []glyph
}

func (m margin) width() int { return cellsOf(m.rest) }

// next is the margin after the first row.
func (m margin) next() margin { return margin{m.rest, m.rest} }

// indent appends marks for the first row and blanks or bars as wide for the rest. Where
// margins take half the page, what lies deeper stands where the level above it does.
func (p *page) indent(m margin, first, rest string) margin {
	if m.width()+Width(rest) > p.width/2 {
		return m
	}
	like := Span{Role: RoleFaint, Src: -1}
	return margin{
		glyphs(append([]glyph(nil), m.first...), first, like),
		glyphs(append([]glyph(nil), m.rest...), rest, like),
	}
}

// blocks renders the children of n with an empty row between them, unless
// tight.
func (p *page) blocks(n ast.Node, m margin, tight bool) {
	start := len(p.rows)
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		m = p.apart(m, tight || len(p.rows) == start, func() { p.block(c, m) })
	}
}

// apart renders something behind an empty row, unless tight, and gives the margin for
// what follows. What renders to nothing leaves nothing.
func (p *page) apart(m margin, tight bool, render func()) margin {
	before := len(p.rows)
	if !tight {
		p.rows = append(p.rows, trimRight(m.rest))
	}
	start := len(p.rows)
	if render(); len(p.rows) == start {
		p.rows = p.rows[:before]
		return m
	}
	return m.next()
}

func (p *page) block(n ast.Node, m margin) {
	switch n := n.(type) {
	case *ast.Heading:
		p.inline(n, m, Span{Role: RoleHeading})
	case *ast.ThematicBreak:
		p.put(m, glyphs(nil, strings.Repeat("─", max(0, min(p.width-m.width(), 40))), Span{Role: RoleFaint, Src: -1}))
	case *ast.FencedCodeBlock:
		p.code(n.Lines(), string(n.Language(p.src)), m)
	case *ast.CodeBlock:
		p.code(n.Lines(), "", m)
	case *ast.Blockquote:
		p.blocks(n, p.indent(m, "│ ", "│ "), false)
	case *ast.List:
		p.list(n, m)
	case *extast.Table:
		p.table(n, m)
	default:
		p.inline(n, m, Span{})
	}
}

func (p *page) list(n *ast.List, m margin) {
	number := n.Start
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		mark := "• "
		if n.IsOrdered() {
			mark = strconv.Itoa(number) + string(n.Marker) + " "
			number++
		}
		im := p.indent(m, mark, strings.Repeat(" ", len([]rune(mark))))
		m = p.apart(m, n.IsTight || c == n.FirstChild(), func() {
			start := len(p.rows)
			if p.blocks(c, im, n.IsTight); len(p.rows) == start {
				p.put(im, nil)
			}
		})
	}
}

// put wraps one logical line into rows behind the margin.
func (p *page) put(m margin, line []glyph) {
	w := p.width - m.width()
	for i, row := range wrap(line, w, w) {
		head := m.rest
		if i == 0 {
			head = m.first
		}
		p.rows = append(p.rows, append(append([]glyph(nil), head...), row...))
	}
}

func trimRight(row []glyph) []glyph {
	for len(row) > 0 && row[len(row)-1].isSpace() {
		row = row[:len(row)-1]
	}
	return row
}
