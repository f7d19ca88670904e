package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/confab-tui/confab/engine/library"
)

func purgeCommand() *cobra.Command {
	var yes, models bool
	c := &cobra.Command{
		Use:   "purge",
		Short: "Delete all conversations and the log",
		Long: `Delete what confab keeps about its use: all conversations, the log and its state. The
list is shown first, and nothing goes without a yes. The config file stays, and so do
fetched models unless --models is given. Close every confab first.`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			doomed, err := purgeable(models)
			if err != nil {
				return err
			}
			out := c.OutOrStdout()
			if len(doomed) == 0 {
				fmt.Fprintln(out, "nothing to delete")
				return nil
			}
			if err := listDoomed(out, doomed); err != nil {
				return err
			}
			if !yes {
				if ok, err := agreed(c.InOrStdin(), out); err != nil || !ok {
					return err
				}
			}
			return purge(out, doomed)
		},
	}
	c.Flags().BoolVar(&yes, "yes", false, "delete without asking")
	c.Flags().BoolVar(&models, "models", false, "delete the fetched models too")
	return c
}

// doomedFile is a file, or a link, that purge deletes.
type doomedFile struct {
	path  string
	bytes int64
}

// purgeable lists the files in confab's data and state folders, less the models
// unless they are wanted, and less what a person wrote: the config files, where
// the variables put them there too.
func purgeable(models bool) ([]doomedFile, error) {
	var out []doomedFile
	for _, dir := range ownFolders() {
		err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if e.IsDir() {
				if path == filepath.Join(dir, "models") && !models {
					return fs.SkipDir
				}
				return nil
			}
			info, err := e.Info()
			if err == nil && filepath.Ext(path) != ".toml" {
				out = append(out, doomedFile{path, info.Size()})
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// ownFolders lists the data and state folders that exist, links resolved.
func ownFolders() []string {
	var out []string
	for _, dir := range []string{dataDir(), stateDir()} {
		if real, err := filepath.EvalSymlinks(dir); err == nil && !slices.Contains(out, real) {
			out = append(out, real)
		}
	}
	return out
}

func listDoomed(out io.Writer, doomed []doomedFile) error {
	w := tabwriter.NewWriter(out, 0, 0, 3, ' ', 0)
	for _, d := range doomed {
		fmt.Fprintf(w, "%s\t%s\n", d.path, library.Size(d.bytes))
	}
	return w.Flush()
}

// agreed asks on a terminal or reads the answer from a pipe; no answer is no.
func agreed(in io.Reader, out io.Writer) (bool, error) {
	fmt.Fprint(out, "Delete all of these for good? [y/N] ")
	line, err := bufio.NewReader(in).ReadString('\n')
	if err != nil && err != io.EOF {
		return false, fmt.Errorf("standard input: %w", err)
	}
	word := strings.ToLower(strings.TrimSpace(line))
	if word == "y" || word == "yes" {
		return true, nil
	}
	fmt.Fprintln(out, "nothing was deleted")
	return false, nil
}

// purge deletes the files, then the folders that this leaves empty.
func purge(out io.Writer, doomed []doomedFile) error {
	var failed []error
	var bytes int64
	own := ownFolders()
	for _, d := range doomed {
		if err := os.Remove(d.path); err != nil {
			failed = append(failed, err)
			continue
		}
		bytes += d.bytes
		// Remove refuses folders that still hold something, which ends the climb.
		for dir := filepath.Dir(d.path); !slices.Contains(own, dir) && os.Remove(dir) == nil; dir = filepath.Dir(dir) {
		}
	}
	fmt.Fprintf(out, "deleted %d files, %s\n", len(doomed)-len(failed), library.Size(bytes))
	return errors.Join(failed...)
}
