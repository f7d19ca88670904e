package main

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/confab-tui/confab/engine/model"
)

func text(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// every finds what a pattern's first group matches.
func every(text, pattern string) []string {
	var out []string
	for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
		out = append(out, m[1])
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// TestReadme holds what the README names against what there is.
func TestReadme(t *testing.T) {
	readme := text(t, "README.md")
	flags, commands := map[string]bool{"help": true}, []string{"completion"}
	for _, c := range append(rootCommand().Commands(), rootCommand()) {
		c.Flags().VisitAll(func(f *pflag.Flag) { flags[f.Name] = true })
		for _, sub := range append([]*cobra.Command{c}, c.Commands()...) {
			commands = append(commands, sub.Name())
		}
	}
	check := func(what string, named, there []string) {
		if len(named) == 0 {
			t.Errorf("the README names no %s", what)
		}
		for _, n := range named {
			if !slices.Contains(there, n) {
				t.Errorf("the README names the %s %q, which is not there", what, n)
			}
		}
	}
	for _, f := range every(readme, `\s--([a-z][a-z-]+)`) {
		if !flags[f] {
			t.Errorf("the README names the flag --%s, which is not there", f)
		}
	}
	check("command", every(readme, "(?m)(?:`|^    |\\./|\\| )confab ([a-z]+)"), commands)
	check("make target", every(readme, "(?m)(?:`|^    )make ([a-z-]+)"), every(text(t, "Makefile"), `(?m)^([a-z-]+):`))
	check("key", every(readme, "`((?:ctrl|alt)\\+[^`.]+|f[0-9])`"), append(every(text(t, "ui/keys.go"), `((?:ctrl|alt)\+[^ "]+|\bf[0-9]\b)`), "alt+enter"))
	check("command of the chat", every(readme, "`/([a-z]+)`"), every(text(t, "ui/commands.go"), `name: "([a-z]+)"`))
	_, rest, _ := strings.Cut(readme, "of these architectures:")
	list, _, _ := strings.Cut(rest, "and of these")
	if got := every(list, "`([^`]+)`"); !slices.Equal(got, model.Architectures()) {
		t.Errorf("the README's architectures are %q, Load knows %q", got, model.Architectures())
	}
	var variables []string
	for f := range keys {
		variables = append(variables, envName(f))
	}
	check("variable", every(readme, "(CONFAB_[A-Z_]+)"), variables)
}
