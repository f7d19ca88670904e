package ui

import (
	"context"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
)

// osc52Most is the longest text that is given to the terminal; many terminals
// drop longer ones without a word.
const osc52Most = 74_000

// copy puts text on the clipboard in both ways: through the terminal, which
// works over ssh, and through the desktop's own program.
func (r *root) copy(s, what string) tea.Cmd {
	if s == "" {
		r.say(toneQuiet, "there is nothing to copy")
		return nil
	}
	native := nativeClipboard(s)
	if len(s) > osc52Most {
		r.say(toneWarn, "copied "+what+": "+size(int64(len(s)))+", more than most terminals take; the desktop's clipboard has it if there is one")
		return native
	}
	r.say(toneQuiet, "copied "+what+" "+r.th.mark.dot+" "+plural(len(strings.Fields(s)), "word", "words"))
	return tea.Batch(tea.SetClipboard(s), native)
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

// nativeClipboard runs the desktop's program, where there is one; that there is
// none is no error, since the terminal has the text too.
func nativeClipboard(s string) tea.Cmd {
	return func() tea.Msg {
		argv := clipboardProgram()
		if argv == nil {
			return nil
		}
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
		cmd.Stdin = strings.NewReader(s)
		_ = cmd.Run()
		return nil
	}
}

func clipboardProgram() []string {
	var all [][]string
	switch {
	case runtime.GOOS == "darwin":
		all = [][]string{{"pbcopy"}}
	case os.Getenv("WAYLAND_DISPLAY") != "":
		all = [][]string{{"wl-copy"}}
	case os.Getenv("DISPLAY") != "":
		all = [][]string{{"xclip", "-selection", "clipboard"}, {"xsel", "--clipboard", "--input"}}
	}
	for _, argv := range all {
		if _, err := exec.LookPath(argv[0]); err == nil {
			return argv
		}
	}
	return nil
}
