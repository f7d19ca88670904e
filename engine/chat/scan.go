package chat

import (
	"fmt"
	"strings"
	"unicode"
)

// A template is scanned here, and not by the library, because whitespace
// decides prompts: the rules are those of transformers (trim_blocks and
// lstrip_blocks on, one last newline dropped), "+" and "-" marks included.

type partKind uint8

const (
	partText partKind = iota
	partOutput
	partStatement
)

// part is a piece of a template with whitespace control already applied:
// literal text, or the inside of {{ }} or {% %}.
type part struct {
	kind partKind
	text string
	line int
}

type scanner struct {
	src   string
	pos   int
	parts []part
	text  strings.Builder // literal text since the last tag
	// fresh says that text began at the start of a line.
	fresh bool
}

// scan splits a template into its parts; comments are gone.
func scan(source string) ([]part, error) {
	source = strings.ReplaceAll(source, "\r\n", "\n")
	source = strings.ReplaceAll(source, "\r", "\n")
	s := &scanner{src: strings.TrimSuffix(source, "\n"), fresh: true}
	for s.pos < len(s.src) {
		open := strings.IndexByte(s.src[s.pos:], '{')
		if open < 0 || s.pos+open+1 >= len(s.src) {
			s.text.WriteString(s.src[s.pos:])
			break
		}
		s.text.WriteString(s.src[s.pos : s.pos+open])
		s.pos += open
		var err error
		switch s.src[s.pos+1] {
		case '#':
			err = s.comment()
		case '%':
			err = s.tag(partStatement, "%}")
		case '{':
			err = s.tag(partOutput, "}}")
		default:
			s.text.WriteByte('{')
			s.pos++
		}
		if err != nil {
			return nil, err
		}
	}
	s.flush()
	return s.parts, nil
}

// flush makes a part of the text so far.
func (s *scanner) flush() {
	if s.text.Len() > 0 {
		s.parts = append(s.parts, part{partText, s.text.String(), s.line()})
		s.text.Reset()
	}
}

func (s *scanner) line() int { return 1 + strings.Count(s.src[:s.pos], "\n") }

// before applies the mark after a tag's opening to the text in front of it, and
// steps over tag and mark.
func (s *scanner) before(lstrip bool) {
	s.pos += 2
	mark := byte(0)
	if s.pos < len(s.src) {
		mark = s.src[s.pos]
	}
	text := s.text.String()
	switch {
	case mark == '-':
		text = strings.TrimRightFunc(text, unicode.IsSpace)
		s.pos++
	case mark == '+':
		s.pos++
	case lstrip:
		start := strings.LastIndexByte(text, '\n') + 1
		if (start > 0 || s.fresh) && strings.Trim(text[start:], " \t") == "" {
			text = text[:start]
		}
	}
	s.text.Reset()
	s.text.WriteString(text)
}

// after steps over what the mark before a tag's closing drops behind it.
func (s *scanner) after(mark byte, trim bool) {
	switch {
	case mark == '-':
		s.pos = len(s.src) - len(strings.TrimLeftFunc(s.src[s.pos:], unicode.IsSpace))
	case mark != '+' && trim && strings.HasPrefix(s.src[s.pos:], "\n"):
		s.pos++
	}
	s.fresh = s.pos > 0 && s.src[s.pos-1] == '\n'
}

func (s *scanner) comment() error {
	line := s.line()
	end := strings.Index(s.src[s.pos+2:], "#}")
	if end < 0 {
		return fmt.Errorf("line %d: the comment does not end", line)
	}
	end += s.pos + 2
	s.before(true)
	mark := byte(0)
	if end > s.pos {
		mark = s.src[end-1]
	}
	// Text on both sides of a comment is one text, but only what is behind the
	// comment can be stripped by the next tag.
	s.flush()
	s.pos = end + 2
	s.after(mark, true)
	return nil
}

// tag reads a statement or output; its end is the first closing outside of
// strings and brackets.
func (s *scanner) tag(kind partKind, closing string) error {
	line := s.line()
	s.before(kind == partStatement)
	s.flush()
	start, depth := s.pos, 0
	for i := start; i < len(s.src); i++ {
		c := s.src[i]
		if depth == 0 && strings.HasPrefix(s.src[i:], closing) {
			inside, mark := s.src[start:i], byte(0)
			if inside != "" && (inside[len(inside)-1] == '-' || inside[len(inside)-1] == '+') {
				mark, inside = inside[len(inside)-1], inside[:len(inside)-1]
			}
			s.pos = i + 2
			if kind == partStatement && strings.TrimSpace(inside) == "raw" {
				return s.raw(mark, line)
			}
			s.after(mark, kind == partStatement)
			s.parts = append(s.parts, part{kind, inside, line})
			return nil
		}
		switch c {
		case '\'', '"':
			for i++; i < len(s.src) && s.src[i] != c; i++ {
				if s.src[i] == '\\' {
					i++
				}
			}
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		}
	}
	return fmt.Errorf("line %d: the tag does not end with %s", line, closing)
}

// raw takes everything up to endraw as text.
func (s *scanner) raw(mark byte, line int) error {
	s.after(mark, true)
	for from := s.pos; ; {
		open := strings.Index(s.src[from:], "{%")
		if open < 0 {
			return fmt.Errorf("line %d: the raw block does not end", line)
		}
		open += from
		end := strings.Index(s.src[open+2:], "%}") + 2
		if end < 2 {
			return fmt.Errorf("line %d: the raw block does not end", line)
		}
		inside := s.src[open+2 : open+end]
		if strings.TrimSpace(strings.Trim(inside, "-+")) != "endraw" {
			from = open + 2
			continue
		}
		s.text.WriteString(s.src[s.pos:open])
		s.pos = open
		s.before(true)
		s.flush()
		s.pos = open + end + 2
		mark = 0
		if inside != "" {
			mark = inside[len(inside)-1]
		}
		s.after(mark, true)
		return nil
	}
}
