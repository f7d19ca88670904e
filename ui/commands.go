package ui

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/confab-tui/confab/engine/chat"
)

// command is one slash command.
type command struct {
	name, args, help string
	alias            []string
	needs            bool // it means nothing without an argument
	run              func(r *root, arg string) tea.Cmd
}

var commands []command

func init() {
	action := func(a action) func(*root, string) tea.Cmd {
		return func(r *root, _ string) tea.Cmd { return r.do(a) }
	}
	commands = []command{
		{name: "help", alias: []string{"?"}, help: "every key and command", run: action(doHelp)},
		{name: "keys", args: "WORD", help: "give actions other keys", run: func(r *root, arg string) tea.Cmd { r.openKeys(arg); return nil }},
		{name: "new", help: "new chat", run: action(doNewChat)},
		{name: "clear", help: "begin anew; the chat is kept", run: (*root).clearChat},
		{name: "read", args: "FILE", needs: true, help: "attach a text file", run: (*root).readCommand},
		{name: "rename", args: "TITLE", help: "name this chat", run: (*root).renameCommand},
		{name: "system", args: "TEXT", alias: []string{"system-prompt"}, help: "set or edit the system prompt", run: (*root).systemCommand},
		{name: "set", needs: true, args: "parameter NAME VALUE", help: "turn a knob", run: (*root).setCommand},
		{name: "preset", needs: true, args: "NAME", help: "take one, or save NAME", run: (*root).presetCommand},
		{name: "seed", args: "N", help: "pin the dice, or free them", run: (*root).seedCommand},
		{name: "think", alias: []string{"reasoning"}, needs: true, args: "on off auto", help: "ask for thinking or against it", run: (*root).thinkCommand},
		{name: "pace", args: "N", needs: true, help: "at most N tokens a second", run: (*root).paceCommand},
		{name: "drop", args: "on off", needs: true, help: "full chats forget old turns", run: (*root).dropCommand},
		{name: "knobs", alias: []string{"parameters"}, help: "turn the knobs", run: func(r *root, _ string) tea.Cmd { return r.showCommand("knobs") }},
		{name: "show", args: "WHAT", help: "the model; the very prompt", run: (*root).showCommand},
		{name: "regen", alias: []string{"regenerate", "retry"}, help: "answer again, keep both", run: action(doRegenerate)},
		{name: "replay", help: "make the answer again, compare", run: func(r *root, _ string) tea.Cmd { return r.replayAnswer(r.pane(), nil) }},
		{name: "continue", help: "continue a cut answer", run: (*root).continueCommand},
		{name: "undo", args: "N", help: "take the last turns back", run: (*root).undoCommand},
		{name: "restore", help: "bring back what was deleted", run: action(doUndo)},
		{name: "fork", args: "TITLE", help: "copy this chat into a new tab", run: (*root).forkCommand},
		{name: "split", help: "one more pane", run: action(doSplit)},
		{name: "compare", args: "MODEL MODEL", help: "models, presets, temperatures", run: (*root).compareCommand},
		{name: "all", help: "write to all panes, or to one", run: action(doBroadcast)},
		{name: "reload", args: "cpu", help: "open the same model again", run: (*root).reloadCommand},
		{name: "model", args: "NAME", alias: []string{"models", "load", "list"}, help: "open another model", run: (*root).modelCommand},
		{name: "pull", args: "OWNER/NAME:QUANT", alias: []string{"download"}, help: "fetch from Hugging Face", run: (*root).pullCommand},
		{name: "tokens", help: "tokens and their odds", run: action(doTokens)},
		{name: "pool", alias: []string{"stats", "context"}, help: "who holds the cells", run: action(doPool)},
		{name: "chats", alias: []string{"history"}, help: "all chats", run: action(doHistory)},
		{name: "find", args: "WORDS", help: "find in this chat", run: (*root).findInChat},
		{name: "copy", args: "code", help: "copy the answer, or its code", run: (*root).copyCommand},
		{name: "export", args: "FILE", help: "a chat, or all, into a file", run: (*root).exportCommand},
		{name: "theme", args: "NAME", help: "other colours, kept", run: (*root).themeCommand},
		{name: "import", args: "FILE", help: "chats, of other programs too", run: (*root).importCommand},
		{name: "mouse", help: "mouse to the terminal and back", run: action(doMouse)},
		{name: "close", help: "close this tab", run: action(doCloseTab)},
		{name: "quit", alias: []string{"exit", "bye", "q"}, help: "leave; everything is kept", run: func(r *root, _ string) tea.Cmd { return r.quit() }},
	}
}

// findCommand finds a command by its whole name.
func findCommand(name string) *command {
	for i := range commands {
		c := &commands[i]
		if c.name == name {
			return c
		}
		for _, a := range c.alias {
			if a == name {
				return c
			}
		}
	}
	return nil
}

