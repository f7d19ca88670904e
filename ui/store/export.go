package store

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
)

// Format is a way to write a chat into a file.
type Format string

// The formats of Export. JSON holds everything, LlamaServer and OpenWebUI all
// versions of the messages, the others the active path.
const (
	Markdown    Format = "markdown"
	JSON        Format = "json"
	JSONL       Format = "jsonl" // a message a line
	ShareGPT    Format = "sharegpt"
	LlamaServer Format = "llama-server"
	OpenWebUI   Format = "open-webui"
)

// Foreign are the formats of other programs.
func Foreign() []Format { return []Format{ShareGPT, LlamaServer, OpenWebUI} }

// Ext is the usual end of a file's name.
func (f Format) Ext() string {
	switch f {
	case Markdown:
		return ".md"
	case JSONL:
		return ".jsonl"
	}
	return ".json"
}

// fileVersion is that of the JSON format.
const fileVersion = 1

// file is the JSON format.
type file struct {
	Version int `json:"confab"`
	Info
	System   string          `json:"system,omitempty"`
	Sampling json.RawMessage `json:"sampling,omitempty"`
	Draft    string          `json:"draft,omitempty"`
	Leaf     ID              `json:"leaf"`
	Messages []*Message      `json:"messages"`
}

// Export writes the chat.
func (c *Chat) Export(w io.Writer, f Format) error {
	b := bufio.NewWriter(w)
	var err error
	switch f {
	case JSON:
		err = writeIndented(b, c.file())
	case JSONL:
		e := json.NewEncoder(b)
		e.SetEscapeHTML(false)
		for _, m := range c.Conversation(c.leaf) {
			m.Tokens, m.TokensOf = nil, ""
			if err = e.Encode(m); err != nil {
				break
			}
		}
	case Markdown:
		c.exportMarkdown(b)
	case ShareGPT:
		err = writeIndented(b, c.shareGPT())
	case LlamaServer:
		err = writeIndented(b, c.llamaServer())
	case OpenWebUI:
		err = writeIndented(b, c.openWebUI())
	default:
		return fmt.Errorf("export: the format %q is not known", f)
	}
	if err == nil {
		err = b.Flush()
	}
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	return nil
}

// ExportAll writes all chats that are not in the trash, as a list of what JSON holds
// of each, and tells how many there are.
func (s *Store) ExportAll(ctx context.Context, w io.Writer) (int, error) {
	list, err := s.List(ctx)
	if err != nil {
		return 0, fmt.Errorf("export: %w", err)
	}
	var all []file
	for _, i := range list {
		c, err := s.Load(ctx, i.ID)
		if err != nil {
			return 0, fmt.Errorf("export: %w", err)
		}
		if c.Len() > 0 {
			all = append(all, c.file())
		}
	}
	return len(all), writeIndented(w, all)
}

// file is all that is known of the chat.
func (c *Chat) file() file {
	return file{Version: fileVersion, Info: c.Info, System: c.System, Sampling: c.Sampling, Draft: c.Draft, Leaf: c.leaf, Messages: c.inOrder()}
}

func writeIndented(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	return e.Encode(v)
}
