package kv

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "rewrite the expected output in testdata")

// TestScripts runs testdata/*.txt: a command a line, then a line of dashes and
// what all of them print, then an empty line.
func TestScripts(t *testing.T) {
	files, _ := filepath.Glob("testdata/*.txt")
	if len(files) == 0 {
		t.Fatal("no scripts in testdata")
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := (&script{}).run(t, string(text))
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if got != string(text) {
				t.Errorf("%s differs; with -update it would be:\n%s", file, got)
			}
		})
	}
}

type script struct {
	pool *Pool
	seqs map[string]*Seq
}

func (s *script) run(t *testing.T, text string) string {
	var out bytes.Buffer
	for _, block := range strings.Split(strings.TrimSpace(text), "\n\n") {
		commands, _, _ := strings.Cut(block, "\n----")
		var printed strings.Builder
		for _, line := range strings.Split(commands, "\n") {
			if strings.HasPrefix(line, "#") {
				continue
			}
			printed.WriteString(s.command(t, strings.Fields(line)))
			if err := s.pool.verify(); err != nil {
				t.Fatalf("after %q: %v", line, err)
			}
		}
		if out.Len() > 0 {
			out.WriteByte('\n')
		}
		fmt.Fprintf(&out, "%s\n----\n%s", commands, printed.String())
	}
	return out.String()
}

func (s *script) command(t *testing.T, args []string) string {
	numbers := func(from int) []int32 {
		var list []int32
		for _, a := range args[min(from, len(args)):] {
			n, err := strconv.Atoi(a)
			if err != nil {
				t.Fatalf("%v: %v", args, err)
			}
			list = append(list, int32(n))
		}
		return list
	}
	count := func(i int) int {
		n, err := strconv.Atoi(args[i])
		if err != nil {
			t.Fatalf("%v: %v", args, err)
		}
		return n
	}
	var q *Seq
	if len(args) > 1 {
		q = s.seqs[args[1]]
	}
	switch args[0] {
	case "new":
		s.pool, s.seqs = New(count(1)), make(map[string]*Seq)
		s.pool.Now = func() time.Time { return time.Unix(int64(s.pool.clock), 0) }
	case "open":
		q = s.pool.Open(args[1], numbers(2))
		s.seqs[args[1]] = q
		return fmt.Sprintf("%s has %d\n", args[1], q.Len())
	case "adopt":
		return fmt.Sprintf("%s adopts %d\n", args[1], s.pool.Adopt(q, numbers(2)))
	case "extend":
		if !s.pool.Extend(q, numbers(2)) {
			return fmt.Sprintf("no room for %s\n", args[1])
		}
	case "commit":
		s.pool.Commit(q, count(2))
	case "add":
		if !s.pool.Extend(q, numbers(2)) {
			return fmt.Sprintf("no room for %s\n", args[1])
		}
		s.pool.Commit(q, q.Len())
	case "truncate":
		s.pool.Truncate(q, count(2))
	case "close":
		s.pool.Close(q, count(2))
		delete(s.seqs, args[1])
	case "settle":
		return fmt.Sprintf("%s keeps %d\n", args[1], s.pool.Settle(q))
	case "rest":
		s.pool.Rest(q)
	case "wake":
		s.pool.Wake(q, args[2])
	case "match":
		matched, held := s.pool.Match(numbers(1))
		return fmt.Sprintf("%d matched, %d held\n", matched, held)
	case "show":
		return s.show()
	case "usage":
		return usageText(s.pool.Usage(count(1)))
	default:
		t.Fatalf("no command %q", args[0])
	}
	return ""
}

func (s *script) show() string {
	var out strings.Builder
	fmt.Fprintf(&out, "free %d, idle %d\n", s.pool.Free(), s.pool.Idle())
	for _, q := range s.pool.live {
		fmt.Fprintf(&out, "%s: %s", q.owner, pairs(q.tokens, q.cells))
		if q.done < q.Len() {
			fmt.Fprintf(&out, " (%d committed)", q.done)
		}
		out.WriteByte('\n')
	}
	s.branch(&out, s.pool.root, "  ")
	return out.String()
}

func (s *script) branch(out *strings.Builder, r *run, indent string) {
	var kids []*run
	for _, kid := range r.kids {
		kids = append(kids, kid)
	}
	sort.Slice(kids, func(i, j int) bool { return kids[i].tokens[0] < kids[j].tokens[0] })
	for _, kid := range kids {
		fmt.Fprintf(out, "%s%s used %d by %s\n", indent, pairs(kid.tokens, kid.cells), kid.used, strings.Join(kid.owners, " "))
		s.branch(out, kid, indent+"  ")
	}
}

// pairs prints tokens with their cells.
func pairs(tokens, cells []int32) string {
	var list []string
	for i := range tokens {
		list = append(list, fmt.Sprintf("%d@%d", tokens[i], cells[i]))
	}
	return strings.Join(list, " ")
}

func usageText(u Usage) string {
	var out strings.Builder
	fmt.Fprintf(&out, "total %d = held %d + cached %d + free %d; shared %d\n", u.Total, u.Held, u.Cached, u.Free, u.Shared)
	for _, o := range u.Owners {
		state := "idle"
		if o.Live {
			state = "live"
		}
		fmt.Fprintf(&out, "%s: %d cells, %d shared, %s, used %d\n", o.Name, o.Cells, o.Shared, state, o.Used.Unix())
	}
	for _, k := range u.Map {
		out.WriteByte(".cSH"[k])
	}
	out.WriteByte('\n')
	return out.String()
}
