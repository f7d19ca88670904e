package store

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// childEnv makes the test program a writer in the folder that it names.
const childEnv = "CONFAB_STORE_CHILD"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childEnv); dir != "" {
		fmt.Println(writeUntilKilled(dir))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// word is the n-th of what the writer writes.
func word(n int) string { return fmt.Sprintf("word%d ", n) }

// writeUntilKilled asks and streams answers, and says how many words of which chat are
// surely on disk.
func writeUntilKilled(dir string) error {
	s, err := Open(dir, Options{})
	if err != nil {
		return err
	}
	for {
		c := s.New()
		a := c.BeginAnswer(c.AddUser(0, "question").ID, Facts{ModelID: "m", Seed: 7})
		for n := range 40 {
			a.Append(word(n), "")
			if n%3 > 0 {
				continue
			}
			if err := s.Flush(context.Background()); err != nil {
				return err
			}
			fmt.Println("flushed", c.ID, n+1)
		}
	}
}

// TestKilledAtAnyMoment kills the writer without a warning, again and again. What it had
// said to be on disk is there, the rest is a part of what it wrote, and the database is
// sound.
func TestKilledAtAnyMoment(t *testing.T) {
	rounds := 30
	if testing.Short() {
		rounds = 8
	}
	dir, rnd := t.TempDir(), rand.New(rand.NewPCG(1, 1))
	flushed := map[ID]int{}
	for range rounds {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), childEnv+"="+dir)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		last := rnd.IntN(25)
		for lines, n := bufio.NewScanner(out), 0; lines.Scan(); n++ {
			if n == last {
				time.AfterFunc(time.Duration(rnd.IntN(5000))*time.Microsecond, func() { cmd.Process.Kill() })
			}
			var id ID
			var n int
			if _, err := fmt.Sscan(lines.Text(), new(string), &id, &n); err != nil {
				t.Fatalf("the writer says %q", lines.Text())
			}
			flushed[id] = n
		}
		cmd.Wait()
		checkFlushed(t, dir, flushed)
	}
	if len(flushed) < 3 {
		t.Errorf("only %d chats were written: the test shows nothing", len(flushed))
	}
}

// checkFlushed opens the database as it was left.
func checkFlushed(t *testing.T, dir string, flushed map[ID]int) {
	t.Helper()
	s, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var sound string
	if err := s.db.QueryRow("PRAGMA integrity_check").Scan(&sound); err != nil || sound != "ok" {
		t.Fatalf("the database: %s, %v", sound, err)
	}
	for id, n := range flushed {
		m := load(t, s, id).Path()[1]
		words := strings.Fields(m.Content)
		if len(words) < n || !m.Unfinished || m.Facts.Seed != 7 {
			t.Errorf("%d words were on the disk, now there are %d: %+v", n, len(words), m)
		}
		for i, w := range words {
			if w != strings.TrimSpace(word(i)) {
				t.Fatalf("word %d is %q", i, w)
			}
		}
	}
}

// TestLocked: another program that holds the database for too long keeps nothing from the
// disk for good.
func TestLocked(t *testing.T) {
	dir := t.TempDir()
	other, s := openTest(t, dir), openTest(t, dir)
	s.db.SetMaxOpenConns(1) // the pragma is a connection's
	if _, err := s.db.Exec("PRAGMA busy_timeout = 20"); err != nil {
		t.Fatal(err)
	}
	tx, err := other.db.Begin() // which takes the lock at once
	if err != nil {
		t.Fatal(err)
	}
	c := s.New()
	c.AddUser(0, "meanwhile")
	if err := s.Flush(t.Context()); err == nil || !strings.Contains(err.Error(), "another program holds the database") || s.Err() == nil {
		t.Errorf("with the database locked: %v", err)
	}
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	flush(t, s)
	if got := load(t, other, c.ID); texts(got.Path()) != "meanwhile" || s.Err() != nil {
		t.Errorf("afterwards: %q, %v", texts(got.Path()), s.Err())
	}
}
