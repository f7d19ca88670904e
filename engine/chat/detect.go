package chat

import (
	"cmp"
	"slices"
	"strings"

	"github.com/confab-tui/confab/engine/token"
)

// format is how a model marks thinking, answer and tool calls in what it
// writes.
type format struct {
	// known says that template or vocabulary speak of thinking.
	known bool
	// begin, end and answer are what stands before thinking, between thinking
	// and answer, and before an answer without thinking, where the generation
	// prompt has not written it.
	begin, end, answer string
	// open and close tell whether a prompt has begun a thinking block.
	open, close string
	// sections is set where every part has a header.
	sections *sections
	marks    []mark
	// bareCalls says that an answer may be a tool call without marks.
	bareCalls bool
	// cdata says that values in tool calls may be quoted in <![CDATA[ and ]]>.
	cdata bool
}

// mark is a string with a meaning. A control mark is one token, which text
// cannot be; the other marks are found in text.
type mark struct {
	text    string
	means   meaning
	control bool
}

type meaning uint8

const (
	meansThink meaning = iota
	meansThinkEnd
	meansTool // a tool call until meansToolEnd, the next one or the end of the answer
	meansToolEnd
	meansHeader
	meansHeaderEnd
	meansSectionEnd
	meansAnswer     // stands in front of a whole answer
	meansAnswerEnd  // ends what meansAnswer began
	meansNextHeader // ends a section and begins a header
	meansNothing    // is left out, but for tool calls, to whose text it belongs
)

// suffix ends the name of each mark of a family, whose templates put it in for {}.
const suffix = ":opensource"

// thinkTags are the pairs that models use, the usual one first.
var thinkTags = [][2]string{
	{"<think>", "</think>"}, {"[THINK]", "[/THINK]"}, {"<mm:think>", "</mm:think>"}, {"<seed:think>", "</seed:think>"},
	{"<think" + suffix + ">", "</think" + suffix + ">"}, {"<|START_THINKING|>", "<|END_THINKING|>"},
	{"<|inner_prefix|>", "<|inner_suffix|>"}, {"Here are my reasoning steps:", "[BEGIN FINAL RESPONSE]"},
}

// detectFormat looks at the template, then at the vocabulary.
func detectFormat(source string, t *token.Tokenizer) format {
	has := func(all ...string) bool {
		for _, s := range all {
			if !strings.Contains(source, s) {
				return false
			}
		}
		return true
	}
	var f format
	switch {
	case has("<|channel|>", "<|message|>", "<|start|>"):
		f = channels()
	case has("<|eom|>", "<|message|>", "to="):
		f = recipients()
	case has("<|open|>", "<|sep|>", "<|close|>"):
		f = elements()
	case has("<|channel>", "<channel|>"):
		f = thoughts()
	default:
		f = tags(source, t)
		f.plain(has)
	}
	control := func(s string) bool {
		if t == nil {
			return false
		}
		id, ok := t.ID(s)
		return ok && t.IsControl(id)
	}
	for _, m := range toolMarks {
		if !has(cmp.Or(m.sign, m.open)) && !control(m.open) {
			continue
		}
		f.marks = append(f.marks, mark{text: m.open, means: meansTool})
		if m.close != "" {
			f.marks = append(f.marks, mark{text: m.close, means: meansToolEnd})
		}
	}
	f.bareCalls = has(`{"name": function name, "parameters": dictionary`)
	f.cdata = has("<![CDATA[")
	for i, m := range f.marks {
		f.marks[i].control = control(m.text)
	}
	return f
}

// tags are thinking blocks between two marks, at the beginning of an answer.
func tags(source string, t *token.Tokenizer) format {
	speaks := func(p [2]string) bool {
		return strings.Contains(source, p[1]) || strings.Contains(source, strings.Replace(p[1], suffix, "{}", 1))
	}
	at := slices.IndexFunc(thinkTags, speaks)
	if at < 0 && t != nil {
		at = slices.IndexFunc(thinkTags, func(p [2]string) bool { _, ok := t.ID(p[1]); return ok })
	}
	pair, known := thinkTags[max(at, 0)], at >= 0
	return format{
		known: known, open: pair[0], close: pair[1], begin: pair[0] + "\n", end: "\n" + pair[1] + "\n\n",
		marks: []mark{{text: pair[0], means: meansThink}, {text: pair[1], means: meansThinkEnd}},
	}
}

// plain adds to a format with tags what some have beside them.
func (f *format) plain(has func(...string) bool) {
	switch {
	case has("<|message_sep|>", "<|role_sep|>") && !has("<|function_call|>"):
		f.sections = turns()
		f.marks = append(f.marks, mark{text: "<|message_sep|>", means: meansNextHeader}, mark{text: "<|role_sep|>", means: meansHeaderEnd})
	case has(">>>${recipient}"):
		f.sections, f.answer = callees(), "all\n"
		f.marks = append(f.marks, mark{text: ">>>", means: meansHeader}, mark{text: "\n", means: meansHeaderEnd})
	case has("<response></response>"):
		f.marks = append(f.marks, mark{text: "<response>", means: meansAnswer}, mark{text: "</response>", means: meansAnswerEnd})
	case has(spaceMark):
		f.marks = append(f.marks, mark{text: spaceMark, means: meansNothing})
	}
}

// opened says that a generation prompt has begun a thinking block and not ended
// it.
func (f *format) opened(prompt string) bool {
	return strings.LastIndex(prompt, f.open) > strings.LastIndex(prompt, f.close)
}

// Thinks says that the template or the vocabulary knows thinking.
func (t *Template) Thinks() bool { return t.format.known }
