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
}

// sections are parts with headers: a begin mark, the header, an end-of-header
// mark, the part.
type sections struct {
	// implied says that the prompt ends inside of a header.
	implied bool
	// kind says what a header announces.
	kind func(header string) section
}

type section uint8

const (
	sectionText section = iota
	sectionThinking
	sectionTool
)

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
	meansToolPart // belongs to the text of a tool call
	meansHeader
	meansHeaderEnd
	meansSectionEnd
)

// thinkTags are the pairs that models use, the usual one first.
var thinkTags = [][2]string{
	{"<think>", "</think>"}, {"[THINK]", "[/THINK]"}, {"<mm:think>", "</mm:think>"}, {"<seed:think>", "</seed:think>"},
	{"<think:opensource>", "</think:opensource>"}, {"<|START_THINKING|>", "<|END_THINKING|>"},
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
		for _, part := range m.parts {
			f.marks = append(f.marks, mark{text: part, means: meansToolPart})
		}
	}
	f.bareCalls = has(`{"name": function name, "parameters": dictionary`)
	for i, m := range f.marks {
		f.marks[i].control = control(m.text)
	}
	return f
}

// tags are thinking blocks between two marks, at the beginning of an answer.
func tags(source string, t *token.Tokenizer) format {
	speaks := func(p [2]string) bool { return strings.Contains(source, p[1]) }
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

// thoughts are a channel named thought, closed by a mark of its own.
func thoughts() format {
	return format{
		known: true, open: "<|channel>", close: "<channel|>", begin: "<|channel>thought\n", end: "\n<channel|>",
		sections: &sections{kind: func(h string) section {
			if strings.TrimSpace(h) == "thought" {
				return sectionThinking
			}
			return sectionText
		}},
		marks: []mark{
			{text: "<|channel>", means: meansHeader}, {text: "\n", means: meansHeaderEnd}, {text: "<channel|>", means: meansSectionEnd},
		},
	}
}

// channels are messages whose header names a channel and perhaps a function.
func channels() format {
	return format{
		known: true, open: "<|channel|>analysis<|message|>", close: "<|channel|>final<|message|>",
		begin: "<|channel|>analysis<|message|>", end: "<|end|><|start|>assistant<|channel|>final<|message|>", answer: "<|channel|>final<|message|>",
		sections: &sections{implied: true, kind: func(h string) section {
			switch {
			case strings.Contains(h, "to=functions."):
				return sectionTool
			case strings.Contains(h, "analysis"):
				return sectionThinking
			}
			return sectionText
		}},
		marks: []mark{
			{text: "<|start|>", means: meansHeader}, {text: "<|channel|>", means: meansHeader}, {text: "<|message|>", means: meansHeaderEnd},
			{text: "<|end|>", means: meansSectionEnd}, {text: "<|call|>", means: meansSectionEnd}, {text: "<|return|>", means: meansSectionEnd},
		},
	}
}

// recipients are messages whose header says to whom: to=self is thinking.
func recipients() format {
	return format{
		known: true, open: " to=self<|message|>", close: " to=user<|message|>",
		begin: " to=self<|message|>", end: "<|eom|><|start|>assistant to=user<|message|>", answer: " to=user<|message|>",
		sections: &sections{implied: true, kind: func(h string) section {
			if strings.Contains(h, "to=self") {
				return sectionThinking
			}
			return sectionText
		}},
		marks: []mark{
			{text: "<|start|>", means: meansHeader}, {text: "<|message|>", means: meansHeaderEnd},
			{text: "<|eom|>", means: meansSectionEnd}, {text: "<|eot|>", means: meansSectionEnd},
		},
	}
}

// elements are parts with an opening and a closing, each with its name.
func elements() format {
	return format{
		known: true, open: "<|open|>think<|sep|>", close: "<|close|>think<|sep|>",
		begin: "<|open|>think<|sep|>", end: "<|close|>think<|sep|><|open|>response<|sep|>", answer: "<|open|>response<|sep|>",
		sections: &sections{kind: func(h string) section {
			if h == "think" {
				return sectionThinking
			}
			return sectionText
		}},
		marks: []mark{
			{text: "<|open|>", means: meansHeader}, {text: "<|sep|>", means: meansHeaderEnd}, {text: "<|close|>", means: meansHeader},
		},
	}
}

// opened says that a generation prompt has begun a thinking block and not ended
// it.
func (f *format) opened(prompt string) bool {
	return strings.LastIndex(prompt, f.open) > strings.LastIndex(prompt, f.close)
}

// Thinks says that the template or the vocabulary knows thinking.
func (t *Template) Thinks() bool { return t.format.known }
