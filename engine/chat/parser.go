package chat

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
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
	// that of an open tool call with its mark.
	rest, header, tool string
	toolMark           mark
	recipient          string
	// trim drops white space until something else comes; space is white space at
	// the end of thinking.
	trim  bool
	space string
	// thought and said tell whether there was thinking or text before, so that
	// sections are kept apart.
	thought, said bool
	gap           bool // a new section has begun
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

// begun is what of the prompt lies behind the header of the answer: the end of
// the generation prompt and the unfinished answer.
func (t *Template) begun(prompt []int32) []int32 {
	header, err := t.generationPrompt(Options{})
	if err != nil {
		return nil
	}
	for _, m := range []string{t.format.open, t.format.close} {
		header, _, _ = strings.Cut(header, m)
	}
	ids := t.tokens.EncodeSpecial(nil, header)
	last := len(ids) - 1
	for last >= 0 && !t.tokens.IsControl(ids[last]) {
		last--
	}
	if last < 0 {
		return nil
	}
	after := t.tokens.Decode(ids[last+1:], true)
	for i := len(prompt) - 1; i >= 0; i-- {
		if prompt[i] != ids[last] {
			continue
		}
		for n := i + 1; n <= len(prompt); n++ {
			switch got := t.tokens.Decode(prompt[i+1:n], true); {
			case got == after:
				return prompt[n:]
			case !strings.HasPrefix(after, got):
				n = len(prompt)
			}
		}
	}
	return nil
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
	for _, m := range p.format.marks {
		if m.text == piece {
			p.meet(&d, m)
			break
		}
	}
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
		p.state = inText
		p.say(&d, p.header)
		p.header = ""
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
		if n := p.noHeader(decided); n > 0 {
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

// noHeader is how many bytes of text it takes to see that an implied header is none,
// or 0.
func (p *Parser) noHeader(text string) int {
	if p.state != inImplied {
		return 0
	}
	for n := 0; n < len(text); {
		_, size := utf8.DecodeRuneInString(text[n:])
		if n += size; !impliedHeader.MatchString(p.header + text[:n]) {
			return n
		}
	}
	return 0
}

// find is the first mark in the rest that means something here and its place,
// or -1; then hold is how many bytes at the end may become a mark.
func (p *Parser) find() (first mark, at, hold int) {
	at = -1
	for _, m := range p.format.marks {
		if m.control || !p.minds(m.means) {
			continue
		}
		if i := strings.Index(p.rest, m.text); i >= 0 && (at < 0 || i < at) {
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

// minds says whether marks of a meaning count in the present state.
func (p *Parser) minds(m meaning) bool {
	switch p.state {
	case atStart:
		return m != meansToolEnd && m != meansToolPart && m != meansHeaderEnd
	case inThinking:
		return m == meansThinkEnd || m == meansSectionEnd || m == meansHeader
	case inTool:
		return m == meansTool || m == meansToolEnd || m == meansToolPart || m == meansSectionEnd
	case inHeader, inImplied:
		return m == meansHeaderEnd || m == meansHeader
	}
	return m == meansTool || m == meansHeader || m == meansSectionEnd
}

// meet acts on a mark.
func (p *Parser) meet(d *Delta, m mark) {
	if !p.minds(m.means) {
		return
	}
	switch m.means {
	case meansThink:
		p.enter(inThinking)
	case meansThinkEnd, meansSectionEnd:
		if p.state == inTool {
			p.endTool(d, "")
		}
		p.enter(inText)
	case meansTool:
		if p.state == inTool {
			p.endTool(d, "")
		}
		p.enter(inTool)
		p.toolMark = m
	case meansToolPart:
		p.tool += m.text
	case meansToolEnd:
		p.endTool(d, m.text)
	case meansHeader:
		if p.state == inHeader || p.state == inImplied {
			p.header += " " // one header in two parts
		} else {
			p.header = ""
		}
		p.enter(inHeader)
		if m.text == "<|close|>" {
			p.header = "/"
		}
	case meansHeaderEnd:
		p.section()
	}
}

// enter changes the state; what follows begins without white space.
func (p *Parser) enter(s parserState) {
	p.state, p.trim, p.space = s, true, ""
}

// section begins the part that the header announces.
func (p *Parser) section() {
	header := p.header
	p.header = ""
	switch p.format.sections.kind(strings.TrimSpace(header)) {
	case sectionThinking:
		p.enter(inThinking)
	case sectionTool:
		_, name, _ := strings.Cut(header, "to=functions.")
		p.enter(inTool)
		name = strings.TrimLeft(name, " ")
		if end := strings.IndexAny(name, " <"); end >= 0 {
			name = name[:end]
		}
		p.recipient = strings.TrimSpace(name)
	default:
		p.enter(inText)
	}
	p.gap = true
}

// impliedHeader is what a header that the prompt began may look like so far.
var impliedHeader = regexp.MustCompile(`^\s*(t|to|to=[\w.]*)?(\s+[a-z=]*\w*)?\s*$`)

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
		p.header += text
		if !impliedHeader.MatchString(p.header) {
			text, p.header, p.state = p.header, "", inText
			p.say(d, text)
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

// endTool turns the open tool call into one; what is none is text, with its
// marks.
func (p *Parser) endTool(d *Delta, end string) {
	text, m, recipient := p.tool, p.toolMark, p.recipient
	p.tool, p.recipient, p.toolMark = "", "", mark{}
	p.enter(inText)
	if recipient != "" {
		d.ToolCalls = append(d.ToolCalls, ToolCall{Name: recipient, Arguments: strings.TrimSpace(text)})
		return
	}
	if calls := parseCalls(text); calls != nil {
		d.ToolCalls = append(d.ToolCalls, calls...)
		return
	}
	p.trim = false
	p.say(d, m.text+text+end)
}
