package store

import (
	"regexp"
	"strings"
	"unicode"
)

const (
	// titleRunes is the longest title made from a message.
	titleRunes = 60
	// titleSource is how many bytes of a message are looked at for its title.
	titleSource = 4096
)

var (
	// fenceLine opens or closes a block of code. Where more backticks follow, it is code
	// within a line.
	fenceLine = regexp.MustCompile("^\\s*(?:`{3,}[^`]*|~{3,}.*)$")
	// ruleLine parts sections, or makes a heading of the line above it.
	ruleLine = regexp.MustCompile(`^\s*(?:-{3,}|\*{3,}|_{3,}|={3,})\s*$`)
	// blockSigns begin headings, quotes, and the items of lists.
	blockSigns = regexp.MustCompile(`^\s*(?:(?:#{1,6}|[-+*>])\s+)+(?:\[[ xX]\]\s+)?`)
	// signed is text within signs: code, links, the kinds of emphasis. Emphasis by
	// underscores is not among them: names that begin and end with them are as common.
	signed = regexp.MustCompile("`+([^`]+)`+" + `|!?\[([^\[\]]+)\]\([^()\s]*\)` +
		`|\*\*\*(\S|\S.*?\S)\*\*\*|\*\*(\S|\S.*?\S)\*\*|~~(\S|\S.*?\S)~~|\B\*([\pL\pN](?:[^*]*[\pL\pN.!?])?)\*\B`)
)

// titleFrom makes a title of a message's first words, without the signs of Markdown
// around them. Code stays as it is.
func titleFrom(message string) string {
	s := strings.TrimSpace(message)
	s = strings.ToValidUTF8(s[:min(len(s), titleSource)], "")
	var plain []string
	code := false
	for line := range strings.SplitSeq(s, "\n") {
		switch {
		case fenceLine.MatchString(line):
			code = !code
		case code:
			plain = append(plain, line)
		case !ruleLine.MatchString(line):
			plain = append(plain, withoutSigns(blockSigns.ReplaceAllString(line, "")))
		}
	}
	if title := firstWords(strings.Join(plain, "\n")); title != "" {
		return title
	}
	return firstWords(s) // nothing but signs
}

func withoutSigns(s string) string {
	return signed.ReplaceAllStringFunc(s, func(part string) string {
		within := signed.FindStringSubmatch(part)
		if code := within[1]; code != "" {
			return code
		}
		return withoutSigns(strings.Join(within[2:], ""))
	})
}

// firstWords is as much of a text as a title holds, on one line.
func firstWords(s string) string {
	words := strings.FieldsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) })
	title := []rune(strings.Join(words, " "))
	if len(title) <= titleRunes {
		return string(title)
	}
	return strings.TrimSpace(string(title[:titleRunes])) + "…"
}
