package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/confab-tui/confab/ui/text"
)

// ability is what a terminal can take, by what the environment says of it.
// What it does not know must not be sent: it would leave marks on the screen.
type ability struct {
	// strings: operating system commands, with which colours are asked for and
	// titles set. Consoles of old print them.
	strings bool
	// clipboard takes text (OSC 52), progress shows how far a load is (OSC 9;4).
	clipboard, progress bool
	notes               notes
	name                string
}

// notes is how a message gets to a person who looks elsewhere.
type notes int

const (
	notesNone notes = iota
	notes9          // OSC 9, which iTerm2 began
	notes777        // OSC 777, which rxvt began
	// notesBell is for multiplexers: they pass no message on, and mark the window in
	// which it rang.
	notesBell
)

// note is what is written for a message.
func (n notes) note(s string) string {
	switch n {
	case notes9:
		return ansi.Notify(s)
	case notes777:
		return ansi.URxvtExt("notify", "confab", strings.ReplaceAll(s, ";", ","))
	case notesBell:
		return "\a"
	}
	return ""
}

func abilityOf(env []string) ability {
	a := ability{name: lookup(env, "TERM")}
	a.strings = !console(a.name)
	multiplexed := lookup(env, "TMUX") != "" || strings.HasPrefix(a.name, "tmux")
	gnuScreen := strings.HasPrefix(a.name, "screen") && !multiplexed
	a.clipboard = a.strings && !gnuScreen
	switch {
	case !a.strings:
	case multiplexed || gnuScreen:
		a.notes = notesBell
	case notesByRxvt(env):
		a.notes = notes777
	default:
		a.notes = notes9
	}
	a.progress = a.strings && !multiplexed && !gnuScreen && showsProgress(env)
	return a
}

// notesByRxvt names the terminals that take rxvt's command for messages and may not take
// iTerm2's.
func notesByRxvt(env []string) bool {
	for _, known := range []string{"vte", "gnome", "rxvt", "foot", "konsole"} {
		if strings.HasPrefix(lookup(env, "TERM"), known) {
			return true
		}
	}
	return lookup(env, "VTE_VERSION") != "" || lookup(env, "KONSOLE_VERSION") != ""
}

// console tells the terminals that know no more than the VT100's commands.
func console(term string) bool {
	switch term {
	case "", "dumb", "linux", "ansi", "cons25", "sun", "wyse60":
		return true
	}
	return len(term) > 2 && strings.HasPrefix(term, "vt") && term[2] >= '0' && term[2] <= '9'
}

// showsProgress names the terminals that are known to show it; others take the
// same command for a message on the desktop.
func showsProgress(env []string) bool {
	switch lookup(env, "TERM_PROGRAM") {
	case "ghostty", "iTerm.app", "rio", "WezTerm":
		return true
	}
	return lookup(env, "WT_SESSION") != "" || lookup(env, "ConEmuANSI") == "ON" || lookup(env, "TERM") == "xterm-ghostty"
}

// askColours asks the terminal for its own colours, if it knows the question.
func (r *root) askColours() tea.Cmd {
	if !r.term.strings {
		return nil
	}
	return tea.Raw(ansi.RequestBackgroundColor + ansi.RequestForegroundColor)
}

// onMode takes the terminal's answer about its modes. Bubble Tea places grapheme
// clusters as wholes from the same answer on.
func (r *root) onMode(m tea.ModeReportMsg) {
	if m.Mode == ansi.ModeUnicodeCore && (m.Value == ansi.ModeReset || m.Value == ansi.ModeSet || m.Value == ansi.ModePermanentlySet) {
		text.SetApart(false)
		r.th.build()
	}
}
