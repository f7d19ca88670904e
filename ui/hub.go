package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/confab-tui/confab/engine/library"
	"github.com/confab-tui/confab/ui/text"
)

// hubSheet asks for a repository of Hugging Face, and shows its variants to
// choose from.
type hubSheet struct {
	picker  // its filter is the repository's name
	looking string
	repo    *library.Repo
	room    int64
	err     string
	first   int
}

// openHub shows the sheet with what was written already.
func (r *root) openHub(repo string) tea.Cmd {
	s := &hubSheet{}
	if m, ok := r.sheet.(*modelSheet); ok {
		s.room = m.room
	}
	s.filter.set(repo)
	if r.options.Hub == nil {
		s.err = errNoHub.Error()
	}
	r.sheet = s
	return nil
}

// lookedMsg is what a hub says of a repository.
type lookedMsg struct {
	name string
	repo library.Repo
	err  error
}

func (m lookedMsg) apply(r *root) tea.Cmd {
	s, ok := r.sheet.(*hubSheet)
	if !ok || s.looking != m.name {
		return nil
	}
	s.looking = ""
	if m.err != nil {
		s.err = text.CleanLine(Cause(m.err))
		return nil
	}
	s.repo, s.n, s.at = &m.repo, len(m.repo.Variants), 0
	if best, err := m.repo.Choose(""); err == nil {
		for i := range m.repo.Variants {
			if m.repo.Variants[i].Name() == best.Name() {
				s.at = i
			}
		}
	}
	return nil
}

// look asks the hub for the repository that was written.
func (s *hubSheet) look(r *root) tea.Cmd {
	ref, err := library.ParseRef(strings.TrimSpace(s.filter.s))
	if err != nil || r.options.Hub == nil {
		s.err = errNoHub.Error()
		if err != nil {
			s.err = text.CleanLine(err.Error())
		}
		return nil
	}
	if ref.Quant != "" {
		return tea.Batch(r.openModels(""), r.fetch(ref, nil, nil))
	}
	s.err, s.looking = "", ref.Repo
	newHub, ctx := r.options.Hub, r.ctx
	return func() tea.Msg {
		hub, err := newHub()
		if err != nil {
			return lookedMsg{name: ref.Repo, err: err}
		}
		repo, err := hub.Look(ctx, ref.Repo)
		return lookedMsg{ref.Repo, repo, err}
	}
}

func (s *hubSheet) draw(r *root, w, h int) ([]string, *tea.Cursor) {
	th := r.th
	head, cursor := s.headLine(r, "Fetch from Hugging Face", "OWNER/NAME or OWNER/NAME:QUANT", w)
	lines := []string{spaces(w), head, spaces(w)}
	switch {
	case s.err != "":
		for _, l := range text.Wrap(s.err, w-4) {
			lines = append(lines, fit("  "+th.bad.draw(l), w))
		}
	case s.looking != "":
		lines = append(lines, fit("  "+th.dim.draw("asking for "+text.CleanLine(s.looking)), w))
	case s.repo == nil:
		for _, l := range text.Wrap("Nothing is asked of the network before enter. A model lies in confab's own folder afterwards; its checksum is compared.", min(w-4, measure)) {
			lines = append(lines, fit("  "+th.dim.draw(l), w))
		}
	case s.n == 0:
		lines = append(lines, fit("  "+th.dim.draw("this repository has no GGUF files"), w))
	}
	s.first = len(lines)
	if s.repo != nil {
		s.scroll(h - len(lines))
		for i := s.top; i < min(s.top+s.shown, s.n); i++ {
			lines = append(lines, s.variantLine(r, &s.repo.Variants[i], i == s.at, w))
		}
	}
	return lines, cursor
}

func (s *hubSheet) variantLine(r *root, v *library.Variant, chosen bool, w int) string {
	th := r.th
	name := pen("")
	if chosen {
		name = th.accentStrong
	}
	note, pn := "", th.dim
	if need := v.Bytes() + v.Bytes()/roomOver; s.room > 0 && need > s.room {
		note, pn = "needs "+size(need), th.warn
	} else if s.room > 0 {
		note, pn = "fits", th.good
	}
	room := max(min(w, listMost)-4-modelQuant-modelSize-modelNote-4, 12)
	return fit(th.choiceMark(chosen)+"  "+name.draw(fit(text.CleanLine(v.Name()), room))+"  "+
		th.dim.draw(fit(text.CleanLine(v.Quant), modelQuant)+right(size(v.Bytes()), modelSize))+"  "+pn.draw(fit(note, modelNote)), w)
}

func (s *hubSheet) key(r *root, key string, k tea.KeyPressMsg) (bool, tea.Cmd) {
	switch key {
	case "enter":
		return true, s.choose(r)
	case "esc":
		return true, r.openModels("")
	}
	done, changed, cmd := s.picker.key(r, key, k)
	if changed {
		s.repo, s.err, s.looking, s.n, s.at = nil, "", "", 0, 0
	}
	return done, cmd
}

// choose begins to fetch the chosen variant, or looks at the repository.
func (s *hubSheet) choose(r *root) tea.Cmd {
	if s.repo == nil || s.at >= len(s.repo.Variants) {
		return s.look(r)
	}
	v := s.repo.Variants[s.at]
	quant := v.Quant
	if quant == "" {
		quant = v.Name()
	}
	repo := s.repo
	return tea.Batch(r.openModels(""), r.fetch(library.Ref{Repo: repo.Name, Quant: quant}, repo, &v))
}

func (s *hubSheet) hints() []string {
	if s.repo != nil {
		return []string{"enter fetch", "up down choose", "esc back"}
	}
	return []string{"enter look", "esc back"}
}

func (s *hubSheet) click(r *root, _, y int) tea.Cmd {
	i := s.top + y - s.first
	if s.repo == nil || y < s.first || i >= s.n {
		return nil
	}
	if i == s.at {
		return s.choose(r)
	}
	s.at = i
	return nil
}

func (s *hubSheet) wheel(_ *root, n int) { s.move(n) }
