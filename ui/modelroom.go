package ui

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// measure finds out whether there is room beside what is open.
func (r *root) measure(b *backend) tea.Cmd {
	if !slices.ContainsFunc(r.models.all, func(x *backend) bool { return x.engine != nil }) {
		return b.open(r.ctx, r.models.open, nil)
	}
	number, cfg, room := b.number, b.config, r.options.room
	return func() tea.Msg {
		free, known := room(cfg)
		return roomMsg{number: number, need: modelBytes(cfg.Model), free: free, known: known}
	}
}

// roomMsg says how many bytes a model needs, and how many there are.
type roomMsg struct {
	number     int
	need, free int64
	known      bool
}

// apply closes what is in the way, if it is idle, and opens the model.
func (msg roomMsg) apply(r *root) tea.Cmd {
	b := r.models.loaded(msg.number)
	if b == nil {
		return nil
	}
	var idle []*backend
	running := func(p *pane) bool { return p.conv.running() }
	free, busy := msg.free, ""
	for _, x := range r.models.all {
		switch {
		case x.engine == nil:
		case r.usedBy(x, running):
			busy = x.name()
		default:
			idle = append(idle, x)
		}
	}
	slices.SortFunc(idle, func(a, b *backend) int { return a.used.Compare(b.used) })
	var room []Engine
	var names []string
	for _, x := range idle {
		if !msg.known || free >= msg.need {
			break
		}
		free += x.bytes()
		names = append(names, x.name())
		room = append(room, x.take())
	}
	if msg.known && free < msg.need && busy != "" {
		err := fmt.Errorf("%s needs %s, %s free, and %s is answering: wait for it or stop it", b.name(), size(msg.need), size(free), busy)
		return tea.Batch(closeAll(room), r.onOpened(openedMsg{number: msg.number, err: err}))
	}
	if len(names) > 0 {
		r.say(toneQuiet, strings.Join(names, " and ")+" is closed to make room for "+b.name()+"; a message to its chats opens it again")
	}
	return b.open(r.ctx, r.models.open, room)
}

func closeAll(engines []Engine) tea.Cmd {
	if len(engines) == 0 {
		return nil
	}
	return func() tea.Msg {
		for _, e := range engines {
			e.Close()
		}
		return nil
	}
}

var splitFile = regexp.MustCompile(`-\d{5}-of-\d{5}\.gguf$`)

// modelBytes is about what a model takes: its file, all parts of it, and the
// least beside it.
func modelBytes(path string) int64 {
	files := []string{path}
	if at := splitFile.FindStringIndex(path); at != nil {
		files, _ = filepath.Glob(path[:at[0]] + "-?????-of-" + path[at[1]-len("00000.gguf"):])
	}
	n := int64(0)
	for _, f := range files {
		if st, err := os.Stat(f); err == nil {
			n += st.Size()
		}
	}
	return n + n/roomOver
}
