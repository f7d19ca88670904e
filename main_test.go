package main

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/pflag"

	"github.com/confab-tui/confab/engine"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"confab": func() { os.Exit(run(os.Args[1:])) }})
}

// home is an environment with folders of its own.
func home(t testing.TB) []string {
	t.Helper()
	dir := t.TempDir()
	env := []string{"HOME=" + dir, "TERM=xterm-256color", "LANG=C.UTF-8", "PATH=" + os.Getenv("PATH"),
		"CONFAB_BACKEND=" + cmp.Or(os.Getenv("CONFAB_BACKEND"), "cpu"), "CONFAB_REDUCED_MOTION=true"}
	for _, name := range []string{"CONFIG", "DATA", "STATE", "CACHE"} {
		env = append(env, "XDG_"+name+"_HOME="+dir+"/"+strings.ToLower(name))
	}
	return env
}

// TestScripts runs the real program on the built-in model and on broken input.
func TestScripts(t *testing.T) {
	hub := tinyHub(t)
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			for _, v := range []string{"XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"} {
				e.Setenv(v, filepath.Join(e.WorkDir, strings.ToLower(v)))
			}
			e.Setenv("HOME", e.WorkDir)
			e.Setenv("CONFAB_BACKEND", "cpu")
			e.Setenv("HF_ENDPOINT", hub.URL)
			return nil
		},
	})
}

func TestExampleConfigHoldsEveryKeyAndItsDefault(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.toml")
	if err := os.WriteFile(path, []byte(exampleConfig), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := readConfig(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.unknown) > 0 {
		t.Errorf("the example has unknown keys: %q", c.unknown)
	}
	flags := allFlags(newSettings())
	for flag, key := range keys {
		f := flags.Lookup(flag)
		got, ok := c.values[key]
		if f == nil || !ok {
			t.Errorf("%s (%s) is missing among the flags or in the example", key, flag)
			continue
		}
		if err := f.Value.Set(got); err != nil {
			t.Errorf("%s = %q: %v", key, got, err)
		} else if now := f.Value.String(); now != f.DefValue {
			t.Errorf("%s: the example says %s, the default is %s", key, now, f.DefValue)
		}
	}
}

func TestStrengthOfSources(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.toml")
	text := "[sampling]\ntemp = 0.1\ntop-k = 11\nmin-p = 0.2\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("CONFAB_CONFIG", path)
	t.Setenv("CONFAB_TOP_K", "12")
	t.Setenv("CONFAB_TEMP", "0.2")
	s := newSettings()
	fs := pflag.NewFlagSet("", pflag.ContinueOnError)
	s.modelFlags(fs)
	s.samplingFlags(fs)
	if err := fs.Parse([]string{"--temp", "0.3"}); err != nil {
		t.Fatal(err)
	}
	if err := s.resolve(fs); err != nil {
		t.Fatal(err)
	}
	base := engine.DefaultSampling()
	base.TopP, base.Temperature = 0.7, 1
	got := s.over(base)
	if got.Temperature != 0.3 || got.TopK != 12 || got.MinP != 0.2 || got.TopP != 0.7 {
		t.Errorf("flag, environment, config, model gave %+v", got)
	}
	if s.source["temp"] != "flag" || s.source["top-k"] != "env" || s.source["min-p"] != "config" || s.source["top-p"] != "" {
		t.Errorf("sources %v", s.source)
	}
}
