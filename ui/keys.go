package ui

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
	doSend
	doNewLine
	doStop
	doInterrupt
	doQuitEmpty
	doRegenerate
	doSystem
	doEditor
	doModels
	doOwnModel
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
	doSelect
	doSelectRows
	doSelectLeft
	doSelectRight
	doSelectSwap
	doSelectMessage
	doWordNext
	doWordPrev
	doWordEnd
	doRowStart
	doRowEnd
	doHitNext
	doHitPrev
	doDiff
	doOnly
	doReplay
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
	name string // in the config file; empty for keys that cannot be changed
	keys string // parted by spaces; the first ones are shown in the help
	help string // empty: not listed
	show string // what help shows instead of the keys, as long as they are these
	with action // shares the line in the help
}

// area is where a set of bindings holds. everywhere: whatever has the focus;
// written: where a letter by itself is text.
type area struct {
	title               string
	everywhere, written bool
	bindings            []binding
	byKey               map[string]action
}

func newArea(title string, b ...binding) *area { return &area{title: title, bindings: b} }

var keysTabs = newArea("Chats and tabs",
	binding{do: doNewChat, name: "new-chat", keys: "ctrl+n", help: "new chat"},
	binding{do: doCloseTab, name: "close-tab", keys: "ctrl+w", help: "close (empty input)"},
	binding{do: doUndo, name: "undo", keys: "alt+z", help: "undo closing, deleting"},
	binding{do: doNextTab, name: "next-tab", keys: "ctrl+pgdown ctrl+tab", help: "next tab"},
	binding{do: doPrevTab, name: "previous-tab", keys: "ctrl+pgup ctrl+shift+tab", help: "previous tab"},
	binding{do: doNothing, show: "alt+1..9", help: "go to a tab"},
	binding{do: doTabLeft, name: "tab-left", with: doTabRight, keys: "alt+,", show: "alt+, alt+.", help: "move the tab"},
	binding{do: doTabRight, name: "tab-right", keys: "alt+."},
	binding{do: doRename, name: "rename", keys: "f2", help: "rename"},
	binding{do: doHistory, name: "chats", keys: "ctrl+s", help: "all chats: search, reopen"},
)

var keysPanes = newArea("Side by side",
	binding{do: doSplit, name: "split", keys: "alt+s", help: "one more pane"},
	binding{do: doClosePane, name: "close-pane", keys: "alt+w", help: "close the pane"},
	binding{do: doFocusLeft, name: "pane-left", with: doFocusRight, keys: "alt+left alt+up", show: "alt+arrows", help: "go to a pane"},
	binding{do: doFocusRight, name: "pane-right", keys: "alt+right alt+down"},
	binding{do: doBroadcast, name: "broadcast", keys: "alt+a", help: "send to all panes"},
	binding{do: doCompare, name: "compare", keys: "alt+c", help: "compare four temperatures"},
)

var keysViews = newArea("Views",
	binding{do: doPanel, name: "knobs", keys: "ctrl+k", help: "knobs"},
	binding{do: doTokens, name: "tokens", keys: "ctrl+t", help: "tokens and their odds"},
	binding{do: doPool, name: "pool", keys: "ctrl+p", help: "the pool of cells"},
	binding{do: doModels, name: "models", keys: "ctrl+o", help: "models"},
	binding{do: doOwnModel, name: "own-model", keys: "alt+o"},
	binding{do: doSystem, name: "system", keys: "ctrl+y", help: "system prompt"},
	binding{do: doFind, name: "find", keys: "ctrl+f", help: "find in this chat"},
	binding{do: doHelp, name: "help", keys: "f1", show: "? f1", help: "this help"},
	binding{do: doMouse, name: "mouse", keys: "alt+m", help: "mouse to the terminal"},
	binding{do: doSuspend, name: "suspend", keys: "ctrl+z", help: "suspend"},
	binding{do: doRedraw, name: "redraw", keys: "ctrl+l"},
)

