package ui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// completion offers commands and their arguments above the input.
type completion struct {
	active bool
	items  []offer
	at     int
}

// offer is one line of the completion: what the input becomes, and its help.
type offer struct{ value, shown, help string }

const (
	completionMost = 8  // offers shown at once
	offerName      = 30 // cells for what is offered
)

func (c *completion) close() { *c = completion{} }

// completeUpdate finds the offers for what is being written.
func (r *root) completeUpdate() {
	e := &r.pane().input
	r.complete.close()
	if e.pasted || !strings.HasPrefix(e.s, "/") || strings.HasPrefix(e.s, "//") || strings.Contains(e.s, "\n") || r.pane().editing != nil {
		return
	}
	r.complete.items = r.offers(e.s)
	r.complete.active = len(r.complete.items) > 0
}

// choices are the words that some commands take, each with its help.
var choices = map[string][][2]string{
	"think":  {{"on", "ask for it"}, {"off", "ask against it"}, {"auto", "as the model likes"}},
	"seed":   {{"random", "a new one for every answer"}},
	"drop":   {{"on", "a full chat goes on without its oldest turns"}, {"off", "a full chat ends"}},
	"show":   {{"info", "what is known of the model"}, {"parameters", "the knobs"}, {"system", "the system prompt"}, {"prompt", "the very text that the model is given"}},
	"copy":   {{"code", "its code blocks, one after the other"}},
	"export": {{"all", "every chat, into one .json"}, {"compare", "the panes side by side, as Markdown"}, {"sharegpt", "for data sets"}, {"llama-server", "for its web page"}, {"open-webui", "for Open WebUI"}},
}

// offers completes the last word of a command line.
func (r *root) offers(line string) []offer {
	name, arg, hasArg := strings.Cut(line[1:], " ")
	var out []offer
	if !hasArg {
		for i := range commands {
			c := &commands[i]
			if n, ok := c.beginning(name); ok {
				out = append(out, offer{"/" + n, strings.TrimSpace("/" + n + " " + c.args), c.help})
			}
		}
		return out
	}
	switch name {
	case "set":
		if rest, ok := strings.CutPrefix(arg, "parameter "); ok && !strings.Contains(rest, " ") {
			for i := range knobs {
				if strings.HasPrefix(knobs[i].key, rest) && knobs[i].key != rest {
					out = append(out, offer{"/set parameter " + knobs[i].key + " ", knobs[i].key, knobs[i].explain})
				}
			}
		} else if strings.HasPrefix("parameter", arg) && arg != "parameter" {
			out = append(out, offer{"/set parameter ", "parameter", "a knob by its name"})
		}
	case "preset":
		for _, p := range r.base().presets {
			if strings.HasPrefix(p.name, arg) && p.name != arg {
				out = append(out, offer{"/preset " + p.name, p.name, p.explain})
			}
		}
		if strings.HasPrefix("save ", arg) && arg != "save " {
			out = append(out, offer{"/preset save ", "save NAME", "keep the knobs as they are under a name"})
		}
	case "theme":
		for _, n := range themeNames {
			if strings.HasPrefix(n[0], arg) && n[0] != arg {
				out = append(out, offer{"/theme " + n[0], n[0], n[1]})
			}
		}
	default:
		if c := findCommand(name); c != nil {
			for _, w := range choices[c.name] {
				if strings.HasPrefix(w[0], arg) && w[0] != arg {
					out = append(out, offer{"/" + name + " " + w[0], w[0], w[1]})
				}
			}
		}
	}
	return out
}

// beginning is the command's name that begins with what was written: its own, or
// another that it goes by.
func (c *command) beginning(with string) (string, bool) {
	if strings.HasPrefix(c.name, with) {
		return c.name, true
	}
	for _, a := range c.alias {
		if strings.HasPrefix(a, with) {
			return a, true
		}
	}
	return "", false
}

// completeKey moves in the offers and takes one.
func (r *root) completeKey(key string) (bool, tea.Cmd) {
	c := &r.complete
	e := &r.pane().input
	if r.keys.writing.byKey[key] == doSend {
		key = "enter"
	} else if key == "enter" {
		return false, nil
	}
	switch key {
	case "up", "ctrl+p":
		c.at = (c.at + len(c.items) - 1) % len(c.items)
	case "down", "ctrl+n":
		c.at = (c.at + 1) % len(c.items)
	case "esc":
		c.close()
	case "tab":
		r.takeOffer(e, true)
	case "enter":
		if c.at == 0 && findCommand(strings.TrimPrefix(e.s, "/")) != nil {
			return false, nil
		}
		r.takeOffer(e, false)
		cmd := findCommand(strings.TrimPrefix(e.s, "/"))
		if cmd != nil && cmd.needs {
			e.insert(" ")
			r.completeUpdate()
		}
		return strings.HasSuffix(e.s, " "), nil
	default:
		return false, nil
	}
	return true, nil
}

// takeOffer writes the chosen offer; more asks to go on with its argument.
func (r *root) takeOffer(e *editor, more bool) {
	c := &r.complete
	if c.at >= len(c.items) {
		return
	}
	v := c.items[c.at].value
	cmd := findCommand(strings.TrimPrefix(v, "/"))
	if more && cmd != nil && cmd.args != "" {
		v += " "
	}
	e.mark(false)
	e.s, e.at = v, len(v)
	r.completeUpdate()
}

// drawComplete gives the offers as lines of w cells.
func (r *root) drawComplete(w int) []string {
	c := &r.complete
	if !c.active {
		return nil
	}
	th := r.th
	n := min(len(c.items), completionMost)
	top := min(max(c.at-n+1, 0), len(c.items)-n)
	out := []string{th.rule(w)}
	for i := top; i < top+n; i++ {
		o := &c.items[i]
		pn := th.dim
		if i == c.at {
			pn = th.accentStrong
		}
		line := th.choiceMark(i == c.at) + pn.draw(fit(o.shown, offerName-2)) + "  " + th.dim.draw(o.help)
		if i == top+n-1 && len(c.items) > n {
			line = beside(line, th.dim.draw(fmt.Sprintf("%d of %d  ", c.at+1, len(c.items))), w)
		}
		out = append(out, fit(line, w))
	}
	return out
}
