package store

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/confab-tui/confab/engine/chat"
)

// someOdds are like those of a real answer: the same few hundred candidates come
// again and again.
func someOdds(n int) []TokenOdds {
	rnd := rand.New(rand.NewPCG(1, 2))
	word := func() Candidate {
		id := int32(rnd.ExpFloat64() * 300)
		return Candidate{ID: id, Text: fmt.Sprintf(" w%d", id)}
	}
	list := make([]TokenOdds, n)
	for i := range list {
		t := &list[i]
		at := -float32(rnd.ExpFloat64())
		for range 8 {
			c := word()
			c.LogProb = at
			at -= float32(rnd.ExpFloat64())
			t.Alternatives = append(t.Alternatives, c)
		}
		c := t.Alternatives[rnd.IntN(2)]
		t.ID, t.LogProb, t.Length, t.Thinking = c.ID, c.LogProb, len(c.Text), i < n/4
		t.Prob = float32(math.Exp(float64(c.LogProb))) * 0.9
	}
	return list
}

func TestOddsComeBack(t *testing.T) {
	dir := t.TempDir()
	s := openTest(t, dir)
	c := s.New()
	a := c.BeginAnswer(c.AddUser(0, "hello").ID, Facts{})
	list := someOdds(1000)
	list[7].LogProb, list[7].Prob = float32(math.Inf(-1)), 0
	a.Finish(chat.Message{Content: "Good day"}, Facts{Reason: "stop"}, NewOdds(slices.Values(list)))
	if n := len(a.Message().Odds.pack()); n > 40*len(list) {
		t.Errorf("%d bytes for %d tokens with 8 candidates each: more than 40 a token", n, len(list))
	} else {
		t.Logf("%.1f bytes a token", float64(n)/float64(len(list)))
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	fresh, err := NewOdds(slices.Values(list)).Tokens()
	if err != nil {
		t.Fatal(err)
	}
	got, err := load(t, openTest(t, dir), c.ID).Path()[1].Odds.Tokens()
	if !reflect.DeepEqual(got, fresh) {
		t.Errorf("%d tokens are stored as something else than %d have just been", len(got), len(fresh))
	}
	if err != nil || len(got) != len(list) {
		t.Fatalf("%d tokens came back, %v", len(got), err)
	}
	near := func(a, b float32) bool { return a == b || math.Abs(float64(a-b)) <= 1.0/oddsStep }
	for i := range list {
		w, g := &list[i], &got[i]
		if g.ID != w.ID || g.Length != w.Length || g.Thinking != w.Thinking || !near(g.LogProb, w.LogProb) || !near(g.Prob, w.Prob) || len(g.Alternatives) != 8 {
			t.Fatalf("token %d came back as %+v, was %+v", i, g, w)
		}
		for j := range w.Alternatives {
			if x, y := g.Alternatives[j], w.Alternatives[j]; x.ID != y.ID || x.Text != y.Text || !near(x.LogProb, y.LogProb) {
				t.Fatalf("candidate %d of token %d came back as %+v, was %+v", j, i, x, y)
			}
		}
	}
}

// Damaged odds are an error, whatever the bytes are.
func TestDamagedOdds(t *testing.T) {
	whole := deflate(encodeOdds(slices.Values(someOdds(50))))
	rnd := rand.New(rand.NewPCG(3, 4))
	for i := range 3000 {
		b := append([]byte(nil), whole...)
		b[rnd.IntN(len(b))] ^= byte(1 << rnd.IntN(8))
		if i%3 == 0 {
			b = b[:rnd.IntN(len(b))]
		}
		list, err := oddsFrom(append(b, 0)).Tokens()
		if err == nil && len(list) > 1<<20 {
			t.Fatalf("%d tokens came out of %d bytes", len(list), len(b))
		}
	}
	if _, err := oddsFrom([]byte("no")).Tokens(); err == nil {
		t.Error("bytes that are no odds were read")
	}
	if list, err := (*Odds)(nil).Tokens(); list != nil || err != nil {
		t.Errorf("no odds give %v, %v", list, err)
	}
}

// A database of the first schema opens, with its answers without odds.
func TestFirstSchemaOpens(t *testing.T) {
	dir := t.TempDir()
	db, err := sql.Open("sqlite", filepath.Join(dir, FileName))
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range []string{migrations[0], "PRAGMA user_version = 1",
		"INSERT INTO chats(id, title, leaf) VALUES(7, 'old', 9)",
		"INSERT INTO messages VALUES(8, 7, 0, 'user', 'hello', '', '', '', '', NULL, '', 0, 0, 5, '', 1)",
		"INSERT INTO messages VALUES(9, 7, 8, 'assistant', 'Good day', '', '', '', '', x'0A', 'id', 0, 0, 6, '{\"seed\":\"3\",\"counts\":{}}', 1)"} {
		if _, err := db.ExecContext(context.Background(), q); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	s := openTest(t, dir)
	c := load(t, s, 7)
	m := c.Path()[1]
	if m.Content != "Good day" || m.Odds != nil || m.Facts.Seed != 3 || len(m.Tokens) != 1 {
		t.Fatalf("came back as %+v", m)
	}
	a := c.Continue(9, *m.Facts)
	a.Finish(chat.Message{Content: "Good day to you"}, *m.Facts, NewOdds(slices.Values(someOdds(4))))
	flush(t, s)
	if list, err := load(t, s, 7).Path()[1].Odds.Tokens(); err != nil || len(list) != 4 {
		t.Errorf("%d tokens came back, %v", len(list), err)
	}
}
