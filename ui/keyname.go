package ui

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// keyWords are the keys that have a name instead of a character.
var keyWords = []string{
	"enter", "esc", "tab", "space", "backspace", "delete", "insert", "home", "end", "pgup", "pgdown",
	"up", "down", "left", "right",
}

// keyAlias are names that people write for them.
var keyAlias = map[string]string{"escape": "esc", "return": "enter", "del": "delete", "ins": "insert", "pageup": "pgup", "pagedown": "pgdown", "pgdn": "pgdown"}

// keyMods in the order in which the terminal's events have them.
var keyMods = []string{"ctrl", "alt", "shift", "meta", "hyper", "super"}

// readKey reads a key as a person writes it, and spells it as the events do:
// modifiers in their order, shift and a letter as the capital letter.
func readKey(s string) (string, bool) {
	mods := map[string]bool{}
	for {
		mod, rest, ok := strings.Cut(s, "+")
		if !ok || rest == "" || !slices.Contains(keyMods, strings.ToLower(mod)) {
			break
		}
		mods[strings.ToLower(mod)], s = true, rest
	}
	if utf8.RuneCountInString(s) != 1 {
		s = strings.ToLower(s)
		if a, ok := keyAlias[s]; ok {
			s = a
		}
		if !slices.Contains(keyWords, s) && !functionKey(s) {
			return "", false
		}
	} else if r, _ := utf8.DecodeRuneInString(s); !unicode.IsGraphic(r) || unicode.IsSpace(r) {
		return "", false
	} else if mods["shift"] && len(mods) == 1 && unicode.IsLetter(r) {
		delete(mods, "shift")
		s = string(unicode.ToUpper(r))
	} else if mods["ctrl"] {
		s = string(unicode.ToLower(r))
	}
	out := ""
	for _, m := range keyMods {
		if mods[m] {
			out += m + "+"
		}
	}
	return out + s, true
}

func functionKey(s string) bool {
	n, err := strconv.Atoi(strings.TrimPrefix(s, "f"))
	return err == nil && strings.HasPrefix(s, "f") && n >= 1 && n <= 24
}
