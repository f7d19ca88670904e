package text

import (
	"fmt"
	"strings"
	"testing"
)

// Text that only grows what stands in a cell does not make rows without end, and quotes in
// quotes do not make them wider than the page.
func TestRowsStayShort(t *testing.T) {
	for what, src := range map[string]string{
		"marks on a letter":  "e" + strings.Repeat("\u0301", 5000),
		"no width at all":    "x" + strings.Repeat("\u200b", 5000),
		"one emoji of many":  strings.Repeat("👩\u200d", 2000) + "👩",
		"quotes in quotes":   strings.Repeat(">", 60) + " x",
		"lists in lists":     nested(60),
		"a list in quotes":   strings.Repeat("> ", 30) + "- x",
		"code in quotes":     strings.Repeat("> ", 30) + "```\n" + strings.Repeat("> ", 30) + "x",
		"a table in a quote": "> | a | b |\n> |---|---|\n> | 1 | 2 |",
	} {
		for _, width := range []int{1, 2, 7, 40} {
			var d Document
			d.Set(src)
			for i, l := range linesOf(&d, width, &Theme{Plain: true}) {
				if w := Width(l.ANSI); w > max(width, 2) || len(l.ANSI) > width*2*mostBytes {
					t.Errorf("%s on %d columns: row %d takes %d cells, %d bytes", what, width, i, w, len(l.ANSI))
				}
			}
		}
	}
}

func nested(deep int) string {
	var b strings.Builder
	for i := range deep {
		fmt.Fprintf(&b, "%s- x\n", strings.Repeat("  ", i))
	}
	return b.String()
}