var keysInput = newArea("Writing",
	binding{do: doSend, name: "send", keys: "enter", help: "send; queued while it answers"},
	binding{do: doNewLine, name: "new-line", keys: "ctrl+j shift+enter alt+enter", help: "new line; also \\ and enter"},
	binding{do: doStop, name: "stop", keys: "esc", help: "stop the answer"},
	binding{do: doInterrupt, name: "interrupt", keys: "ctrl+c", help: "stop; twice when idle: quit"},
	binding{do: doQuitEmpty, name: "quit", keys: "ctrl+d", help: "quit (empty input)"},
	binding{do: doRegenerate, name: "regenerate", keys: "ctrl+r", help: "answer again, keep both"},
	binding{do: doNothing, show: "up", help: "edit the last, then older ones"},
	binding{do: doNothing, show: "shift+arrows", help: "select, for ctrl+x and ctrl+c"},
	binding{do: doEditor, name: "editor", keys: "ctrl+g", help: "write in $EDITOR"},
	binding{do: doRead, name: "read", keys: "tab", help: "go into the text"},
	binding{do: doPageUp, name: "page-up", with: doPageDown, keys: "pgup", show: "pgup pgdn", help: "scroll"},
	binding{do: doPageDown, name: "page-down", keys: "pgdown"},
	binding{do: doNothing, show: "/", help: "commands"},
)

var keysText = newArea("In the text (tab)",
	binding{do: doRowDown, name: "text.down", with: doRowUp, keys: "j down", show: "j k", help: "by line"},
	binding{do: doRowUp, name: "text.up", keys: "k up"},
	binding{do: doTurnDown, name: "text.next-message", with: doTurnUp, keys: "J shift+down ]", show: "J K", help: "by message"},
	binding{do: doTurnUp, name: "text.previous-message", keys: "K shift+up ["},
	binding{do: doHalfDown, name: "text.half-down", with: doHalfUp, keys: "d ctrl+d", show: "d u", help: "half a page"},
	binding{do: doHalfUp, name: "text.half-up", keys: "u ctrl+u"},
	binding{do: doTop, name: "text.begin", with: doEnd, keys: "g home", show: "g G", help: "begin, end"},
	binding{do: doEnd, name: "text.end", keys: "G end"},
	binding{do: doFold, name: "text.fold", keys: "space", help: "fold thinking, long text"},
	binding{do: doCopy, name: "text.copy", keys: "y", help: "copy the message"},
	binding{do: doSelect, name: "text.select", with: doSelectRows, keys: "v", show: "v V", help: "select letters, lines"},
	binding{do: doSelectRows, name: "text.select-lines", keys: "V"},
	binding{do: doCopyCode, name: "text.copy-code", keys: "c", help: "copy its code; again: the next"},
	binding{do: doEdit, name: "text.edit", keys: "e", help: "edit"},
	binding{do: doVersionPrev, name: "text.previous-version", with: doVersionNext, keys: "left h", show: "left right", help: "versions"},
	binding{do: doVersionNext, name: "text.next-version", keys: "right l"},
	binding{do: doRegenerate, name: "text.regenerate", keys: "r", help: "answer again"},
	binding{do: doContinue, name: "text.continue", keys: "enter", help: "continue a cut answer"},
	binding{do: doFork, name: "text.fork", keys: "f", help: "fork into a new tab"},
	binding{do: doDelete, name: "text.delete", keys: "x", help: "delete from here on"},
	binding{do: doTokens, name: "text.tokens", keys: "t", help: "tokens of the answer"},
	binding{do: doReplay, name: "text.replay", keys: "R", help: "replay: does it come again?"},
	binding{do: doFind, name: "text.find", keys: "/", show: "/ n N", help: "find, next, previous"},
	binding{do: doHitNext, name: "text.next-hit", keys: "n"},
	binding{do: doHitPrev, name: "text.previous-hit", keys: "N"},
	binding{do: doNothing, show: "1..6", help: "go to a pane"},
	binding{do: doDiff, name: "text.differences", keys: "=", help: "word differences of panes"},
	binding{do: doOnly, name: "text.only", keys: "o", help: "go on with only this pane"},
	binding{do: doHelp, name: "text.help", keys: "?"},
	binding{do: doWrite, name: "text.write", keys: "tab i esc", show: "i esc", help: "back to writing"},
)

