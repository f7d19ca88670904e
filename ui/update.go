package ui

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"github.com/confab-tui/confab/ui/text"
)

// Update routes a message to the part that it is for.
func (r *root) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		r.w, r.h = msg.Width, msg.Height
	case tea.BackgroundColorMsg:
		if msg.Color != nil {
			r.th.setBackground(msg.Color, msg.IsDark())
		}
	case tea.ForegroundColorMsg:
		if msg.Color != nil {
			r.th.setForeground(msg.Color)
		}
	case tea.ColorProfileMsg:
		r.th.setFew(msg.Profile < colorprofile.ANSI256, msg.Profile <= colorprofile.ASCII)
	case tea.ModeReportMsg:
		r.onMode(msg)
	case tea.KeyboardEnhancementsMsg:
		r.enhanced = msg.SupportsKeyDisambiguation()
	case tea.FocusMsg:
		r.focused = true
		r.seen()
		r.looked = time.Time{}
		return r, tea.Batch(r.askColours(), r.lookAround())
	case tea.BlurMsg:
		r.focused = false
	case frameMsg:
		return r, r.onFrame()
	case openedMsg:
		return r, r.onOpened(msg)
	case statsMsg:
		r.models.told(msg)
	case tea.KeyPressMsg:
		look := r.lookAround()
		return r, tea.Batch(r.onKey(msg), look)
	case tea.PasteMsg:
		return r, r.onPaste(msg.Content)
	case tea.MouseMsg:
		return r, r.onMouse(msg)
	case sheetMsg:
		return r, msg.apply(r)
	}
	return r, nil
}

// sheetMsg is the end of a command that knows itself what to do with its
// result: fetched lists, a written text, a copied one.
type sheetMsg interface {
	apply(*root) tea.Cmd
}

// seen marks the chats on the screen as read.
func (r *root) seen() {
	for _, p := range r.tab().panes {
		p.conv.unread = false
	}
}

// notice shows what the model has to tell, each thing once, and never in place of
// a warning.
func (r *root) notice(all []string) {
	var fresh []string
	for _, n := range all {
		if !r.noticed[n] {
			r.noticed[n] = true
			fresh = append(fresh, text.Clean(n))
		}
	}
	if len(fresh) > 0 {
		r.sayMore(toneWarn, strings.Join(fresh, "\n"))
	}
}

// onKey gives a key to what has the focus, after what holds everywhere.
func (r *root) onKey(k tea.KeyPressMsg) tea.Cmd {
	key := k.String()
	if key == "space" || key == " " {
		key = "space"
	}
	if r.toast.until.IsZero() {
		r.toast = toast{}
	}
	if r.keys.writing.byKey[key] != doInterrupt {
		r.quitArmed = false
	}
	beforeG := r.beforeG
	r.beforeG = nil
	r.checkSaving()
	defer r.remember()
	if r.w < minWidth || r.h < minHeight {
		if key == "ctrl+c" || key == "ctrl+d" {
			return r.quit()
		}
		return nil
	}
	if v := &r.pane().view; !v.sel.keys() {
		v.sel = selection{}
	} else if r.sheet == nil && r.focus == focusText {
		if r.keys.anywhere(key) == doNothing && r.keys.reading.byKey[key] != doFind {
			return r.selectKey(key)
		}
	}
	if r.sheet != nil {
		if done, cmd := r.sheetKey(key, k); done {
			return cmd
		}
	}
	if do := r.keys.anywhere(key); do != doNothing && !r.keepsForInput(key, do) {
		r.complete.close()
		return r.do(do)
	}
	if cmd, done := r.tabNumber(key); done {
		return cmd
	}
	r.wordGone = r.wordGone && key == "ctrl+w"
	switch r.focus {
	case focusPanel:
		return r.panelKey(key)
	case focusText:
		return r.textKey(key, beforeG)
	}
	return r.inputKey(key, k)
}

// keepsForInput tells the keys that mean something else while a person writes:
// deleting a word, moving by words.
func (r *root) keepsForInput(key string, do action) bool {
	if r.focus != focusInput || r.sheet != nil {
		return false
	}
	switch do {
	case doCloseTab:
		return !r.pane().input.empty() || r.wordGone
	case doFocusLeft, doFocusRight:
		return len(r.tab().panes) == 1
	}
	return false
}

