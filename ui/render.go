package ui

import (
	"fmt"
	"strings"

	"github.com/confab-tui/confab/engine"
	"github.com/confab-tui/confab/engine/chat"
	"github.com/confab-tui/confab/ui/text"
)

// row is one line of a transcript, without the gutter at its left.
type row struct {
	s    string
	kind rowKind
	// start and end are the bytes of the turn's document (of its thinking, for
	// rowThought) that the row shows.
	start, end int
	// mark stands in the gutter; changes are those that it stands for.
	mark string
	// lead is how many cells at the begin are not text; verbatim tells that the
	// rest is the source as it stands, tabs aside.
	lead     int
	verbatim bool
	changes  []int
	folds    bool // a click opens what it stands for
}

type rowKind uint8

const (
	rowBlank rowKind = iota
	rowLabel
	rowThought
	rowText
	rowNote
)

// rendered are a turn's rows and what they were made for.
type rendered struct {
	width, version, theme int
	rows                  text.List[row]
	// first is the number of the document's first row. The next solid ones stand as long
	// as the document has thawed no more often.
	first, solid, thaws int
}

const (
	// gutter is the margin at the left, where marks stand.
	gutter = 2
	// measure is the widest that text is set: longer lines are hard to read.
	measure = 100
	// thoughtTail is how many lines of a running thought are shown, foldAbove
	// the longest message of a person that is shown whole.
	thoughtTail = 6
	foldAbove   = 16
	foldTo      = 8
)

// lines gives the turn's rows for a text width; they stand until it changes.
func (t *turn) lines(width int, th *theme, frame int) *text.List[row] {
	width = min(max(width, 1), measure)
	c := &t.cache
	if c.width == width && c.version == t.version && c.theme == th.version && c.rows.Len() > 0 {
		return &c.rows
	}
	p := page{t: t, th: th, width: width, frame: frame}
	if c.width == width && c.theme == th.version {
		p.before = *c
	}
	p.render()
	*c = rendered{width: width, version: t.version, theme: th.version, rows: p.rows, first: p.first}
	if a := t.answer; a == nil || len(a.changes) == 0 { // their marks move
		c.solid, c.thaws = t.doc.Solid()
	}
	return &c.rows
}

// page sets one turn.
type page struct {
	t     *turn
	th    *theme
	width int
	frame int
	rows  text.List[row]
	// before are the rows that stand already, and first is the number of the document's
	// first one.
	before rendered
	first  int
}

func (p *page) put(kind rowKind, s string) {
	p.rows.Add(row{s: text.Truncate(s, p.width, p.th.mark.ellipsis), kind: kind})
}

// note puts text that may take several lines, all in one style.
func (p *page) note(pn pen, s string) {
	for _, l := range text.Wrap(s, p.width) {
		p.put(rowNote, pn.draw(l))
	}
}

func (p *page) render() {
	p.put(rowBlank, "")
	if p.t.system != "" {
		p.put(rowNote, p.th.dim.draw("system "+p.th.mark.dot+" "+text.CleanLine(p.t.system)))
		p.put(rowBlank, "")
	}
	if p.t.m.Role != chat.Assistant {
		p.person()
		return
	}
	p.put(rowLabel, p.label())
	if n := p.t.answer; n != nil && n.dropped > 0 {
		p.note(p.th.warn, fmt.Sprintf("the oldest %s left out: the conversation no longer fits the context", plural(n.dropped, "message was", "messages were")))
	}
	p.thinking()
	p.document()
	p.marks(p.first)
	for _, c := range p.t.m.ToolCalls {
		p.put(rowNote, p.th.dim.draw("calls "+text.CleanLine(c.Name)+" "+text.CleanLine(c.Arguments)))
	}
	p.state(p.first)
}

