package ui

import (
	"context"
	"errors"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/confab-tui/confab/engine/library"
)

// fakeHub has one repository, and fetches as far as the test lets it.
type fakeHub struct {
	asked []string
	had   int64
	step  chan int64 // bytes that come next, less than none: fail; closed: all of them
	fail  error
}

func (h *fakeHub) Look(_ context.Context, repo string) (library.Repo, error) {
	h.asked = append(h.asked, repo)
	if repo != "tiny/llama" {
		return library.Repo{}, errors.New("there is no repository " + repo + " on huggingface.co, or it is private: HF_TOKEN gives access")
	}
	file := func(name string, n int64) []library.RemoteFile { return []library.RemoteFile{{Path: name, Bytes: n}} }
	return library.Repo{Name: repo, Variants: []library.Variant{
		{Quant: "Q4_K_M", Files: file("tiny-llama-Q4_K_M.gguf", 1000)}, {Quant: "F32", Files: file("tiny-llama-F32.gguf", 90<<30)},
	}}, nil
}

func (h *fakeHub) Fetch(ctx context.Context, r library.Repo, v library.Variant, dir string, report func(library.Fetching)) (string, error) {
	for {
		report(library.Fetching{Done: h.had, Total: v.Bytes()})
		select {
		case <-ctx.Done():
			return "", ctx.Err()
		case n, more := <-h.step:
			if n < 0 {
				return "", h.fail
			}
			if !more {
				return dir + "/" + r.Name + "/" + v.Name() + ".gguf", nil
			}
			h.had += n
			report(library.Fetching{Done: h.had, Total: v.Bytes()})
		}
	}
}

// gives lets bytes come, and returns when that was told.
func (h *fakeHub) gives(bytes int64) {
	h.step <- bytes
	h.step <- 0 // which nobody takes before
}

func hubBench(t *testing.T, h *fakeHub) *bench {
	return newBench(t, 100, 30, func(o *Options, _ *fake) {
		o.Models = func() []library.Model { return demoModels }
		o.Hub, o.ModelsDir = func() (Hub, error) { return h, nil }, "/data/models"
	})
}

func TestFetchFromTheList(t *testing.T) {
	h := &fakeHub{step: make(chan int64)}
	close(h.step)
	b := hubBench(t, h)
	b.keys("ctrl+o ctrl+d")
	b.shows("Fetch from Hugging Face", "Nothing is asked of the network before enter")
	b.write("tiny/none")
	if len(h.asked) != 0 {
		t.Fatal("the network was used before enter")
	}
	b.keys("enter")
	b.shows("there is no repository tiny/none")
	b.keys("ctrl+u")
	b.write("tiny/llama")
	b.keys("enter")
	b.shows("tiny-llama-Q4_K_M", "1000 B", "fits", "needs 96 GiB")
	exact(t, b, "variants")
	b.keys("enter")
	b.settle()
	b.shows("fetched tiny/llama:Q4_K_M", "qwen3:8b")
	b.keys("esc")
	b.write("/pull tiny/llama:F32")
	b.keys("enter")
	b.settle()
	b.shows("fetched tiny/llama:F32")
	b.write("/pull nonsense")
	b.keys("enter")
	b.shows("/pull nonsense")
}

// inBackground runs a fetch's command beside the test, which gets its end.
func (b *bench) inBackground(cmd tea.Cmd) <-chan tea.Msg {
	ends := make(chan tea.Msg, 4)
	var run func(tea.Cmd)
	run = func(c tea.Cmd) {
		switch m := c().(type) {
		case tea.BatchMsg:
			for _, x := range m {
				if x != nil {
					go run(x)
				}
			}
		case fetchedMsg:
			ends <- m
		}
	}
	go run(cmd)
	return ends
}

// TestFetchStopsAndGoesOn: how far it is can be seen, it can be stopped, and an
// error is told in words and stays in the list.
func TestFetchStopsAndGoesOn(t *testing.T) {
	h := &fakeHub{step: make(chan int64), fail: errors.New("huggingface.co ended after 501 of 1000 bytes")}
	b := hubBench(t, h)
	ref := library.Ref{Repo: "tiny/llama", Quant: "Q4_K_M"}
	ends := b.inBackground(b.r.fetch(ref, nil, nil))
	h.gives(400)
	h.gives(100)
	b.keys("ctrl+o")
	b.shows("on the way from Hugging Face", "tiny/llama:Q4_K_M", "of    1000 B")
	exact(t, b, "fetching")
	b.keys("ctrl+x")
	b.send(<-ends)
	b.shows("stopped; what came is kept")
	ends = b.inBackground(b.r.fetch(ref, nil, nil))
	h.gives(1)
	b.shows("50 % of")
	h.step <- -1
	b.send(<-ends)
	b.shows("huggingface.co ended after 501 of 1000 bytes")
	exact(t, b, "failed")
	if b.r.isFetching() {
		t.Error("it is still being fetched")
	}
	b.keys("ctrl+x")
	b.hides("on the way")
}

// TestNoFetchWithoutAHub: a build without one says so.
func TestNoFetchWithoutAHub(t *testing.T) {
	b := newBench(t, 80, 24)
	b.write("/pull tiny/llama")
	b.keys("enter")
	b.shows("this build fetches no models")
}
