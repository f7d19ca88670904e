package library

import (
	"net/http"
	"net/http/httptest"
	"path"
	"strings"
	"testing"
)

// FuzzLook answers like a hub that means no good. Whatever it lists, only sound
// names of models are offered.
func FuzzLook(f *testing.F) {
	sha := strings.Repeat("0", 40)
	f.Add([]byte(`{"sha":"`+sha+`","siblings":[{"rfilename":"a-Q4_K_M.gguf","size":5}]}`), "")
	f.Add([]byte(`{"sha":"`+sha+`","siblings":[{"rfilename":"q/a-Q8_0-00001-of-00002.gguf","size":5},{"rfilename":"q/a-Q8_0-00002-of-00002.gguf","lfs":{"sha256":"x","size":-1}}]}`), "Q8_0")
	f.Add([]byte(`{"sha":"`+sha+`","siblings":[{"rfilename":"../../evil.gguf"},{"rfilename":"/etc/x.gguf"},{"rfilename":"a\u001b[2J.gguf"}]}`), "evil.gguf")
	var answer []byte
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Write(answer) }))
	f.Cleanup(server.Close)
	f.Setenv("HF_ENDPOINT", server.URL)
	hub, err := NewHub()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, listing []byte, quant string) {
		answer = listing
		repo, err := hub.Look(t.Context(), "owner/name")
		if err != nil {
			return
		}
		if v, err := repo.Choose(quant); err == nil && len(v.Files) == 0 {
			t.Errorf("%q chooses a variant without files", quant)
		}
		for _, v := range repo.Variants {
			for _, file := range v.Files {
				if p := file.Path; !strings.HasSuffix(p, ".gguf") || path.Clean("/"+p) != "/"+p || strings.ContainsAny(p, "\\\x00\x1b") {
					t.Errorf("%q is offered", p)
				}
			}
		}
	})
}
