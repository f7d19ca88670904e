package main

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// The types are the part of CycloneDX 1.6 that a linked program needs.
type (
	sbom struct {
		Schema       string    `json:"$schema"`
		Format       string    `json:"bomFormat"`
		Spec         string    `json:"specVersion"`
		Version      int       `json:"version"`
		Metadata     metadata  `json:"metadata"`
		Components   []entry   `json:"components"`
		Dependencies []depends `json:"dependencies"`
	}
	metadata struct {
		Component entry `json:"component"`
	}
	entry struct {
		Type       string     `json:"type"`
		Ref        string     `json:"bom-ref"`
		Name       string     `json:"name"`
		Version    string     `json:"version"`
		Scope      string     `json:"scope,omitempty"`
		Hashes     []digest   `json:"hashes,omitempty"`
		Licences   []licensed `json:"licenses,omitempty"`
		PURL       string     `json:"purl"`
		Properties []property `json:"properties,omitempty"`
	}
	digest struct {
		Algorithm string `json:"alg"`
		Content   string `json:"content"`
	}
	licensed struct {
		Licence struct {
			ID string `json:"id"`
		} `json:"license"`
	}
	property struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	}
	depends struct {
		Ref string   `json:"ref"`
		On  []string `json:"dependsOn,omitempty"`
	}
)

// bill prints a binary's bill of materials: it, its modules, and the settings
// that it was built with.
func bill(out io.Writer, binary string, parts []component) error {
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return err
	}
	sum, err := fileSum(binary)
	if err != nil {
		return err
	}
	program := entry{Type: "application", Ref: "confab", Name: filepath.Base(binary), Version: info.Main.Version,
		Hashes: []digest{{"SHA-256", sum}}, Licences: licensedUnder("Apache-2.0"), PURL: purl(info.Main.Path, info.Main.Version)}
	for _, s := range info.Settings {
		program.Properties = append(program.Properties, property{"go:build:" + s.Key, s.Value})
	}
	b := sbom{Schema: "http://cyclonedx.org/schema/bom-1.6.schema.json", Format: "CycloneDX", Spec: "1.6", Version: 1,
		Metadata: metadata{program}, Components: []entry{}}
	uses := depends{Ref: program.Ref}
	for _, c := range parts {
		e := entry{Type: "library", Ref: purl(c.path, c.version), Name: c.path, Version: c.version, Scope: "required",
			Licences: licensedUnder(c.licences...), PURL: purl(c.path, c.version)}
		if c.sum != "" {
			e.Properties = []property{{"go:sum", c.sum}}
		}
		b.Components = append(b.Components, e)
		uses.On = append(uses.On, e.Ref)
	}
	b.Dependencies = []depends{uses}
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(b)
}

func licensedUnder(ids ...string) []licensed {
	out := make([]licensed, len(ids))
	for i, id := range ids {
		out[i].Licence.ID = id
	}
	return out
}

// purl is a Go module's package URL. Its type wants lower case, and a + in a
// version escaped.
func purl(path, version string) string {
	return "pkg:golang/" + strings.ToLower(path) + "@" + strings.NewReplacer("+", "%2B", "(", "%28", ")", "%29").Replace(version)
}

func fileSum(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