// document sets the text. A row that stands already is left as it is, but for the last
// one, which a cursor may stand behind: so a piece of a long answer costs what it
// brings.
func (p *page) document() {
	p.first = p.rows.Len()
	lines := p.t.doc.Lines(p.width, p.th.doc)
	from := 0
	if b := &p.before; b.rows.Len() > 0 && b.first == p.first {
		if solid, thaws := p.t.doc.Solid(); thaws == b.thaws {
			from = max(min(b.solid, solid, b.rows.Len()-b.first)-1, 0)
			for i, r := range p.rows.All() {
				*b.rows.At(i) = *r
			}
			b.rows.Cut(p.first + from)
			p.rows = b.rows
		}
	}
	for _, l := range lines.From(from) {
		p.rows.Add(row{s: l.ANSI, kind: rowText, start: l.Start, end: l.End, lead: l.Lead, verbatim: l.Code})
	}
}

// person sets what someone typed: plainly, and folded where it is long.
func (p *page) person() {
	name := "you"
	if p.t.m.Role != chat.User {
		name = string(p.t.m.Role)
	}
	p.put(rowLabel, p.th.user.draw(name)+p.version())
	lines := text.WrapLines(p.t.doc.Source(), p.width)
	cut := len(lines)
	if cut > foldAbove && p.t.fold != foldOpen {
		cut = foldTo
	}
	for _, l := range lines[:cut] {
		p.rows.Add(row{s: l.Text, kind: rowText, start: l.Start, end: l.End, verbatim: true})
	}
	if cut < len(lines) {
		p.put(rowNote, p.th.dim.draw(fmt.Sprintf("%s %d more lines", p.th.mark.folded, len(lines)-cut)))
		p.rows.Last().folds = true
	}
}

func (p *page) version() string {
	if p.t.of < 2 {
		return ""
	}
	return p.th.dim.draw(fmt.Sprintf("  %s%d/%d%s", p.th.mark.prev, p.t.which, p.t.of, p.th.mark.next))
}

func (p *page) label() string {
	return p.th.label.draw(p.t.model()) + p.version()
}

// thinking sets the reasoning in one of three states: its last lines while it
// runs, one line when it is over, or all of it.
func (p *page) thinking() {
	t := p.t
	if t.thought.Len() == 0 {
		return
	}
	thinks := t.running() && t.doc.Len() == 0
	open := t.fold == foldOpen || t.fold == foldAuto && thinks
	title := "thought"
	if thinks {
		title = "thinking"
	}
	if n := t.thoughtTokens(); n > 0 {
		title += fmt.Sprintf(" %s %s", p.th.mark.dot, plural(n, "token", "tokens"))
	}
	mark := p.th.mark.folded
	if open {
		mark = p.th.mark.open
	}
	p.put(rowThought, p.th.dim.draw(mark+" "+title))
	if open {
		p.thoughtLines(t.fold == foldAuto)
	}
	if t.doc.Len() > 0 {
		p.put(rowBlank, "")
	}
}

func (p *page) thoughtLines(tail bool) {
	s, from := strings.TrimRight(p.t.thought.Source(), "\n"), 0
	if tail {
		from = lastLines(s, thoughtTail)
	}
	lines := text.WrapLines(s[from:], max(p.width-2, 1))
	if tail && len(lines) > thoughtTail {
		lines = lines[len(lines)-thoughtTail:]
	}
	bar := p.th.faint.draw(p.th.mark.divider) + " "
	for _, l := range lines {
		p.rows.Add(row{s: bar + p.th.dim.draw(l.Text), kind: rowThought, start: from + l.Start, end: from + l.End, lead: 2, verbatim: true})
	}
}

// lastLines is where the last n lines begin.
func lastLines(s string, n int) int {
	at := len(s)
	for ; n > 0 && at >= 0; n-- {
		at = strings.LastIndexByte(s[:at], '\n')
	}
	return at + 1
}

func (t *turn) thoughtTokens() int {
	n := 0
	t.recall()
	if t.answer != nil {
		for _, tok := range t.answer.tokens.All() {
			if tok.thinking {
				n++
			}
		}
	}
	return n
}

