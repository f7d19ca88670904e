package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/spf13/pflag"

	"github.com/confab-tui/confab/engine"
)

// open resolves the settings and opens the model, with progress on a terminal.
func (s *settings) open(ctx context.Context, fs *pflag.FlagSet, errw io.Writer) (*engine.Engine, error) {
	if err := s.resolve(fs); err != nil {
		return nil, err
	}
	if err := s.findModel(ctx, errw); err != nil {
		return nil, err
	}
	for _, u := range s.file.unknown {
		fmt.Fprintln(errw, "confab:", u)
	}
	progress := progressLine(errw)
	e, err := unlessDone(ctx, func() (*engine.Engine, error) { return engine.Open(ctx, s.engine, progress) })
	if err != nil && progress != nil {
		fmt.Fprint(errw, wipe) // what stands there of the progress
	}
	return e, err
}

// wipe empties a terminal's line.
const wipe = "\r\x1b[K"

// progressLine shows loading on one line of a terminal, and wipes it at the
// end; elsewhere it shows nothing.
func progressLine(w io.Writer) func(engine.Progress) {
	f, ok := w.(*os.File)
	if !ok || !isTerminal(f) {
		return nil
	}
	return func(p engine.Progress) {
		if p.Total > 0 && p.Done >= p.Total {
			fmt.Fprint(f, wipe)
		} else if p.Total > 0 {
			fmt.Fprintf(f, "\r%s %3d %%\x1b[K", p.Stage, 100*p.Done/p.Total)
		}
	}
}

// isTerminal tells whether what is written can be written over.
func isTerminal(f *os.File) bool { return isDevice(f) && os.Getenv("TERM") != "dumb" }

func isDevice(f *os.File) bool {
	st, err := f.Stat()
	return err == nil && st.Mode()&os.ModeCharDevice != 0
}
