package chat

import (
	"fmt"
	"strings"
)

// rewrite turns an expression of Jinja2 into one that the library evaluates
// alike:
//   - x | f and x.m() call our filters and methods, which keep to Python's
//     meaning and to the guard's limits; in the library, filters bind as
//     methods do, so one may stand for the other;
//   - x * y and x % y become filters too, for Python repeats and formats
//     strings with them;
//   - "is in" becomes "in", and tests get brackets around their argument.
func rewrite(all []lexeme) ([]lexeme, error) {
	var out []lexeme
	for i := 0; i < len(all); i++ {
		l, next := all[i], at(all, i+1)
		switch {
		case l.kind == lexName && strings.HasPrefix(l.text, "__"):
			return nil, fmt.Errorf("the name %s is not allowed", l.text)
		case l.is("|") && next.kind == lexName:
			out = append(out, l, name(ourFilter(next.text)))
			i++
		case l.is(".") && next.kind == lexName && at(all, i+2).is("(") && methods[next.text]:
			out = append(out, operator("|"), name(methodPrefix+next.text))
			i++
		case l.word("is"):
			i += rewriteTest(&out, all[i:]) - 1
		case (l.is("*") || l.is("%")) && len(out) > 0 && !afterDivision(out):
			n := operand(all[i+1:])
			right, err := rewrite(all[i+1 : i+1+n])
			if err != nil {
				return nil, err
			}
			out = append(out, operator("|"), name(map[string]string{"*": "__mul", "%": "__mod"}[l.text]), operator("("))
			out = append(append(out, right...), operator(")"))
			i += n
		default:
			out = append(out, l)
		}
	}
	return out, nil
}

func ourFilter(n string) string {
	if _, ours := filters[n]; ours {
		return filterPrefix + n
	}
	return n
}

// rewriteTest handles "is" and what follows; it returns how many lexemes it
// read.
func rewriteTest(out *[]lexeme, all []lexeme) int {
	n, not := 1, false
	if at(all, n).word("not") {
		n, not = 2, true
	}
	test := at(all, n)
	if test.word("in") {
		if not {
			*out = append(*out, name("not"))
		}
		*out = append(*out, test)
		return n + 1
	}
	*out = append(*out, all[:n]...)
	if test.kind != lexName {
		return n
	}
	argument := at(all, n+1)
	if test.text == "sequence" {
		test.text = "iterable" // strings and dictionaries are sequences, too
	}
	*out = append(*out, test)
	if !takesArgument[test.text] || argument.is("(") || argument.text == "" && argument.kind == lexOperator {
		return n + 1
	}
	k := operand(all[n+1:])
	right, err := rewrite(all[n+1 : n+1+k])
	if err != nil {
		return n + 1
	}
	*out = append(append(append(*out, operator("(")), right...), operator(")"))
	return n + 1 + k
}

var takesArgument = map[string]bool{
	"eq": true, "equalto": true, "ne": true, "gt": true, "greaterthan": true, "ge": true,
	"lt": true, "lessthan": true, "le": true, "sameas": true,
}

// operand is the length of the unary expression that all begins with: signs, an
// atom, and what binds to it.
func operand(all []lexeme) int {
	n := 0
	for at(all, n).is("-") || at(all, n).is("+") {
		n++
	}
	n += group(all[min(n, len(all)):])
	for {
		switch next := at(all, n); {
		case next.is(".") || next.is("|"):
			n = min(n+2, len(all))
		case next.is("(") || next.is("["):
			n += group(all[n:])
		case next.is("**"):
			return min(n+1+operand(all[min(n+1, len(all)):]), len(all))
		default:
			return n
		}
	}
}

// group is the length of an atom: one lexeme, or brackets with what they hold.
func group(all []lexeme) int {
	depth := 0
	for i, l := range all {
		if l.opens() {
			depth++
		} else if l.closes() {
			depth--
		}
		if depth == 0 {
			return i + 1
		}
	}
	return len(all)
}

var wordOperators = map[string]bool{"and": true, "or": true, "not": true, "in": true, "is": true, "if": true, "else": true}

// afterDivision says whether the last operand in out is the right side of a
// division or power: then it is a number, and the operator binds to the whole.
func afterDivision(out []lexeme) bool {
	i := len(out) - 1
	for depth := 0; i >= 0; i-- {
		l := out[i]
		switch {
		case l.closes():
			depth++
		case l.opens():
			depth--
		}
		if depth < 0 || depth == 0 && l.kind == lexName && wordOperators[l.text] {
			return false
		}
		if depth > 0 || l.opens() || l.kind != lexOperator || l.is(".") || l.is("|") {
			continue
		}
		return l.is("/") || l.is("//") || l.is("**")
	}
	return false
}
