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
	"ps":      "the top line names the model of this chat, /model lists all that there are, /pool shows who uses the memory",
	"rm":      keepsFiles,
	"cp":      keepsFiles,

	"show modelfile": "there are no Modelfiles; /show info, system and prompt show what one would say",
	"show license":   "licenses are not read from files; the page that a model comes from has its own",
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
	keepsFiles  = "model files are only read, never copied or deleted; confab models says where they lie"
	noFormats   = "answers cannot be held to a format, grammar or schema yet"
)
