package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const (
	mit = `Permission is hereby granted, free of charge, to any person obtaining a copy of this software.
		The above copyright notice and this permission notice shall be included in all
		copies or substantial portions of the Software.`
	bsd2 = "Redistribution and use in source and\n   binary forms, with or without modification, are permitted provided that " +
		"the following conditions are met: the notice is kept, and the disclaimer, in the documentation and elsewhere."
	bsd3   = bsd2 + " Neither the name of Google may be used to endorse or promote products."
	apache = "Apache License\n                 Version 2.0, January 2004\n"
	gpl    = "GNU GENERAL PUBLIC LICENSE Version 3, 29 June 2007"
	mpl    = "Mozilla Public License Version 2.0 ... means either the GNU General Public License"
)

func TestIdentify(t *testing.T) {
	for text, want := range map[string]string{
		mit: "MIT", bsd2: "BSD-2-Clause", bsd3: "BSD-3-Clause", apache: "Apache-2.0", gpl: "GPL", mpl: "MPL-2.0",
		mit + apache: "Apache-2.0 MIT", "do what you like": "", "This is under the MIT licence.": "",
		"GNU Lesser General Public License": "LGPL", "GNU Affero General Public License": "AGPL",
	} {
		if got := strings.Join(identify(text), " "); got != want {
			t.Errorf("%.40q is %q, want %q", text, got, want)
		}
	}
}

func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestLicencesOfAFolder(t *testing.T) {
	long := strings.Repeat("All rights are mine. ", 20)
	for _, c := range []struct {
		files      map[string]string
		want, fail string
		notices    int
	}{
		{map[string]string{"LICENSE": mit, "README": gpl}, "MIT", "", 1},
		{map[string]string{"COPYING.md": bsd3, "LICENSE-other": mit, "NOTICE": "thanks", "copy.go": gpl}, "BSD-3-Clause MIT", "", 3},
		{map[string]string{"LICENSE": mit, "LICENSE-LOGO": "https://example.org/logo"}, "MIT", "", 2},
		{map[string]string{"LICENSE": mit, "LICENSE-2": long}, "", "LICENSE-2 is no licence that is known", 0},
		{map[string]string{"LICENSE": long}, "", "LICENSE is no licence that is known", 0},
		{map[string]string{"NOTICE": "thanks"}, "", "no licence file", 0},
		{nil, "", "no licence file", 0},
	} {
		ids, notices, err := licences(folder(t, c.files))
		if c.fail != "" {
			if err == nil || !strings.Contains(err.Error(), c.fail) {
				t.Errorf("%v: %v, want %q", c.files, err, c.fail)
			}
		} else if err != nil || strings.Join(ids, " ") != c.want || len(notices) != c.notices {
			t.Errorf("%v: %q, %d notices, %v", c.files, ids, len(notices), err)
		}
	}
}

func TestForbiddenLicencesAreNamed(t *testing.T) {
	var out bytes.Buffer
	good := component{path: "a", version: "v1", licences: []string{"MIT"}}
	if err := listLicences(&out, []component{good}); err != nil {
		t.Error(err)
	}
	bad := component{path: "b", version: "v2", licences: []string{"GPL", "MIT"}}
	if err := listLicences(&out, []component{good, bad}); err == nil || !strings.Contains(err.Error(), "b is under GPL") {
		t.Errorf("%v", err)
	}
}

// TestThisBinary runs all three commands on the test's own binary.
func TestThisBinary(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	outputs := map[string]string{}
	for _, command := range []string{"licences", "sbom", "notices"} {
		var one, two bytes.Buffer
		if err := run(&one, []string{command, self}); err != nil {
			t.Fatalf("%s: %v", command, err)
		}
		if err := run(&two, []string{command, self}); err != nil {
			t.Fatal(err)
		}
		if one.String() != two.String() {
			t.Errorf("%s differs from run to run", command)
		}
		outputs[command] = one.String()
	}
	if !strings.Contains(outputs["licences"], "std go") || !strings.Contains(outputs["notices"], "Redistribution and use") {
		t.Errorf("the Go distribution's licence is missing:\n%s", outputs["licences"])
	}
	if err := run(&bytes.Buffer{}, []string{"sbom", "release.go"}); err == nil {
		t.Error("a bill of something that is no binary")
	}
}

func TestBill(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	parts := []component{{path: "github.com/BurntSushi/toml", version: "v1.6.0+x", sum: "h1:abc=", licences: []string{"MIT"}}}
	var out bytes.Buffer
	if err := bill(&out, self, parts); err != nil {
		t.Fatal(err)
	}
	var b sbom
	if err := json.Unmarshal(out.Bytes(), &b); err != nil {
		t.Fatal(err)
	}
	const ref = "pkg:golang/github.com/burntsushi/toml@v1.6.0%2Bx"
	if b.Format != "CycloneDX" || len(b.Components) != 1 || b.Components[0].PURL != ref || b.Components[0].Licences[0].Licence.ID != "MIT" {
		t.Errorf("%+v", b)
	}
	if !slices.Equal(b.Dependencies[0].On, []string{ref}) || len(b.Metadata.Component.Hashes[0].Content) != 64 {
		t.Errorf("%+v %+v", b.Dependencies, b.Metadata)
	}
}
