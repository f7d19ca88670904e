package ui

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/confab-tui/confab/ui/store"
)

// workspace is what the program finds again when it starts.
type workspace struct {
	Tabs   []savedTab `json:"tabs"`
	Active int        `json:"active"`
	Panel  bool       `json:"panel,omitempty"`
	Theme  string     `json:"theme,omitempty"`
	// Keys are those of actions that were given others in the program.
	Keys map[string][]string `json:"keys,omitempty"`
	Pace float64             `json:"pace,omitempty"`
}

type savedTab struct {
	Chats     []store.ID `json:"chats"`
	Focus     int        `json:"focus,omitempty"`
	Broadcast bool       `json:"broadcast,omitempty"`
	Compare   bool       `json:"compare,omitempty"`
}

const (
	workspaceKey  = "workspace"
	promptHistory = 200
)

// remember hands the state of the screen to the store's writer.
func (r *root) remember() {
	w := workspace{Active: r.active, Panel: r.panel.open, Theme: r.chosenTheme, Keys: r.ownKeys, Pace: r.pace}
	for _, t := range r.tabs {
		s := savedTab{Focus: t.focus, Broadcast: t.broadcast, Compare: t.compare}
		for _, p := range t.panes {
			s.Chats = append(s.Chats, p.conv.chat.ID)
			p.saveDraft()
		}
		w.Tabs = append(w.Tabs, s)
	}
	b, err := json.Marshal(w)
	if err != nil {
		panic("ui: the workspace cannot be written: " + err.Error())
	}
	if s := string(b); s != r.saved {
		r.saved = s
		r.store.SetState(workspaceKey, s)
	}
}

// saveDraft keeps what is being written, but not the new version of a message.
func (p *pane) saveDraft() {
	in := &p.input
	if p.editing != nil {
		in = &p.kept
	}
	if v := in.value(); v != p.conv.chat.Draft {
		p.conv.chat.SetDraft(v)
	}
}

// restore reads what remember wrote, before the program is on the screen. What
// cannot be read is told and left out.
func (r *root) restore(ctx context.Context) {
	presets, faults := readPresets(r.options.ConfigDir)
	r.models.all[0].base.presets = presets
	raw, err := r.store.State(ctx, workspaceKey)
	var w workspace
	unread := raw != "" && json.Unmarshal([]byte(raw), &w) != nil
	if len(w.Keys) > 0 {
		r.ownKeys = w.Keys
		r.keyFaults = r.buildKeys()
	}
	for _, f := range r.keyFaults {
		faults = append(faults, f.String())
	}
	if r.saveFailed != "" {
		r.say(toneBad, r.saveFailed)
	}
	if err != nil {
		r.sayMore(toneBad, err.Error())
	}
	if unread {
		r.sayMore(toneWarn, "the tabs of last time could not be read; the chats are under "+r.keys.key(doHistory))
	}
	if s := someFaults(append(faults, r.options.Notices...)); s != "" {
		r.sayMore(toneWarn, s)
	}
	for _, s := range w.Tabs {
		t := &tab{broadcast: s.Broadcast, compare: s.Compare}
		for _, id := range s.Chats {
			if c, err := r.store.Load(ctx, id); err == nil && c.Deleted.IsZero() {
				t.panes = append(t.panes, newPane(c, r.th))
			}
		}
		if len(t.panes) > 0 {
			t.focus = min(max(s.Focus, 0), len(t.panes)-1)
			r.tabs = append(r.tabs, t)
		}
	}
	r.panel.open, r.pace = w.Panel, max(w.Pace, 0)
	if from := r.options.Sources["theme"]; from != "flag" && from != "env" {
		r.restoreTheme(w.Theme)
	}
	if len(r.tabs) == 0 {
		r.tabs = []*tab{{panes: []*pane{r.freshPane()}}}
	}
	r.active = min(max(w.Active, 0), len(r.tabs)-1)
	if r.history, err = r.store.Prompts(ctx, promptHistory); err != nil {
		r.say(toneBad, err.Error())
	}
}

// someFaults tells what is wrong in the files of the config folder, in a few lines.
func someFaults(all []string) string {
	if len(all) > 2 {
		return fmt.Sprintf("%d faults in the config files, confab config check lists them; the first: %s", len(all), all[0])
	}
	return strings.Join(all, "\n")
}

// freshPane begins a chat with the configuration's system prompt.
func (r *root) freshPane() *pane {
	c := r.store.New()
	c.System = r.options.System
	p := newPane(c, r.th)
	if len(r.tabs) > 0 {
		p.model = r.back()
	}
	p.conv.think = r.options.Think
	return p
}
