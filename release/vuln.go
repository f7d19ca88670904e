package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// weaknesses is the module that has Go's database of known weaknesses, an OSV file each.
const weaknesses = "golang.org/x/vulndb"

// checkWeaknesses has govulncheck look at the module in the working folder.
func checkWeaknesses(out io.Writer) error {
	fetched, err := exec.Command("go", "mod", "download", "-json", weaknesses+"@latest").Output()
	var m struct{ Version, Dir, Error string }
	if json.Unmarshal(fetched, &m) != nil || err != nil || m.Error != "" {
		fmt.Fprintf(out, "the database of weaknesses (%s) cannot be fetched: not checked\n", weaknesses)
		return nil
	}
	fmt.Fprintf(out, "against %s %s\n", weaknesses, m.Version)
	check := exec.Command("go", "tool", "govulncheck", "-db", "file://"+filepath.ToSlash(filepath.Join(m.Dir, "data", "osv")), "-format", "json", ".")
	check.Stderr = os.Stderr
	found, err := check.Output()
	if err != nil {
		return fmt.Errorf("govulncheck: %w", err)
	}
	return judge(out, found)
}

// finding is what govulncheck says of a weakness and a place that it may be reached from.
type finding struct {
	OSV   string
	Fixed string `json:"fixed_version"`
	Trace []struct{ Module, Version, Function string }
}

// judge lists the weaknesses that the program can reach. Those of a module are an error;
// those of Go itself are cured by building with a newer one, which is told.
func judge(out io.Writer, found []byte) error {
	var reached []finding
	for dec := json.NewDecoder(bytes.NewReader(found)); ; {
		var message struct{ Finding *finding }
		if err := dec.Decode(&message); err == io.EOF {
			break
		} else if err != nil {
			return fmt.Errorf("govulncheck: %w", err)
		}
		if f := message.Finding; f != nil && len(f.Trace) > 0 && f.Trace[0].Function != "" {
			reached = append(reached, *f)
		}
	}
	slices.SortFunc(reached, func(a, b finding) int { return strings.Compare(a.OSV, b.OSV) })
	reached = slices.CompactFunc(reached, func(a, b finding) bool { return a.OSV == b.OSV })
	ours := 0
	for _, f := range reached {
		at := f.Trace[0]
		fmt.Fprintf(out, "%s in %s %s, mended in %s\n", f.OSV, at.Module, at.Version, cmp.Or(f.Fixed, "no version"))
		if at.Module != "stdlib" {
			ours++
		}
	}
	switch {
	case ours > 0:
		return errors.New("confab reaches known weaknesses of its modules: take newer ones")
	case len(reached) > 0:
		fmt.Fprintln(out, "all of them are the Go distribution's: a release should be built with a newer one")
	}
	return nil
}
