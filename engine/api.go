package engine

import (
	"time"

	"github.com/confab-tui/confab/engine/chat"
	"github.com/confab-tui/confab/engine/model"
)

// Sampling holds the sampler's knobs; see model.Sampling.
type Sampling = model.Sampling

// TokenProb is a token and how likely it was; see model.TokenProb.
type TokenProb = model.TokenProb

// Message and ToolCall are parts of a conversation; see chat.Message.
type (
	Message  = chat.Message
	Role     = chat.Role
	ToolCall = chat.ToolCall
)

// The roles of messages.
const (
	System    = chat.System
	User      = chat.User
	Assistant = chat.Assistant
	Tool      = chat.Tool
)

// Config says which model to open and how. The zero value opens the built-in
// model with every choice made automatically.
type Config struct {
	// Model is the path of a GGUF file, of its first part where it is split, or
	// empty for the built-in model.
	Model string
	// Backend is "auto" (or empty), "cpu" or "cuda".
	Backend string
	// Device is the number of the GPU.
	Device int
	// GPULayers is how many layers the GPU may have, the last ones: "auto" (or empty) for as
	// many as fit, "all", or a number. Where experts do not fit beside them, the CPU has
	// those of the first layers.
	GPULayers string
	// Threads is the number of CPU workers; 0 takes the machine's cores.
	Threads int
	// Context is the most tokens one conversation may have; 0 takes the model's.
	Context int
	// Cells is the size of the pool that all conversations share; 0 chooses it
	// from the free memory.
	Cells int
	// CellType is "f16" (or empty) or "f32".
	CellType string
	// BatchTokens is the most rows of prefill that one step takes; 0 chooses.
	BatchTokens int
}

// Progress is where Open stands: Stage in words, Done of Total bytes (or
// widths), Total 0 where unknown.
type Progress struct {
	Stage       string
	Done, Total int64
}

// Info describes an open engine; it never changes.
type Info struct {
	// ID names the model's content: the same for the same file wherever it is.
	ID string
	// Name is for people: general.name, else the file's name.
	Name, Path string
	// Arch, Quant and Params are like "llama", "Q4_K_M" and 8_030_000_000.
	Arch, Quant string
	Params      int64
	FileBytes   int64
	// Context is the most tokens a conversation may have; TrainedContext is the
	// model's own limit.
	Context, TrainedContext int
	// Cells is the pool's size, CellBytes one cell's.
	Cells     int
	CellBytes int64
	// Backend is like "CPU, 2 threads, AVX-512 VNNI" or "NVIDIA H200".
	Backend string
	// Notices are facts that a person should see once, such as why the GPU is
	// not used or that the file has no chat template.
	Notices []string
	// Sampling holds the model's own suggestion, or DefaultSampling.
	Sampling Sampling
	// TemplateID names the text of the chat template, empty where there is none.
	TemplateID string
	// Thinks says that the template or vocabulary knows thinking blocks.
	Thinks bool
	Vocab  int
	// Load is how long Open took.
	Load time.Duration
}

// Request is one answer to be generated. It is complete in itself: the engine
// finds out what it already holds of it. The lists may change once Generate has
// returned; what a message refers to, its token ids and tool calls, may not until
// the stream has ended.
type Request struct {
	// Conversation names the owner of the cells in Stats; it has no other effect.
	Conversation string
	// Messages is the whole conversation. It may end in an Unfinished assistant
	// message, which is continued.
	Messages []chat.Message
	// Prompt, where Messages is empty, is raw text to continue; Tokens, where
	// both are empty, are raw ids.
	Prompt string
	Tokens []int32

	Sampling Sampling
	// Changes are samplings to come, in the order of their Index: each takes
	// effect with exactly that token, in place of what was set before. With those
	// of an earlier answer, its Sampling and its seed, the answer is made again.
	Changes []Change
	// MaxTokens limits the answer; 0 leaves it to the context.
	MaxTokens int
	// Stop ends the answer before any of these texts, which do not appear.
	Stop []string
	// Think asks the template for thinking or against it; nil leaves it alone.
	Think *bool
	// Now is what the template takes for the present; zero is the present.
	Now time.Time
	// DropOldest removes the oldest turns (never the system prompt) when the
	// context is full, with an Event.Dropped that says how many; otherwise the
	// answer ends with ReasonContext.
	DropOldest bool
	// Alternatives is how many candidates each token record carries.
	Alternatives int
	// Pace is the most tokens a second, for who wants to read along; 0 is as fast as
	// they come.
	Pace float64
	// IgnoreEnd goes on past end-of-generation tokens.
	IgnoreEnd bool
}

