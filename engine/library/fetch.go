package library

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// Fetching is how far a fetch is, over all files of the variant.
type Fetching struct {
	// Checking says that bytes already on the disk are being read.
	Checking    bool
	Done, Total int64
}

// Fetch brings a variant into the folder dir/OWNER/NAME and returns the path of
// its (first) file. What is there and right is kept; what an earlier call left
// unfinished is gone on with. report is called often, from this goroutine.
func (h *Hub) Fetch(ctx context.Context, r Repo, v Variant, dir string, report func(Fetching)) (string, error) {
	home := filepath.Join(dir, filepath.FromSlash(r.Name))
	if err := os.MkdirAll(home, 0o700); err != nil {
		return "", fmt.Errorf("the models folder: %w", err)
	}
	root, err := os.OpenRoot(home)
	if err != nil {
		return "", fmt.Errorf("the models folder: %w", err)
	}
	defer root.Close()
	if err := roomFor(root, v); err != nil {
		return "", err
	}
	state := Fetching{Total: v.Bytes()}
	for _, f := range v.Files {
		before := state.Done
		d := download{hub: h, repo: r.Name, file: f, root: root, address: h.address(r, f),
			report: func(have int64, checking bool) {
				state.Done, state.Checking = before+have, checking
				report(state)
			}}
		if err := d.run(ctx); err != nil {
			return "", fmt.Errorf("%s: %w", path.Base(f.Path), err)
		}
		state.Done = before + f.Bytes
	}
	return filepath.Join(home, filepath.FromSlash(v.Files[0].Path)), nil
}

// address is where a file's bytes lie: at the listing's commit, so that a change
// of the repository cannot mix two versions.
func (h *Hub) address(r Repo, f RemoteFile) string {
	segments := strings.Split(f.Path, "/")
	for i := range segments {
		segments[i] = url.PathEscape(segments[i])
	}
	return h.endpoint.String() + "/" + r.Name + "/resolve/" + r.Commit + "/" + strings.Join(segments, "/")
}

const unfinished = ".part"

// roomFor refuses a variant that the disk has no room for, before the first
// byte.
func roomFor(root *os.Root, v Variant) error {
	need := v.Bytes()
	for _, f := range v.Files {
		if st, err := root.Stat(f.Path); err == nil {
			need -= min(st.Size(), f.Bytes)
		} else if st, err := root.Stat(f.Path + unfinished); err == nil {
			need -= min(st.Size(), f.Bytes)
		}
	}
	if free, ok := freeBytes(root.Name()); ok && need > free {
		return fmt.Errorf("%s needs %s more, and %s are free in %s: make room, or choose a smaller variant", v.Name(), Size(need), Size(free), root.Name())
	}
	return nil
}

// Fetched finds a variant of ref that is already in dir/OWNER/NAME, complete.
// Without a wish for one, the nearest to DefaultQuant counts.
func Fetched(dir string, ref Ref) (string, bool) {
	home := filepath.Join(dir, filepath.FromSlash(ref.Repo))
	var files []RemoteFile
	walk(home, 4, func(p string) {
		rel, err := filepath.Rel(home, p)
		st, serr := os.Stat(p)
		if err := errors.Join(err, serr); err == nil {
			files = append(files, RemoteFile{Path: filepath.ToSlash(rel), Bytes: st.Size()})
		}
	})
	v, err := choose(variants(files), ref.Quant)
	if err != nil {
		return "", false
	}
	return filepath.Join(home, filepath.FromSlash(v.Files[0].Path)), true
}
