package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"time"

	"github.com/confab-tui/confab/engine/library"
)

// tinyHub serves one repository, tiny/llama, with two forms of a model that is
// small enough for tests.
func tinyHub(t *testing.T) *httptest.Server {
	t.Helper()
	const commit = "0123456789abcdef0123456789abcdef01234567"
	mux := http.NewServeMux()
	var siblings []map[string]any
	for _, name := range []string{"tiny-llama-q4_k_m.gguf", "tiny-llama-f32.gguf"} {
		data, err := os.ReadFile("testdata/models/" + name)
		if err != nil {
			t.Fatal(err)
		}
		siblings = append(siblings, map[string]any{"rfilename": name, "size": len(data),
			"lfs": map[string]any{"size": len(data), "sha256": fmt.Sprintf("%x", sha256.Sum256(data))}})
		mux.HandleFunc("/tiny/llama/resolve/"+commit+"/"+name, func(w http.ResponseWriter, r *http.Request) {
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
		})
	}
	mux.HandleFunc("/api/models/tiny/llama", func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(map[string]any{"sha": commit, "siblings": siblings})
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

func TestMeterForgetsWhatIsLongAgo(t *testing.T) {
	var m meter
	now := time.Unix(0, 0)
	at := library.Fetching{Total: 1 << 30}
	tick := func(seconds int, rate int64) {
		for range seconds * 10 {
			now = now.Add(100 * time.Millisecond)
			at.Done += rate / 10
			m.add(now, at)
		}
	}
	m.add(now, at)
	if r := m.rate(now); r != 0 {
		t.Errorf("a rate of %g before there is one", r)
	}
	tick(20, 1_000_000)
	if r := m.rate(now); r < 990_000 || r > 1_010_000 {
		t.Errorf("%g bytes a second instead of 1000000", r)
	}
	tick(10, 50_000)
	if r := m.rate(now); r < 49_000 || r > 51_000 {
		t.Errorf("%g bytes a second instead of 50000", r)
	}
	// Reading what is on the disk is no fetching.
	at.Checking = true
	tick(10, 9_000_000)
	at.Checking = false
	tick(5, 1_000_000)
	if r := m.rate(now); r < 990_000 || r > 1_010_000 {
		t.Errorf("%g bytes a second after a check", r)
	}
}

func TestFetchText(t *testing.T) {
	at := library.Fetching{Done: 512 << 20, Total: 2 << 30}
	for want, got := range map[string]string{
		"m  25 % of 2.0 GiB  64.0 MiB/s  24s left":          fetchText("m", at, 64<<20),
		"m  25 % of 2.0 GiB":                                fetchText("m", at, 0),
		"checking m  25 %":                                  fetchText("m", library.Fetching{Checking: true, Done: 1, Total: 4}, 9),
		"…ama-3.3-70B-Instruct-UD-Q4_K_XL  25 % of 2.0 GiB": fetchText("Llama-3.3-70B-Instruct-UD-Q4_K_XL", at, 0),
		"m   0 % of 0 B":                                    fetchText("m", library.Fetching{}, 0),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