var keysSelect = newArea("Selecting (v or V in the text)",
	binding{do: doSelectLeft, name: "select.left", with: doSelectRight, keys: "h left", show: "h j k l", help: "by letter, by line"},
	binding{do: doSelectRight, name: "select.right", keys: "l right space"},
	binding{do: doRowDown, name: "select.down", keys: "j down"},
	binding{do: doRowUp, name: "select.up", keys: "k up"},
	binding{do: doWordNext, name: "select.next-word", keys: "w", show: "w b e", help: "by word"},
	binding{do: doWordPrev, name: "select.previous-word", keys: "b"},
	binding{do: doWordEnd, name: "select.word-end", keys: "e"},
	binding{do: doRowStart, name: "select.line-begin", with: doRowEnd, keys: "0 ^ home", show: "0 $", help: "the line's ends"},
	binding{do: doRowEnd, name: "select.line-end", keys: "$ end"},
	binding{do: doHalfDown, name: "select.half-down", keys: "d ctrl+d pgdown"},
	binding{do: doHalfUp, name: "select.half-up", keys: "u ctrl+u pgup"},
	binding{do: doTurnDown, name: "select.next-message", keys: "J ] }"},
	binding{do: doTurnUp, name: "select.previous-message", keys: "K [ {"},
	binding{do: doTop, name: "select.begin", keys: "g"},
	binding{do: doEnd, name: "select.end", keys: "G"},
	binding{do: doHitNext, name: "select.next-hit", keys: "n"},
	binding{do: doHitPrev, name: "select.previous-hit", keys: "N"},
	binding{do: doSelectMessage, name: "select.message", keys: "a", help: "all of the message"},
	binding{do: doSelectSwap, name: "select.swap", keys: "o", help: "move the other end"},
	binding{do: doSelectRows, name: "select.lines", keys: "V", help: "whole lines"},
	binding{do: doCopy, name: "select.copy", keys: "y enter c", help: "copy"},
	binding{do: doSelect, name: "select.letters", keys: "v"},
	binding{do: doWrite, name: "select.leave", keys: "esc q", help: "leave"},
)

var keysPanel = newArea("Knobs (ctrl+k)",
	binding{do: doKnobDown, name: "knobs.down", with: doKnobUp, keys: "j down", show: "j k", help: "choose"},
	binding{do: doKnobUp, name: "knobs.up", keys: "k up"},
	binding{do: doTurnLess, name: "knobs.less", with: doTurnMore, keys: "h left -", show: "h l", help: "turn"},
	binding{do: doTurnMore, name: "knobs.more", keys: "l right +"},
	binding{do: doTurnMuchLess, name: "knobs.much-less", with: doTurnMuchMore, keys: "H shift+left", show: "H L", help: "turn further"},
	binding{do: doTurnMuchMore, name: "knobs.much-more", keys: "L shift+right"},
	binding{do: doNothing, show: "0..9", help: "enter a number"},
	binding{do: doKnobReset, name: "knobs.reset", keys: "r", help: "reset to what is below"},
	binding{do: doKnobUndo, name: "knobs.undo", keys: "u", help: "undo"},
	binding{do: doPresetModel, name: "knobs.preset-model", keys: "m", show: "m n p c", help: "presets"},
	binding{do: doPresetNeutral, name: "knobs.preset-neutral", keys: "n"},
	binding{do: doPresetPrecise, name: "knobs.preset-precise", keys: "p"},
	binding{do: doPresetCreative, name: "knobs.preset-creative", keys: "c"},
	binding{do: doKnobEntry, name: "knobs.enter", keys: "enter"},
	binding{do: doHelp, name: "knobs.help", keys: "?"},
	binding{do: doWrite, name: "knobs.write", keys: "tab esc i", show: "tab esc", help: "back to writing"},
)
