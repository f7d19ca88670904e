package text

import (
	"bytes"
	"html"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/util"
)

// inline renders a paragraph, heading or table cell: one logical line for each
// line of the source, since a newline in a chat is meant.
func (p *page) inline(n ast.Node, m margin, style Span) {
	for _, line := range p.lines(n, style) {
		p.put(m, line)
		m = m.next()
	}
}

func (p *page) lines(n ast.Node, style Span) [][]glyph {
	in := &inliner{page: p, lines: [][]glyph{nil}}
	in.children(n, style)
	return in.lines
}

type inliner struct {
	*page
	lines [][]glyph
}

func (in *inliner) put(text string, style Span) {
	last := &in.lines[len(in.lines)-1]
	*last = glyphs(*last, text, style)
}

func (in *inliner) children(n ast.Node, style Span) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		in.node(c, style)
	}
}

func (in *inliner) node(n ast.Node, style Span) {
	switch n := n.(type) {
	case *ast.Text:
		in.text(n.Segment.Value(in.src), in.base+n.Segment.Start, style)
		if n.SoftLineBreak() || n.HardLineBreak() {
			in.lines = append(in.lines, nil)
		}
	case *ast.String:
		style.Src = -1
		in.put(string(n.Value), style)
	case *ast.CodeSpan:
		style.Role = RoleCode
		for c := n.FirstChild(); c != nil; c = c.NextSibling() {
			if t, ok := c.(*ast.Text); ok {
				style.Src = in.base + t.Segment.Start
				in.put(string(bytes.ReplaceAll(t.Segment.Value(in.src), []byte("\n"), []byte(" "))), style)
			}
		}
	case *ast.Emphasis:
		style.Attr |= map[bool]Attr{true: Bold, false: Italic}[n.Level > 1]
		in.children(n, style)
	case *extast.Strikethrough:
		style.Attr |= Strike
		in.children(n, style)
	case *ast.Link:
		in.link(n, n.Destination, style)
	case *ast.Image:
		in.link(n, n.Destination, style)
	case *ast.AutoLink:
		style.Role = RoleLink
		style.Src = -1
		in.put(string(n.Label(in.src)), style)
	case *extast.TaskCheckBox:
		style.Role, style.Src = RoleFaint, -1
		in.put(map[bool]string{true: "[x] ", false: "[ ] "}[n.IsChecked], style)
	default:
		in.children(n, style)
	}
}

// link shows the address behind the text, unless that is the text: what a
// link leads to must be seen.
func (in *inliner) link(n ast.Node, to []byte, style Span) {
	label := style
	label.Role = RoleLink
	in.children(n, label)
	if len(to) > 0 && !bytes.Equal(textOf(n, in.src), to) {
		in.put(" ("+CleanLine(string(to))+")", Span{Role: RoleFaint, Src: -1})
	}
}

func textOf(n ast.Node, src []byte) []byte {
	if t, ok := n.FirstChild().(*ast.Text); ok && t.NextSibling() == nil {
		return t.Segment.Value(src)
	}
	return nil
}

// text resolves backslash escapes and entities; everything else keeps its place
// in the source byte for byte.
func (in *inliner) text(b []byte, at int, style Span) {
	start := 0
	flush := func(end int) {
		if end > start {
			style.Src = at + start
			in.put(string(b[start:end]), style)
		}
	}
	for i := 0; i < len(b); i++ {
		switch {
		case b[i] == '\\' && i+1 < len(b) && util.IsPunct(b[i+1]):
			flush(i)
			start = i + 1
			i++
		case b[i] == '&':
			end := bytes.IndexByte(b[i:], ';')
			if end < 2 || end > 32 {
				continue
			}
			raw := string(b[i : i+end+1])
			if s := html.UnescapeString(raw); s != raw {
				flush(i)
				style.Src = at + i
				in.put(CleanLine(s), style)
				i += end
				start = i + 1
			}
		}
	}
	flush(len(b))
}
