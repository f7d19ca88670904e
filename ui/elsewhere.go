package ui

// elsewhere are commands of ollama, llama.cpp and others that have none to answer them here,
// with what does instead, or why nothing does.
var elsewhere = map[string]string{
	"save":    "every chat is kept while it is written; /rename names it, /export writes it into a file",
	"edit":    "up in an empty line edits your last message, e in the text any message",
	"compact": "nothing is summed up; /drop on lets a full chat forget its oldest turns",
	"glob":    "/read attaches one text file at a time",
	"image":   readsText,
	"audio":   readsText,
	"video":   readsText,
	"tools":   "no tools are run: a chat should not be able to act on your machine",

	"set verbose":    tellsSpeed,
	"set quiet":      tellsSpeed,
	"set wordwrap":   alwaysWraps,
	"set nowordwrap": alwaysWraps,
	"set history":    keepsInput,
	"set nohistory":  keepsInput,
	"set format":     noFormats,
	"set noformat":   noFormats,
}

const (
	readsText   = "the models that run here read text; /read attaches a text file"
	tellsSpeed  = "the last line tells the speed, /tokens how likely each token was"
	alwaysWraps = "text is wrapped at the width of its pane; /copy copies it as it was written"
	keepsInput  = "what you write is kept with its chat, and deleted with it"
	noFormats   = "answers cannot be held to a format, grammar or schema yet"
)
