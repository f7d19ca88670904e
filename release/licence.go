package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// permitted are the licences (SPDX) of what confab may be linked with: they ask
// for their notice, which the releases carry, and for nothing else.
var permitted = []string{"Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT", "blessing"}

var (
	licenceFile = regexp.MustCompile(`(?i)^((.*[-_.])?(un)?licen[cs]es?|copying|copyright)([-_.].*)?$`)
	noticeFile  = regexp.MustCompile(`(?i)^notice(\.(txt|md))?$`)
	spaces      = regexp.MustCompile(`\s+`)
)

// marks are phrases that only the licence's own text has, and phrases that must
// be missing from it. Several may fit a file that holds several texts.
var marks = []struct {
	id         string
	has, lacks []string
}{
	{"Apache-2.0", []string{"apache license version 2.0, january 2004"}, nil},
	{"MIT", []string{"permission is hereby granted, free of charge, to any person obtaining a copy", "shall be included in all copies or substantial portions"}, nil},
	{"BSD-3-Clause", []string{"redistribution and use in source and binary forms", "may be used to endorse or promote products"}, nil},
	{"BSD-2-Clause", []string{"redistribution and use in source and binary forms"}, []string{"may be used to endorse or promote products"}},
	{"ISC", []string{"permission to use, copy, modify, and/or distribute this software for any purpose with or without fee is hereby granted"}, nil},
	{"MPL-2.0", []string{"mozilla public license version 2.0"}, nil},
	{"LGPL", []string{"gnu lesser general public license"}, []string{"mozilla public license"}},
	{"AGPL", []string{"gnu affero general public license"}, []string{"mozilla public license"}},
	{"GPL", []string{"gnu general public license"}, []string{"mozilla public license"}},
	{"blessing", []string{"has been dedicated to the public domain by the authors"}, nil},
}

// identify names the licences that a text holds.
func identify(text string) []string {
	text = strings.ToLower(spaces.ReplaceAllString(text, " "))
	var out []string
	for _, m := range marks {
		fits := true
		for _, p := range m.has {
			fits = fits && strings.Contains(text, p)
		}
		for _, p := range m.lacks {
			fits = fits && !strings.Contains(text, p)
		}
		if fits {
			out = append(out, m.id)
		}
	}
	return out
}

// shortest is the length in bytes that any licence's text exceeds; what is
// shorter only says where something comes from.
const shortest = 200

// notice is a file that goes out with the program.
type notice struct{ name, text string }

// licences reads the licence and notice files at the top of a module's folder,
// and names the licences. A licence file that is none of the known texts is an
// error, as is a folder without one.
func licences(dir string) ([]string, []notice, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, nil, err
	}
	var ids []string
	var notices []notice
	for _, e := range entries {
		isLicence := licenceFile.MatchString(e.Name())
		if e.IsDir() || !isLicence && !noticeFile.MatchString(e.Name()) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, nil, err
		}
		notices = append(notices, notice{e.Name(), string(text)})
		found := identify(string(text))
		if isLicence && len(found) == 0 && len(text) > shortest {
			return nil, nil, fmt.Errorf("%s is no licence that is known here", e.Name())
		}
		ids = append(ids, found...)
	}
	if len(ids) == 0 {
		return nil, nil, fmt.Errorf("there is no licence file in %s", dir)
	}
	slices.Sort(ids)
	return slices.Compact(ids), notices, nil
}