// state sets what stands behind the text: the soft cursor of an answer that is
// being written, what it waits for, or why it ended.
func (p *page) state(first int) {
	a := p.t.answer
	if a == nil {
		return
	}
	if !a.running() {
		p.ended(a)
		return
	}
	m := &p.th.mark
	switch {
	case a.state == engine.StateWaiting:
		p.note(p.th.warn, m.wait+" waiting for "+plural(a.counts.WaitingFor, "cell", "cells")+"; it goes on when they come free")
	case a.counts.Generated > a.first || p.t.doc.Len() > 0 && a.state == engine.StateDecoding:
		p.softCursor(first)
	case a.state == engine.StatePrefill:
		p.put(rowNote, p.th.accent.draw(spinner(p.th, p.frame))+p.th.dim.draw(" reading"+a.promptSize(p.th.mark.dot)))
	default:
		p.put(rowNote, p.th.accent.draw(spinner(p.th, p.frame))+p.th.dim.draw(" in the queue"))
	}
}

// promptSize says how long the prompt is, once that is known, and how much of it
// has been read.
func (a *answer) promptSize(dot string) string {
	c := &a.counts
	if c.Prompt == 0 {
		return ""
	}
	s := " " + plural(c.Prompt, "token", "tokens")
	if done := c.Cached + c.Evaluated; done < c.Prompt {
		s += fmt.Sprintf(" %s %2d %%", dot, done*100/c.Prompt)
	}
	return s
}

func (p *page) softCursor(first int) {
	cursor := p.th.accent.draw(p.th.mark.cursor)
	if p.rows.Len() > first && p.t.doc.Len() > 0 {
		last := p.rows.Last()
		if text.Width(last.s) < p.width {
			last.s += cursor
			return
		}
	}
	if p.t.doc.Len() == 0 && p.t.thought.Len() > 0 && p.rows.Len() > 0 {
		last := p.rows.Last()
		if text.Width(last.s) < p.width {
			last.s += cursor
			return
		}
	}
	p.put(rowText, cursor)
}

// ended says in one line why an answer is not complete.
func (p *page) ended(a *answer) {
	dot := " " + p.th.mark.dot + " "
	switch a.reason {
	case engine.ReasonStop:
		if p.t.doc.Len() == 0 && len(p.t.m.ToolCalls) == 0 {
			p.note(p.th.dim, "the model ended its turn without a word"+dot+p.th.keys.key(doRegenerate)+" tries again")
		}
	case engine.ReasonCancel:
		p.note(p.th.dim, "stopped by you after "+plural(a.counts.Generated, "token", "tokens")+dot+p.th.keys.key(doContinue, p.th.keys.reading)+" continues")
	case engine.ReasonLength:
		p.note(p.th.warn, "stopped at the limit of "+plural(a.start.MaxTokens, "token", "tokens")+dot+p.th.keys.key(doContinue, p.th.keys.reading)+" continues")
	case engine.ReasonContext:
		p.note(p.th.warn, p.t.overfull(dot))
	case engine.ReasonError:
		p.note(p.th.bad, "failed: "+a.err)
	case reasonLost:
		p.note(p.th.warn, "confab ended before this answer did"+dot+p.th.keys.key(doContinue, p.th.keys.reading)+" continues")
	}
}

// overfull says that an answer ended at the limit of the context, or that there was
// no room to begin it, and what helps.
func (t *turn) overfull(dot string) string {
	const cure = "/drop on leaves out old turns, or /new"
	a := t.answer
	full := a.counts.Prompt <= a.context || a.context <= 0
	s := fmt.Sprintf("this makes %s tokens, and the context holds %s", group(a.counts.Prompt), group(a.context)) + dot
	if full {
		s = "the context is full: " + plural(a.used(), "token", "tokens") + dot
	}
	switch {
	case full && a.dropOldest:
		return s + "the next message leaves out old turns, or /new"
	case !full && (a.dropOldest || t.asked < 2): // there is none that could be left out
		return s + "only a shorter message fits"
	}
	return s + cure
}

var spinnerFrames = []string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"}

// spinner turns about ten times a second at thirty frames.
func spinner(th *theme, frame int) string {
	if th.still {
		return th.mark.dot
	}
	if th.mark.rule != richMarks.rule {
		return string(`|/-\`[frame/4%4])
	}
	return spinnerFrames[frame/3%len(spinnerFrames)]
}
