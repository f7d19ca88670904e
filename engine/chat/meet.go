package chat

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// minds says whether a mark counts in the present state. In thinking, people and models
// write of tool calls; only a token makes one.
func (p *Parser) minds(of mark) bool {
	switch m := of.means; p.state {
	case atStart:
		return m != meansToolEnd && m != meansHeaderEnd && m != meansAnswerEnd
	case inThinking:
		return m == meansThinkEnd || m == meansSectionEnd || m == meansHeader || m == meansNextHeader || m == meansTool && of.control
	case inTool:
		return p.nested() || m == meansTool || m == meansToolEnd || m == meansSectionEnd || m == meansNextHeader
	case inHeader, inImplied:
		return m == meansHeaderEnd || m == meansHeader || m == meansNextHeader
	default:
		return m == meansTool || m == meansHeader || m == meansNextHeader || m == meansSectionEnd || m == meansNothing ||
			m == meansAnswer && p.trim || m == meansAnswerEnd && p.framed
	}
}

// nested says that the open tool section ends after sections of its own.
func (p *Parser) nested() bool {
	return p.state == inTool && p.format.sections != nil && p.format.sections.until != ""
}

// meet acts on a mark.
func (p *Parser) meet(d *Delta, m mark) {
	if p.state == inTool {
		p.meetInTool(d, m)
		return
	}
	if !p.minds(m) {
		return
	}
	switch m.means {
	case meansThink:
		p.enter(inThinking)
	case meansThinkEnd, meansSectionEnd:
		p.enter(inText)
	case meansAnswer:
		p.enter(inText)
		p.framed = true
	case meansAnswerEnd:
		p.framed = false
	case meansTool:
		p.enter(inTool)
		p.opening = m.text
	case meansHeader, meansNextHeader:
		p.beginHeader(m)
	case meansHeaderEnd:
		p.section(m)
	}
}

// meetInTool acts on a mark in a tool call: it ends the call or belongs to it.
func (p *Parser) meetInTool(d *Delta, m mark) {
	switch {
	case !m.control && p.quoting() || p.nested() || !p.minds(m):
		p.tool += m.text
		if p.nested() && strings.HasSuffix(p.tool, p.format.sections.until) {
			p.endTool(d, "")
		}
	case m.means == meansToolEnd:
		p.endTool(d, m.text)
	default:
		p.endTool(d, "")
		p.meet(d, m)
	}
}

// quoting says that the tool call is in the middle of a string, where a mark is only text.
func (p *Parser) quoting() bool {
	if p.format.cdata && strings.LastIndex(p.tool, "<![CDATA[") > strings.LastIndex(p.tool, "]]>") {
		return true
	}
	if !jsonBegin.MatchString(p.tool) {
		return false
	}
	open := false
	for i := 0; i < len(p.tool); i++ {
		switch p.tool[i] {
		case '"':
			open = !open
		case '\\':
			i++
		}
	}
	return open
}

// jsonBegin is how tool calls in JSON begin.
var jsonBegin = regexp.MustCompile(`^\s*\[?\s*\{`)

// beginHeader begins a header, or its second part.
func (p *Parser) beginHeader(m mark) {
	if p.state == inHeader || p.state == inImplied {
		p.header += " "
	} else {
		p.header, p.begun = "", m.text
	}
	p.enter(inHeader)
	if s := p.format.sections; s != nil && s.doubtful {
		p.state = inImplied
	}
	if m.text == "<|close|>" {
		p.header = "/"
	}
}

// section begins the part that the header announces.
func (p *Parser) section(end mark) {
	header, begun := p.header, p.begun
	p.header, p.begun = "", ""
	kind, function := p.format.sections.kind(strings.TrimSpace(header))
	switch kind {
	case sectionThinking:
		p.enter(inThinking)
	case sectionTool:
		p.enter(inTool)
		p.opening, p.function = begun+header+end.text, function
	default:
		p.enter(inText)
	}
	p.gap = true
}

// noHeader makes text of what looked like a header.
func (p *Parser) noHeader(d *Delta) {
	text := p.begun + p.header
	p.header, p.begun, p.state = "", "", inText
	p.say(d, text)
}

// misfit is how many bytes of text it takes to see that an implied header is none, or 0.
func (p *Parser) misfit(text string) int {
	if p.state != inImplied {
		return 0
	}
	for n := 0; n < len(text); {
		_, size := utf8.DecodeRuneInString(text[n:])
		if n += size; !p.format.sections.like.MatchString(p.header + text[:n]) {
			return n
		}
	}
	return 0
}

// endTool turns the open tool call into one; what is none is text, with its
// marks.
func (p *Parser) endTool(d *Delta, end string) {
	opening, text, function := p.opening, p.tool, p.function
	p.tool, p.opening, p.function = "", "", ""
	p.enter(inText)
	if calls := readCalls(function, opening, text, end); calls != nil {
		d.ToolCalls = append(d.ToolCalls, calls...)
		return
	}
	p.trim, p.gap = false, false
	p.say(d, opening+text+end)
}
