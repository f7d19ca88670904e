// Command release says what a confab binary is made of, from what the Go linker
// recorded in it: the licences of its modules (which must be permitted ones), a
// bill of materials in CycloneDX's JSON, and the licence texts that go out with
// it. The same binary always gives the same bytes. It also has the known weaknesses
// looked up that confab can reach. It runs in the folder of the module, whose module
// cache has the sources.
package main

import (
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
)

const usage = `usage: go run ./release licences BINARY...   check and list the licences
       go run ./release sbom BINARY          print the bill of materials
       go run ./release notices BINARY...    print the licence texts
       go run ./release vuln                 list the known weaknesses that confab can reach`

func main() {
	if err := run(os.Stdout, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(out io.Writer, args []string) error {
	if len(args) == 1 && args[0] == "vuln" {
		return checkWeaknesses(out)
	}
	if len(args) < 2 || args[0] == "sbom" && len(args) != 2 {
		return errors.New(usage)
	}
	dirs, err := moduleDirs()
	if err != nil {
		return err
	}
	parts, err := linked(args[1:], dirs)
	if err != nil {
		return err
	}
	switch args[0] {
	case "licences":
		return listLicences(out, parts)
	case "sbom":
		return bill(out, args[1], parts)
	case "notices":
		return printNotices(out, parts)
	}
	return errors.New(usage)
}

// component is a module that a binary is linked with.
type component struct {
	path, version, sum string
	licences           []string
	notices            []notice
}

// moduleDirs gives the source folder of every module that is in the cache, and
// the Go distribution's as "std".
func moduleDirs() (map[string]string, error) {
	out, err := exec.Command("go", "list", "-m", "-json=Path,Version,Dir", "all").Output()
	if err != nil {
		return nil, fmt.Errorf("go list -m all: %w", err)
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	dirs := map[string]string{"std": strings.TrimSpace(string(root))}
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var m struct{ Path, Version, Dir string }
		if err := dec.Decode(&m); err == io.EOF {
			return dirs, nil
		} else if err != nil {
			return nil, fmt.Errorf("go list -m all: %w", err)
		}
		dirs[m.Path+"@"+m.Version] = m.Dir
	}
}

// linked reads the modules out of binaries, with their licences, by path.
func linked(binaries []string, dirs map[string]string) ([]component, error) {
	seen := map[string]component{}
	for _, b := range binaries {
		info, err := buildinfo.ReadFile(b)
		if err != nil {
			return nil, err
		}
		seen["std"] = component{path: "std", version: strings.Fields(info.GoVersion)[0]}
		for _, m := range info.Deps {
			if m.Replace != nil {
				return nil, fmt.Errorf("%s: %s is replaced by %s: a release is built from published modules", b, m.Path, m.Replace.Path)
			}
			seen[m.Path+"@"+m.Version] = component{path: m.Path, version: m.Version, sum: m.Sum}
		}
	}
	var out []component
	for key, c := range seen {
		var err error
		if c.licences, c.notices, err = licences(dirs[key]); err != nil {
			return nil, fmt.Errorf("%s: %w", key, err)
		}
		out = append(out, c)
	}
	slices.SortFunc(out, func(a, b component) int { return strings.Compare(a.path+"@"+a.version, b.path+"@"+b.version) })
	return out, nil
}

// listLicences prints every module's licences and refuses those that are not
// permitted.
func listLicences(out io.Writer, parts []component) error {
	var bad []string
	for _, c := range parts {
		fmt.Fprintf(out, "%-60s %s\n", c.path+" "+c.version, strings.Join(c.licences, ", "))
		for _, id := range c.licences {
			if !slices.Contains(permitted, id) {
				bad = append(bad, fmt.Sprintf("%s is under %s", c.path, id))
			}
		}
	}
	if len(bad) > 0 {
		return fmt.Errorf("%s; permitted are %s", strings.Join(bad, "; "), strings.Join(permitted, ", "))
	}
	return nil
}

func printNotices(out io.Writer, parts []component) error {
	fmt.Fprintf(out, "confab is made with these modules (%s); their licences and notices follow.\n", runtime.Version())
	for _, c := range parts {
		for _, n := range c.notices {
			if _, err := fmt.Fprintf(out, "\n==== %s %s: %s\n\n%s\n", c.path, c.version, n.name, strings.TrimSpace(n.text)); err != nil {
				return err
			}
		}
	}
	return nil
}
