package text

import (
	"strings"
	"testing"
)

func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		"plain\ttext\n":    "plain\ttext\n",
		"a\x1b[31mb":       "a␛[31mb",
		"a\r\nb\rc":        "a\nb\nc",
		"\x00\x7f":         "␀␡",
		"\u009b31m":        "\ufffd31m",
		"ab\xff\xc3":       "ab\ufffd\ufffd",
		"x\u202ey\u2066z":  "x\ufffdy\ufffdz",
		"👩\u200d👧 e\u0301": "👩\u200d👧 e\u0301",
	} {
		if got := Clean(in); got != want {
			t.Errorf("Clean(%q) = %q, want %q", in, got, want)
		}
	}
	if got := CleanLine("a\nb\tc\x07"); got != "a b c␇" {
		t.Errorf("CleanLine = %q", got)
	}
}

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		in    string
		width int
		want  string
	}{
		{"one two three", 7, "one two|three"},
		{"one two three", 8, "one two|three"},
		{"abcdefghij", 4, "abcd|efgh|ij"},
		{"日本語の文", 5, "日本|語の|文"},
		{"a\n\nb", 9, "a||b"},
		{"a   b", 2, "a|b"},
		{"  indented words", 10, "  indented|words"},
		{"", 5, ""},
	} {
		if got := strings.Join(Wrap(c.in, c.width), "|"); got != c.want {
			t.Errorf("Wrap(%q, %d) = %q, want %q", c.in, c.width, got, c.want)
		}
	}
	for _, l := range WrapLines("one two\nthree four", 5) {
		if got := "one two\nthree four"[l.Start:l.End]; got != l.Text {
			t.Errorf("a line shows %q and claims %q", l.Text, got)
		}
	}
}
