package ui

import (
	"fmt"
	"strings"
	"time"

	"github.com/confab-tui/confab/engine/chat"
)

// compared is one pane of a comparison as it is written down: what was said to
// it, what it answered, and all that the answer was made with.
type compared struct {
	model, system, prompt string
	turns                 int
	t                     *turn
}

// comparison writes the last answers of a tab's panes as Markdown: the prompt, a
// table of all parameters, then the answers.
func comparison(t *tab, now time.Time, version string) string {
	var all []compared
	for _, p := range t.panes {
		c := compared{system: p.conv.chat.System, turns: len(p.conv.turns), t: p.conv.lastOf(chat.Assistant)}
		if u := p.conv.lastOf(chat.User); u != nil {
			c.prompt = u.m.Content
		}
		if c.t != nil && c.t.answer != nil {
			c.model = c.t.answer.model
		}
		all = append(all, c)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# Comparison\n\n%s, confab %s\n", now.Format("2 January 2006, 15:04"), version)
	one := agree(all, func(c *compared) string { return c.prompt })
	if one {
		fmt.Fprintf(&b, "\n## Prompt\n\n%s\n", quoted(all[0].prompt))
	}
	writeParameters(&b, all)
	for i := range all {
		c := &all[i]
		fmt.Fprintf(&b, "\n## %d · %s\n", i+1, c.title(all))
		if c.system != "" {
			fmt.Fprintf(&b, "\nSystem prompt:\n\n%s\n", quoted(c.system))
		}
		if !one {
			fmt.Fprintf(&b, "\nPrompt:\n\n%s\n", quoted(c.prompt))
		}
		c.writeAnswer(&b)
	}
	return b.String()
}

func agree(all []compared, f func(*compared) string) bool {
	for i := range all {
		if f(&all[i]) != f(&all[0]) {
			return false
		}
	}
	return true
}

func quoted(s string) string {
	return "> " + strings.ReplaceAll(strings.TrimSpace(s), "\n", "\n> ")
}

// title names a pane by what tells it from the others.
func (c *compared) title(all []compared) string {
	if c.t == nil || c.t.answer == nil {
		return "no answer"
	}
	var parts []string
	if !agree(all, func(c *compared) string { return c.model }) {
		parts = append(parts, c.model)
	}
	for k := range knobCount {
		kb := &knobs[k]
		if !agree(all, func(c *compared) string { return c.knob(k) }) {
			parts = append(parts, kb.label+" "+c.knob(k))
		}
	}
	if len(parts) == 0 {
		return c.model
	}
	return strings.Join(parts, ", ")
}

func (c *compared) knob(k knobIndex) string {
	if c.t == nil || c.t.answer == nil {
		return ""
	}
	s := c.t.answer.start
	return knobs[k].write(knobs[k].get(&s))
}

// writeParameters is the table: a column a pane, a row a parameter.
func writeParameters(b *strings.Builder, all []compared) {
	row := func(name string, f func(a *answer, c *compared) string) {
		fmt.Fprintf(b, "| %s |", name)
		for i := range all {
			v := ""
			if t := all[i].t; t != nil && t.answer != nil {
				v = f(t.answer, &all[i])
			}
			fmt.Fprintf(b, " %s |", strings.NewReplacer("|", "\\|", "\n", " ").Replace(v))
		}
		b.WriteByte('\n')
	}
	b.WriteString("\n## Parameters\n\n|  |")
	for i := range all {
		fmt.Fprintf(b, " %d |", i+1)
	}
	b.WriteString("\n| --- |" + strings.Repeat(" --- |", len(all)) + "\n")
	row("model", func(a *answer, _ *compared) string { return a.model })
	row("model file", func(a *answer, _ *compared) string { return a.modelID })
	row("template", func(a *answer, _ *compared) string { return a.template })
	row("backend", func(a *answer, _ *compared) string { return a.backend })
	row("system prompt", func(a *answer, _ *compared) string { return a.system })
	for k := range knobCount {
		if k != knobSeed {
			row(knobs[k].key, func(_ *answer, c *compared) string { return c.knob(k) })
		}
	}
	row("seed", func(a *answer, _ *compared) string { return fmt.Sprint(a.seed) })
	row("changes", func(a *answer, _ *compared) string {
		var all []string
		for i := range a.changes {
			all = append(all, a.describe([]int{i}))
		}
		return strings.Join(all, "; ")
	})
	row("messages before", func(_ *answer, c *compared) string { return fmt.Sprint(c.turns - 1) })
	row("tokens", func(a *answer, _ *compared) string { return fmt.Sprint(a.counts.Generated) })
	row("tokens a second", func(a *answer, _ *compared) string {
		return perSecond(a.speed())
	})
	row("first token", func(a *answer, _ *compared) string { return brief(a.counts.FirstToken) })
	row("ended by", func(a *answer, _ *compared) string { return string(a.reason) })
}

func (c *compared) writeAnswer(b *strings.Builder) {
	if c.t == nil {
		return
	}
	if c.t.m.Thinking != "" {
		fmt.Fprintf(b, "\nThinking:\n\n%s\n", quoted(c.t.m.Thinking))
	}
	fmt.Fprintf(b, "\n%s\n", strings.TrimSpace(c.t.m.Content))
}
