package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/confab-tui/confab/ui/store"
	"github.com/confab-tui/confab/ui/text"
)

// historySheet lists all chats: to find, reopen, pin and delete them.
type historySheet struct {
	picker
	all   []store.Info
	found []store.Info
	// hits are the chats in whose text the filter was found, by their number, each with
	// the place that is newest.
	hits  map[store.ID]store.Hit
	asked string // the filter for which hits were fetched
	ready bool
	err   string
	first int
}

type chatsMsg struct {
	all []store.Info
	err error
}

func (m chatsMsg) apply(r *root) tea.Cmd {
	s, ok := r.sheet.(*historySheet)
	if !ok {
		return nil
	}
	s.ready = true
	if m.err != nil {
		s.err = m.err.Error()
	}
	s.all = slices.DeleteFunc(m.all, func(c store.Info) bool {
		return c.Messages == 0 && c.Title == "" && !c.Pinned // only a draft was ever there
	})
	s.refilter()
	return nil
}

func (r *root) openHistory() tea.Cmd {
	r.sheet = &historySheet{}
	return r.fetchChats()
}

func (r *root) fetchChats() tea.Cmd {
	ctx, st := r.ctx, r.store
	return func() tea.Msg {
		all, err := st.List(ctx)
		return chatsMsg{all, err}
	}
}

func (s *historySheet) refilter() {
	s.found = s.found[:0]
	for _, c := range s.all {
		if _, hit := s.hits[c.ID]; s.matches(c.Title+" "+c.ModelName) || hit && s.asked == s.filter.s {
			s.found = append(s.found, c)
		}
	}
	s.n = len(s.found)
	s.move(0)
}

func (s *historySheet) draw(r *root, w, h int) ([]string, *tea.Cursor) {
	th := r.th
	head, cursor := s.headLine(r, "Chats", "type to search titles and text", w)
	lines := []string{spaces(w), head, spaces(w)}
	switch {
	case s.err != "":
		for _, l := range text.Wrap(s.err, w-4) {
			lines = append(lines, fit("  "+th.bad.draw(l), w))
		}
	case !s.ready:
		lines = append(lines, fit("  "+th.dim.draw("reading"), w))
	case len(s.all) == 0:
		lines = append(lines, fit("  "+th.dim.draw("no chats yet: they are kept from their first message on"), w))
	case len(s.found) == 0:
		lines = append(lines, fit("  "+th.dim.draw("nothing matches"), w))
	}
	s.first = len(lines)
	s.scroll(h - len(lines))
	for i := s.top; i < min(s.top+s.shown, len(s.found)); i++ {
		lines = append(lines, s.chatLine(r, &s.found[i], i == s.at, w))
	}
	return lines, cursor
}

func (s *historySheet) chatLine(r *root, c *store.Info, chosen bool, w int) string {
	th := r.th
	name := pen("")
	if chosen {
		name = th.accentStrong
	}
	title := text.CleanLine(c.Title)
	if title == "" {
		title = "(no title)"
	}
	mark := "  "
	switch {
	case c.Pinned:
		mark = th.accent.draw(th.mark.pinned) + " "
	case r.isOpen(c.ID):
		mark = th.dim.draw(th.mark.idle) + " "
	}
	tail := th.dim.draw(right(plural(c.Messages, "message", "messages"), 14) + right(since(r.now(), c.Updated), 12))
	room := min(w, listMost) - 4 - 26 - 2
	line := name.draw(text.Truncate(title, room, th.mark.ellipsis))
	if hit := s.hit(c.ID); hit.Snippet != "" {
		if left := room - text.Width(line) - 2; left > 8 {
			line += "  " + highlight(th.dim.draw(text.Truncate(text.CleanLine(hit.Snippet), left, th.mark.ellipsis)), s.filter.s, th.accent)
		}
	} else if c.ModelName != "" {
		if left := room - text.Width(line) - 2; left > 12 {
			line += "  " + th.dim.draw(text.Truncate(text.CleanLine(c.ModelName), left, th.mark.ellipsis))
		}
	}
	return fit(th.choiceMark(chosen)+mark+fit(line, room)+tail, w)
}

// hit is the place in a chat that the filter was found at, none where it was not.
func (s *historySheet) hit(id store.ID) store.Hit {
	if s.asked != s.filter.s || s.asked == "" {
		return store.Hit{}
	}
	return s.hits[id]
}

// open goes to a chat, and in it to what the filter was found at.
func (s *historySheet) open(r *root, id store.ID) tea.Cmd {
	return r.openChat(id, target{s.hit(id).Message, s.asked})
}

func (r *root) isOpen(id store.ID) bool {
	for _, t := range r.tabs {
		for _, p := range t.panes {
			if p.conv.chat.ID == id {
				return true
			}
		}
	}
	return false
}

