package store

import (
	"bytes"
	"encoding/json"
	"strings"
)

// readChatGPT reads one of the conversations that ChatGPT exports: a tree, whose
// nodes may be no messages. Only text is taken over.
func readChatGPT(b []byte) (draft, error) {
	type entry struct {
		ID      string
		Parent  string
		Message *struct {
			Author  struct{ Role, Name string }
			Content struct {
				Type  string `json:"content_type"`
				Text  string
				Parts []json.RawMessage
			}
			CreateTime float64 `json:"create_time"` // seconds
			Metadata   struct {
				Model string `json:"model_slug"`
			}
		}
	}
	var f struct {
		Title       string
		CreateTime  float64 `json:"create_time"`
		UpdateTime  float64 `json:"update_time"`
		CurrentNode string  `json:"current_node"`
		Mapping     map[string]entry
	}
	if err := json.Unmarshal(b, &f); err != nil {
		return draft{}, err
	}
	d := draft{leaf: f.CurrentNode}
	d.info.Title = f.Title
	d.info.Created, d.info.Updated = fromMillis(int64(1000*f.CreateTime)), fromMillis(int64(1000*f.UpdateTime))
	said := func(e entry) string {
		if e.Message == nil || e.Message.Content.Type != "text" {
			return ""
		}
		var parts []string
		for _, p := range e.Message.Content.Parts {
			if bytes.HasPrefix(p, []byte(`"`)) {
				parts = append(parts, text(p))
			}
		}
		return strings.Join(parts, "\n\n")
	}
	// above is the nearest message over a node: those that are none, and empty ones,
	// are passed over.
	found := map[string]string{}
	above := func(k string) string {
		var way []string
		up, seen := f.Mapping[k].Parent, map[string]bool{}
		for {
			e, ok := f.Mapping[up]
			if known, has := found[up]; has {
				up = known
				break
			}
			if !ok || seen[up] {
				up = ""
				break
			}
			if said(e) != "" {
				break
			}
			way, seen[up] = append(way, up), true
			up = e.Parent
		}
		for _, w := range way {
			found[w] = up
		}
		return up
	}
	when := func(e entry) float64 {
		if e.Message == nil {
			return 0
		}
		return e.Message.CreateTime
	}
	for _, k := range byTime(f.Mapping, when) {
		e := f.Mapping[k]
		content := said(e)
		if content == "" {
			continue
		}
		m := plain{Role: e.Message.Author.Role, Name: e.Message.Author.Name, Value: content}.message()
		m.Created = fromMillis(int64(1000 * e.Message.CreateTime))
		if e.Message.Metadata.Model != "" {
			m.Facts = &Facts{ModelName: e.Message.Metadata.Model}
		}
		d.nodes = append(d.nodes, node{k, above(k), m})
	}
	return d, nil
}
