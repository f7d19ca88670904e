package chat

import (
	"fmt"
	"strconv"
	"strings"
)

// lexeme is a token of Jinja's expression language.
type lexeme struct {
	kind lexKind
	text string // a string's value, else the spelling
}

type lexKind uint8

const (
	lexName lexKind = iota
	lexNumber
	lexString
	lexOperator
)

// Limits that keep the recursion of the library's parser and interpreter far
// from the end of the stack.
const (
	maxLexemes = 4096 // in one tag
	maxNesting = 100  // of brackets in a tag, and of blocks
)

// lex splits the inside of a tag. Strings that stand side by side are one.
func lex(text string) ([]lexeme, error) {
	var all []lexeme
	depth := 0
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c == ' ' || c == '\t' || c == '\n':
			i++
			continue
		case c == '\'' || c == '"':
			value, n, err := unquote(text[i:])
			if err != nil {
				return nil, err
			}
			i += n
			if k := len(all) - 1; k >= 0 && all[k].kind == lexString {
				all[k].text += value
				continue
			}
			all = append(all, lexeme{lexString, value})
		case isDigit(c):
			n := numberLen(text[i:])
			all = append(all, lexeme{lexNumber, strings.ReplaceAll(text[i:i+n], "_", "")})
			i += n
		case isWord(c):
			n := 1
			for i+n < len(text) && (isWord(text[i+n]) || isDigit(text[i+n])) {
				n++
			}
			all = append(all, lexeme{lexName, text[i : i+n]})
			i += n
		default:
			n := 1
			if i+1 < len(text) {
				switch text[i : i+2] {
				case "**", "//", "==", "!=", "<=", ">=":
					n = 2
				}
			}
			op := text[i : i+n]
			switch {
			case strings.Contains("([{", op):
				depth++
			case strings.Contains(")]}", op):
				depth--
			case n == 1 && !strings.Contains("+-*/%<>=~.,:|;", op):
				return nil, fmt.Errorf("%q is no part of an expression", op)
			}
			all = append(all, lexeme{lexOperator, op})
			i += n
		}
		if depth > maxNesting || len(all) > maxLexemes {
			return nil, fmt.Errorf("the expression is longer than %d tokens or nested deeper than %d", maxLexemes, maxNesting)
		}
	}
	return all, nil
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
func isWord(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

func numberLen(s string) int {
	n := 0
	for n < len(s) && (isDigit(s[n]) || s[n] == '_') {
		n++
	}
	if n+1 < len(s) && s[n] == '.' && isDigit(s[n+1]) {
		for n++; n < len(s) && isDigit(s[n]); n++ {
			continue
		}
	}
	return n
}

// unquote reads a string literal with Python's escapes and says how long it is.
func unquote(s string) (value string, n int, err error) {
	var b strings.Builder
	quote := s[0]
	for i := 1; i < len(s); i++ {
		switch c := s[i]; {
		case c == quote:
			return b.String(), i + 1, nil
		case c != '\\' || i+1 == len(s):
			b.WriteByte(c)
		default:
			i++
			i += unescape(&b, s[i:])
		}
	}
	return "", 0, fmt.Errorf("a string does not end")
}

// unescape writes what follows a backslash; it returns how many bytes it took
// beyond the first.
func unescape(b *strings.Builder, s string) int {
	digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[s[0]]
	if digits > 0 && len(s) > digits {
		if r, err := strconv.ParseUint(s[1:1+digits], 16, 32); err == nil {
			b.WriteRune(rune(r))
			return digits
		}
	}
	const from, to = "ntrbfva0\\'\"", "\n\t\r\b\f\v\a\x00\\'\""
	if at := strings.IndexByte(from, s[0]); at >= 0 {
		b.WriteByte(to[at])
	} else if s[0] != '\n' {
		b.WriteByte('\\')
		b.WriteByte(s[0])
	}
	return 0
}

// quote spells a string so that the library reads it back.
func quote(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`, "\n", `\n`).Replace(s) + "'"
}

// spell writes lexemes for the library.
func spell(all []lexeme) string {
	var b strings.Builder
	for i, l := range all {
		if i > 0 {
			b.WriteByte(' ')
		}
		if l.kind == lexString {
			b.WriteString(quote(l.text))
		} else {
			b.WriteString(l.text)
		}
	}
	return b.String()
}

func name(s string) lexeme     { return lexeme{lexName, s} }
func operator(s string) lexeme { return lexeme{lexOperator, s} }

func (l lexeme) is(op string) bool  { return l.kind == lexOperator && l.text == op }
func (l lexeme) word(w string) bool { return l.kind == lexName && l.text == w }
func (l lexeme) opens() bool        { return l.is("(") || l.is("[") || l.is("{") }
func (l lexeme) closes() bool       { return l.is(")") || l.is("]") || l.is("}") }
func at(all []lexeme, i int) lexeme {
	if i < 0 || i >= len(all) {
		return lexeme{kind: lexOperator}
	}
	return all[i]
}
