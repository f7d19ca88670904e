package engine

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/confab-tui/confab/engine/builtin"
	"github.com/confab-tui/confab/engine/gguf"
	"github.com/confab-tui/confab/engine/library"
	"github.com/confab-tui/confab/engine/model"
)

// Open loads a model and makes it ready to answer. progress, where not nil, is
// told how far it is, from any goroutine. When ctx ends, so does loading.
func Open(ctx context.Context, c Config, progress func(Progress)) (*Engine, error) {
	began := time.Now()
	if progress == nil {
		progress = func(Progress) {}
	}
	progress(Progress{Stage: "reading " + nameOf(c.Model)})
	file, err := openFile(c.Model)
	if err != nil {
		return nil, err
	}
	var e *Engine
	err = guardedFile(file, func() (err error) {
		e, err = open(ctx, file, c, progress, began)
		return err
	})
	if err != nil {
		file.Close()
		return nil, err
	}
	return e, nil
}

// guardedFile runs what reads a file, and turns a fault of that or a panic into an error.
func guardedFile(file *gguf.File, do func() error) error {
	return guarded(func() error { return file.Guard(do) })
}

func open(ctx context.Context, file *gguf.File, c Config, progress func(Progress), began time.Time) (*Engine, error) {
	program, err := model.LoadFor(file, c.Context)
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	// The vocabulary is read beside the weights, and ends their loading if it is none.
	var w words
	var reading sync.WaitGroup
	defer reading.Wait()
	reading.Go(func() {
		err := guardedFile(file, func() (err error) {
			w, err = wordsOf(file)
			return err
		})
		if err != nil {
			stop(err)
		}
	})
	report := func(p Progress) error {
		progress(p)
		return context.Cause(ctx)
	}
	p := parts{file: file, drafter: lookup{}, batch: c.BatchTokens, info: describe(file, program, c)}
	p.place = func(e *Engine) (executor, error) {
		exec, notices, err := place(program, c, e.info.Context, report)
		if err != nil {
			return nil, err
		}
		reading.Wait()
		e.learn(w)
		e.info.Notices = append(e.info.Notices, notices...)
		if err := ready(ctx, &e.info, exec, progress); err != nil {
			exec.Close()
			return nil, err
		}
		e.info.Load = time.Since(began)
		return exec, nil
	}
	return p.start()
}

// describe fills in what the file says about itself.
func describe(file *gguf.File, program *model.Program, c Config) Info {
	spec := program.Spec
	info := Info{
		ID: file.Hash(), Name: spec.Name, Path: c.Model, Arch: spec.Arch, Quant: library.Quant(file),
		Params: spec.Params, FileBytes: file.Size, Context: spec.Context, TrainedContext: spec.Context,
		Vocab: spec.Vocab, Sampling: suggested(file, c),
	}
	if info.Name == "" {
		info.Name = nameOf(c.Model)
	}
	if c.Context > 0 {
		info.Context = c.Context
	}
	if info.Context > spec.Context {
		info.Notices = append(info.Notices, fmt.Sprintf(
			"The context of %d tokens is larger than the %d that the model was trained for: what lies beyond may make no sense.",
			info.Context, spec.Context))
	}
	return info
}

// ready runs one row, so that a model that cannot run says so now, and takes over
// what the executor decided.
func ready(ctx context.Context, info *Info, exec executor, progress func(Progress)) error {
	progress(Progress{Stage: "warming up"})
	const cell = 1 // of nobody yet
	if err := context.Cause(ctx); err != nil {
		return err
	}
	_, err := execute(exec, &model.Step{
		Rows:    []model.Row{{Cell: cell}},
		Seqs:    []model.Seq{{Count: 1, Cells: []int32{cell}}},
		Outputs: []model.Output{{Sampling: model.SamplingRow{Sampling: DefaultSampling(), Pos: 1}}},
	})
	if err != nil {
		return err
	}
	info.Backend, info.Cells, info.CellBytes = exec.Name(), exec.Cells()-1, exec.CellBytes()
	if info.Cells < info.Context {
		info.Notices = append(info.Notices, fmt.Sprintf(
			"The pool has %d cells, so a conversation may have %d tokens instead of %d.", info.Cells, info.Cells, info.Context))
		info.Context = info.Cells
	}
	return context.Cause(ctx)
}

// nameOf is a file's name for people.
func nameOf(path string) string {
	if path == "" {
		path = builtin.Name
	}
	return strings.TrimSuffix(filepath.Base(path), ".gguf")
}

// suggested is the sampling that the model asks for: DefaultSampling with what its
// file, or for the built-in one its card, says otherwise.
func suggested(file *gguf.File, c Config) Sampling {
	s := DefaultSampling()
	if c.Model == "" {
		s.Temperature = 0.7
	}
	float := func(key string, to *float32) {
		if v, ok := file.Float("general.sampling." + key); ok {
			*to = float32(v)
		}
	}
	whole := func(key string, to *int) {
		if v, ok := file.Int("general.sampling." + key); ok {
			*to = int(v)
		}
	}
	float("temp", &s.Temperature)
	whole("top_k", &s.TopK)
	float("top_p", &s.TopP)
	float("min_p", &s.MinP)
	float("penalty_repeat", &s.RepeatPenalty)
	whole("penalty_last_n", &s.RepeatLastN)
	return bounded(s)
}
