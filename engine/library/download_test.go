package library

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const oneFile = "m-Q4_K_M.gguf"

// ofFile runs spoil for the file's requests only, with their number from 1.
func ofFile(spoil func(n int, w http.ResponseWriter, r *http.Request) bool) func(http.ResponseWriter, *http.Request) bool {
	n := 0
	return func(w http.ResponseWriter, r *http.Request) bool {
		if !strings.Contains(r.URL.Path, "/resolve/") {
			return false
		}
		n++
		return spoil(n, w, r)
	}
}

// hangUp cuts the connection after some bytes of the body.
func hangUp(w http.ResponseWriter, status int, data []byte) {
	w.WriteHeader(status)
	_, _ = w.Write(data)
	_ = http.NewResponseController(w).Flush()
	panic(http.ErrAbortHandler)
}

func TestACutConnectionIsGoneOnWith(t *testing.T) {
	data := noise(100_000)
	s, h := newStandIn(t, map[string][]byte{oneFile: data})
	var ranges []string
	s.spoil = ofFile(func(n int, w http.ResponseWriter, r *http.Request) bool {
		ranges = append(ranges, r.Header.Get("Range"))
		switch n {
		case 1:
			w.Header().Set("Content-Length", "100000")
			hangUp(w, http.StatusOK, data[:40_000])
		case 2:
			w.WriteHeader(http.StatusServiceUnavailable)
			return true
		case 3:
			w.Header().Set("Content-Range", "bytes 40000-99999/100000")
			hangUp(w, http.StatusPartialContent, data[40_000:70_000])
		}
		return false
	})
	path, err := pull(t, h, t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	same(t, path, data)
	if got := fmt.Sprint(ranges); got != "[ bytes=40000- bytes=40000- bytes=70000-]" {
		t.Errorf("ranges %s", got)
	}
}

func TestALaterPullGoesOn(t *testing.T) {
	data := noise(50_000)
	for name, left := range map[string][]byte{"good": data[:20_000], "of another version": noise(30_000)[1:], "too long": noise(60_000), "whole": data} {
		t.Run(name, func(t *testing.T) {
			s, h := newStandIn(t, map[string][]byte{oneFile: data})
			dir := t.TempDir()
			put(t, left, dir, "a", "b", oneFile+unfinished)
			path, err := pull(t, h, dir, "")
			if err != nil {
				t.Fatal(err)
			}
			same(t, path, data)
			if name == "whole" && len(s.requests) != 1 {
				t.Errorf("%d requests for a file that was whole", len(s.requests))
			}
		})
	}
}

func TestAServerThatIgnoresRangesStartsOver(t *testing.T) {
	data := noise(50_000)
	s, h := newStandIn(t, map[string][]byte{oneFile: data})
	s.spoil = ofFile(func(_ int, w http.ResponseWriter, r *http.Request) bool {
		r.Header.Del("Range")
		return false
	})
	dir := t.TempDir()
	put(t, data[:20_000], dir, "a", "b", oneFile+unfinished)
	path, err := pull(t, h, dir, "")
	if err != nil {
		t.Fatal(err)
	}
	same(t, path, data)
}

func TestWrongAnswersOfAFile(t *testing.T) {
	data := noise(50_000)
	for name, c := range map[string]struct {
		spoil func(int, http.ResponseWriter, *http.Request) bool
		word  string
	}{
		"a web page": {func(_ int, w http.ResponseWriter, _ *http.Request) bool {
			fmt.Fprint(w, "<html>please log in</html>")
			return true
		}, "web page"},
		"another size": {func(_ int, w http.ResponseWriter, _ *http.Request) bool {
			w.Header().Set("Content-Type", "application/octet-stream")
			_, _ = w.Write(data[:100])
			return true
		}, "50000 bytes are wanted, the server announces 100"},
		"without end": {func(_ int, w http.ResponseWriter, _ *http.Request) bool {
			w.Header().Set("Content-Type", "application/octet-stream")
			for range 3 {
				_, _ = w.Write(data)
				_ = http.NewResponseController(w).Flush()
			}
			return true
		}, "more than the 50000 bytes"},
		"changed bytes": {func(_ int, w http.ResponseWriter, _ *http.Request) bool {
			w.Header().Set("Content-Type", "application/octet-stream")
			w.Header().Set("Content-Length", "50000")
			_, _ = w.Write(noise(50_001)[1:])
			return true
		}, "SHA-256"},
		"never": {func(_ int, w http.ResponseWriter, _ *http.Request) bool {
			w.WriteHeader(http.StatusBadGateway)
			return true
		}, "given up after 5 tries"},
		"gone": {func(_ int, w http.ResponseWriter, _ *http.Request) bool {
			w.WriteHeader(http.StatusNotFound)
			return true
		}, "is gone"},
		"in a circle": {func(_ int, w http.ResponseWriter, r *http.Request) bool {
			http.Redirect(w, r, r.URL.Path, http.StatusFound)
			return true
		}, "redirects without end"},
	} {
		t.Run(name, func(t *testing.T) {
			s, h := newStandIn(t, map[string][]byte{oneFile: data})
			s.spoil = ofFile(c.spoil)
			dir := t.TempDir()
			_, err := pull(t, h, dir, "")
			refused(t, err, c.word, "m-Q4_K_M.gguf")
			if _, err := os.Stat(filepath.Join(dir, "a", "b", oneFile)); err == nil {
				t.Error("the file is there all the same")
			}
			if st, err := os.Stat(filepath.Join(dir, "a", "b", oneFile+unfinished)); err == nil && st.Size() > 50_000 {
				t.Errorf("%d bytes were written", st.Size())
			}
		})
	}
}

func TestWrongRangeIsRefused(t *testing.T) {
	data := noise(50_000)
	s, h := newStandIn(t, map[string][]byte{oneFile: data})
	s.spoil = ofFile(func(_ int, w http.ResponseWriter, _ *http.Request) bool {
		w.Header().Set("Content-Range", "bytes 0-49999/50000")
		w.WriteHeader(http.StatusPartialContent)
		_, _ = w.Write(data)
		return true
	})
	dir := t.TempDir()
	put(t, data[:20_000], dir, "a", "b", oneFile+unfinished)
	_, err := pull(t, h, dir, "")
	refused(t, err, "asked for bytes 20000-49999/50000")
}

func TestASilentServerIsLeft(t *testing.T) {
	data := noise(50_000)
	s, h := newStandIn(t, map[string][]byte{oneFile: data})
	h.patience = 50 * time.Millisecond
	s.spoil = ofFile(func(n int, w http.ResponseWriter, r *http.Request) bool {
		if n > 1 {
			return false
		}
		w.Header().Set("Content-Length", "50000")
		_, _ = w.Write(data[:10])
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
		return true
	})
	path, err := pull(t, h, t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	same(t, path, data)
}

func TestStoppingKeepsWhatIsThere(t *testing.T) {
	data := noise(50_000)
	s, h := newStandIn(t, map[string][]byte{oneFile: data})
	dir := t.TempDir()
	r, err := h.Look(context.Background(), "a/b")
	if err != nil {
		t.Fatal(err)
	}
	s.spoil = ofFile(func(_ int, w http.ResponseWriter, r *http.Request) bool {
		w.Header().Set("Content-Length", "50000")
		_, _ = w.Write(data[:30_000])
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
		return true
	})
	ctx, stop := context.WithCancel(context.Background())
	_, err = h.Fetch(ctx, r, r.Variants[0], dir, func(f Fetching) {
		if f.Done == 30_000 {
			stop()
		}
	})
	refused(t, err, "stopped at 29.3 KiB of 48.8 KiB")
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v is no interrupt", err)
	}
	if st, err := os.Stat(filepath.Join(dir, "a", "b", oneFile+unfinished)); err != nil || st.Size() != 30_000 {
		t.Errorf("what was fetched: %v, %v", st, err)
	}
}

func TestTheSumMayComeWithTheAnswer(t *testing.T) {
	data := noise(50_000)
	for _, given := range []bool{true, false} {
		s, h := newStandIn(t, nil)
		s.spoil = func(w http.ResponseWriter, r *http.Request) bool {
			if strings.HasPrefix(r.URL.Path, "/api") {
				fmt.Fprintf(w, `{"sha":%q,"siblings":[{"rfilename":%q,"size":50000}]}`, commit, oneFile)
				return true
			}
			if given {
				w.Header().Set("X-Linked-Etag", `"`+digest(data)+`"`)
			}
			w.Header().Set("Content-Type", "application/octet-stream")
			_, _ = w.Write(data)
			return true
		}
		path, err := pull(t, h, t.TempDir(), "")
		if !given {
			refused(t, err, "names no SHA-256")
		} else if err != nil {
			t.Fatal(err)
		} else {
			same(t, path, data)
		}
	}
}

func TestWrongListings(t *testing.T) {
	for name, c := range map[string]struct{ body, word string }{
		"a web page": {"<html>please log in</html>", "does not answer like a hub (\"text/html\")"},
		"no commit":  {`{"siblings":[]}`, "does not answer like a hub"},
		"bad commit": {`{"sha":"../../x","siblings":[]}`, "does not answer like a hub"},
		"cut":        {`{"sha":"` + commit + `","siblings":[{"rf`, "does not answer like a hub"},
		"nothing":    {`{"sha":"` + commit + `","siblings":[]}`, "no GGUF file"},
		"traversal":  {`{"sha":"` + commit + `","siblings":[{"rfilename":"../../m-Q4_K_M.gguf","size":5}]}`, "no GGUF file"},
		"minus":      {`{"sha":"` + commit + `","siblings":[{"rfilename":"m-Q4_K_M.gguf","size":-5}]}`, "no GGUF file"},
		"huge":       {`{"sha":"` + commit + `","siblings":[` + strings.Repeat(" ", maxListing) + `]}`, "larger than 32.0 MiB"},
	} {
		t.Run(name, func(t *testing.T) {
			s, h := newStandIn(t, nil)
			s.spoil = func(w http.ResponseWriter, _ *http.Request) bool {
				fmt.Fprint(w, c.body)
				return true
			}
			dir := t.TempDir()
			_, err := pull(t, h, filepath.Join(dir, "models"), "")
			refused(t, err, c.word)
			if left, _ := os.ReadDir(dir); len(left) > 0 {
				t.Errorf("%v was written", left)
			}
		})
	}
}

func TestOneFetchOfAFileAtATime(t *testing.T) {
	_, h := newStandIn(t, map[string][]byte{oneFile: noise(100)})
	dir := t.TempDir()
	f, err := os.Open(put(t, nil, dir, "a", "b", oneFile+unfinished))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if !lock(f) {
		t.Skip("this system has no such locks")
	}
	_, err = pull(t, h, dir, "")
	refused(t, err, "another confab is fetching it")
}
