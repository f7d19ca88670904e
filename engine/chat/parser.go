package chat

import (
	"strings"
	"unicode"
)

// Delta is what a piece of a stream adds.
type Delta struct {
	Text, Thinking string
	ToolCalls      []ToolCall
}

// Parser splits what a model streams into answer, thinking and tool calls. It
// holds back only what may be part of a mark, white space at the end of
// thinking, and tool calls, which come whole. How a text is cut into pieces
// makes no difference. A thinking block of the tagged kind can only stand at
// the beginning: later, its marks are text.
type Parser struct {
	format *format
	state  parserState
	// rest is text that is not decided yet, header that of an open header, tool
	// that of an open tool call without its mark.
	rest, header, tool string
	// begun is the mark of an open header; opening what stood in front of the tool
	// call, and function its function where the header named it.
	begun, opening, function string
	// trim drops white space until something else comes; space is white space at
	// the end of thinking.
	trim  bool
	space string
	// thought and said tell whether there was thinking or text before, so that
	// sections are kept apart.
	thought, said bool
	gap           bool // a new section has begun
	framed        bool // the answer has a mark in front, and will have one behind
}

type parserState uint8

const (
	atStart parserState = iota // nothing but white space so far
	inText
	inThinking
	inTool
	inHeader  // between a header's begin and its end
	inImplied // as inHeader, but it may turn out to be text
)

// NewParser makes a parser for what follows the prompt, as Encode gave it: it
// knows whether that opened a thinking block, or how far an unfinished answer
// had come. With no prompt it stands at the beginning of an answer.
func (t *Template) NewParser(prompt []int32) *Parser {
	p := &Parser{format: &t.format, trim: true}
	if s := t.format.sections; s != nil && s.implied {
		p.state = inImplied
	}
	if t.tokens == nil {
		return p
	}
	d := t.tokens.NewDecoder(true)
	for _, id := range t.begun(prompt) {
		p.Add(d.Add(id), t.tokens.IsControl(id))
	}
	return p
}

// Add takes the next piece of text, or, where control, a control token's
// spelling.
func (p *Parser) Add(piece string, control bool) Delta {
	var d Delta
	if !control {
		p.rest += piece
		p.scan(&d)
		return d
	}
	p.release(&d)
	met := mark{text: piece, means: meansNothing}
	for _, m := range p.format.marks {
		if m.text == piece {
			met = m
			break
		}
	}
	met.control = true
	p.meet(&d, met)
	return d
}

// Flush gives what was held back.
func (p *Parser) Flush() Delta {
	var d Delta
	p.release(&d)
	switch p.state {
	case inTool:
		p.endTool(&d, "")
	case inImplied:
		p.noHeader(&d)
	}
	d.Thinking += p.space
	p.space = ""
	return d
}

// release gives out undecided text: no mark will come of it.
func (p *Parser) release(d *Delta) {
	text := p.rest
	p.rest = ""
	if p.state == atStart && strings.TrimSpace(text) != "" {
		p.state = inText
	}
	p.say(d, text)
}

// scan gives out what is decided of the rest.
func (p *Parser) scan(d *Delta) {
	for p.rest != "" {
		if p.state == atStart {
			p.rest = strings.TrimLeftFunc(p.rest, unicode.IsSpace)
			if p.rest == "" || p.bareCall() {
				return
			}
			if _, at, hold := p.find(); p.state == atStart && at != 0 && hold < len(p.rest) {
				p.state = inText
			}
		}
		m, at, hold := p.find()
		end := at
		if at < 0 {
			end = len(p.rest) - hold
		}
		decided := p.rest[:end]
		if n := p.misfit(decided); n > 0 {
			p.rest = p.rest[n:]
			p.say(d, decided[:n])
			continue // marks mean other things now
		}
		p.rest = p.rest[end:]
		p.say(d, decided)
		if at < 0 {
			return
		}
		p.rest = p.rest[len(m.text):]
		p.meet(d, m)
	}
}

// bareCall says that the rest may become, or has become, a tool call without marks.
func (p *Parser) bareCall() bool {
	const begin = `{"name":`
	if !p.format.bareCalls {
		return false
	}
	compact := strings.Join(strings.Fields(p.rest), "")
	if strings.HasPrefix(compact, begin) {
		p.enter(inTool)
	}
	return p.state == atStart && strings.HasPrefix(begin, compact)
}

// find is the first mark in the rest that means something here and its place,
// or -1; then hold is how many bytes at the end may become a mark.
func (p *Parser) find() (first mark, at, hold int) {
	at = -1
	for _, m := range p.format.marks {
		if m.control || !p.minds(m) {
			continue
		}
		i := strings.Index(p.rest, m.text)
		if m.means == meansAnswer && i >= 0 && strings.TrimSpace(p.rest[:i]) != "" {
			continue // the answer has begun without
		}
		if i >= 0 && (at < 0 || i < at) {
			first, at = m, i
		}
		for n := min(len(m.text)-1, len(p.rest)); n > hold; n-- {
			if strings.HasSuffix(p.rest, m.text[:n]) {
				hold = n
			}
		}
	}
	return first, at, hold
}

// enter changes the state; what follows begins without white space.
func (p *Parser) enter(s parserState) {
	p.state, p.trim, p.space = s, true, ""
}

// say gives text out where it belongs.
func (p *Parser) say(d *Delta, text string) {
	if p.trim && p.state != inTool && p.state != inHeader && p.state != inImplied {
		text = strings.TrimLeftFunc(text, unicode.IsSpace)
	}
	if text == "" {
		return
	}
	switch p.state {
	case inTool:
		p.tool += text
	case inHeader:
		p.header += text
	case inImplied:
		if p.header += text; !p.format.sections.like.MatchString(p.header) {
			p.noHeader(d)
		}
	case inThinking:
		if p.gap && p.thought {
			d.Thinking += "\n"
		}
		p.trim, p.gap, p.thought = false, false, true
		text = p.space + text
		kept := strings.TrimRightFunc(text, unicode.IsSpace)
		d.Thinking += kept
		p.space = text[len(kept):]
	default:
		if p.gap && p.said {
			d.Text += "\n\n"
		}
		p.trim, p.gap, p.said = false, false, true
		d.Text += text
	}
}
