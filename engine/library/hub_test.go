package library

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const commit = "0123456789abcdef0123456789abcdef01234567"

// standIn is a hub with one repository, a/b, whose answers a test can spoil.
type standIn struct {
	*httptest.Server
	files map[string][]byte
	// spoil, if set, may answer a request in the hub's place.
	spoil    func(w http.ResponseWriter, r *http.Request) bool
	requests []*http.Request
}

func newStandIn(t *testing.T, files map[string][]byte) (*standIn, *Hub) {
	t.Helper()
	s := &standIn{files: files}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	t.Setenv("HF_ENDPOINT", s.URL)
	h, err := NewHub()
	if err != nil {
		t.Fatal(err)
	}
	h.pause = time.Millisecond
	return s, h
}

func (s *standIn) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.requests = append(s.requests, r)
	if s.spoil != nil && s.spoil(w, r) {
		return
	}
	name, ok := strings.CutPrefix(r.URL.Path, "/a/b/resolve/"+commit+"/")
	switch {
	case r.URL.Path == "/api/models/a/b":
		_ = json.NewEncoder(w).Encode(s.listing())
	case ok && s.files[name] != nil:
		w.Header().Set("Content-Type", "application/octet-stream")
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(s.files[name]))
	default:
		w.Header().Set("X-Error-Code", "RepoNotFound")
		w.WriteHeader(http.StatusUnauthorized)
	}
}

func (s *standIn) listing() map[string]any {
	var siblings []any
	for name, data := range s.files {
		siblings = append(siblings, map[string]any{"rfilename": name, "size": len(data),
			"lfs": map[string]any{"sha256": digest(data), "size": len(data)}})
	}
	return map[string]any{"sha": commit, "siblings": siblings}
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// noise is n bytes that are the same in every run.
func noise(n int) []byte {
	out := make([]byte, n)
	_, _ = rand.NewChaCha8([32]byte{1}).Read(out)
	return out
}

func quiet(Fetching) {}

// pull looks, chooses and fetches.
func pull(t *testing.T, h *Hub, dir, quant string) (string, error) {
	t.Helper()
	r, err := h.Look(context.Background(), "a/b")
	if err != nil {
		return "", err
	}
	v, err := r.Choose(quant)
	if err != nil {
		return "", err
	}
	return h.Fetch(context.Background(), r, v, dir, quiet)
}

func same(t *testing.T, path string, want []byte) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s: %d bytes, not the %d that were sent", path, len(got), len(want))
	}
	if _, err := os.Stat(path + unfinished); err == nil {
		t.Errorf("%s%s is left", path, unfinished)
	}
}

// refused wants an error that holds every one of words.
func refused(t *testing.T, err error, words ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error; wanted one with %q", words)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("%q does not say %q", err, w)
		}
	}
}

func TestPullFetchesAllPartsAndKeepsThem(t *testing.T) {
	one, two := noise(300_000), noise(200_000)
	s, h := newStandIn(t, map[string][]byte{
		"Q4_K_M/m-Q4_K_M-00001-of-00002.gguf": one, "Q4_K_M/m-Q4_K_M-00002-of-00002.gguf": two,
		"m-Q8_0.gguf": noise(10), "mmproj-Q4_K_M.gguf": noise(10), "README.md": noise(10),
	})
	dir := t.TempDir()
	r, err := h.Look(context.Background(), "a/b")
	if err != nil {
		t.Fatal(err)
	}
	v, err := r.Choose("")
	if err != nil {
		t.Fatal(err)
	}
	var last Fetching
	path, err := h.Fetch(context.Background(), r, v, dir, func(f Fetching) {
		if f.Done < last.Done || f.Total != 500_000 {
			t.Errorf("progress went from %+v to %+v", last, f)
		}
		last = f
	})
	if err != nil {
		t.Fatal(err)
	}
	if last.Done != 500_000 {
		t.Errorf("progress ended at %+v", last)
	}
	same(t, path, one)
	same(t, strings.Replace(path, "00001-of", "00002-of", 1), two)
	if st, _ := os.Stat(path); st.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", st.Mode())
	}
	if got, ok := Fetched(dir, Ref{"a/b", "q4_k_m"}); !ok || got != path {
		t.Errorf("Fetched: %q, %v", got, ok)
	}
	if _, ok := Fetched(dir, Ref{"a/b", "Q8_0"}); ok {
		t.Error("Fetched finds what was never fetched")
	}

	s.requests = nil
	if _, err := pull(t, h, dir, ""); err != nil {
		t.Fatal(err)
	}
	if len(s.requests) != 1 {
		t.Errorf("a second pull made %d requests, the listing alone is needed", len(s.requests))
	}
	// What is damaged on the disk is fetched anew.
	if err := os.WriteFile(path, noise(300_001)[1:], 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := pull(t, h, dir, ""); err != nil {
		t.Fatal(err)
	}
	same(t, path, one)
}

