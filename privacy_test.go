//go:build linux

package main

import (
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
)

const (
	secret   = "hf_aSecretOfThePerson"
	question = "Tell me a story about my secret garden."
)

// TestPrivacy uses the program as people do, in an environment that would let everybody
// read what it writes and leads all that goes to the network to a listener. Nobody else may
// read its files and folders, only a pull uses the network, and neither the token nor what
// was talked about stands where it does not belong.
func TestPrivacy(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0))
	var calls atomic.Int32
	listener := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { calls.Add(1) }))
	defer listener.Close()
	env := append(home(t), "HF_TOKEN="+secret, "HF_ENDPOINT="+listener.URL)
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"} {
		env = append(env, name+"="+listener.URL, strings.ToLower(name)+"="+listener.URL)
	}
	s := openSession(t, env, "-n", "40")
	s.ask(question)
	s.until("the answer ends", func(screen string) bool { return !streaming(screen) })
	for _, key := range []string{"\x0f", "\x13", "\x10"} { // models, chats, pool
		s.keys(key)
		s.waitFor("esc back")
		s.keys("\x1b")
		s.until("the view is closed", func(screen string) bool { return !strings.Contains(screen, "esc back") })
	}
	s.keys("\x04")
	if err := s.wait(); err != nil {
		t.Error(err)
	}
	said := output(t, env, "ask", question) + output(t, env, "models") + output(t, env, "paths") + output(t, env, "version")
	if n := calls.Load(); n != 0 {
		t.Errorf("the network was used %d times", n)
	}
	env = append(env, "HF_ENDPOINT="+tinyHub(t).URL)
	said += output(t, env, "pull", "tiny/llama:Q4_K_M") + output(t, env, "pull", "tiny/none") + output(t, env, "pull", "tiny/llama:Q9_K")
	if strings.Contains(said, secret) {
		t.Errorf("the token is printed:\n%s", said)
	}
	checkFiles(t, filepath.Dir(filepath.Dir(dataOf(env))))
	output(t, env, "purge", "--models", "--yes")
	if left := filesBelow(t, filepath.Dir(filepath.Dir(dataOf(env)))); len(left) > 0 {
		t.Errorf("after a purge there are %q", left)
	}
}

// output runs the program to its end and returns what it printed.
func output(t *testing.T, env []string, args ...string) string {
	t.Helper()
	cmd := exec.Command("confab", args...)
	cmd.Env = env
	out, err := cmd.CombinedOutput()
	if _, exit := err.(*exec.ExitError); err != nil && !exit {
		t.Fatal(err)
	}
	return string(out)
}

// checkFiles looks at everything that the program left below a folder.
func checkFiles(t *testing.T, dir string) {
	var names []string
	for _, path := range filesBelow(t, dir) {
		names = append(names, filepath.Base(path))
		for at := path; at != dir; at = filepath.Dir(at) {
			if info, err := os.Stat(at); err != nil || info.Mode().Perm()&0o077 != 0 {
				t.Errorf("%s: mode %v, %v", at, info.Mode(), err)
			}
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Error(err)
		}
		if strings.Contains(string(data), secret) {
			t.Errorf("%s holds the token", path)
		}
		if strings.HasSuffix(path, ".log") && strings.Contains(string(data), "garden") {
			t.Errorf("%s holds what was talked about:\n%s", path, data)
		}
	}
	for _, want := range []string{"confab.db", "confab.log", "tiny-llama-q4_k_m.gguf"} {
		if !slices.Contains(names, want) {
			t.Errorf("there is no %s among %q: the test shows nothing", want, names)
		}
	}
}

func filesBelow(t *testing.T, dir string) (files []string) {
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	return files
}

// Only the library, which asks the hub, knows how to talk to a network.
func TestOnlyTheLibraryUsesTheNetwork(t *testing.T) {
	for _, p := range list(t, "cuda") {
		for _, imported := range p.Imports {
			if (imported == "net" || strings.HasPrefix(imported, "net/http")) && p.ImportPath != module+"/engine/library" {
				t.Errorf("%s imports %s", p.ImportPath, imported)
			}
		}
	}
}
