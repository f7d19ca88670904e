package ui

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// themeCommand is /theme: it names the themes, or takes one at once and for
// the next time.
func (r *root) themeCommand(arg string) tea.Cmd {
	if arg == "" {
		r.say(toneQuiet, "theme "+r.th.name+"; there are "+strings.Join(Themes(), ", "))
		return nil
	}
	name, ok := themeName(arg)
	if !ok {
		return r.fail("there is no theme %q; there are %s", arg, strings.Join(Themes(), ", "))
	}
	cmd := r.setTheme(name)
	switch {
	case !r.th.colour && name != themeNone:
		r.say(toneWarn, "theme "+name+", without its colours: this terminal has none, or NO_COLOR is set")
	default:
		r.say(toneQuiet, "theme "+name)
	}
	return cmd
}

// setTheme draws in another theme from now on. What the terminal says of its own
// colours is not asked while they are painted over.
func (r *root) setTheme(name string) tea.Cmd {
	r.th.name, r.chosenTheme = name, name
	r.th.build()
	r.remember()
	if g, _ := r.th.ground(); g != nil || r.th.bg != nil {
		return nil
	}
	return tea.Tick(200*time.Millisecond, func(time.Time) tea.Msg { return tea.RawMsg{Msg: ansi.RequestBackgroundColor} })
}

// restoreTheme takes the theme that was chosen last time.
func (r *root) restoreTheme(name string) {
	if n, ok := themeName(name); ok && name != "" {
		r.th.name, r.chosenTheme = n, n
		r.th.build()
	}
}
