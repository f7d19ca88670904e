package chat

import (
	"regexp"
	"strings"
)

// sections are parts with headers: a begin mark, the header, an end-of-header
// mark, the part.
type sections struct {
	// implied says that the prompt ends inside of a header.
	implied bool
	// like is what an implied header may look like so far; one that does not is text.
	like *regexp.Regexp
	// doubtful says that this holds for every header.
	doubtful bool
	// kind says what a header announces, and for a tool call the function, where the
	// header names it and the part has the arguments only.
	kind func(header string) (kind section, function string)
	// until ends a tool section that has sections inside, which are part of its text.
	until string
}

type section uint8

const (
	sectionText section = iota
	sectionThinking
	sectionTool
)

// thoughts are a channel named thought, closed by a mark of its own.
func thoughts() format {
	return format{
		known: true, open: "<|channel>", close: "<channel|>", begin: "<|channel>thought\n", end: "\n<channel|>",
		sections: &sections{kind: func(h string) (section, string) {
			if strings.TrimSpace(h) == "thought" {
				return sectionThinking, ""
			}
			return sectionText, ""
		}},
		marks: []mark{
			{text: "<|channel>", means: meansHeader}, {text: "\n", means: meansHeaderEnd}, {text: "<channel|>", means: meansSectionEnd},
		},
	}
}

// addressed is what a header may look like that begins with whom the message is to.
var addressed = regexp.MustCompile(`^\s*(t|to|to=[\w.]*)?(\s+[a-z=]*\w*)?\s*$`)

// channels are messages whose header names a channel and perhaps a function.
func channels() format {
	return format{
		known: true, open: "<|channel|>analysis<|message|>", close: "<|channel|>final<|message|>",
		begin: "<|channel|>analysis<|message|>", end: "<|end|><|start|>assistant<|channel|>final<|message|>", answer: "<|channel|>final<|message|>",
		sections: &sections{implied: true, like: addressed, kind: func(h string) (section, string) {
			_, name, call := strings.Cut(h, "to=functions.")
			switch {
			case call:
				name = strings.TrimLeft(name, " ")
				if end := strings.IndexAny(name, " <"); end >= 0 {
					name = name[:end]
				}
				return sectionTool, name
			case strings.Contains(h, "analysis"):
				return sectionThinking, ""
			}
			return sectionText, ""
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
		sections: &sections{implied: true, like: addressed, kind: func(h string) (section, string) {
			if strings.Contains(h, "to=self") {
				return sectionThinking, ""
			}
			return sectionText, ""
		}},
		marks: []mark{
			{text: "<|start|>", means: meansHeader}, {text: "<|message|>", means: meansHeaderEnd},
			{text: "<|eom|>", means: meansSectionEnd}, {text: "<|eot|>", means: meansSectionEnd},
		},
	}
}

// elements are parts with an opening and a closing, each with its name; tools has an
// element for each call, and that one for each argument.
func elements() format {
	return format{
		known: true, open: "<|open|>think<|sep|>", close: "<|close|>think<|sep|>",
		begin: "<|open|>think<|sep|>", end: "<|close|>think<|sep|><|open|>response<|sep|>", answer: "<|open|>response<|sep|>",
		sections: &sections{until: "<|close|>tools<|sep|>", kind: func(h string) (section, string) {
			switch h {
			case "think":
				return sectionThinking, ""
			case "tools":
				return sectionTool, ""
			}
			return sectionText, ""
		}},
		marks: []mark{
			{text: "<|open|>", means: meansHeader}, {text: "<|sep|>", means: meansHeaderEnd}, {text: "<|close|>", means: meansHeader},
		},
	}
}

// turns are messages with their speaker in front; a function call is one of its own, which
// follows the answer.
func turns() *sections {
	return &sections{kind: func(h string) (section, string) {
		if h == "function call" {
			return sectionTool, ""
		}
		return sectionText, ""
	}}
}

// callees are messages with a line in front that names the function or all; only the first
// line of the answer has no mark before it.
func callees() *sections {
	return &sections{implied: true, like: regexp.MustCompile(`^[\w.-]*$`), doubtful: true, kind: func(h string) (section, string) {
		if h == "all" || h == "" {
			return sectionText, ""
		}
		return sectionTool, ""
	}}
}
