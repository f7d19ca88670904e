package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/confab-tui/confab/engine/chat"
	"github.com/confab-tui/confab/ui/screen"
)

// do carries out an action, whatever asked for it.
func (r *root) do(a action) tea.Cmd {
	switch a {
	case doNewChat:
		r.newTab(r.freshPane())
	case doCloseTab:
		r.closeTab(r.active)
	case doUndo:
		r.undoLast()
	case doNextTab, doPrevTab:
		r.goTab((r.active + len(r.tabs) + map[action]int{doNextTab: 1, doPrevTab: -1}[a]) % len(r.tabs))
	case doTabLeft, doTabRight:
		r.moveTab(map[action]int{doTabLeft: -1, doTabRight: 1}[a])
	case doRename:
		r.sheet = newRename(r)
	case doSplit:
		r.split()
	case doClosePane:
		r.closePane()
	case doFocusLeft, doFocusRight:
		n := len(r.tab().panes)
		r.focusPane((r.tab().focus + n + map[action]int{doFocusLeft: -1, doFocusRight: 1}[a]) % n)
	case doBroadcast:
		r.toggleBroadcast()
	case doCompare:
		return r.compare(atTemperatures(compareTemperatures))
	case doPanel:
		r.togglePanel()
	case doSuspend:
		return screen.Suspend
	case doRedraw:
		return screen.Redraw
	case doMouse:
		r.toggleMouse()
	case doHelp:
		r.sheet = &helpSheet{}
	case doPool:
		r.sheet = &poolSheet{}
		return r.back().ask()
	case doModels:
		return r.openModels("")
	case doOwnModel:
		return r.ownModel()
	case doHistory:
		return r.openHistory()
	case doSystem:
		r.sheet = newSystem(r)
	case doTokens:
		r.openTokens()
	case doFind:
		r.openFind()
	case doEditor:
		return r.external()
	default:
		return r.doInChat(a)
	}
	return nil
}

// doInChat are the actions on the focused chat.
func (r *root) doInChat(a action) tea.Cmd {
	p := r.pane()
	v := &p.view
	switch a {
	case doSend:
		return r.submit()
	case doNewLine:
		p.input.insert("\n")
	case doStop:
		return r.stop(p)
	case doInterrupt:
		return r.interrupt(p)
	case doQuitEmpty:
		if p.input.empty() {
			return r.quit()
		}
	case doRegenerate:
		return r.regenerate(p, v.current())
	case doRead:
		r.focus = focusText
		v.read()
	case doWrite:
		r.focus = focusInput
		v.reading, r.panel.typing, v.sel = false, false, selection{}
	case doPageUp, doPageDown:
		v.scroll(map[action]int{doPageUp: -1, doPageDown: 1}[a] * max(v.h-2, 1))
		r.keepCursor(v)
	case doHalfUp, doHalfDown:
		v.move(map[action]int{doHalfUp: -1, doHalfDown: 1}[a] * max(v.h/2, 1))
	case doTop:
		v.toStart()
		v.cursor = place{0, min(1, b2i(len(v.c.turns) > 0))}
	case doEnd:
		v.toEnd()
		if v.reading {
			v.read()
		}
	case doRowUp, doRowDown:
		v.move(map[action]int{doRowUp: -1, doRowDown: 1}[a])
	case doSelect:
		r.beginSelect(byLetter)
	case doSelectRows:
		r.beginSelect(byRow)
	case doTurnUp, doTurnDown:
		v.moveTurn(map[action]int{doTurnUp: -1, doTurnDown: 1}[a])
	default:
		if t := v.current(); t != nil {
			return r.doOnTurn(a, p, t)
		}
	}
	return nil
}

