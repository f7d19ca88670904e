package library

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
)

// Ref names a model on a hub: OWNER/NAME, and which of its variants.
type Ref struct{ Repo, Quant string }

var repoName = regexp.MustCompile(`^[A-Za-z0-9_][\w.-]{0,95}/[A-Za-z0-9_][\w.-]{0,95}$`)

// ParseRef reads OWNER/NAME[:QUANT], or a file's name after the colon.
func ParseRef(s string) (Ref, error) {
	repo, quant, _ := strings.Cut(s, ":")
	if !repoName.MatchString(repo) || strings.Contains(repo, "..") {
		return Ref{}, fmt.Errorf("%q is no repository: it is OWNER/NAME or OWNER/NAME:QUANT, such as Qwen/Qwen3-0.6B-GGUF:Q8_0", s)
	}
	return Ref{repo, quant}, nil
}

func (r Ref) String() string {
	if r.Quant == "" {
		return r.Repo
	}
	return r.Repo + ":" + r.Quant
}

// Repo is what a hub has of a repository at one commit.
type Repo struct {
	Name, Commit string
	Variants     []Variant
}

// Choose picks a variant by quantisation or file name; "" is the one that is
// nearest to DefaultQuant.
func (r Repo) Choose(quant string) (Variant, error) {
	v, err := choose(r.Variants, quant)
	if err != nil {
		return v, fmt.Errorf("%s: %w", r.Name, err)
	}
	return v, nil
}

// maxListing bounds a listing: a repository of 100,000 files takes about 25 MiB.
const maxListing = 32 << 20

// listing is the part of the hub's answer about a repository that counts.
type listing struct {
	SHA      string `json:"sha"`
	Siblings []struct {
		Name string `json:"rfilename"`
		Size int64  `json:"size"`
		LFS  struct {
			SHA256 string `json:"sha256"`
			Size   int64  `json:"size"`
		} `json:"lfs"`
	} `json:"siblings"`
}

var (
	commitHash = regexp.MustCompile(`^[0-9a-f]{40}$`)
	sha256Hash = regexp.MustCompile(`^[0-9a-f]{64}$`)
)

// Look lists the models of a repository.
func (h *Hub) Look(ctx context.Context, repo string) (Repo, error) {
	resp, err := h.get(ctx, h.endpoint.String()+"/api/models/"+repo+"?blobs=true", "")
	if err != nil {
		return Repo{}, fmt.Errorf("%s: %w", repo, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return Repo{}, h.refusal(resp, repo, "")
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxListing+1))
	if err != nil {
		return Repo{}, fmt.Errorf("%s: its listing: %w", repo, err)
	}
	if len(data) > maxListing {
		return Repo{}, fmt.Errorf("%s: its listing is larger than %s", repo, Size(maxListing))
	}
	var l listing
	if err := json.Unmarshal(data, &l); err != nil || !commitHash.MatchString(l.SHA) {
		return Repo{}, fmt.Errorf("%s: %s does not answer like a hub (%s): check HF_ENDPOINT, and whether the network wants a login", repo, h.endpoint.Host, contentType(resp))
	}
	return Repo{Name: repo, Commit: l.SHA, Variants: variants(l.files())}, nil
}

func (l listing) files() []RemoteFile {
	out := make([]RemoteFile, 0, len(l.Siblings))
	for _, s := range l.Siblings {
		f := RemoteFile{Path: s.Name, Bytes: s.Size}
		if sha256Hash.MatchString(s.LFS.SHA256) {
			f.SHA256, f.Bytes = s.LFS.SHA256, s.LFS.Size
		}
		out = append(out, f)
	}
	return out
}
