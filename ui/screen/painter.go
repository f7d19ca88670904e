package screen

import (
	"bytes"
	"reflect"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

// frame is what a terminal is to show.
type frame struct {
	view tea.View
	w, h int // cells
	// keys counts those that were pressed until then.
	keys int
	// erased counts how often the terminal may have lost what was drawn.
	erased int
	// atOnce: the terminal shows a frame only when all of it is there (mode 2026).
	atOnce bool
	// clusters: the terminal measures text by grapheme clusters (mode 2027), and not
	// by characters.
	clusters bool
}

// painter knows what a terminal shows, and gives what is to be written to it for the
// next frame: cells that differ, and modes that differ.
type painter struct {
	rend  *uv.TerminalRenderer
	buf   bytes.Buffer // of rend
	cells uv.ScreenBuffer
	lines []string // of the last view, one a row of cells
	last  frame
}

// newPainter begins on a terminal in its usual state. Its first frame takes over the
// whole screen; questions are put to the terminal with it.
func newPainter(env []string, profile colorprofile.Profile, questions string) *painter {
	p := &painter{cells: uv.NewScreenBuffer(0, 0)}
	p.rend = uv.NewTerminalRenderer(&p.buf, env)
	p.rend.SetColorProfile(profile)
	p.rend.SetTabStops(-1)
	p.rend.EnterAltScreen()
	p.put(ansi.ResetModeTextCursorEnable + ansi.SetModeBracketedPaste)
	// The keyboard's flags are the alternate screen's own, so they come behind it.
	p.put(ansi.SetModifyOtherKeys2 + ansi.PushKittyKeyboard(ansi.KittyDisambiguateEscapeCodes) + ansi.RequestKittyKeyboard)
	p.put(questions)
	return p
}

func (p *painter) put(s string) { _, _ = p.rend.WriteString(s) }

// paint gives what turns the last frame into this one, nothing where they are equal.
func (p *painter) paint(f *frame) []byte {
	if reflect.DeepEqual(*f, p.last) {
		return nil
	}
	if f.clusters && !p.last.clusters {
		p.put(ansi.SetModeUnicodeCore)
		p.cells.Method, p.lines = ansi.GraphemeWidth, nil
	}
	setModes(p.rend, &p.last.view, &f.view)
	if f.w != p.last.w || f.h != p.last.h {
		p.cells.Resize(f.w, f.h)
		p.lines = nil
	}
	if f.erased != p.last.erased {
		p.rend.Resize(f.w, f.h)
		p.rend.Erase()
	}
	p.rend.SetScrollOptim(p.fill(f)) // which reads every cell, for nothing where none has moved
	p.rend.Render(p.cells.RenderBuffer)
	if c := f.view.Cursor; c != nil {
		p.rend.MoveTo(c.X, c.Y)
	}
	return p.wrap(f)
}

// fill sets the rows of cells whose lines differ, and reports whether one of them stood
// in another row before. A view's line ends in the style in which it begins, so that one
// can be set without the others.
func (p *painter) fill(f *frame) (moved bool) {
	lines := strings.Split(f.view.Content, "\n")
	lines = append(lines, make([]string, max(f.h-len(lines), 0))...)[:f.h]
	for y, line := range lines {
		if p.lines == nil || p.lines[y] != line {
			uv.NewStyledString(line).Draw(p.cells, uv.Rect(0, y, f.w, 1))
			moved = moved || slices.Contains(p.lines, line)
		}
	}
	p.lines = lines
	return moved
}

// wrap keeps the terminal from showing half a frame, or at least the cursor from
// running over the screen.
func (p *painter) wrap(f *frame) []byte {
	shown, show := p.last.view.Cursor != nil, f.view.Cursor != nil
	p.last = *f
	_ = p.rend.Flush() // into memory
	body := p.buf.Bytes()
	defer p.buf.Reset()
	if len(body) == 0 && shown == show {
		return nil
	}
	var out bytes.Buffer
	if f.atOnce {
		out.WriteString(ansi.SetModeSynchronizedOutput)
	}
	if shown && !(show && f.atOnce) {
		out.WriteString(ansi.ResetModeTextCursorEnable)
	}
	out.Write(body)
	if show && !(shown && f.atOnce) {
		out.WriteString(ansi.SetModeTextCursorEnable)
	}
	if f.atOnce {
		out.WriteString(ansi.ResetModeSynchronizedOutput)
	}
	return out.Bytes()
}

// end gives what puts the terminal back into its usual state.
func (p *painter) end() []byte {
	setModes(p.rend, &p.last.view, &tea.View{})
	p.put(ansi.ResetModifyOtherKeys + ansi.PopKittyKeyboard(1) + ansi.ResetModeBracketedPaste)
	if p.last.clusters {
		p.put(ansi.ResetModeUnicodeCore)
	}
	p.rend.MoveTo(0, max(p.last.h-1, 0)) // for terminals with one screen only: what comes next
	p.put(ansi.EraseEntireLine)          // has the last line to itself
	p.rend.ExitAltScreen()
	p.put(ansi.SetModeTextCursorEnable)
	_ = p.rend.Flush()
	return p.buf.Bytes()
}

// setModes writes what differs between two views beside their text. The zero view is
// the terminal as it is without us.
func setModes(w *uv.TerminalRenderer, from, to *tea.View) {
	put := func(s string) { _, _ = w.WriteString(s) }
	if to.ReportFocus && !from.ReportFocus {
		put(ansi.SetModeFocusEvent)
	} else if from.ReportFocus && !to.ReportFocus {
		put(ansi.ResetModeFocusEvent)
	}
	if from.MouseMode != to.MouseMode {
		put(mouse(to.MouseMode))
	}
	if from.WindowTitle != to.WindowTitle {
		put(ansi.SetWindowTitle(to.WindowTitle))
	}
	if from.ForegroundColor != to.ForegroundColor {
		_ = uv.EncodeForegroundColor(w, to.ForegroundColor)
	}
	if from.BackgroundColor != to.BackgroundColor {
		_ = uv.EncodeBackgroundColor(w, to.BackgroundColor)
	}
	if was, is := cursorStyle(from.Cursor), cursorStyle(to.Cursor); was != is {
		put(ansi.SetCursorStyle(is))
	}
	if was, is := progress(from.ProgressBar), progress(to.ProgressBar); was != is {
		_ = uv.EncodeProgressBar(w, &is)
	}
}

func mouse(m tea.MouseMode) string {
	switch m {
	case tea.MouseModeCellMotion:
		return ansi.ResetModeMouseAnyEvent + ansi.SetModeMouseButtonEvent + ansi.SetModeMouseExtSgr
	case tea.MouseModeAllMotion:
		return ansi.ResetModeMouseButtonEvent + ansi.SetModeMouseAnyEvent + ansi.SetModeMouseExtSgr
	}
	return ansi.ResetModeMouseButtonEvent + ansi.ResetModeMouseAnyEvent + ansi.ResetModeMouseExtSgr
}

// cursorStyle is the number that DECSCUSR has for a cursor, 0 for the terminal's own.
func cursorStyle(c *tea.Cursor) int {
	if c == nil {
		return 0
	}
	return uv.CursorShape(c.Shape).Encode(c.Blink)
}

func progress(b *tea.ProgressBar) uv.ProgressBar {
	if b == nil {
		return uv.ProgressBar{}
	}
	return uv.ProgressBar{State: uv.ProgressBarState(b.State), Value: b.Value}
}
