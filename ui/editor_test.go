package ui

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/confab-tui/confab/ui/text"
)

func TestEditorStepsOverClusters(t *testing.T) {
	e := editor{col: -1}
	family := "👩‍👩‍👧"
	e.insert("a" + family + "é漢")
	var stops []int
	for e.at > 0 {
		stops = append(stops, e.at)
		e.goTo(e.left())
	}
	if len(stops) != 4 {
		t.Errorf("four characters take %d steps: %v", len(stops), stops)
	}
	e.goTo(e.right())
	e.delete()
	if e.s != "aé漢" {
		t.Errorf("deleting a cluster leaves %q", e.s)
	}
}

func TestEditorWords(t *testing.T) {
	e := editor{col: -1}
	e.insert("one two, three")
	e.wordBack()
	e.wordBack()
	if e.s != "one " {
		t.Errorf("two words back leave %q", e.s)
	}
	e.undo()
	if e.s != "one two, " {
		t.Errorf("undo gives %q", e.s)
	}
	e.goTo(0)
	e.wordAhead()
	if e.s != " two, " {
		t.Errorf("a word ahead leaves %q", e.s)
	}
}

func TestEditorChip(t *testing.T) {
	e := editor{col: -1}
	e.insert("see ")
	long := strings.Repeat("x\n", 20)
	e.paste(long)
	e.insert(" and")
	if e.value() != "see "+long+" and" {
		t.Errorf("the value is %q", e.value())
	}
	for range len(" and") {
		e.backspace()
	}
	e.backspace()
	if e.value() != "see " {
		t.Errorf("a chip does not go as one: %q", e.value())
	}
}

// TestEditorRows edits at random and checks what must always hold: the rows
// cover the text, none is wider than it may be, the cursor is on a boundary,
// and finding it again by its place gives the same byte.
func TestEditorRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	pieces := []string{"a", "word ", "漢字", "\n", "\t", "👩‍👩‍👧", "e\u0301", "longerthanthewidth", "  ", "é"}
	for range 200 {
		e := editor{col: -1}
		width := 6 + rng.IntN(20)
		for range 40 {
			switch rng.IntN(9) {
			case 0:
				e.goTo(e.left())
			case 1:
				e.goTo(e.right())
			case 2:
				e.backspace()
			case 3:
				e.vertical(1-2*rng.IntN(2), width)
			case 4:
				e.paste(strings.Repeat("z\n", rng.IntN(12)))
			default:
				e.insert(pieces[rng.IntN(len(pieces))])
			}
			checkEditor(t, &e, width)
		}
	}
}

func checkEditor(t *testing.T, e *editor, width int) {
	t.Helper()
	rows := e.rows(width)
	at := 0
	for i, r := range rows {
		if r.start != at && (r.start != at+1 || e.s[at] != '\n') {
			t.Fatalf("row %d of %q begins at %d, not %d", i, e.s, r.start, at)
		}
		at = r.end
		if w := text.Width(e.draw(r, "", "")); w > width && utf8.RuneCountInString(e.s[r.start:r.end]) > 1 {
			t.Fatalf("row %d of %q has %d cells of %d", i, e.s, w, width)
		}
	}
	if at != len(e.s) {
		t.Fatalf("the rows of %q end at %d", e.s, at)
	}
	if e.at > len(e.s) || e.at < len(e.s) && !utf8.RuneStart(e.s[e.at]) {
		t.Fatalf("the cursor of %q is at %d", e.s, e.at)
	}
	y, x := e.locate(rows)
	if got := e.byteAt(rows, y, x); got != e.at {
		t.Fatalf("the cursor of %q at %d is found at %d (row %d, column %d of %d)", e.s, e.at, got, y, x, width)
	}
}