// doOnTurn are the actions on the message under the cursor.
func (r *root) doOnTurn(a action, p *pane, t *turn) tea.Cmd {
	switch a {
	case doFold:
		t.toggleFold()
		p.view.clamp()
	case doCopy:
		return r.copy(t.plain(), "the message")
	case doCopyCode:
		return r.copyCode(p, t)
	case doEdit:
		if p.conv.running() {
			r.say(toneWarn, "an answer is being written: "+r.keys.key(doStop)+" stops it, then edit")
			return nil
		}
		r.beginEdit(p, t)
	case doVersionPrev, doVersionNext:
		r.swapVersion(t, map[action]int{doVersionPrev: -1, doVersionNext: 1}[a])
	case doContinue:
		if t.cut() && t == p.conv.last() {
			return r.goOn(p, t)
		}
		t.toggleFold()
		p.view.clamp()
	case doFork:
		r.fork(p, t)
	case doDelete:
		r.deleteTurn(p, t)
	case doHitNext, doHitPrev:
		r.nextHit(map[action]int{doHitNext: 1, doHitPrev: -1}[a])
	case doDiff:
		r.toggleDiff()
	case doReplay:
		return r.replayAnswer(p, t)
	case doOnly:
		r.onlyThis()
	}
	return nil
}

func (t *turn) toggleFold() {
	whole := t.fold == foldAuto && t.running() && t.doc.Len() == 0 && t.thoughtRows() <= thoughtTail
	if t.fold == foldOpen || whole {
		t.fold = foldClosed
	} else {
		t.fold = foldOpen
	}
	t.touch()
}

// thoughtRows is how many lines thinking takes as it was last drawn, its title among
// them.
func (t *turn) thoughtRows() (n int) {
	for _, r := range t.cache.rows.All() {
		n += b2i(r.kind == rowThought)
	}
	return n
}

// keepCursor moves the reader's cursor into what is in sight.
func (r *root) keepCursor(v *transcript) {
	if !v.reading {
		return
	}
	top := v.first()
	low := v.down(top, v.h-1)
	if v.cursor.before(top) {
		v.cursor = top
	} else if low.before(v.cursor) {
		v.cursor = low
	}
}

// stop ends the running answer; with none it takes back what was queued, and
// then leaves an edit.
func (r *root) stop(p *pane) tea.Cmd {
	stopped := false
	for _, t := range r.targets() {
		if t.conv.running() {
			t.conv.stop()
			stopped = true
		}
	}
	switch {
	case stopped:
	case p.input.selects:
		p.input.goTo(p.input.at)
	case len(p.conv.waiting) > 0:
		last := len(p.conv.waiting) - 1
		back := p.conv.waiting[last].text
		if !p.input.empty() {
			back += "\n\n"
		}
		p.input.goTo(0)
		p.input.insert(back)
		p.input.goTo(len(p.input.s))
		p.conv.waiting = p.conv.waiting[:last]
	case p.editing != nil:
		r.giveUpEdit(p)
	case p.recall > 0:
		p.recall = 0
		p.input, p.kept = p.kept, editor{col: -1}
	case r.find.term != "":
		r.clearFind()
	}
	return nil
}

// interrupt is ctrl+c: it stops, clears, and the second time quits.
func (r *root) interrupt(p *pane) tea.Cmd {
	switch {
	case p.input.selects && r.focus == focusInput:
		_, cmd := r.clipKey(&p.input, "ctrl+c")
		return cmd
	case p.conv.running() || len(p.conv.waiting) > 0:
		return r.stop(p)
	case !p.input.empty() || p.editing != nil:
		if p.editing != nil {
			p.leaveEdit()
		} else {
			r.clearInput(p)
		}
	case r.quitArmed:
		return r.quit()
	default:
		r.quitArmed = true
		r.say(toneQuiet, r.keys.key(doInterrupt)+" again quits")
	}
	return nil
}

// clearInput empties the input; undo exchanges it for what stands there then.
func (r *root) clearInput(p *pane) {
	var other editor
	var exchange func()
	exchange = func() {
		p.input, other = other, p.input
		if !other.empty() {
			r.undoable(exchange)
		}
	}
	other.reset()
	exchange()
	r.say(toneQuiet, "cleared "+r.th.mark.dot+" "+r.keys.key(doUndo)+" brings it back")
}

