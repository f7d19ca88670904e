package ui

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/confab-tui/confab/ui/screen"
	"github.com/confab-tui/confab/ui/text"
)

// writtenMsg is what came back from the external editor.
type writtenMsg struct {
	pane *pane
	text string
	err  error
}

func (m writtenMsg) apply(r *root) tea.Cmd {
	if m.err != nil {
		r.say(toneBad, text.CleanLine(editorFault(m.err)))
		return nil
	}
	m.pane.input.set(strings.TrimRight(m.text, "\n"))
	m.pane.input.pasted = true // what comes from a file is no command
	r.remember()
	return nil
}

// editorFault says why nothing came back, and what then helps.
func editorFault(err error) string {
	var exit *exec.ExitError
	var name *exec.Error
	var path *fs.PathError
	const cure = ": $VISUAL or $EDITOR names another"
	switch {
	case errors.As(err, &exit):
		return "the editor ended with " + exit.Error() + ": the message stays as it was"
	case errors.As(err, &name):
		return "there is no editor " + name.Name + cure
	case errors.As(err, &path) && path.Op == "fork/exec":
		return "the editor: " + Cause(err) + cure
	}
	return "the editor: " + Cause(err)
}

// external gives what is being written to the person's editor.
func (r *root) external() tea.Cmd {
	p := r.pane()
	draft := p.input.value()
	return func() tea.Msg { return openEditor(p, editorName(), draft) }
}

func editorName() string {
	for _, name := range []string{os.Getenv("VISUAL"), os.Getenv("EDITOR")} {
		if strings.TrimSpace(name) != "" {
			return name
		}
	}
	return "vi"
}

// openEditor asks the program to leave the screen to the editor.
func openEditor(p *pane, name, draft string) tea.Msg {
	path, err := draftFile(draft)
	if err != nil {
		return writtenMsg{p, "", err}
	}
	argv := append(strings.Fields(name), path)
	return screen.Exec(exec.Command(argv[0], argv[1:]...), func(err error) tea.Msg { return readBack(p, path, err) })
}

// draftFile writes the draft to a file that only this person can read.
func draftFile(draft string) (string, error) {
	f, err := os.CreateTemp("", "confab-*.md")
	if err != nil {
		return "", err
	}
	_, err = f.WriteString(draft)
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return f.Name(), err
}

// readBack reads what the editor left, unless it failed, and removes the file.
func readBack(p *pane, path string, failed error) tea.Msg {
	defer os.Remove(path)
	if failed != nil {
		return writtenMsg{p, "", failed}
	}
	b, err := os.ReadFile(path)
	return writtenMsg{p, string(b), err}
}
