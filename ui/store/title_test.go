package store

import (
	"strings"
	"testing"
)

func TestTitles(t *testing.T) {
	for text, want := range map[string]string{
		"  a \n\x1b[31m b": "a [31m b", "": "", "\xff": "",
		strings.Repeat("a", 70):        strings.Repeat("a", 60) + "…",
		strings.Repeat("word ", 1<<20): strings.TrimSpace(strings.Repeat("word ", 12)) + "…",
		// signs around words
		"Show me **every** `x` of *it*":                "Show me every x of it",
		"***Now*** ~~not~~ **use `f(a*b)`**!":          "Now not use f(a*b)!",
		"See [the page](https://a.b/c?d=e), too":       "See the page, too",
		"# Title\n\n> - a quote\n- [x] done\n---\nend": "Title a quote done end",
		// code, which stays
		"Why?\n\n```go\nx := **p // # 1\n```\nThanks": "Why? x := **p // # 1 Thanks",
		"~~~\n- a\n~~~":            "- a",
		"What does `**x**` mean?":  "What does **x** mean?",
		"```inline``` is one line": "inline is one line",
		"How long is ```\nbroken":  "How long is ``` broken",
		"a_b, __init__ and _x":     "a_b, __init__ and _x",
		"2*3*4 or 2 * 3 * 4?":      "2*3*4 or 2 * 3 * 4?",
		"*.go and *.c":             "*.go and *.c",
		"#include in C# #1":        "#include in C# #1",
		"-5 > -6":                  "-5 > -6",
		"1. one":                   "1. one",
		"f(*args, **kwargs)":       "f(*args, **kwargs)",
		"[a] (b) [c]":              "[a] (b) [c]",
		// nothing but signs
		"```":      "```",
		"***":      "***",
		"```\n```": "``` ```",
	} {
		if got := titleFrom(text); got != want {
			t.Errorf("%.60q gives the title %q, want %q", text, got, want)
		}
	}
}
