// Command confab is a terminal chat over language models that run inside the
// program: several chats at once, in tabs and side by side, with every sampling
// knob at hand while the text streams.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"charm.land/fang/v2"
	"github.com/spf13/cobra"

	"github.com/confab-tui/confab/engine"
	"github.com/confab-tui/confab/ui"
)

// version is set by the release build.
var version = "0.1.0-dev"

// Exit codes: what went wrong while running is 1, a wrong command line is 2, an
// interrupt is 130 as shells have it.
const (
	exitError       = 1
	exitUsage       = 2
	exitInterrupted = 130
)

// usageError is a mistake on the command line, in the environment or in the
// config file.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

var errInterrupted = errors.New("interrupted")

func main() { os.Exit(run(os.Args[1:])) }

func run(args []string) int {
	root := rootCommand()
	root.SetArgs(longNames(args))
	err := fang.Execute(context.Background(), root, fang.WithVersion(versionLine()), fang.WithErrorHandler(printError))
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errInterrupted):
		return exitInterrupted
	}
	if _, ok := errors.AsType[usageError](err); ok || strings.HasPrefix(err.Error(), "unknown command") {
		return exitUsage
	}
	return exitError
}

// longNames spells llama.cpp's -sys, -hf and -ngl as the long flags, since a short flag
// has one letter here.
func longNames(args []string) []string {
	out := slices.Clone(args)
	for i, a := range out {
		switch a {
		case "-sys":
			out[i] = "--system-prompt"
		case "-hf":
			out[i] = "--hf"
		case "-ngl":
			out[i] = "--gpu-layers"
		case "--": // what follows is no flag
			return out
		}
	}
	return out
}

func printError(w io.Writer, _ fang.Styles, err error) {
	if !errors.Is(err, errInterrupted) {
		fmt.Fprintln(cleaned{w}, "confab:", ui.Cause(err))
	}
}

// cleaned writes what a terminal only shows, whatever a file or the network put into it.
// A character must not be cut between two calls.
type cleaned struct{ io.Writer }

func (c cleaned) Write(p []byte) (int, error) {
	if _, err := io.WriteString(c.Writer, ui.Clean(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}

func rootCommand() *cobra.Command {
	s := newSettings()
	root := &cobra.Command{
		Use:   "confab",
		Short: "Chat with language models that run inside your terminal",
		Args:  noArgs,
		RunE:  func(c *cobra.Command, _ []string) error { return chat(c.Context(), s, c.Flags()) },
	}
	s.modelFlags(root.Flags())
	s.samplingFlags(root.Flags())
	s.chatFlags(root.Flags())
	s.screenFlags(root.Flags())
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{flagError(err)} })
	root.AddCommand(askCommand(), modelsCommand(), inspectCommand(), tokenizeCommand(), renderCommand(),
		evalCommand(), benchCommand(), pullCommand(), configCommand(), pathsCommand(), purgeCommand(), versionCommand())
	return root
}

func noArgs(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usageError{fmt.Errorf("unknown command %q; %s --help lists them", args[0], c.CommandPath())}
	}
	return nil
}

func exactly(n int, what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) != n {
			return usageError{fmt.Errorf("needs %s, got %d arguments", what, len(args))}
		}
		return nil
	}
}

func atMostOne(what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) > 1 {
			return usageError{fmt.Errorf("takes %s or nothing, got %d arguments", what, len(args))}
		}
		return nil
	}
}

func versionLine() string {
	commit := ""
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" && len(s.Value) >= 12 {
				commit = " " + s.Value[:12]
			}
		}
	}
	return version + commit
}

func versionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version and what was built in", Args: noArgs,
		Run: func(c *cobra.Command, _ []string) {
			fmt.Fprintf(c.OutOrStdout(), "confab %s\n%s %s/%s\n%s\n", versionLine(), runtime.Version(), runtime.GOOS, runtime.GOARCH, engine.Backends())
		},
	}
}
