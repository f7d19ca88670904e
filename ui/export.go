package ui

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"github.com/confab-tui/confab/ui/store"
	"github.com/confab-tui/confab/ui/text"
)

// exportedMsg is the end of an export.
type exportedMsg struct {
	path  string
	chats int // where it was not the one on the screen
	err   error
}

func (m exportedMsg) apply(r *root) tea.Cmd {
	switch {
	case errors.Is(m.err, fs.ErrExist):
		return r.fail("%s is there already and stays as it is: give another name", text.CleanLine(m.path))
	case m.err != nil:
		return r.fail("export: %s", text.CleanLine(Cause(m.err)))
	case m.chats > 0:
		r.say(toneQuiet, plural(m.chats, "chat", "chats")+" written to "+text.CleanLine(m.path))
	default:
		r.say(toneQuiet, "written to "+text.CleanLine(m.path))
	}
	return nil
}

// exportCommand writes the chat, all chats, or the comparison on the screen into a
// file. The end of its name says in which form, or, before it, another program.
func (r *root) exportCommand(arg string) tea.Cmd {
	first, rest, _ := strings.Cut(arg, " ")
	rest = strings.TrimSpace(rest)
	if first == "all" {
		return r.exportAll(rest)
	}
	c := r.pane().conv
	if len(c.turns) == 0 {
		return r.fail("there is nothing to export yet")
	}
	if first == "compare" || first == "comparison" {
		return r.exportComparison(rest)
	}
	format := store.Markdown
	switch ext := strings.ToLower(filepath.Ext(arg)); {
	case slices.Contains(store.Foreign(), store.Format(first)):
		format, arg = store.Format(first), rest
	case arg == "":
	case ext == ".json":
		format = store.JSON
	case ext == ".jsonl":
		format = store.JSONL
	case ext != ".md" && ext != ".markdown" && ext != ".txt":
		return r.fail("%s: a name ends in .md to be read, in .json with everything that is known, or in .jsonl", arg)
	}
	if arg == "" {
		arg = fileName(c.chat.Title) + format.Ext()
	}
	r.pane().saveDraft() // which still is this command
	var b bytes.Buffer
	if err := c.chat.Export(&b, format); err != nil {
		return r.fail("%v", err)
	}
	return writeFile(arg, b.Bytes())
}

// exportAll writes everything that is kept into one file, which /import reads.
func (r *root) exportAll(path string) tea.Cmd {
	path = cmp.Or(path, "chats.json")
	if strings.ToLower(filepath.Ext(path)) != ".json" {
		return r.fail("all chats are written as JSON: give a name that ends in .json")
	}
	for _, t := range r.tabs {
		for _, p := range t.panes {
			p.saveDraft()
		}
	}
	st, ctx := r.store, r.ctx
	return func() tea.Msg {
		var b bytes.Buffer
		n, err := st.ExportAll(ctx, &b)
		if err != nil {
			return exportedMsg{path: path, err: err}
		}
		m := writeFile(path, b.Bytes())().(exportedMsg)
		m.chats = n
		return m
	}
}

func (r *root) exportComparison(path string) tea.Cmd {
	t := r.tab()
	if len(t.panes) < 2 {
		return r.fail("a comparison has two panes or more; %s makes one", r.keys.key(doCompare))
	}
	for _, p := range t.panes {
		if p.conv.running() {
			return r.fail("an answer is being written: wait for its end, or stop it")
		}
	}
	if path == "" {
		path = fileName("compare "+t.pane().conv.chat.Title) + ".md"
	}
	return writeFile(path, []byte(comparison(t, r.now(), r.options.Version)))
}

// writeFile writes a new file; nothing is overwritten.
func writeFile(path string, content []byte) tea.Cmd {
	return func() tea.Msg {
		path, err := filepath.Abs(expandHome(path))
		if err == nil {
			err = writeNew(path, content)
		}
		return exportedMsg{path: path, err: err}
	}
}

func writeNew(path string, content []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if e := f.Close(); err == nil {
		err = e
	}
	return err
}

// importedMsg are the chats that a file held.
type importedMsg struct {
	path  string
	chats []*store.Chat
	err   error
}

// importCommand reads the chats of a file in any form that the store knows.
func (r *root) importCommand(arg string) tea.Cmd {
	if arg == "" {
		return r.fail("write /import FILE: Markdown, JSON or JSON lines of confab, llama-server, Open WebUI, ChatGPT or ShareGPT")
	}
	st := r.store
	return func() tea.Msg {
		path := expandHome(unquoted(arg))
		f, err := os.Open(path)
		if err != nil {
			return importedMsg{path, nil, err}
		}
		defer f.Close()
		chats, err := st.Import(f)
		return importedMsg{path, chats, err}
	}
}

func (m importedMsg) apply(r *root) tea.Cmd {
	name := text.CleanLine(filepath.Base(m.path))
	if m.err != nil {
		s := text.CleanLine(Cause(m.err))
		if !strings.Contains(s, name) {
			s = name + ": " + s
		}
		return r.fail("%s", s)
	}
	if len(m.chats) == 1 {
		cmd := loadedMsg{chat: m.chats[0]}.apply(r)
		r.say(toneQuiet, "imported from "+name)
		return cmd
	}
	r.say(toneQuiet, fmt.Sprintf("%s imported from %s", plural(len(m.chats), "chat", "chats"), name))
	return r.openHistory()
}

// unquoted is a path as terminals drop it: in quotes, or with strokes before what a
// shell would take.
func unquoted(s string) string {
	s = strings.TrimSpace(s)
	if n := len(s); n > 1 && (s[0] == '\'' || s[0] == '"') && s[n-1] == s[0] {
		return s[1 : n-1]
	}
	if strings.Contains(s, `\ `) {
		return strings.NewReplacer(`\ `, " ", `\(`, "(", `\)`, ")", `\'`, "'", `\&`, "&").Replace(s)
	}
	return strings.TrimPrefix(s, "file://")
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
