package chat

// Role says who speaks a message.
type Role string

// The roles that templates know.
const (
	System    Role = "system"
	User      Role = "user"
	Assistant Role = "assistant"
	Tool      Role = "tool"
)

// Message is one turn of a conversation.
type Message struct {
	Role    Role   `json:"role"`
	Content string `json:"content"`
	// Thinking is an assistant's reasoning, without the marks around it.
	Thinking string `json:"reasoning_content,omitempty"`
	// ToolCalls are what an assistant asked for.
	ToolCalls []ToolCall `json:"tool_calls,omitempty"`
	// Name and ToolCallID say which call a tool's message answers.
	Name       string `json:"name,omitempty"`
	ToolCallID string `json:"tool_call_id,omitempty"`
	// Tokens are the ids that the engine generated for this message, the
	// end-of-turn token not among them; encoding uses them instead of the text
	// as long as the model that made them (TokensOf, Engine.Info.ID) is the one
	// that reads them. An edited message has none.
	Tokens   []int32 `json:"tokens,omitempty"`
	TokensOf string  `json:"tokens_of,omitempty"`
	// Unfinished marks an assistant's message that is to be continued; it can
	// only be the last.
	Unfinished bool `json:"unfinished,omitempty"`
}

// ToolCall is one function call of an assistant. Arguments is a JSON object as
// the model wrote it.
type ToolCall struct {
	ID        string `json:"id,omitempty"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}