// State is what a stream is doing.
type State int

// The states of a stream, in the usual order.
const (
	StateQueued   State = iota // not yet scheduled
	StateWaiting               // paused or not started for want of cells
	StatePrefill               // the prompt is being evaluated
	StateDecoding              // tokens are coming
	StateEnded
)

// Event is everything that happened on a stream since the last one.
type Event struct {
	State State
	// Text and Thinking are what to append to the answer and to the reasoning.
	Text, Thinking string
	ToolCalls      []chat.ToolCall
	// Tokens are the new token records, in order.
	Tokens []Token
	// Changes are the sampling changes that took effect.
	Changes []Change
	// Dropped is how many of the oldest messages are left out of the context, all
	// told; it is set in the event in which that grew, and 0 in others.
	Dropped int
	// Counts hold the stream's numbers so far.
	Counts Counts
	// End is set in the last event, and only there.
	End *End
}

// Token is one generated token.
type Token struct {
	TokenProb
	// Index counts the answer's tokens from 0.
	Index int
	// Text is what the token added, in Text or, where Thinking, in Thinking; a
	// token that is half a character adds nothing, and the one that completes
	// it adds both. Control tokens add nothing.
	Text     string
	Thinking bool
	// Alternatives are the likeliest candidates at this place.
	Alternatives []Alternative
}

// Alternative is a candidate with its spelling.
type Alternative struct {
	TokenProb
	Text string
}

// Change is a sampling that took effect with the token Index.
type Change struct {
	Index    int
	Sampling Sampling
}

// Counts are the numbers of one stream.
type Counts struct {
	// Prompt tokens are Cached plus Evaluated, once prefill is over. After turns
	// were left out they are those of the shorter prompt, and Prompt plus Generated
	// is what the context holds.
	Prompt, Cached, Evaluated int
	// Generated counts the answer's tokens.
	Generated int
	// WaitingFor is how many cells a waiting stream lacks.
	WaitingFor int
	// FirstToken is the time from Generate to the first token, 0 before it.
	FirstToken time.Duration
	// Prefill and Decode are the time spent in each.
	Prefill, Decode time.Duration
}

// Reason says why an answer ended.
type Reason string

// The reasons.
const (
	ReasonStop    Reason = "stop"    // the model ended its turn, or a stop text came
	ReasonLength  Reason = "length"  // MaxTokens was reached
	ReasonContext Reason = "context" // the conversation reached its context limit
	ReasonCancel  Reason = "cancel"  // the stream was cancelled
	ReasonError   Reason = "error"   // see End.Err
)

// End is how a stream ended.
type End struct {
	Reason Reason
	Err    error
	// Seed is the seed that the answer was drawn with.
	Seed uint64
	// Message is the whole answer as it belongs into the conversation, with the
	// token ids; Unfinished unless the model ended its turn.
	Message chat.Message
	Counts  Counts
}

// Stats is a picture of an engine at one moment.
type Stats struct {
	Pool PoolStats
	// TokensPerSecond is the rate of all streams together over the last second,
	// PromptPerSecond that of prefill.
	TokensPerSecond, PromptPerSecond float64
	Streams                          int
	// Steps counts the steps run, by the narrowest power of two that holds their
	// rows.
	Steps map[int]int64
}

// PoolStats counts cells. Held + Cached + Free is Total.
type PoolStats struct {
	Total  int
	Held   int // in use by running answers
	Shared int // of Held and Cached, in use by two or more
	Cached int // kept for reuse, first to go
	Free   int
	// Owners are the conversations that hold or keep cells, in order of use,
	// the next to lose its cache first.
	Owners []PoolOwner
	// Map has a mark for each of up to 1,024 equal runs of cells.
	Map []CellKind
}

// PoolOwner is one conversation's part of the pool.
type PoolOwner struct {
	Conversation string
	// Cells are all that it uses, Shared those that others use too.
	Cells, Shared int
	State         State
	LastUse       time.Time
}

// CellKind is what most of a run of cells is.
type CellKind uint8

// The kinds of cells.
const (
	CellFree CellKind = iota
	CellCached
	CellShared
	CellHeld
)