func TestRefusals(t *testing.T) {
	answer := func(status int, code string) func(http.ResponseWriter, *http.Request) bool {
		return func(w http.ResponseWriter, _ *http.Request) bool {
			w.Header().Set("X-Error-Code", code)
			w.WriteHeader(status)
			return true
		}
	}
	for _, c := range []struct {
		status      int
		code, token string
		words       []string
	}{
		{401, "RepoNotFound", "", []string{"is not on 127.0.0.1", "spelling", "HF_TOKEN"}},
		{404, "RepoNotFound", "hf_secret", []string{"is not on 127.0.0.1"}},
		{401, "GatedRepo", "", []string{"is gated", "/a/b", "set HF_TOKEN"}},
		{403, "GatedRepo", "hf_secret", []string{"may not read it", "/a/b"}},
		{401, "", "hf_secret", []string{"does not accept the token"}},
		{429, "", "", []string{"too many requests"}},
		{500, "", "", []string{"answers 500 Internal Server Error"}},
	} {
		t.Run(fmt.Sprint(c.status, c.code, c.token), func(t *testing.T) {
			t.Setenv("HF_TOKEN", c.token)
			s, h := newStandIn(t, nil)
			s.spoil = answer(c.status, c.code)
			_, err := pull(t, h, t.TempDir(), "")
			refused(t, err, c.words...)
			if strings.Contains(err.Error(), "hf_secret") {
				t.Errorf("the token is in %q", err)
			}
		})
	}
}

// offline is a network that knows no name.
type offline struct{}

func (offline) RoundTrip(r *http.Request) (*http.Response, error) {
	return nil, &net.OpError{Op: "dial", Err: &net.DNSError{Name: r.URL.Hostname(), Err: "no such host"}}
}

func TestNoNetwork(t *testing.T) {
	_, h := newStandIn(t, nil)
	h.client.Transport = offline{}
	_, err := pull(t, h, t.TempDir(), "")
	refused(t, err, "127.0.0.1 is not found", "network")
}

func TestTheTokenGoesToTheHubAlone(t *testing.T) {
	data := noise(1000)
	var seen []string
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen = append(seen, r.Header.Get("Authorization"))
		_, _ = w.Write(data)
	}))
	defer other.Close()
	t.Setenv("HF_TOKEN", "hf_secret")
	s, h := newStandIn(t, map[string][]byte{"m-Q4_K_M.gguf": data})
	s.spoil = func(w http.ResponseWriter, r *http.Request) bool {
		if got := r.Header.Get("Authorization"); got != "Bearer hf_secret" {
			t.Errorf("the hub got %q for %s", got, r.URL)
		}
		if strings.HasPrefix(r.URL.Path, "/api") {
			return false
		}
		http.Redirect(w, r, other.URL+"/blob?signature=x", http.StatusFound)
		return true
	}
	path, err := pull(t, h, t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	same(t, path, data)
	if len(seen) != 1 || seen[0] != "" {
		t.Errorf("the other host got %q", seen)
	}
}

func TestNewHubRefusesBadPlaces(t *testing.T) {
	for _, e := range []string{"file:///etc", "huggingface.co", "https://user:secret@host", "https://host/?q=1", "::"} {
		t.Setenv("HF_ENDPOINT", e)
		if _, err := NewHub(); err == nil {
			t.Errorf("HF_ENDPOINT=%q is taken", e)
		}
	}
	t.Setenv("HF_TOKEN", "hf_secret")
	t.Setenv("HF_ENDPOINT", "http://mirror.example")
	_, err := NewHub()
	refused(t, err, "no encryption")
	for _, s := range []string{"", "b", "a/b/c", "../b", "a/..", "a/b c", "https://x/a/b", "a/\x1bb"} {
		if r, err := ParseRef(s); err == nil {
			t.Errorf("%q was read as %v", s, r)
		}
	}
	if r, err := ParseRef("Qwen/Qwen3-0.6B-GGUF:Q8_0"); err != nil || r != (Ref{"Qwen/Qwen3-0.6B-GGUF", "Q8_0"}) {
		t.Error(r, err)
	}
}

func TestFullDisk(t *testing.T) {
	_, h := newStandIn(t, nil)
	dir := t.TempDir()
	r := Repo{Name: "a/b", Commit: commit}
	v := Variant{Files: []RemoteFile{{Path: "huge.gguf", Bytes: 1 << 44}}}
	if _, ok := freeBytes(dir); !ok {
		t.Skip("this system does not say what is free")
	}
	_, err := h.Fetch(context.Background(), r, v, dir, quiet)
	refused(t, err, "huge needs 16.0 TiB more", "are free in", filepath.Join(dir, "a", "b"))
}
