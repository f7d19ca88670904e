package ui

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/confab-tui/confab/engine/library"
	"github.com/confab-tui/confab/ui/text"
)

// Hub is where models are fetched from, library.Hub or one like it. It is asked
// for nothing that the person did not ask for.
type Hub interface {
	Look(ctx context.Context, repo string) (library.Repo, error)
	Fetch(ctx context.Context, r library.Repo, v library.Variant, dir string, report func(library.Fetching)) (string, error)
}

// fetching is a model on its way. What came stays when it is stopped, and the
// next fetch of the same goes on from there.
type fetching struct {
	ref      library.Ref
	name     string
	progress atomic.Pointer[library.Fetching]
	cancel   context.CancelFunc
	began    time.Time
	had      int64 // bytes that were there at the first report
	over     bool
	err      string
}

var errNoHub = errors.New("this build fetches no models: `confab pull` does")

// fetch begins to bring a variant of a repository; with a repo that was looked
// at already it is not asked for again.
func (r *root) fetch(ref library.Ref, repo *library.Repo, v *library.Variant) tea.Cmd {
	if r.options.Hub == nil {
		r.say(toneBad, errNoHub.Error())
		return nil
	}
	for _, f := range r.fetches {
		if f.ref == ref && !f.over {
			r.say(toneQuiet, ref.String()+" is being fetched already")
			return nil
		}
	}
	ctx, cancel := context.WithCancel(r.ctx)
	f := &fetching{ref: ref, name: text.CleanLine(ref.String()), cancel: cancel, began: r.now()}
	r.fetches = append(slices.DeleteFunc(r.fetches, func(o *fetching) bool { return o.over && o.ref == ref }), f)
	newHub, dir := r.options.Hub, r.options.ModelsDir
	r.say(toneQuiet, "fetching "+f.name+" "+r.th.mark.dot+" "+r.keys.key(doModels)+" shows how far it is")
	return tea.Batch(r.tick(), func() tea.Msg {
		defer cancel()
		path, err := bring(ctx, newHub, ref, repo, v, dir, func(p library.Fetching) { f.progress.Store(&p) })
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		return fetchedMsg{f, path, err}
	})
}

func bring(ctx context.Context, newHub func() (Hub, error), ref library.Ref, repo *library.Repo, v *library.Variant, dir string, report func(library.Fetching)) (string, error) {
	hub, err := newHub()
	if err != nil {
		return "", err
	}
	if repo == nil {
		found, err := hub.Look(ctx, ref.Repo)
		if err != nil {
			return "", err
		}
		chosen, err := found.Choose(ref.Quant)
		if err != nil {
			return "", err
		}
		repo, v = &found, &chosen
	}
	return hub.Fetch(ctx, *repo, *v, dir, report)
}

// fetchedMsg is the end of a fetch.
type fetchedMsg struct {
	f    *fetching
	path string
	err  error
}

func (m fetchedMsg) apply(r *root) tea.Cmd {
	m.f.over = true
	switch {
	case errors.Is(m.err, context.Canceled):
		m.f.err = "stopped; what came is kept, and fetching it again goes on from there"
		r.say(toneQuiet, m.f.name+": "+m.f.err)
	case m.err != nil:
		m.f.err = text.CleanLine(Cause(m.err))
		r.say(toneBad, m.f.name+": "+strings.TrimPrefix(m.f.err, m.f.name+": "))
	default:
		r.fetches = slices.DeleteFunc(r.fetches, func(f *fetching) bool { return f == m.f })
		r.say(toneQuiet, "fetched "+m.f.name+" "+r.th.mark.dot+" "+r.keys.key(doModels)+" opens it")
		if s, ok := r.sheet.(*modelSheet); ok {
			return r.openModels(s.filter.s)
		}
	}
	return nil
}

// isFetching tells whether a model is on its way.
func (r *root) isFetching() bool {
	return slices.ContainsFunc(r.fetches, func(f *fetching) bool { return !f.over })
}

// stopFetch stops the newest fetch; one that is over goes off the list.
func (r *root) stopFetch() {
	for i := len(r.fetches) - 1; i >= 0; i-- {
		if f := r.fetches[i]; !f.over {
			f.cancel()
			return
		}
	}
	r.fetches = nil
}

// fetchLines show the fetches above the list of models.
func (r *root) fetchLines(w int) []string {
	if len(r.fetches) == 0 {
		return nil
	}
	th := r.th
	out := []string{fit("  "+th.dim.draw("on the way from Hugging Face "+th.mark.dot+" ctrl+x stops"), w)}
	for _, f := range r.fetches {
		room := max(min(w, listMost)-4-54, 16)
		line := "    " + fit(f.name, room) + "  "
		p := f.progress.Load()
		switch {
		case f.err != "":
			for i, l := range text.Wrap(f.err, max(w-8, 8)) {
				if i == 0 {
					out = append(out, fit("    "+f.name, w))
				}
				out = append(out, fit("      "+th.bad.draw(l), w))
			}
			continue
		case p == nil || p.Total <= 0:
			line += th.dim.draw(spinner(th, r.frame) + " asking")
		default:
			share := float64(p.Done) / float64(p.Total)
			word := fmt.Sprintf(" %3.0f %% of %9s", share*100, size(p.Total))
			if p.Checking {
				word += "  checking"
			} else if rate := f.rate(p.Done, r.now()); rate > 0 {
				word += fmt.Sprintf("  %9s/s", size(rate))
			}
			line += th.meter(share, 16) + th.dim.draw(word)
		}
		out = append(out, fit(line, w))
	}
	return append(out, spaces(w))
}

// rate is in bytes a second since the fetch began.
func (f *fetching) rate(done int64, now time.Time) int64 {
	if f.had == 0 {
		f.had, f.began = done, now
	}
	if d := now.Sub(f.began).Seconds(); d > 0.5 {
		return int64(float64(done-f.had) / d)
	}
	return 0
}

// pullCommand is /pull OWNER/NAME[:QUANT].
func (r *root) pullCommand(arg string) tea.Cmd {
	if arg == "" {
		return r.openHub("")
	}
	ref, err := library.ParseRef(arg)
	if err != nil {
		return r.fail("%v", err)
	}
	return r.fetch(ref, nil, nil)
}
