package ui

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"github.com/confab-tui/confab/ui/text"
)

// attachMost is the largest file that is read at all, in bytes; no context holds
// more.
const attachMost = 16 << 20

// tokenizer is an engine that counts tokens.
type tokenizer interface {
	Tokenize(text string, special bool) []int32
}

func (r *root) readCommand(arg string) tea.Cmd {
	if arg == "" {
		return r.fail("write /read FILE")
	}
	return r.readFile(expandHome(unquoted(arg)), "")
}

// droppedPath tells whether pasted text looks like the path of a file that was
// dropped on the terminal.
func droppedPath(s string) (string, bool) {
	s = strings.TrimSpace(s)
	path := expandHome(unquoted(s))
	return path, len(s) < 4096 && !strings.Contains(s, "\n") && filepath.IsAbs(path) && strings.Count(path, "/") > 1
}

// attachedMsg is a file that was read, or why it was not. pasted is the text to
// paste where a path turns out to be none.
type attachedMsg struct {
	p             *pane
	path, content string
	tokens        int
	beside        int  // tokens of what stands in the input already
	exact         bool // they are counted by the model, not guessed
	pasted        string
	err           error
}

// readFile reads a text file for the message that is being written.
func (r *root) readFile(path, pasted string) tea.Cmd {
	p := r.pane()
	counter, exact := r.back().engine.(tokenizer)
	count := func(s string) int { return len(s) / 4 }
	if exact {
		count = func(s string) int { return len(counter.Tokenize(s, false)) }
	}
	written := p.input.value()
	return func() tea.Msg {
		m := attachedMsg{p: p, path: path, pasted: pasted, exact: exact}
		if m.content, m.err = readText(path); m.err != nil {
			return m
		}
		m.tokens, m.beside = count(m.content), count(written)
		return m
	}
}

// readText reads a file that must hold text.
func readText(path string) (string, error) {
	name := filepath.Base(path)
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	st, err := f.Stat()
	switch {
	case err != nil:
		return "", err
	case !st.Mode().IsRegular():
		return "", fmt.Errorf("%s is no file that can be read as text", name)
	case st.Size() > attachMost:
		return "", fmt.Errorf("%s has %s, more than any context holds (%s are read at most)", name, size(st.Size()), size(attachMost))
	}
	b, err := io.ReadAll(io.LimitReader(f, attachMost))
	if err != nil {
		return "", err
	}
	if !utf8.Valid(b) || bytes.IndexByte(b, 0) >= 0 {
		return "", fmt.Errorf("%s is a binary file: only text (UTF-8) can be attached", name)
	}
	return strings.ReplaceAll(string(b), "\r\n", "\n"), nil
}

func (m attachedMsg) apply(r *root) tea.Cmd {
	name := text.CleanLine(filepath.Base(m.path))
	if m.err != nil {
		if m.pasted != "" && os.IsNotExist(m.err) {
			r.pasteText(m.pasted) // it was no path
			return nil
		}
		return r.fail("%s", text.CleanLine(Cause(m.err)))
	}
	limit := r.backOf(m.p).info.Context
	used := m.beside
	if a := m.p.lastAnswer(); a != nil {
		used += a.used()
	}
	about := ""
	if !m.exact {
		about = "about "
	}
	if limit > 0 && used+m.tokens >= limit {
		return r.fail("%s has %s%s tokens; the context of %s tokens has %s left: it is not attached", name, about, group(m.tokens), group(limit), group(max(limit-used, 0)))
	}
	r.focus = focusInput
	label := fmt.Sprintf("%s %s %s %s %s%s tokens", name, r.th.mark.dot, size(int64(len(m.content))), r.th.mark.dot, about, group(m.tokens))
	m.p.input.attach(label, fenced(name, m.content))
	if r.noScreen {
		r.say(toneQuiet, label+": it is sent with your next message")
	}
	r.remember()
	return nil
}

// fenced is a file as it stands in a message: its name, and its text in a fence
// that does not occur in it.
func fenced(name, content string) string {
	fence := "```"
	for strings.Contains(content, fence) {
		fence += "`"
	}
	return name + ":\n\n" + fence + "\n" + strings.TrimRight(content, "\n") + "\n" + fence + "\n"
}