func (s *historySheet) key(r *root, key string, k tea.KeyPressMsg) (bool, tea.Cmd) {
	var c *store.Info
	if s.at < len(s.found) {
		c = &s.found[s.at]
	}
	switch {
	case key == "enter" && c != nil:
		return true, s.open(r, c.ID)
	case key == "enter":
		return true, nil
	case key == "ctrl+d" && c != nil || key == "delete" && c != nil && s.filter.at == len(s.filter.s):
		s.remove(r, *c)
		return true, nil
	case key == "alt+z":
		r.undoLast()
		return true, r.fetchChats()
	case key == "alt+i":
		r.sheet, r.focus = nil, focusInput
		if p := r.pane(); !p.input.empty() {
			r.clearInput(p)
		}
		r.pane().input.insert("/import ")
		return true, nil
	case key == "alt+p" && c != nil:
		r.pin(c)
		return true, r.fetchChats()
	}
	done, filtered, cmd := s.picker.key(r, key, k)
	if filtered {
		s.refilter()
		return true, r.searchChats(s.filter.s)
	}
	return done, cmd
}

// remove puts a chat into the trash and takes it off the screen.
func (s *historySheet) remove(r *root, c store.Info) {
	for i := len(r.tabs) - 1; i >= 0; i-- {
		t := r.tabs[i]
		if len(t.panes) == 1 && t.panes[0].conv.chat.ID == c.ID {
			sheet := r.sheet
			r.closeTab(i)
			r.sheet = sheet
			r.closed = r.closed[:len(r.closed)-1]
		}
	}
	r.store.Delete(c.ID)
	s.all = slices.DeleteFunc(s.all, func(x store.Info) bool { return x.ID == c.ID })
	s.refilter()
	r.undoable(func() { r.store.Undelete(c.ID) })
	r.say(toneQuiet, "deleted "+r.th.mark.dot+" "+r.keys.key(doUndo)+" brings it back")
}

func (r *root) pin(c *store.Info) {
	for _, t := range r.tabs {
		for _, p := range t.panes {
			if p.conv.chat.ID == c.ID {
				p.conv.chat.SetPinned(!c.Pinned)
				return
			}
		}
	}
	r.store.SetPinned(c.ID, !c.Pinned)
}

func (s *historySheet) hints() []string {
	return []string{"enter open", "alt+p pin", "ctrl+d delete", "alt+i import", "esc back"}
}

func (s *historySheet) click(r *root, _, y int) tea.Cmd {
	i := s.top + y - s.first
	if i < 0 || i >= len(s.found) || y < s.first {
		return nil
	}
	if i == s.at {
		return s.open(r, s.found[i].ID)
	}
	s.at = i
	return nil
}

func (s *historySheet) wheel(_ *root, n int) { s.move(n) }

// target is a message, 0 for none, and what was looked for in it.
type target struct {
	message store.ID
	words   string
}

// openChat goes to the tab of a chat, or loads it into a new one, and goes to a place in
// it.
func (r *root) openChat(id store.ID, to target) tea.Cmd {
	for i, t := range r.tabs {
		for j, p := range t.panes {
			if p.conv.chat.ID == id {
				t.focus = j
				r.goTab(i)
				r.goTo(to)
				return nil
			}
		}
	}
	ctx, st := r.ctx, r.store
	return func() tea.Msg {
		c, err := st.Load(ctx, id)
		return loadedMsg{c, to, err}
	}
}

// loadedMsg is a chat that was read from the disk, and where to go in it.
type loadedMsg struct {
	chat *store.Chat
	to   target
	err  error
}

func (m loadedMsg) apply(r *root) tea.Cmd {
	if m.err != nil {
		r.say(toneBad, m.err.Error())
		return nil
	}
	r.sheet = nil
	if t := r.tab(); len(t.panes) == 1 && t.pane().conv.blank() && t.pane().input.empty() {
		t.panes[0] = r.reopened(m.chat)
		r.goTab(r.active)
	} else {
		r.newTab(r.reopened(m.chat))
	}
	r.goTo(m.to)
	r.remember()
	return nil
}

// reopened is a pane for a stored chat: with the model that it had where that is
// open, else with that of the chat in focus.
func (r *root) reopened(c *store.Chat) *pane {
	p := newPane(c, r.th)
	if c.ModelName != "" {
		p.model = r.models.find(c.ModelPath)
	}
	if p.model == nil {
		p.model = r.back()
	}
	return p
}

// blank tells a chat that nobody has used.
func (c *conversation) blank() bool { return c.chat.Len() == 0 && c.chat.Title == "" }

// hitsMsg are the chats in whose text a filter was found.
type hitsMsg struct {
	filter string
	hits   map[store.ID]store.Hit
}

func (m hitsMsg) apply(r *root) tea.Cmd {
	if s, ok := r.sheet.(*historySheet); ok && s.filter.s == m.filter {
		s.asked, s.hits = m.filter, m.hits
		s.refilter()
	}
	return nil
}

// searchHits is how many places in texts are looked for.
const searchHits = 200

// searchChats looks for the filter in the text of all chats.
func (r *root) searchChats(filter string) tea.Cmd {
	if len(filter) < 2 {
		return nil
	}
	ctx, st := r.ctx, r.store
	return func() tea.Msg {
		found, err := st.Search(ctx, filter, searchHits)
		if err != nil {
			return nil // titles are still searched
		}
		hits := map[store.ID]store.Hit{}
		for _, h := range found {
			if hits[h.Chat].Message == 0 { // a title's is as good as none
				hits[h.Chat] = h
			}
		}
		return hitsMsg{filter, hits}
	}
}
