package ui

import (
	"os"
	"path/filepath"
	"sort"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/confab-tui/confab/engine/library"
	"github.com/confab-tui/confab/ui/text"
)

// modelSheet lists the model files of this machine, by folder.
type modelSheet struct {
	picker
	all     []library.Model
	found   []library.Model // those that the filter leaves
	loading bool
	room    int64
	err     string
	first   int // the line at which the list begins
}

// modelsMsg is the list of model files.
type modelsMsg struct {
	files []library.Model
	// room is what a model and its cells may take, 0 where that is not known.
	room int64
}

func (m modelsMsg) apply(r *root) tea.Cmd {
	s, ok := r.sheet.(*modelSheet)
	if !ok {
		return nil
	}
	s.loading, s.room = false, m.room
	s.all = m.files
	sort.SliceStable(s.all, func(i, j int) bool {
		if a, b := s.all[i].Path == "", s.all[j].Path == ""; a != b {
			return a
		}
		return strings.ToLower(s.all[i].Source) < strings.ToLower(s.all[j].Source)
	})
	s.refilter()
	return nil
}

// openModels shows the list and begins to fetch it.
func (r *root) openModels(filter string) tea.Cmd {
	s := &modelSheet{}
	s.filter.set(filter)
	r.sheet = s
	if r.options.Models == nil {
		s.err = "this build has no list of model files: name one with /model PATH"
		return nil
	}
	s.loading = true
	list, room, cfg := r.options.Models, r.options.room, r.options.Config
	freed := int64(0) // by the models that are open now, which make room
	for _, b := range r.models.all {
		if b.engine != nil {
			freed += b.bytes()
		}
	}
	return func() tea.Msg {
		own := library.Model{Name: "the built-in model", Source: "in this program", Parts: 1}
		m := modelsMsg{files: append([]library.Model{own}, list()...)}
		if n, ok := room(cfg); ok {
			m.room = n + freed
		}
		return m
	}
}

func (s *modelSheet) refilter() {
	s.found = s.found[:0]
	for _, f := range s.all {
		if s.matches(f.Name + " " + f.Source + " " + f.Quant + " " + f.Arch) {
			s.found = append(s.found, f)
		}
	}
	s.n = len(s.found)
	s.move(0)
}

const (
	modelArch  = 12
	modelQuant = 9
	modelSize  = 9
	modelNote  = 14
	modelRoomy = 80 // the width from which the architecture is shown
	// roomOver is the share of a file that a model needs beside it at least, for
	// cells and buffers: one part in so many.
	roomOver = 16
)

func (s *modelSheet) draw(r *root, w, h int) ([]string, *tea.Cursor) {
	th := r.th
	head, cursor := s.headLine(r, "Models", "type to filter", w)
	lines := []string{spaces(w), head, spaces(w)}
	switch {
	case s.err != "":
		for _, l := range text.Wrap(s.err, w-4) {
			lines = append(lines, fit("  "+th.bad.draw(l), w))
		}
	case s.loading:
		lines = append(lines, fit("  "+th.dim.draw("looking for model files"), w))
	case len(s.found) == 0:
		lines = append(lines, fit("  "+th.dim.draw("nothing matches"), w))
	}
	lines = append(lines, r.fetchLines(w)...)
	s.first = len(lines)
	lines = append(lines, s.list(r, w, h-len(lines))...)
	if !s.loading && len(s.all) == 1 {
		lines = append(lines, spaces(w))
		for _, l := range text.Wrap("no GGUF files in the usual folders; ctrl+d fetches one, /model PATH opens one by its path", w-2*gutter) {
			lines = append(lines, fit("  "+th.dim.draw(l), w))
		}
	}
	return lines, cursor
}

// list sets the files with a line for each folder above its files.
func (s *modelSheet) list(r *root, w, h int) []string {
	var out []string
	at := make([]int, len(s.found)) // the line of each file
	folder := "\x00"
	for i := range s.found {
		f := &s.found[i]
		if f.Source != folder {
			folder = f.Source
			if i > 0 {
				out = append(out, spaces(w))
			}
			out = append(out, fit("  "+r.th.dim.draw(text.CleanLine(folder)), w))
		}
		at[i] = len(out)
		out = append(out, s.fileLine(r, f, i == s.at, w))
	}
	if h < 1 || len(out) <= h {
		s.top, s.shown = 0, h
		return out
	}
	s.shown = h
	line := at[s.at]
	s.top = max(min(s.top, line-1), 0)
	if line >= s.top+h {
		s.top = line - h + 1
	}
	return out[s.top:min(s.top+h, len(out))]
}

