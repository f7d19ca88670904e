package text

import (
	"strings"
	"unicode/utf8"
)

// Attr is a set of text attributes.
type Attr uint8

// The attributes that markdown can add to any role.
const (
	Bold Attr = 1 << iota
	Italic
	Strike
	Underline
)

// Span is a run of text in one style. Src is the place of its first byte in the
// source, or -1 for text that is not in it, such as a bullet.
type Span struct {
	Text string
	Role Role
	Attr Attr
	Src  int
}

// glyph is one grapheme cluster, ready to be placed.
type glyph struct {
	s    string
	w    int8
	role Role
	attr Attr
	src  int // first byte in the source, -1 for none
	n    int // bytes of the source
}

// mostBytes is the most that a glyph shows: the longest emoji take some forty bytes, and
// marks without end on one letter would make a row too long for a terminal.
const mostBytes = 64

// glyphs appends the clusters of text in the style and at the place of like.
// Tabs become spaces up to the next stop, counted from the start of dst.
func glyphs(dst []glyph, text string, like Span) []glyph {
	col := 0 // asked for by tabs alone
	if strings.IndexByte(text, '\t') >= 0 {
		col = cellsOf(dst)
	}
	for i := 0; i < len(text); {
		cluster, w := firstCluster(text[i:])
		g := glyph{s: cluster, w: int8(w), role: like.Role, attr: like.Attr, src: -1, n: len(cluster)}
		if like.Src >= 0 {
			g.src = like.Src + i
		}
		if cluster == "\t" {
			w = TabStop - col%TabStop
			g.s, g.w = strings.Repeat(" ", w), int8(w)
		}
		if g.w > 0 || len(dst) == 0 {
			dst = append(dst, g)
		} else { // nothing of its own to show: it rides on what stands before it
			last := &dst[len(dst)-1]
			if len(last.s) < mostBytes {
				last.s += g.s
			}
			last.n += g.n
		}
		col += w
		i += len(cluster)
	}
	return dst
}

// firstCluster cuts the first grapheme cluster off, or the beginning of one that is
// longer than mostBytes, and measures it. Two plain ASCII bytes in a row cannot be of
// one cluster.
func firstCluster(s string) (string, int) {
	if s[0] < 0x80 && (len(s) == 1 || s[1] < 0x80) {
		if s[0] < 0x20 {
			return s[:1], 0
		}
		return s[:1], 1
	}
	end := len(s)
	if end > mostBytes {
		for end = mostBytes; end > mostBytes-utf8.UTFMax && !utf8.RuneStart(s[end]); end-- {
		}
	}
	return Cluster(s[:end])
}

func (g *glyph) isSpace() bool { return g.s[0] == ' ' }

// breaksAround tells clusters beside which a line may break without a space:
// those two cells wide, as ideographs are.
func (g *glyph) breaksAround() bool { return g.w >= 2 && !g.isSpace() }

// wrap breaks a line into rows of at most first cells, then of at most rest
// cells: after the last space that fits, beside a wide character, or, where a
// word is longer than a row, anywhere. Spaces at a break are dropped.
func wrap(line []glyph, first, rest int) [][]glyph {
	first, rest = max(first, 1), max(rest, 1)
	var rows [][]glyph
	width := first
	for {
		n := fits(line, width)
		if n == len(line) {
			return append(rows, line)
		}
		cut := breakBefore(line, n)
		end := cut
		for end > 0 && line[end-1].isSpace() {
			end--
		}
		rows = append(rows, line[:end])
		for cut < len(line) && line[cut].isSpace() {
			cut++
		}
		line, width = line[cut:], rest
		if len(line) == 0 {
			return rows
		}
	}
}

// fits is how many glyphs fit into width cells, at least one.
func fits(line []glyph, width int) int {
	w := 0
	for i := range line {
		if w += int(line[i].w); w > width {
			return max(i, 1)
		}
	}
	return len(line)
}

func breakBefore(line []glyph, n int) int {
	for i := n; i > 0; i-- {
		if line[i].isSpace() || line[i-1].isSpace() {
			if leading(line[:i]) {
				break
			}
			return i
		}
		if line[i].breaksAround() || line[i-1].breaksAround() {
			return i
		}
	}
	return n
}

// leading tells whether there is nothing but indentation.
func leading(line []glyph) bool {
	for i := range line {
		if !line[i].isSpace() {
			return false
		}
	}
	return true
}
