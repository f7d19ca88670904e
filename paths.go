package main

import (
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/confab-tui/confab/ui"
)

//go:embed config.toml.example
var exampleConfig string

func configCommand() *cobra.Command {
	c := &cobra.Command{Use: "config", Short: "Check the config file, or print an example", Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() }}
	c.AddCommand(&cobra.Command{
		Use: "check [FILE]", Short: "Read the config file and name every bad line and key", Args: atMostOne("a config file"),
		RunE: func(c *cobra.Command, args []string) error {
			path := configPath()
			if len(args) == 1 {
				path = args[0]
			}
			return checkConfig(c, path)
		},
	}, &cobra.Command{
		Use: "example", Short: "Print a config file with every key, its default and its meaning", Args: noArgs,
		Run: func(c *cobra.Command, _ []string) { fmt.Fprint(c.OutOrStdout(), exampleConfig) },
	})
	c.AddCommand(&cobra.Command{
		Use: "keys", Short: "Print every action that can be given another key, with the keys it has", Args: noArgs,
		Run: func(c *cobra.Command, _ []string) {
			w := tabwriter.NewWriter(c.OutOrStdout(), 0, 0, 2, ' ', 0)
			for _, a := range ui.Actions() {
				fmt.Fprintf(w, "%s\t%s\t%s\n", a.Name, strings.Join(a.Keys, " "), a.Help)
			}
			w.Flush()
		},
	})
	return c
}

// checkConfig reports every fault of a file, not only the first.
func checkConfig(c *cobra.Command, path string) error {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no config file %s, and none is needed; confab config example prints one", path)
	} else if err != nil {
		return fmt.Errorf("config file: %w", err)
	}
	file, err := readConfig(path)
	if err != nil {
		return err
	}
	faults := 0
	tell := func(fault string) {
		faults++
		fmt.Fprintln(c.OutOrStdout(), fault)
	}
	for _, u := range file.unknown {
		tell(u)
	}
	for _, f := range ui.CheckKeys(file.bound) {
		tell(file.place("keys."+f.Action) + ": " + f.Problem)
	}
	for _, f := range ui.CheckPresets(filepath.Dir(path)) {
		tell(f)
	}
	s := newSettings()
	s.file = file
	allFlags(s).VisitAll(func(f *pflag.Flag) {
		v, ok := file.values[keys[f.Name]]
		if !ok {
			return
		}
		s.source[f.Name] = "config"
		if err := f.Value.Set(v); err != nil {
			tell(file.misfit(keys[f.Name], v, err).Error())
		}
	})
	if err := s.check(); err != nil {
		tell(err.Error())
	}
	if faults > 0 {
		return errors.New("the config file has faults")
	}
	fmt.Fprintf(c.OutOrStdout(), "%s: good, %d keys set\n", path, len(file.values))
	return nil
}

// allFlags is every flag that a config key stands for.
func allFlags(s *settings) *pflag.FlagSet {
	fs := pflag.NewFlagSet("", pflag.ContinueOnError)
	s.modelFlags(fs)
	s.samplingFlags(fs)
	s.chatFlags(fs)
	s.screenFlags(fs)
	return fs
}

func pathsCommand() *cobra.Command {
	s := newSettings()
	return &cobra.Command{
		Use: "paths", Short: "Print where confab keeps and looks for things", Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := s.resolve(c.Flags()); err != nil {
				return err
			}
			w := tabwriter.NewWriter(c.OutOrStdout(), 0, 0, 3, ' ', 0)
			for _, p := range [][2]string{
				{"config file", configPath()}, {"conversations", filepath.Join(dataDir(), "confab.db")},
				{"log", filepath.Join(stateDir(), "confab.log")},
			} {
				fmt.Fprintf(w, "%s\t%s\t%s\n", p[0], p[1], there(p[1]))
			}
			for _, f := range s.places() {
				fmt.Fprintf(w, "models (%s)\t%s\t%s\n", f.Source, f.Path, there(f.Path))
			}
			return w.Flush()
		},
	}
}

func there(path string) string {
	if _, err := os.Stat(path); err != nil {
		return "not there"
	}
	return ""
}