func (r *root) quit() tea.Cmd {
	r.remember()
	return tea.Quit
}

// ready says why no answer can begin now, if so.
func (r *root) ready(p *pane) bool {
	switch {
	case p.conv.running():
		r.say(toneWarn, "an answer is being written: "+r.keys.key(doStop)+" stops it")
	case r.backOf(p).engine == nil && r.backOf(p).loading != 0:
		r.say(toneWarn, "the model is still being loaded")
	case r.backOf(p).engine == nil && r.backOf(p).closed:
		r.say(toneWarn, r.backOf(p).name()+" was closed to make room: /reload opens it again")
	case r.backOf(p).engine == nil:
		r.say(toneBad, "no model is loaded ("+r.keys.key(doModels)+" chooses one)")
	default:
		return true
	}
	return false
}

// regenerate answers again; both versions stay.
func (r *root) regenerate(p *pane, t *turn) tea.Cmd {
	if t == nil {
		r.say(toneQuiet, "there is no answer yet")
		return nil
	}
	if !r.ready(p) {
		return nil
	}
	if t.m.Role != chat.Assistant {
		if i := slices.Index(p.conv.turns, t); i+1 < len(p.conv.turns) {
			t = p.conv.turns[i+1]
		}
	}
	p.view.follow = true
	if t.m.Role == chat.Assistant {
		p.conv.again(t, r.launch(p, -1))
		return r.tick()
	}
	return r.start(p, -1)
}

func (r *root) goOn(p *pane, t *turn) tea.Cmd {
	if !r.ready(p) {
		return nil
	}
	p.view.follow = true
	p.conv.goOn(t, r.launch(p, -1))
	return r.tick()
}

func (r *root) swapVersion(t *turn, step int) {
	p := r.pane()
	if p.conv.running() {
		r.say(toneWarn, "an answer is being written: "+r.keys.key(doStop)+" stops it")
		return
	}
	switch {
	case p.conv.swap(t, step):
		p.view.clamp()
	case t.of < 2:
		r.say(toneQuiet, "this message has no other version")
	}
}

// deleteTurn hides a message and what follows; undo brings it back.
func (r *root) deleteTurn(p *pane, t *turn) {
	if p.conv.running() {
		r.say(toneWarn, "an answer is being written: "+r.keys.key(doStop)+" stops it")
		return
	}
	id := t.m.ID
	p.conv.chat.Remove(id)
	p.conv.walk()
	p.view.clamp()
	r.undoable(func() {
		p.conv.chat.Restore(id)
		p.conv.walk()
	})
	r.say(toneQuiet, "deleted from here on "+r.th.mark.dot+" "+r.keys.key(doUndo)+" brings it back")
}

// mostUndone bounds what undo keeps: a closed chat holds its whole transcript.
const mostUndone = 20

// undoable remembers how to take something back.
func (r *root) undoable(back func()) {
	r.closed = append(r.closed, back)
	if over := len(r.closed) - mostUndone; over > 0 {
		r.closed = slices.Delete(r.closed, 0, over)
	}
}

func (r *root) undoLast() {
	n := len(r.closed)
	if n == 0 {
		r.say(toneQuiet, "there is nothing to undo")
		return
	}
	back := r.closed[n-1]
	r.closed = r.closed[:n-1]
	back()
}

// fork copies the chat up to a message into a new tab.
func (r *root) fork(p *pane, t *turn) {
	if t == nil {
		r.say(toneQuiet, "there is nothing to fork yet")
		return
	}
	c := p.conv.chat.Fork(t.m.ID)
	if c.Title != "" { // lists tell the two apart
		c.SetTitle(c.Title + titlePart + "copy")
	}
	c.SetSampling(p.conv.layers.save())
	q := newPane(c, r.th)
	q.model = p.model
	r.newTab(q)
	r.say(toneQuiet, "a copy up to here; the original stays in its tab")
}
