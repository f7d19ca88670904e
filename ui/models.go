package ui

import (
	"os"
	"path/filepath"
	"sort"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/confab-tui/confab/ui/text"
)

// modelSheet lists the model files of this machine, by folder.
type modelSheet struct {
	picker
	all     []ModelFile
	found   []ModelFile // those that the filter leaves
	loading bool
	err     string
	first   int // the line at which the list begins
}

// modelsMsg is the list of model files.
type modelsMsg struct {
	files []ModelFile
	err   error
}

func (m modelsMsg) apply(r *root) tea.Cmd {
	s, ok := r.sheet.(*modelSheet)
	if !ok {
		return nil
	}
	s.loading = false
	if m.err != nil {
		s.err = text.CleanLine(m.err.Error())
	}
	s.all = m.files
	sort.SliceStable(s.all, func(i, j int) bool { return s.all[i].Folder < s.all[j].Folder })
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
	ctx, list := r.ctx, r.options.Models
	return func() tea.Msg {
		files, err := list(ctx)
		return modelsMsg{files, err}
	}
}

func (s *modelSheet) refilter() {
	s.found = s.found[:0]
	for _, f := range s.all {
		if s.matches(f.Name + " " + f.Folder + " " + f.Quant + " " + f.Arch) {
			s.found = append(s.found, f)
		}
	}
	s.n = len(s.found)
	s.move(0)
}

const (
	modelParams = 8
	modelQuant  = 9
	modelSize   = 10
	modelFits   = 22
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
	case len(s.all) == 0:
		lines = append(lines, fit("  "+th.dim.draw("no GGUF files in the usual folders; /model PATH opens one by its path"), w))
	case len(s.found) == 0:
		lines = append(lines, fit("  "+th.dim.draw("nothing matches"), w))
	}
	s.first = len(lines)
	return append(lines, s.list(r, w, h-len(lines))...), cursor
}

// list sets the files with a line for each folder above its files.
func (s *modelSheet) list(r *root, w, h int) []string {
	var out []string
	at := make([]int, len(s.found)) // the line of each file
	folder := "\x00"
	for i := range s.found {
		f := &s.found[i]
		if f.Folder != folder {
			folder = f.Folder
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

func (s *modelSheet) fileLine(r *root, f *ModelFile, chosen bool, w int) string {
	th := r.th
	name := th.strong
	if chosen {
		name = th.accentStrong
	}
	fits, pn := f.Note, th.dim
	if !f.Fits {
		pn = th.warn
		if fits == "" {
			fits = "does not fit"
		}
	} else if fits == "" {
		fits, pn = "fits", th.good
	}
	room := w - 6 - modelParams - modelQuant - modelSize - modelFits
	label := text.CleanLine(f.Name)
	if f.Path == r.back.info.Path && r.back.engine != nil {
		label += " " + th.mark.dot + " open"
	}
	return th.choiceMark(chosen) + "  " + name.draw(fit(label, max(room, 12))) +
		th.dim.draw(right(count(f.Params), modelParams)+"  "+fit(text.CleanLine(f.Quant), modelQuant-2)+right(size(f.Bytes), modelSize)) +
		"  " + pn.draw(fit(text.CleanLine(fits), modelFits-2))
}

func (s *modelSheet) key(r *root, key string, k tea.KeyPressMsg) (bool, tea.Cmd) {
	if key == "enter" {
		if s.at < len(s.found) {
			return true, r.chooseModel(s.found[s.at].Path)
		}
		return true, nil
	}
	done, filtered := s.picker.key(r, key, k)
	if filtered {
		s.refilter()
	}
	return done, nil
}

func (s *modelSheet) hint(r *root) string { return r.keyHint("enter open", "esc back") }

func (s *modelSheet) click(r *root, _, y int) tea.Cmd {
	line, folder, n := s.top, "\x00", 0
	line += y - s.first
	for i := range s.found {
		if s.found[i].Folder != folder {
			folder = s.found[i].Folder
			n += 1 + b2i(i > 0)
		}
		if n == line {
			if s.at == i {
				return r.chooseModel(s.found[i].Path)
			}
			s.at = i
		}
		n++
	}
	return nil
}

func (s *modelSheet) wheel(_ *root, n int) { s.move(n) }

// chooseModel opens another model for all chats. Answers that are being written
// are stopped: their model goes away.
func (r *root) chooseModel(path string) tea.Cmd {
	r.sheet = nil
	for _, t := range r.tabs {
		for _, p := range t.panes {
			p.conv.stop()
		}
	}
	cfg := r.options.Config
	cfg.Model = path
	return r.load(cfg)
}

// modelByName is /model: a path, or the only file whose name has all the words.
func (r *root) modelByName(arg string) tea.Cmd {
	if strings.ContainsAny(arg, "/\\") || strings.HasSuffix(arg, ".gguf") {
		return r.chooseModel(expandHome(arg))
	}
	return r.openModels(arg)
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
