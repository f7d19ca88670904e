package library

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

func remote(names ...string) []RemoteFile {
	out := make([]RemoteFile, len(names))
	for i, n := range names {
		out[i] = RemoteFile{Path: n, Bytes: int64(1000 + i)}
	}
	return out
}

func TestQuantFromTheName(t *testing.T) {
	for name, want := range map[string]string{
		"Qwen3-0.6B-Q8_0.gguf": "Q8_0", "gemma-3-1b-it-UD-Q4_K_XL.gguf": "UD-Q4_K_XL", "gpt-oss-20b-mxfp4.gguf": "MXFP4",
		"llama.IQ4_XS.gguf": "IQ4_XS", "m-BF16-00001-of-00001.gguf": "BF16", "BF16/m.gguf": "BF16", "m_f16.gguf": "F16",
		"model.gguf": "", "Qwen3-8B.gguf": "", "m-TQ1_0.gguf": "TQ1_0", "smollm-q4_k_m.gguf": "Q4_K_M",
	} {
		all := variants(remote(name))
		if len(all) != 1 || all[0].Quant != want {
			t.Errorf("%s: %+v, want %q", name, all, want)
		}
	}
}

func TestUnsafeAndForeignFilesAreLeftOut(t *testing.T) {
	bad := remote("../evil.gguf", "/etc/evil.gguf", "a/../../evil.gguf", "a\\evil.gguf", "C:evil.gguf", "evil\x1b[2J.gguf", "evil\x00.gguf", "evil\u009b.gguf", "e\u202evil.gguf",
		".hidden/evil.gguf", "a/.evil.gguf", "a//evil.gguf", "a/b/c/d/evil.gguf", strings.Repeat("e", 500)+".gguf", "bad\xff.gguf",
		"mmproj-model-f16.gguf", "imatrix_unsloth.gguf", "README.md", "m-00001-of-00002.gguf", "n-00002-of-00001.gguf",
		"o-00000-of-00001.gguf", "model.gguf.part")
	for _, f := range append(bad, RemoteFile{Path: "empty.gguf"}, RemoteFile{Path: "minus.gguf", Bytes: -1}, RemoteFile{Path: "vast.gguf", Bytes: 1 << 60}) {
		if all := variants([]RemoteFile{f}); len(all) != 0 {
			t.Errorf("%q of %d bytes is taken: %+v", f.Path, f.Bytes, all)
		}
	}
}

func TestChoose(t *testing.T) {
	split := []string{"big-Q8_0-00002-of-00002.gguf", "big-Q8_0-00001-of-00002.gguf"}
	for _, c := range []struct {
		names      []string
		quant      string
		want, fail string
	}{
		{[]string{"m-Q8_0.gguf", "m-Q4_K_M.gguf", "m-F16.gguf"}, "", "m-Q4_K_M", ""},
		{[]string{"m-Q8_0.gguf", "m-Q4_K_S.gguf", "m-Q5_K_M.gguf"}, "", "m-Q4_K_S", ""},
		{[]string{"m-Q8_0.gguf", "m-F16.gguf", "m-Q2_K.gguf"}, "", "m-Q2_K", ""},
		{[]string{"m-UD-Q4_K_M.gguf", "m-Q8_0.gguf"}, "", "m-UD-Q4_K_M", ""},
		{[]string{"m-UD-Q4_K_M.gguf", "m-Q4_K_M.gguf"}, "q4_k_m", "m-Q4_K_M", ""},
		{[]string{"model.gguf"}, "", "model", ""},
		{split, "", "big-Q8_0", ""},
		{split, "q8_0", "big-Q8_0", ""},
		{[]string{"a-Q8_0.gguf", "b-Q8_0.gguf"}, "b-Q8_0.gguf", "b-Q8_0", ""},
		{[]string{"a-Q8_0.gguf", "b-Q8_0.gguf"}, "", "", "several files are Q8_0"},
		{[]string{"m-Q8_0.gguf", "m-Q4_K_M.gguf"}, "Q5_0", "", "there is no Q5_0; there is Q8_0 (1000 B), Q4_K_M (1001 B)"},
		{nil, "", "", "no GGUF file"},
	} {
		v, err := choose(variants(remote(c.names...)), c.quant)
		if c.fail != "" {
			refused(t, err, c.fail)
		} else if err != nil || v.Name() != c.want {
			t.Errorf("%q of %q: %+v, %v; want %s", c.quant, c.names, v, err, c.want)
		}
	}
	v, _ := choose(variants(remote(split...)), "")
	if len(v.Files) != 2 || v.Files[0].Path != split[1] || v.Bytes() != 2001 {
		t.Errorf("parts %+v", v.Files)
	}
}

func TestManyVariantsMakeAShortMenu(t *testing.T) {
	var names []string
	for i := range 5000 {
		names = append(names, fmt.Sprintf("m%d-Q8_0.gguf", i))
	}
	_, err := choose(variants(remote(names...)), "Q4_0")
	refused(t, err, "and 4970 more")
	if len(err.Error()) > 1000 {
		t.Errorf("%d characters", len(err.Error()))
	}
}

// FuzzListing holds that whatever a hub lists, only files below the repository's
// folder are offered, in complete sets.
func FuzzListing(f *testing.F) {
	f.Add([]byte(`{"siblings":[{"rfilename":"a-Q4_K_M.gguf","size":5},{"rfilename":"../b.gguf","size":5}]}`))
	f.Add([]byte(`{"siblings":[{"rfilename":"d/a-00001-of-00001.gguf","size":5},{"rfilename":"d/a-00001-of-00001.gguf","size":5}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var l listing
		if json.Unmarshal(data, &l) != nil {
			return
		}
		for _, v := range variants(l.files()) {
			seen := map[string]bool{}
			for _, file := range v.Files {
				p := filepath.FromSlash(file.Path)
				if !filepath.IsLocal(p) || filepath.Clean(p) != p || !strings.HasSuffix(p, ".gguf") || seen[p] || file.Bytes <= 0 {
					t.Fatalf("%+v is offered", v)
				}
				seen[p] = true
			}
		}
	})
}