// command runs what was typed after a stroke. What is unknown stays in the
// input, with the nearest name beside it.
func (r *root) command(line string) tea.Cmd {
	name, arg, _ := strings.Cut(strings.TrimPrefix(line, "/"), " ")
	c := findCommand(strings.ToLower(name))
	if c == nil && elsewhere[strings.ToLower(name)] != "" {
		r.say(toneWarn, elsewhere[strings.ToLower(name)])
		return nil
	}
	if c == nil {
		s := fmt.Sprintf("there is no command /%s", name)
		if near := nearest(strings.ToLower(name)); near != "" {
			s += "; did you mean /" + near + "?"
		}
		r.say(toneBad, s+"  (// begins a message with a slash)")
		return nil
	}
	arg = strings.TrimSpace(arg)
	if c.args == "" && arg != "" {
		r.say(toneBad, fmt.Sprintf("/%s takes nothing after it  (// begins a message with a slash)", name))
		return nil
	}
	p := r.pane()
	before := p.input
	p.input.reset()
	r.failed = false
	cmd := c.run(r, arg)
	if r.failed {
		p.input = before
	}
	if cmd == nil {
		return nil
	}
	return func() tea.Msg {
		msg := cmd()
		if m, ok := msg.(sheetMsg); ok {
			return commandMsg{m, p, before}
		}
		return msg
	}
}

// commandMsg is the end of a command that took a while. Where it failed, what was
// typed comes back, unless something else was written meanwhile.
type commandMsg struct {
	sheetMsg
	pane  *pane
	typed editor
}

func (m commandMsg) apply(r *root) tea.Cmd {
	r.failed = false
	cmd := m.sheetMsg.apply(r)
	if r.failed && m.pane.input.empty() && !r.noScreen {
		m.pane.input = m.typed
		r.remember()
	}
	return cmd
}

// fail tells what is wrong with a command, whose text stays.
func (r *root) fail(format string, args ...any) tea.Cmd {
	r.failed = true
	r.say(toneBad, fmt.Sprintf(format, args...))
	return nil
}

// nearest is the command whose name takes the fewest changes, if they are few.
func nearest(name string) string {
	best, least := "", 3
	for i := range commands {
		for _, n := range append([]string{commands[i].name}, commands[i].alias...) {
			d := Distance(name, n)
			if strings.HasPrefix(n, name) && len(name) > 1 {
				d = 1
			}
			if d < least && d < len(n) {
				best, least = commands[i].name, d
			}
		}
	}
	return best
}

// Distance counts the letters to change, add or take away (Levenshtein), in bytes.
func Distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		last := row[0]
		row[0] = i + 1
		for j := range len(b) {
			next := min(row[j+1]+1, row[j]+1, last+b2i(a[i] != b[j]))
			last, row[j+1] = row[j+1], next
		}
	}
	return row[len(b)]
}

func (r *root) clearChat(string) tea.Cmd {
	p := r.pane()
	if p.conv.running() {
		return r.fail("an answer is being written: %s stops it", r.keys.key(doStop))
	}
	t := r.tab()
	fresh := r.freshPane()
	fresh.conv.layers = p.conv.layers
	fresh.conv.chat.System = p.conv.chat.System
	i := t.focus
	t.panes[i] = fresh
	r.undoable(func() { t.panes[i] = p })
	r.say(toneQuiet, "a fresh start "+r.th.mark.dot+" "+r.keys.key(doUndo)+" brings the old chat back")
	return nil
}

func (r *root) renameCommand(arg string) tea.Cmd {
	if arg == "" {
		return r.do(doRename)
	}
	r.rename(arg)
	return nil
}

func (r *root) systemCommand(arg string) tea.Cmd {
	switch arg {
	case "":
		return r.do(doSystem)
	case "none", "off":
		arg = ""
	}
	r.setSystem(arg)
	return nil
}

func (r *root) setCommand(arg string) tea.Cmd {
	f := strings.Fields(arg)
	if len(f) == 0 {
		return r.fail("write /set parameter NAME VALUE, for example /set parameter temperature 0.7")
	}
	switch f[0] {
	case "parameter":
		f = f[1:]
	case "system":
		return r.systemCommand(strings.TrimSpace(strings.TrimPrefix(arg, "system")))
	case "think":
		return r.thinkCommand("on")
	case "nothink":
		return r.thinkCommand("off")
	}
	if why := elsewhere["set "+f[0]]; why != "" {
		return r.fail("%s", why)
	}
	if len(f) != 2 {
		return r.fail("write /set parameter NAME VALUE, for example /set parameter temperature 0.7")
	}
	k, ok := findKnob(f[0])
	if !ok {
		return r.fail("there is no parameter %q; there are %s", f[0], knobNames())
	}
	v, err := knobs[k].parse(f[1])
	if err != nil {
		return r.fail("%v", err)
	}
	r.setKnob(k, v)
	r.say(toneQuiet, fmt.Sprintf("%s is %s", knobs[k].label, knobs[k].write(v)))
	return nil
}

