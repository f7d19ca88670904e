package ui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/confab-tui/confab/ui/store"
)

// lookAgain is the least time between two looks at what other programs wrote.
const lookAgain = 2 * time.Second

// lookAround is a command that takes over what another confab has added to the chats that
// are open here. A person's keys and the focus that comes back ask for it: no clock does,
// which would keep an idle program awake.
func (r *root) lookAround() tea.Cmd {
	now := r.now()
	if now.Sub(r.looked) < lookAgain {
		return nil
	}
	r.looked = now
	open := map[store.ID]time.Time{}
	for _, t := range r.tabs {
		for _, p := range t.panes {
			if p.conv.chat.Len() > 0 && !p.conv.running() {
				open[p.conv.chat.ID] = p.conv.chat.Updated
			}
		}
	}
	ctx, st := r.ctx, r.store
	return func() tea.Msg { return loadOthers(ctx, st, open) }
}

// loadOthers reads those of the open chats again to which somebody added something since
// they were updated here. What cannot be read now is read another time.
func loadOthers(ctx context.Context, st *store.Store, open map[store.ID]time.Time) tea.Msg {
	if changed, err := st.Changed(ctx); err != nil || !changed {
		return nil
	}
	behind, err := st.Behind(ctx, open)
	if err != nil || len(behind) == 0 {
		return nil
	}
	m := othersMsg{}
	for _, id := range behind {
		if c, err := st.Load(ctx, id); err == nil {
			m[id] = c
		}
	}
	return m
}

// othersMsg are chats as they lie on the disk.
type othersMsg map[store.ID]*store.Chat

func (m othersMsg) apply(r *root) tea.Cmd {
	for i, t := range r.tabs {
		for _, p := range t.panes {
			c := p.conv
			loaded := m[c.chat.ID]
			if loaded == nil || c.running() {
				continue
			}
			n := c.merge(loaded)
			if n == 0 {
				continue
			}
			p.view.clamp()
			c.unread = i != r.active
			if i == r.active && r.toast.text == "" {
				r.say(toneQuiet, "another confab has added "+plural(n, "message", "messages"))
			}
		}
	}
	return nil
}

// merge takes over what another program added to the chat; it gives the number of
// messages.
func (c *conversation) merge(loaded *store.Chat) int {
	added, grown := c.chat.Merge(loaded)
	for _, id := range grown {
		delete(c.byID, id) // it is shown anew
	}
	if len(added)+len(grown) > 0 {
		c.walk()
	}
	return len(added) + len(grown)
}
