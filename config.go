package main

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"github.com/confab-tui/confab/ui"
)

// configFile is a config file laid flat: "section.key" to the value as a flag
// would spell it.
type configFile struct {
	path   string
	values map[string]string
	lines  map[string]int
	// unknown are notices about keys that mean nothing.
	unknown []string
	// bound are the [keys]: what a person's fingers find, by the action's name.
	bound map[string][]string
}

// place names a key's line for an error.
func (c configFile) place(key string) string {
	return fmt.Sprintf("%s, line %d", c.path, c.lines[key])
}

// misfit says which key's value is none, and why.
func (c configFile) misfit(key, value string, err error) error {
	return fmt.Errorf("%s: %q is no value for %s: it %s", c.place(key), value, key, misfit(err))
}

// readConfig reads a config file; one that is not there sets nothing.
func readConfig(path string) (configFile, error) {
	c := configFile{path: path, values: map[string]string{}, lines: map[string]int{}, bound: map[string][]string{}}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	} else if err != nil {
		return c, fmt.Errorf("config file: %w", err)
	}
	var tree map[string]any
	if _, err := toml.Decode(string(data), &tree); err != nil {
		if p, ok := errors.AsType[toml.ParseError](err); ok {
			return c, fmt.Errorf("%s, line %d: %s", path, p.Position.Line, p.Message)
		}
		return c, fmt.Errorf("%s: %w", path, err)
	}
	c.lines = keyLines(string(data))
	c.flatten("", tree)
	return c, nil
}

func (c *configFile) flatten(prefix string, tree map[string]any) {
	known := slices.Sorted(maps.Values(keys))
	for _, name := range slices.Sorted(maps.Keys(tree)) {
		key := prefix + name
		if sub, ok := tree[name].(map[string]any); ok {
			c.flatten(key+".", sub)
			continue
		}
		if action, ok := strings.CutPrefix(key, "keys."); ok {
			c.bound[action] = words(tree[name])
			continue
		}
		if !slices.Contains(known, key) {
			c.unknown = append(c.unknown, fmt.Sprintf("%s: unknown key %q, nearest is %q", c.place(key), key, nearestKey(key, known)))
			continue
		}
		c.values[key] = spell(tree[name])
	}
}

// words are the strings of a value that may be one or a list.
func words(v any) []string {
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	out := make([]string, len(list))
	for i := range list {
		out[i] = fmt.Sprint(list[i])
	}
	return out
}

// spell writes a value as a flag takes it.
func spell(v any) string {
	if list, ok := v.([]any); ok {
		words := make([]string, len(list))
		for i := range list {
			words[i] = spell(list[i])
		}
		return strings.Join(words, ",")
	}
	return fmt.Sprint(v)
}

// keyLines finds the line of each key, for messages.
func keyLines(text string) map[string]int {
	lines, section := map[string]int{}, ""
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(line, "["); ok {
			if name, _, ok = strings.Cut(name, "]"); ok {
				section = strings.TrimSpace(name) + "."
			}
			continue
		}
		if name, _, ok := strings.Cut(line, "="); ok && !strings.HasPrefix(line, "#") {
			lines[section+strings.Trim(strings.TrimSpace(name), `"'`)] = i + 1
		}
	}
	return lines
}

// nearest is the word with the fewest edits to s.
func nearest(s string, words []string) string {
	return slices.MinFunc(words, func(a, b string) int { return ui.Distance(s, a) - ui.Distance(s, b) })
}

// nearestKey is the key that was meant: the one of that name in another section, or
// the one with the fewest edits.
func nearestKey(key string, known []string) string {
	name := key[strings.LastIndexByte(key, '.')+1:]
	for _, k := range known {
		if _, last, _ := strings.Cut(k, "."); last == name {
			return k
		}
	}
	return nearest(key, known)
}

// configPath is where the config file lies: $CONFAB_CONFIG, else confab's
// folder below $XDG_CONFIG_HOME.
func configPath() string {
	if p := os.Getenv("CONFAB_CONFIG"); p != "" {
		return p
	}
	return filepath.Join(configDir(), "config.toml")
}

func configDir() string { return xdg("XDG_CONFIG_HOME", ".config") }
func dataDir() string   { return xdg("XDG_DATA_HOME", ".local/share") }
func stateDir() string  { return xdg("XDG_STATE_HOME", ".local/state") }

// xdg is confab's folder below the one that the variable names (XDG Base
// Directory Specification).
func xdg(variable, fallback string) string {
	base := os.Getenv(variable)
	if !filepath.IsAbs(base) {
		home, _ := os.UserHomeDir()
		base = filepath.Join(home, fallback)
	}
	return filepath.Join(base, "confab")
}
