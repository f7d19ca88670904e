package text

import (
	"strings"

	"github.com/alecthomas/chroma/v2"
)

// Role says what a span is; a Theme says how it looks.
type Role uint8

// The roles of text.
const (
	RoleText Role = iota
	RoleHeading
	RoleCode
	RoleLink
	RoleFaint // quotes, bullets, rules, addresses, table lines
	RoleKeyword
	RoleString
	RoleNumber
	RoleComment
	RoleFunction
	RoleType
	roleCount
)

// Theme holds the SGR parameters (ECMA-48) of each role, such as "1;34"; empty
// is the terminal's own foreground.
type Theme struct {
	SGR [roleCount]string
	// Plain leaves out every escape sequence, attributes too.
	Plain bool
}

// NewTheme gives the look for a terminal: colour off keeps bold, italic and
// faint. The sixteen palette colours are used, so that the terminal's own
// scheme shows through; dark says which of them stand out.
func NewTheme(dark, colour bool) *Theme {
	t := &Theme{}
	t.SGR[RoleHeading] = "1"
	t.SGR[RoleFaint] = "2"
	t.SGR[RoleComment] = "2;3"
	t.SGR[RoleLink] = "4"
	if !colour {
		t.SGR[RoleCode] = "1"
		return t
	}
	for role, sgr := range map[Role]string{
		RoleCode: "36", RoleLink: "4;36", RoleKeyword: "35", RoleString: "32",
		RoleNumber: "33", RoleFunction: "34", RoleType: "36",
	} {
		t.SGR[role] = sgr
	}
	if dark {
		t.SGR[RoleFunction] = "94"
	}
	return t
}

// write appends a row to b with as few sequences as it takes, each one reset
// before the next.
func (t *Theme) write(b *strings.Builder, row []glyph) {
	open := ""
	for i := range row {
		if sgr := t.sgr(row[i].role, row[i].attr); sgr != open {
			if open != "" {
				b.WriteString("\x1b[m")
			}
			if sgr != "" {
				b.WriteString("\x1b[" + sgr + "m")
			}
			open = sgr
		}
		b.WriteString(row[i].s)
	}
	if open != "" {
		b.WriteString("\x1b[m")
	}
}

var attrSGR = [...]string{"1", "3", "9", "4"}

func (t *Theme) sgr(role Role, attr Attr) string {
	if t.Plain {
		return ""
	}
	s := t.SGR[role]
	for i, code := range attrSGR {
		if attr&(1<<i) != 0 {
			if s != "" {
				s += ";"
			}
			s += code
		}
	}
	return s
}

// roleOf maps chroma's token types to the few roles that a calm page needs.
func roleOf(t chroma.TokenType) Role {
	switch {
	case t.InCategory(chroma.Comment):
		return RoleComment
	case t == chroma.KeywordType || t == chroma.NameClass || t == chroma.NameBuiltin:
		return RoleType
	case t.InCategory(chroma.Keyword) || t == chroma.NameTag:
		return RoleKeyword
	case t.InSubCategory(chroma.LiteralString):
		return RoleString
	case t.InSubCategory(chroma.LiteralNumber):
		return RoleNumber
	case t == chroma.NameFunction || t == chroma.NameAttribute || t == chroma.NameDecorator:
		return RoleFunction
	}
	return RoleText
}