func (s *modelSheet) fileLine(r *root, f *library.Model, chosen bool, w int) string {
	th := r.th
	name := pen("")
	if chosen {
		name = th.accentStrong
	}
	note, pn := "", th.dim
	switch {
	case f.Err != nil:
		note, pn = "unreadable", th.bad
	case r.models.isOpen(f.Path) && f.Path == r.back().config.Model:
		note, pn = th.mark.unread+" open", th.accent
	case r.models.isOpen(f.Path):
		note, pn = th.mark.idle+" open", th.dim
	case f.Bytes > 0 && s.room > 0 && f.Bytes+f.Bytes/roomOver > s.room:
		note, pn = "needs "+size(f.Bytes+f.Bytes/roomOver), th.warn
	case f.Bytes > 0 && s.room > 0:
		note, pn = "fits", th.good
	}
	arch := fit(text.CleanLine(f.Arch), modelArch)
	if w < modelRoomy {
		arch = "" // the name tells it, mostly
	}
	room := max(min(w, listMost)-4-4-text.Width(arch)-modelQuant-modelSize-modelNote, 12)
	return fit(th.choiceMark(chosen)+"  "+name.draw(fit(text.CleanLine(f.Name), room))+"  "+
		th.dim.draw(arch+fit(text.CleanLine(f.Quant), modelQuant)+right(s.bytes(f), modelSize))+
		"  "+pn.draw(fit(note, modelNote)), w)
}

func (s *modelSheet) key(r *root, key string, k tea.KeyPressMsg) (bool, tea.Cmd) {
	if key == "enter" {
		return true, s.choose(r)
	}
	switch key {
	case "ctrl+d":
		repo := ""
		if strings.Contains(s.filter.s, "/") {
			repo = s.filter.s
		}
		return true, r.openHub(repo)
	case "ctrl+x":
		r.stopFetch()
		return true, nil
	}
	done, filtered, cmd := s.picker.key(r, key, k)
	if filtered {
		s.refilter()
	}
	return done, cmd
}

func (s *modelSheet) bytes(f *library.Model) string {
	if f.Bytes == 0 {
		return ""
	}
	return size(f.Bytes)
}

// choose opens the chosen file, or says what is wrong with it.
func (s *modelSheet) choose(r *root) tea.Cmd {
	if s.at >= len(s.found) {
		return nil
	}
	f := &s.found[s.at]
	if f.Err != nil {
		r.say(toneBad, text.CleanLine(f.Err.Error()))
		return nil
	}
	return r.chooseModel(f.Path)
}

func (s *modelSheet) hints() []string { return []string{"enter open", "ctrl+d fetch", "esc back"} }

func (s *modelSheet) click(r *root, _, y int) tea.Cmd {
	line, folder, n := s.top, "\x00", 0
	line += y - s.first
	for i := range s.found {
		if s.found[i].Source != folder {
			folder = s.found[i].Source
			n += 1 + b2i(i > 0)
		}
		if n == line {
			if s.at == i {
				return s.choose(r)
			}
			s.at = i
		}
		n++
	}
	return nil
}

func (s *modelSheet) wheel(_ *root, n int) { s.move(n) }

// modelByName is /model: a path, or the only file whose name has all the words.
func (r *root) modelByName(arg string) tea.Cmd {
	if strings.ContainsAny(arg, "/\\") || strings.HasSuffix(arg, ".gguf") {
		path := expandHome(unquoted(arg))
		return func() tea.Msg {
			_, err := os.Stat(path)
			return namedMsg{path, err}
		}
	}
	return r.openModels(arg)
}

// namedMsg is a model's file that was named, which is there or not.
type namedMsg struct {
	path string
	err  error
}

func (m namedMsg) apply(r *root) tea.Cmd {
	if m.err != nil {
		return r.fail("%s", text.CleanLine(Cause(m.err)))
	}
	return r.chooseModel(m.path)
}

// expandHome makes a path of one that begins with ~.
func expandHome(path string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			return filepath.Join(home, rest)
		}
	}
	return path
}
