package gguf

import (
	"fmt"
	"path/filepath"
	"regexp"
)

// partName matches the names of parts: "-00001-of-00003.gguf" at the end.
var partName = regexp.MustCompile(`^(.*)-(\d{5})-of-(\d{5})\.gguf$`)

// split returns which part this is, from 0, and of how many; 1 where the model
// is in one file.
func (p *part) split() (no, count int64) {
	if count = p.int("split.count"); count < 2 {
		return 0, 1
	}
	return p.int("split.no"), count
}

// int returns the number at key, 0 where there is none.
func (p *part) int(key string) int64 {
	v, ok := p.values[key]
	if !ok {
		return 0
	}
	n, _ := v.int()
	return n
}

// siblings returns all parts of the model that p is one of, in order. With an
// error it returns what was opened, p included.
func siblings(p *part) ([]*part, error) {
	no, count := p.split()
	if count == 1 {
		return []*part{p}, nil
	}
	dir, base := filepath.Split(p.path)
	name := partName.FindStringSubmatch(base)
	if name == nil || name[2] != fmt.Sprintf("%05d", no+1) || name[3] != fmt.Sprintf("%05d", count) {
		return []*part{p}, fmt.Errorf("%s: by its keys this is part %d of %d of a split model, so its name must end in -%05d-of-%05d.gguf for the other parts to be found",
			p.path, no+1, count, no+1, count)
	}
	parts := []*part{p}
	inOrder := make([]*part, 0, min(count, 1024))
	for i := range count {
		if i == no {
			inOrder = append(inOrder, p)
			continue
		}
		q, err := openPart(dir + fmt.Sprintf("%s-%05d-of-%05d.gguf", name[1], i+1, count))
		if err != nil {
			return parts, fmt.Errorf("%s is split into %d parts, of which one cannot be read: %w", p.path, count, err)
		}
		parts = append(parts, q)
		if qno, qcount := q.split(); qno != i || qcount != count {
			return parts, fmt.Errorf("%s: by its keys this is part %d of %d, by its name part %d of %d", q.path, qno+1, qcount, i+1, count)
		}
		inOrder = append(inOrder, q)
	}
	return inOrder, nil
}
