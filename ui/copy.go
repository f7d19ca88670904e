package ui

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/confab-tui/confab/engine/chat"
)

// osc52Most is the longest text that is given to the terminal; many terminals
// drop longer ones without a word.
const osc52Most = 74_000

// copy puts text on the clipboard in both ways: through the terminal, which
// works over ssh, and through the desktop's own program. It says how much that
// is, or why it is nowhere.
func (r *root) copy(s, what string) tea.Cmd {
	if s == "" {
		r.say(toneQuiet, "there is nothing to copy")
		return nil
	}
	r.copied = s
	done := copiedMsg{what: what + " " + r.th.mark.dot + " " + plural(utf8.RuneCountInString(s), "character", "characters")}
	switch {
	case r.noScreen || !r.term.clipboard:
		done.why = "this terminal takes no text"
	case len(s) > osc52Most:
		done.why = size(int64(len(s))) + " are more than most terminals take"
	}
	native := nativeClipboard(s, done)
	if done.why != "" {
		return native
	}
	r.say(toneQuiet, "copied "+done.what)
	return tea.Batch(tea.Raw(ansi.SetSystemClipboard(s)), native)
}

// copiedMsg is what became of a copy.
type copiedMsg struct {
	what string
	// why the terminal was not given it, err why the desktop was not.
	why string
	err error
}

func (m copiedMsg) apply(r *root) tea.Cmd {
	switch {
	case m.why == "": // said already
	case m.err != nil:
		r.say(toneBad, "not copied: "+m.why+", and "+m.err.Error()+"; /export writes the chat to a file")
	default:
		r.say(toneQuiet, "copied "+m.what)
	}
	return nil
}

// copyCode copies the code blocks of a message one after the other.
func (r *root) copyCode(p *pane, t *turn) tea.Cmd {
	blocks := codeBlocks(t.m.Content)
	if len(blocks) == 0 {
		r.say(toneQuiet, "there is no code block in this message")
		return nil
	}
	i := p.code % len(blocks)
	p.code++
	what := "the code block"
	if len(blocks) > 1 {
		what = "code block " + group(i+1) + " of " + group(len(blocks))
	}
	return r.copy(blocks[i], what)
}

// codeBlocks are the fenced blocks of markdown, without their fences.
func codeBlocks(s string) []string {
	var out []string
	var block []string
	fence := ""
	for _, line := range strings.Split(s, "\n") {
		trimmed := strings.TrimLeft(line, " ")
		switch {
		case fence == "" && (strings.HasPrefix(trimmed, "```") || strings.HasPrefix(trimmed, "~~~")):
			fence = trimmed[:3]
			for len(fence) < len(trimmed) && trimmed[len(fence)] == fence[0] {
				fence += fence[:1]
			}
			block = nil
		case fence != "" && strings.HasPrefix(trimmed, fence) && strings.Trim(trimmed, fence[:1]+" ") == "":
			out = append(out, strings.Join(block, "\n"))
			fence = ""
		case fence != "":
			block = append(block, line)
		}
	}
	if fence != "" && len(block) > 0 {
		out = append(out, strings.Join(block, "\n"))
	}
	return out
}

var errNoClipboard = errors.New("there is no program for the desktop's clipboard (wl-copy, xclip or xsel)")

// nativeClipboard runs the desktop's program, and within tmux that one, which by
// itself passes no text of a program on. One of them is enough.
func nativeClipboard(s string, done copiedMsg) tea.Cmd {
	return func() tea.Msg {
		done.err = errNoClipboard
		for _, argv := range clipboardPrograms() {
			ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
			cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
			cmd.Stdin = strings.NewReader(s)
			switch err := cmd.Run(); {
			case err == nil:
				done.err = nil
			case errors.Is(done.err, errNoClipboard):
				done.err = fmt.Errorf("%s: %w", argv[0], err)
			}
			cancel()
		}
		return done
	}
}

// clipboardPrograms are those that there are, each with its arguments; they read the
// text.
func clipboardPrograms() [][]string {
	var all [][]string
	switch {
	case runtime.GOOS == "darwin":
		all = [][]string{{"pbcopy"}}
	case os.Getenv("WAYLAND_DISPLAY") != "":
		all = [][]string{{"wl-copy"}}
	case os.Getenv("DISPLAY") != "":
		all = [][]string{{"xclip", "-selection", "clipboard"}, {"xsel", "--clipboard", "--input"}}
	}
	found := installed(all)
	found = found[:min(len(found), 1)]
	if os.Getenv("TMUX") != "" {
		found = append(found, installed([][]string{{"tmux", "load-buffer", "-w", "-"}})...)
	}
	return found
}

// installed are the command lines whose programs there are.
func installed(all [][]string) [][]string {
	return slices.DeleteFunc(all, func(argv []string) bool {
		_, err := exec.LookPath(argv[0])
		return err != nil
	})
}

func (r *root) copyCommand(arg string) tea.Cmd {
	p := r.pane()
	t := p.conv.lastOf(chat.Assistant)
	if t == nil {
		return r.fail("there is no answer to copy yet")
	}
	switch arg {
	case "":
		return r.copy(t.plain(), "the answer")
	case "code":
		return r.copyCode(p, t)
	}
	return r.fail("write /copy or /copy code")
}