// tabNumber takes alt+1 .. alt+9.
func (r *root) tabNumber(key string) (tea.Cmd, bool) {
	n, ok := strings.CutPrefix(key, "alt+")
	if !ok || len(n) != 1 || n[0] < '1' || n[0] > '9' {
		return nil, false
	}
	if i := int(n[0] - '1'); i < len(r.tabs) {
		r.goTab(i)
	} else {
		r.say(toneQuiet, "there is no tab "+n)
	}
	return nil, true
}

// textKey is a key of a person who reads. g goes to the begin at once; beforeG is
// what was in sight until then, where it was the key before.
func (r *root) textKey(key string, beforeG *sight) tea.Cmd {
	do, ok := r.keys.reading.byKey[key]
	if tab, is := map[string]action{"t": doNextTab, "T": doPrevTab}[key]; is && beforeG != nil {
		r.pane().view.goBack(*beforeG)
		return r.do(tab)
	}
	if key == "g" && (!ok || do == doTop) && len(r.tabs) > 1 {
		from := r.pane().view.sight()
		r.beforeG = &from
	}
	if ok {
		return r.do(do)
	}
	if len(key) == 1 && key[0] >= '1' && key[0] <= '6' {
		if i := int(key[0] - '1'); i < len(r.tab().panes) {
			r.focusPane(i)
		} else {
			r.say(toneQuiet, "there is no pane "+key)
		}
		return nil
	}
	switch do := r.keys.writing.byKey[key]; do {
	case doPageUp, doPageDown, doInterrupt, doRegenerate:
		return r.do(do)
	}
	r.noUse(key, r.keys.key(doHelp, r.keys.reading)+" shows the keys that do")
	return nil
}

// noUse says that a key means nothing where it was pressed, and what to press instead.
func (r *root) noUse(key, instead string) {
	r.say(toneQuiet, text.CleanLine(key)+" does nothing here "+r.th.mark.dot+" "+instead)
}

// inputKey is a key of a person who writes.
func (r *root) inputKey(key string, k tea.KeyPressMsg) tea.Cmd {
	p := r.pane()
	if r.complete.active {
		if done, cmd := r.completeKey(key); done {
			return cmd
		}
	}
	if do, ok := r.keys.writing.byKey[key]; ok && (do != doQuitEmpty || p.input.empty()) {
		return r.do(do)
	}
	switch key {
	case "?":
		if p.input.empty() {
			return r.do(doHelp)
		}
	case "up", "down":
		return r.inputVertical(key)
	case "shift+up":
		p.input.selectRows(-1, r.inputWidth())
		return nil
	case "shift+down":
		p.input.selectRows(1, r.inputWidth())
		return nil
	case "end", "ctrl+end":
		if p.input.empty() {
			return r.do(doEnd)
		}
	case "home", "ctrl+home":
		if p.input.empty() {
			return r.do(doTop)
		}
	case "left", "right":
		if p.input.empty() && p.editing == nil && r.turnVersion(key) {
			return nil
		}
	case "ctrl+d":
		if !p.input.empty() {
			p.input.delete()
			return nil
		}
	}
	done, cmd := r.editKey(&p.input, key, k)
	if done {
		p.recall = 0
		r.completeUpdate()
	}
	return cmd
}

// turnVersion swaps the versions of the last answer from an empty input.
func (r *root) turnVersion(key string) bool {
	t := r.pane().conv.last()
	if t == nil || t.of < 2 || r.pane().conv.running() {
		return false
	}
	r.swapVersion(t, map[string]int{"left": -1, "right": 1}[key])
	return true
}

// onPaste puts pasted text where text is written.
func (r *root) onPaste(s string) tea.Cmd {
	s = strings.ReplaceAll(s, "\r\n", "\n")
	s = strings.ReplaceAll(s, "\r", "\n")
	if r.sheet != nil {
		if t, ok := r.sheet.(writable); ok {
			t.paste(s)
		}
		return nil
	}
	if path, ok := droppedPath(s); ok {
		return r.readFile(path, s)
	}
	r.pasteText(s)
	return nil
}

// pasteText puts text where a person writes.
func (r *root) pasteText(s string) {
	r.focus = focusInput
	r.pane().input.paste(s)
	r.complete.close()
	r.remember()
}