func knobNames() string {
	var names []string
	for i := range knobs {
		names = append(names, knobs[i].key)
	}
	return strings.Join(names, ", ")
}

func (r *root) presetCommand(arg string) tea.Cmd {
	if name, ok := strings.CutPrefix(arg, "save "); ok {
		return r.savePreset(strings.TrimSpace(name))
	}
	if arg == "" || arg == "save" {
		return r.fail("write /preset NAME, one of %s, or /preset save NAME", r.base().presetNames())
	}
	if _, ok := r.base().preset(arg); !ok {
		return r.fail("there is no preset %q; there are %s", arg, r.base().presetNames())
	}
	r.choosePreset(arg)
	r.say(toneQuiet, "preset "+arg)
	return nil
}

func (r *root) seedCommand(arg string) tea.Cmd {
	if arg == "" {
		if a := r.pane().lastAnswer(); a != nil {
			arg = strconv.FormatUint(a.seed, 10)
		}
	}
	return r.setCommand("seed " + arg)
}

func (r *root) thinkCommand(arg string) tea.Cmd {
	yes, no := true, false
	c := r.pane().conv
	switch arg {
	case "on":
		c.think = &yes
	case "off":
		c.think = &no
	case "auto":
		c.think = nil
	default:
		return r.fail("write /think on, off or auto")
	}
	if b := r.back(); arg == "on" && b.engine != nil && !b.info.Thinks {
		r.say(toneWarn, b.name()+" has no thinking to ask for; other models of this chat will think")
		return nil
	}
	r.say(toneQuiet, "thinking "+arg+" from the next answer on")
	return nil
}

func (r *root) paceCommand(arg string) tea.Cmd {
	v, err := strconv.ParseFloat(arg, 64)
	if err != nil || !(v >= 0 && v <= 1e6) {
		return r.fail("write /pace N for at most N tokens a second, /pace 0 for no limit")
	}
	r.pace = v
	if v == 0 {
		r.say(toneQuiet, "answers come as fast as they can, from the next one on")
	} else {
		r.say(toneQuiet, "answers come with at most "+arg+" tokens a second, from the next one on")
	}
	return nil
}

// dropCommand says what becomes of chats that no longer fit the context.
func (r *root) dropCommand(arg string) tea.Cmd {
	switch arg {
	case "on":
		r.say(toneQuiet, "a full chat goes on without its oldest turns; the system prompt stays, and a line says what was left out")
	case "off":
		r.say(toneQuiet, "a chat ends where the context is full")
	default:
		return r.fail("write /drop on or /drop off")
	}
	r.dropOldest = arg == "on"
	return nil
}

func (r *root) continueCommand(string) tea.Cmd {
	p := r.pane()
	if t := p.conv.last(); t != nil && t.cut() {
		return r.goOn(p, t)
	}
	if p.lastAnswer() == nil {
		return r.fail("there is no answer to continue yet")
	}
	return r.fail("the last answer is complete: there is nothing to continue")
}

// undoCommand takes turns back: each is a person's message and its answer.
func (r *root) undoCommand(arg string) tea.Cmd {
	n := 1
	if arg != "" {
		var err error
		if n, err = strconv.Atoi(arg); err != nil || n < 1 {
			return r.fail("write /undo or /undo N")
		}
	}
	p := r.pane()
	have := 0
	for _, t := range slices.Backward(p.conv.turns) {
		if t.m.Role == chat.User {
			if have++; have == n {
				r.deleteTurn(p, t)
				return nil
			}
		}
	}
	return r.fail("this chat has %s to take back", plural(have, "turn", "turns"))
}

func (r *root) forkCommand(title string) tea.Cmd {
	last := r.pane().conv.last()
	if r.fork(r.pane(), last); last != nil {
		r.rename(title)
	}
	return nil
}

func (r *root) modelCommand(arg string) tea.Cmd {
	if arg == "" {
		return r.do(doModels)
	}
	return r.modelByName(arg)
}

// reloadCommand opens the model again, for one whose device has failed; with the name
// of a backend it moves there, with all chats that it answers.
func (r *root) reloadCommand(arg string) tea.Cmd {
	switch arg {
	case "":
	case "cpu", "cuda", "auto":
		r.back().config.Backend = arg
	default:
		return r.fail("a model runs on the cpu, on cuda or on what auto chooses")
	}
	return r.reopen()
}
