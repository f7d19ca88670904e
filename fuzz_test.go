package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/spf13/pflag"
)

// FuzzConfig reads config files that make no sense: an error or a notice may come
// of them, no panic, and nothing that a flag would refuse.
func FuzzConfig(f *testing.F) {
	f.Add([]byte(exampleConfig))
	f.Add([]byte("[sampling]\ntemp = 0.1\ntemp.x = 3\n[sampling.temp]\n\"\" = []\n"))
	f.Add([]byte("[engine]\ncells = 99999999999999999999\nthreads = [1, {a = 2}]\n[[keys]]\nsend = 1979-05-27\n"))
	f.Add([]byte("keys = 3\n[keys.send]\nx = nan\n'[' = \"]\"\n= 4"))
	path := filepath.Join(f.TempDir(), "config.toml")
	f.Fuzz(func(t *testing.T, text []byte) {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		file, err := readConfig(path)
		if err != nil {
			return
		}
		s := newSettings()
		s.file = file
		allFlags(s).VisitAll(func(flag *pflag.Flag) {
			if v, ok := file.values[keys[flag.Name]]; ok {
				s.source[flag.Name] = "config"
				_ = flag.Value.Set(v)
			}
		})
		_ = s.check()
	})
}
