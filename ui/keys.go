package ui

import "strings"

// action is something that a key, a click or a command can ask for.
type action int

const (
	doNothing action = iota
	doNewChat
	doCloseTab
	doUndo
	doNextTab
	doPrevTab
	doTabLeft
	doTabRight
	doRename
	doSplit
	doClosePane
	doFocusLeft
	doFocusRight
	doBroadcast
	doCompare
	doPanel
	doStop
	doInterrupt
	doQuitEmpty
	doRegenerate
	doSystem
	doEditor
	doModels
	doHistory
	doFind
	doTokens
	doPool
	doHelp
	doSuspend
	doRedraw
	doRead
	doWrite
	doMouse
	doPageUp
	doPageDown
	doTop
	doEnd
	doRowUp
	doRowDown
	doHalfUp
	doHalfDown
	doTurnUp
	doTurnDown
	doFold
	doCopy
	doCopyCode
	doEdit
	doVersionPrev
	doVersionNext
	doContinue
	doFork
	doDelete
	doHitNext
	doHitPrev
	doDiff
	doOnly
	doKnobDown
	doKnobUp
	doTurnMore
	doTurnLess
	doTurnMuchMore
	doTurnMuchLess
	doKnobReset
	doKnobUndo
	doKnobEntry
	doPresetModel
	doPresetNeutral
	doPresetPrecise
	doPresetCreative
)

// binding gives an action its keys and what help says about it.
type binding struct {
	do   action
	keys string // parted by spaces; the first ones are shown in the help
	help string // empty: not listed
	show string // what help shows instead of the keys
}

// area is where a set of bindings holds.
type area struct {
	title    string
	bindings []binding
	byKey    map[string]action
}

func newArea(title string, b ...binding) *area {
	a := &area{title: title, bindings: b, byKey: map[string]action{}}
	for _, x := range b {
		for _, k := range strings.Fields(x.keys) {
			a.byKey[k] = x.do
		}
	}
	return a
}

var keysTabs = newArea("Chats and tabs",
	binding{do: doNewChat, keys: "ctrl+n", help: "new chat"},
	binding{do: doCloseTab, keys: "ctrl+w", help: "close (empty input)"},
	binding{do: doUndo, keys: "alt+z", help: "undo closing, deleting"},
	binding{do: doNextTab, keys: "ctrl+pgdown ctrl+tab", help: "next tab"},
	binding{do: doPrevTab, keys: "ctrl+pgup ctrl+shift+tab", help: "previous tab"},
	binding{do: doNothing, show: "alt+1..9", help: "go to a tab"},
	binding{do: doTabLeft, keys: "alt+,", show: "alt+, alt+.", help: "move the tab"},
	binding{do: doTabRight, keys: "alt+."},
	binding{do: doRename, keys: "f2", help: "rename"},
	binding{do: doHistory, keys: "ctrl+s", help: "all chats: search, reopen"},
)

var keysPanes = newArea("Side by side",
	binding{do: doSplit, keys: "alt+s", help: "one more pane"},
	binding{do: doClosePane, keys: "alt+w", help: "close the pane"},
	binding{do: doFocusLeft, keys: "alt+left alt+up", show: "alt+arrows", help: "go to a pane"},
	binding{do: doFocusRight, keys: "alt+right alt+down"},
	binding{do: doBroadcast, keys: "alt+a", help: "send to all panes"},
	binding{do: doCompare, keys: "alt+c", help: "compare four temperatures"},
)

var keysViews = newArea("Views",
	binding{do: doPanel, keys: "ctrl+k", help: "knobs"},
	binding{do: doTokens, keys: "ctrl+t", help: "tokens and their odds"},
	binding{do: doPool, keys: "ctrl+p", help: "the pool of cells"},
	binding{do: doModels, keys: "ctrl+o", help: "models"},
	binding{do: doSystem, keys: "ctrl+y", help: "system prompt"},
	binding{do: doFind, keys: "ctrl+f", help: "find in this chat"},
	binding{do: doHelp, keys: "f1", show: "? f1", help: "this help"},
	binding{do: doMouse, keys: "alt+m", help: "mouse to the terminal"},
	binding{do: doSuspend, keys: "ctrl+z", help: "suspend"},
	binding{do: doRedraw, keys: "ctrl+l"},
)

