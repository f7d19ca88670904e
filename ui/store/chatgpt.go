package store

import (
	"bytes"
	"encoding/json"
	"strings"
)

// chatGPT is one of the conversations that ChatGPT exports: a tree, whose nodes may be no
// messages. Times are in seconds.
type chatGPT struct {
	Title       string
	CreateTime  float64                `json:"create_time"`
	UpdateTime  float64                `json:"update_time"`
	CurrentNode string                 `json:"current_node"`
	Mapping     map[string]chatGPTNode // by the nodes' keys
}

type chatGPTNode struct {
	Parent  string
	Message *struct {
		Author  struct{ Role, Name string }
		Content struct {
			Type  string `json:"content_type"`
			Parts []json.RawMessage
		}
		CreateTime float64 `json:"create_time"`
		Metadata   struct {
			Model string `json:"model_slug"`
		}
	}
}

// text is what a node says, empty where that is none: of pictures and the like nothing is
// taken over.
func (n chatGPTNode) text() string {
	if n.Message == nil || n.Message.Content.Type != "text" {
		return ""
	}
	var parts []string
	for _, p := range n.Message.Content.Parts {
		if bytes.HasPrefix(p, []byte(`"`)) {
			parts = append(parts, text(p))
		}
	}
	return strings.Join(parts, "\n\n")
}

func (n chatGPTNode) created() float64 {
	if n.Message == nil {
		return 0
	}
	return n.Message.CreateTime
}

func readChatGPT(b []byte) (draft, error) {
	var f chatGPT
	if err := json.Unmarshal(b, &f); err != nil {
		return draft{}, err
	}
	d := draft{leaf: f.CurrentNode}
	d.info.Title = f.Title
	d.info.Created, d.info.Updated = fromMillis(int64(1000*f.CreateTime)), fromMillis(int64(1000*f.UpdateTime))
	known := map[string]string{}
	for _, k := range byTime(f.Mapping, chatGPTNode.created) {
		n := f.Mapping[k]
		content := n.text()
		if content == "" {
			continue
		}
		m := plain{Role: n.Message.Author.Role, Name: n.Message.Author.Name, Value: content}.message()
		m.Created = fromMillis(int64(1000 * n.Message.CreateTime))
		if n.Message.Metadata.Model != "" {
			m.Facts = &Facts{ModelName: n.Message.Metadata.Model}
		}
		d.nodes = append(d.nodes, node{k, f.above(k, known), m})
	}
	return d, nil
}

// above is the nearest message over a node, those that say nothing passed over; known has
// what was found before of such.
func (f *chatGPT) above(k string, known map[string]string) string {
	var way []string
	up, seen := f.Mapping[k].Parent, map[string]bool{}
	for {
		n, there := f.Mapping[up]
		if found, has := known[up]; has {
			up = found
			break
		}
		if !there || seen[up] {
			up = ""
			break
		}
		if n.text() != "" {
			break
		}
		way, seen[up] = append(way, up), true
		up = n.Parent
	}
	for _, w := range way {
		known[w] = up
	}
	return up
}
