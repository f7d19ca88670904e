package text

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
)

// blockStart is where the line begins that opens a top-level block. It is -1
// where a document may not be cut there.
func blockStart(n ast.Node, src string) int {
	at := place(n)
	if at < 0 {
		return -1
	}
	at = strings.LastIndexByte(src[:at], '\n') + 1
	if n.Kind() != ast.KindCodeBlock && (src[at] == ' ' || src[at] == '\t') {
		return -1 // on its own, the indentation could make it code
	}
	return at
}

// place is the byte at which a block starts. A table's own is that of the
// paragraph it was cut from.
func place(n ast.Node) int {
	if t, ok := n.(*extast.Table); ok {
		return t.FirstChild().Pos()
	}
	return n.Pos()
}
