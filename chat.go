package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"github.com/confab-tui/confab/engine"
	"github.com/confab-tui/confab/engine/library"
	"github.com/confab-tui/confab/ui"
)

// chat opens the screen.
func chat(ctx context.Context, s *settings, fs *pflag.FlagSet) error {
	if err := s.resolve(fs); err != nil {
		return err
	}
	s.accessible = s.accessible || s.source["accessible"] == "" && asksForLines()
	if !s.accessible && !(isDevice(os.Stdin) && isDevice(os.Stdout)) {
		return errors.New("the chat needs a terminal; `confab ask` answers without one, and --accessible talks in lines")
	}
	if err := s.findModel(ctx, os.Stderr); err != nil {
		return err
	}
	closeLog := logToFile()
	defer closeLog()
	slog.Info("confab starts", "version", versionLine(), "model", s.engine.Model, "backend", s.engine.Backend)
	err := ui.Run(ctx, ui.Options{
		Open: func(ctx context.Context, c engine.Config, report func(engine.Progress)) (ui.Engine, error) {
			e, err := engine.Open(ctx, c, report)
			if err != nil {
				slog.Error("opening the model", "model", c.Model, "error", err)
				return nil, err
			}
			slog.Info("model open", "name", e.Info().Name, "backend", e.Info().Backend, "cells", e.Info().Cells)
			return ui.Wrap(e), nil
		},
		Config:        s.engine,
		DataDir:       dataDir(),
		ConfigDir:     configDir(),
		Sampling:      s.over,
		Sources:       s.source,
		System:        s.system,
		Think:         s.thinking(),
		MaxTokens:     s.predict,
		DropOldest:    s.drop,
		Models:        func() []library.Model { return library.Find(s.places()) },
		Version:       version,
		Theme:         s.theme,
		Keys:          s.file.bound,
		Hub:           func() (ui.Hub, error) { return library.NewHub() },
		ModelsDir:     modelsFolder(),
		Accessible:    s.accessible,
		ReducedMotion: s.still,
		Notices:       s.file.unknown,
	})
	slog.Info("confab ends", "error", err)
	return err
}

// asksForLines tells whether the desktop's variable asks all programs for plain
// lines.
func asksForLines() bool {
	v := os.Getenv("ACCESSIBLE")
	return v != "" && v != "0" && v != "false"
}

func (s *settings) places() []library.Folder {
	return library.Folders(modelsFolder(), s.folders)
}

// findModel turns a model's name into its path, fetching what --hf names.
// Whatever looks like a path is one.
func (s *settings) findModel(ctx context.Context, errw io.Writer) error {
	if s.hub != "" {
		return s.fetchModel(ctx, errw)
	}
	name := s.engine.Model
	if name == "" || name == "builtin" {
		s.engine.Model = ""
		return nil
	}
	if _, err := os.Stat(name); err == nil || strings.ContainsRune(name, os.PathSeparator) || strings.HasSuffix(name, ".gguf") {
		return nil // engine.Open says what is wrong with the file
	}
	found := library.Find(s.places())
	m, ok := library.Lookup(found, name)
	if !ok {
		names := make([]string, len(found))
		for i := range found {
			names[i] = found[i].Name
		}
		if len(names) == 0 {
			return usageError{fmt.Errorf("no model is called %q and none was found on this machine; give a GGUF file's path, fetch one with `confab pull`, or leave -m out for the built-in model", name)}
		}
		return usageError{fmt.Errorf("no model is called %q; nearest is %q, and `confab models` lists all %d", name, nearest(name, names), len(names))}
	}
	s.engine.Model = m.Path
	return nil
}

// fetchModel finds what --hf names among the fetched models, and uses the
// network only where it is not there.
func (s *settings) fetchModel(ctx context.Context, errw io.Writer) error {
	ref, err := library.ParseRef(s.hub)
	if err != nil {
		return usageError{fmt.Errorf("--hf: %w", err)}
	}
	if s.source["model"] == "flag" {
		return usageError{errors.New("--hf and --model both name a model: give one")}
	}
	if path, ok := library.Fetched(modelsFolder(), ref); ok {
		s.engine.Model = path
		return nil
	}
	ctx, stop := interruptible(ctx)
	defer stop()
	p := pulling{ref: ref, progress: fetchLine(errw)}
	if s.engine.Model, err = p.fetch(ctx); err != nil {
		return p.stopped(ctx, err, errw)
	}
	return nil
}

// logToFile sends the program's log where it disturbs nobody.
func logToFile() func() {
	dir := stateDir()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		slog.SetDefault(slog.New(slog.DiscardHandler))
		return func() {}
	}
	f, err := os.OpenFile(filepath.Join(dir, "confab.log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		slog.SetDefault(slog.New(slog.DiscardHandler))
		return func() {}
	}
	slog.SetDefault(slog.New(slog.NewTextHandler(f, nil)))
	return func() { _ = f.Close() }
}
