package ui

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"github.com/confab-tui/confab/ui/store"
	"github.com/confab-tui/confab/ui/text"
)

// exportedMsg is the end of an export.
type exportedMsg struct {
	path string
	err  error
}

func (m exportedMsg) apply(r *root) tea.Cmd {
	if m.err != nil {
		r.say(toneBad, "export: "+m.err.Error())
		return nil
	}
	r.say(toneQuiet, "written to "+text.CleanLine(m.path))
	return nil
}

// fileName makes a plain file name of a title.
func fileName(title string) string {
	s := strings.Map(func(c rune) rune {
		if unicode.IsLetter(c) || unicode.IsDigit(c) {
			return unicode.ToLower(c)
		}
		return '-'
	}, title)
	s = strings.Trim(strings.Join(strings.FieldsFunc(s, func(c rune) bool { return c == '-' }), "-"), "-")
	if runes := []rune(s); len(runes) > 40 {
		s = strings.TrimRight(string(runes[:40]), "-")
	}
	if s == "" {
		s = "chat"
	}
	return s
}

// exportText writes the active path, as markdown to read or as JSON with all
// that it takes to make the answers again.
func exportText(c *conversation, asJSON bool) []byte {
	if asJSON {
		b, err := json.MarshalIndent(struct {
			Title    string           `json:"title"`
			System   string           `json:"system,omitempty"`
			Messages []*store.Message `json:"messages"`
		}{c.chat.Title, c.chat.System, c.chat.Path()}, "", "  ")
		if err != nil {
			panic("ui: a chat cannot be written as JSON: " + err.Error())
		}
		return append(b, '\n')
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n", c.chat.Title)
	if c.chat.System != "" {
		fmt.Fprintf(&b, "\n> %s\n", strings.ReplaceAll(c.chat.System, "\n", "\n> "))
	}
	for _, t := range c.turns {
		name := string(t.m.Role)
		if t.answer != nil {
			name = t.answer.model
		}
		fmt.Fprintf(&b, "\n## %s\n\n", name)
		if a := t.answer; a != nil {
			fmt.Fprintf(&b, "*temperature %.2f, top-k %d, top-p %.2f, min-p %.2f, seed %d, %s*\n\n",
				a.start.Temperature, a.start.TopK, a.start.TopP, a.start.MinP, a.seed, plural(a.counts.Generated, "token", "tokens"))
		}
		b.WriteString(strings.TrimSpace(t.m.Content) + "\n")
	}
	return []byte(b.String())
}