var keysInput = newArea("Writing",
	binding{do: doNothing, show: "enter", help: "send; queued while it answers"},
	binding{do: doNothing, show: "ctrl+j", help: "new line (shift+enter, alt+enter)"},
	binding{do: doStop, keys: "esc", help: "stop the answer"},
	binding{do: doInterrupt, keys: "ctrl+c", help: "stop; twice when idle: quit"},
	binding{do: doQuitEmpty, keys: "ctrl+d", help: "quit (empty input)"},
	binding{do: doRegenerate, keys: "ctrl+r", help: "answer again, keep both"},
	binding{do: doNothing, show: "up", help: "edit the last message, older ones"},
	binding{do: doEditor, keys: "ctrl+g", help: "write in $EDITOR"},
	binding{do: doRead, keys: "tab", help: "go into the text"},
	binding{do: doPageUp, keys: "pgup", show: "pgup pgdn", help: "scroll"},
	binding{do: doPageDown, keys: "pgdown"},
	binding{do: doNothing, show: "/", help: "commands"},
)

var keysText = newArea("In the text (tab)",
	binding{do: doRowDown, keys: "j down", show: "j k", help: "by line"},
	binding{do: doRowUp, keys: "k up"},
	binding{do: doTurnDown, keys: "J shift+down ]", show: "J K", help: "by message"},
	binding{do: doTurnUp, keys: "K shift+up ["},
	binding{do: doHalfDown, keys: "d ctrl+d", show: "d u", help: "half a page"},
	binding{do: doHalfUp, keys: "u ctrl+u"},
	binding{do: doTop, keys: "g home", show: "g G", help: "begin, end"},
	binding{do: doEnd, keys: "G end"},
	binding{do: doFold, keys: "space", help: "fold thinking, long text"},
	binding{do: doCopy, keys: "y", help: "copy the message"},
	binding{do: doCopyCode, keys: "c", help: "copy its code; again: the next"},
	binding{do: doEdit, keys: "e", help: "edit"},
	binding{do: doVersionPrev, keys: "left h", show: "left right", help: "versions"},
	binding{do: doVersionNext, keys: "right l"},
	binding{do: doRegenerate, keys: "r", help: "answer again"},
	binding{do: doContinue, keys: "enter", help: "continue a cut answer"},
	binding{do: doFork, keys: "f", help: "fork into a new tab"},
	binding{do: doDelete, keys: "x", help: "delete from here on"},
	binding{do: doTokens, keys: "t", help: "tokens of the answer"},
	binding{do: doFind, keys: "/", show: "/ n N", help: "find, next, previous"},
	binding{do: doHitNext, keys: "n"},
	binding{do: doHitPrev, keys: "N"},
	binding{do: doNothing, show: "1..6", help: "go to a pane"},
	binding{do: doDiff, keys: "=", help: "word differences of panes"},
	binding{do: doOnly, keys: "o", help: "go on with only this pane"},
	binding{do: doHelp, keys: "?"},
	binding{do: doWrite, keys: "i tab esc", show: "i esc", help: "back to writing"},
)

var keysPanel = newArea("Knobs (ctrl+k)",
	binding{do: doKnobDown, keys: "j down", show: "j k", help: "choose"},
	binding{do: doKnobUp, keys: "k up"},
	binding{do: doTurnLess, keys: "h left -", show: "h l", help: "turn"},
	binding{do: doTurnMore, keys: "l right +"},
	binding{do: doTurnMuchLess, keys: "H shift+left", show: "H L", help: "turn further"},
	binding{do: doTurnMuchMore, keys: "L shift+right"},
	binding{do: doNothing, show: "0..9", help: "enter a number"},
	binding{do: doKnobReset, keys: "r", help: "reset to what is below"},
	binding{do: doKnobUndo, keys: "u", help: "undo"},
	binding{do: doPresetModel, keys: "m", show: "m n p c", help: "presets"},
	binding{do: doPresetNeutral, keys: "n"},
	binding{do: doPresetPrecise, keys: "p"},
	binding{do: doPresetCreative, keys: "c"},
	binding{do: doKnobEntry, keys: "enter"},
	binding{do: doHelp, keys: "?"},
	binding{do: doWrite, keys: "tab esc i", show: "tab esc", help: "back to writing"},
)

// helpAreas in the order of the help.
var helpAreas = []*area{keysInput, keysText, keysTabs, keysPanes, keysViews, keysPanel}

// anywhere looks a key up among those that hold whatever has the focus.
func anywhere(key string) action {
	for _, a := range []*area{keysTabs, keysPanes, keysViews} {
		if do, ok := a.byKey[key]; ok {
			return do
		}
	}
	return doNothing
}
