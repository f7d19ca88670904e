package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/confab-tui/confab/ui"

	"github.com/spf13/pflag"
)

func TestEdits(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"abc", "abc", 0}, {"top_k", "top-k", 1}, {"kitten", "sitting", 3}, {"ab", "ba", 2}} {
		if got := ui.Distance(c.a, c.b); got != c.want {
			t.Errorf("%q and %q: %d, want %d", c.a, c.b, got, c.want)
		}
	}
	if got := nearest("sampling.tmp", []string{"model.path", "sampling.temp", "sampling.top-p"}); got != "sampling.temp" {
		t.Errorf("nearest is %q", got)
	}
}

func TestLongNames(t *testing.T) {
	got := longNames([]string{"ask", "-sys", "be brief", "-hf", "a/b", "-ngl", "31", "-s", "7"})
	if want := []string{"ask", "--system-prompt", "be brief", "--hf", "a/b", "--gpu-layers", "31", "-s", "7"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestConfigNamesTheLine(t *testing.T) {
	for text, want := range map[string]string{
		"[sampling]\ntop-k = 40\n\n[chat]\n# predict = 1\npredict = -3\n": "line 6: -3 is not within 0",
		"[engine]\nbackend = \"gpu\"\n":                                   "line 2: \"gpu\" is none of auto, cpu, cuda",
		"[engine]\n\ngpu-layers = \"some\"\n":                             "line 3: \"some\" is no number of layers",
		"[sampling]\ntemp = true\n":                                       "line 2: \"true\" is no value for sampling.temp",
		"[sampling\n":                                                     "line 2",
		"engine.threads = 9999\n":                                         "9999 is not within 0 .. 4096",
	} {
		path := filepath.Join(t.TempDir(), "c.toml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		t.Setenv("CONFAB_CONFIG", path)
		s := newSettings()
		err := s.resolve(allFlags(s))
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%q gives %v; want %q", text, err, want)
		}
	}
}

func TestEnvironmentErrorsNameTheVariable(t *testing.T) {
	t.Setenv("CONFAB_CONFIG", filepath.Join(t.TempDir(), "none.toml"))
	for name, value := range map[string]string{"CONFAB_TOP_P": "2", "CONFAB_TOP_K": "many", "CONFAB_THINK": "maybe"} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(name, value)
			s := newSettings()
			if err := s.resolve(allFlags(s)); err == nil || !strings.Contains(err.Error(), name) {
				t.Errorf("%s=%s gives %v", name, value, err)
			}
		})
	}
}

func TestEveryFlagWithAKeyHasAVariableOfItsOwn(t *testing.T) {
	seen := map[string]string{}
	allFlags(newSettings()).VisitAll(func(f *pflag.Flag) {
		name := envName(f.Name)
		if other := seen[name]; other != "" {
			t.Errorf("%s stands for --%s and --%s", name, other, f.Name)
		}
		seen[name] = f.Name
	})
	for flag := range keys {
		if seen[envName(flag)] != flag {
			t.Errorf("%s has a key and no flag", flag)
		}
	}
}

func TestThinking(t *testing.T) {
	for word, want := range map[string]string{"auto": "nil", "": "nil", "on": "true", "off": "false"} {
		got := "nil"
		if p := (&settings{think: word}).thinking(); p != nil {
			got = map[bool]string{true: "true", false: "false"}[*p]
		}
		if got != want {
			t.Errorf("%q: %s, want %s", word, got, want)
		}
	}
}

func TestParseIDs(t *testing.T) {
	if ids, err := parseIDs("1, 22,333"); err != nil || !slices.Equal(ids, []int32{1, 22, 333}) {
		t.Error(ids, err)
	}
	for _, bad := range []string{"", "1,,2", "1;2", "99999999999", "0x10"} {
		if ids, err := parseIDs(bad); err == nil {
			t.Errorf("%q is read as %d", bad, ids)
		}
	}
}

func TestReadMessages(t *testing.T) {
	for text, want := range map[string]int{
		`[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]`: 2,
		` {"messages":[{"role":"user","content":"a"}]}`:                      1,
	} {
		if msgs, err := readMessages("-", strings.NewReader(text)); err != nil || len(msgs) != want || msgs[0].Content != "a" {
			t.Errorf("%s: %v, %v", text, msgs, err)
		}
	}
	for _, bad := range []string{"", "[]", "{}", "null", `[{"role":`, `"text"`} {
		if msgs, err := readMessages("-", strings.NewReader(bad)); err == nil {
			t.Errorf("%q is read as %v", bad, msgs)
		}
	}
}

// TestKeysOfTheConfigFile: [keys] are handed on as they stand, one or a list,
// and what is wrong with them has a line.
func TestKeysOfTheConfigFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "c.toml")
	text := "[keys]\nnew-chat = \"f5\"\nsend = [\"enter\", \"ctrl+s\"]\ntext.copi = \"Y\"\n\n[keys.knobs]\nmore = \"+\"\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := readConfig(path)
	if err != nil || len(file.unknown) > 0 {
		t.Fatal(err, file.unknown)
	}
	for action, want := range map[string][]string{"new-chat": {"f5"}, "send": {"enter", "ctrl+s"}, "knobs.more": {"+"}} {
		if !slices.Equal(file.bound[action], want) {
			t.Errorf("%s is bound to %q, want %q", action, file.bound[action], want)
		}
	}
	var buf strings.Builder
	c := configCommand()
	c.SetOut(&buf)
	c.SetArgs([]string{"check", path})
	c.SilenceUsage, c.SilenceErrors = true, true
	err = c.Execute()
	out := buf.String()
	for _, want := range []string{path + `, line 4: there is no action "text.copi"; nearest is "text.copy"`, path + ", line 3: ctrl+s is both "} {
		if !strings.Contains(out, want) {
			t.Errorf("config check does not say %q: %s", want, out)
		}
	}
	if err == nil {
		t.Error("config check is content")
	}
}
