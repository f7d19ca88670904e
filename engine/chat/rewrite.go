package chat

import (
	"fmt"
	"strings"
)

// rewrite turns an expression of Jinja2, or several with commas between them,
// into one that the library evaluates alike:
//   - x | f and x.m() call our filters and methods, which keep to Python's
//     meaning and to the guard's limits; in the library, filters bind as
//     methods do, so one may stand for the other;
//   - a ~ b and a + b - c become calls, which know how long the result is;
//   - x * y and x % y become filters, for Python repeats and formats strings
//     with them, and so do slices, for the library counts through any bound;
//   - "is in" becomes "in", and tests get brackets around their argument.
//
// It works from the operators that bind least to those that bind most: words,
// comparisons and commas here, then ~, then + and -, then the rest.
func rewrite(all []lexeme) ([]lexeme, error) {
	var out []lexeme
	begin := 0
	flush := func(end int) error {
		run, err := concatenation(all[begin:end])
		out = append(out, run...)
		return err
	}
	for i := 0; i < len(all); {
		l := all[i]
		if l.opens() {
			i += group(all[i:])
			continue
		}
		if !separates(l) {
			i++
			continue
		}
		if err := flush(i); err != nil {
			return nil, err
		}
		if l.word("is") {
			n, err := rewriteTest(&out, all[i:])
			if err != nil {
				return nil, err
			}
			i += n
		} else {
			out = append(out, l)
			i++
		}
		begin = i
	}
	return out, flush(len(all))
}

var wordOperators = map[string]bool{"and": true, "or": true, "not": true, "in": true, "is": true, "if": true, "else": true}

// separates says that a lexeme binds less than any operator of arithmetic.
func separates(l lexeme) bool {
	if l.kind == lexName {
		return wordOperators[l.text]
	}
	return l.kind == lexOperator && strings.Contains(" , : = == != < > <= >= ; ", " "+l.text+" ")
}

// split cuts lexemes at operators outside of brackets.
func splitAt(all []lexeme, cut func(i int) bool) (parts [][]lexeme, operators []lexeme) {
	begin := 0
	for i := 0; i < len(all); {
		switch {
		case all[i].opens():
			i += group(all[i:])
		case cut(i):
			parts, operators = append(parts, all[begin:i]), append(operators, all[i])
			i++
			begin = i
		default:
			i++
		}
	}
	return append(parts, all[begin:]), operators
}

func concatenation(all []lexeme) ([]lexeme, error) {
	parts, _ := splitAt(all, func(i int) bool { return all[i].is("~") })
	if len(parts) == 1 {
		return sum(all)
	}
	out := []lexeme{name("__cat"), operator("(")}
	for i, p := range parts {
		p, err := sum(p)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			out = append(out, operator(","))
		}
		out = append(out, p...)
	}
	return append(out, operator(")")), nil
}

func sum(all []lexeme) ([]lexeme, error) {
	parts, operators := splitAt(all, func(i int) bool {
		return (all[i].is("+") || all[i].is("-")) && follows(all[:i])
	})
	if len(parts) == 1 {
		return term(all)
	}
	out := []lexeme{name("__sum"), operator("(")}
	for i, p := range parts {
		p, err := term(p)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			out = append(out, operator(","), lexeme{lexString, operators[i-1].text}, operator(","))
		}
		out = append(out, p...)
	}
	return append(out, operator(")")), nil
}

// follows says that an operator here would have a left operand, and brackets
// would look into it.
func follows(before []lexeme) bool {
	last := at(before, len(before)-1)
	return last.closes() || last.kind == lexString || last.kind == lexNumber || last.kind == lexName && !wordOperators[last.text]
}

// term rewrites a product, and what binds more.
func term(all []lexeme) ([]lexeme, error) {
	var out []lexeme
	for i := 0; i < len(all); {
		l, next := all[i], at(all, i+1)
		n := 1
		var more []lexeme
		var err error
		switch {
		case l.kind == lexName && strings.HasPrefix(l.text, "__"):
			return nil, fmt.Errorf("the name %s is not allowed", l.text)
		case l.opens():
			n = group(all[i:])
			more, err = brackets(all[i:i+n], follows(out))
		case l.is("|") && next.kind == lexName:
			n, more = 2, []lexeme{l, name(ourFilter(next.text))}
		case l.is(".") && next.kind == lexName && at(all, i+2).is("(") && methods[next.text]:
			n, more = 2, []lexeme{operator("|"), name(methodPrefix + next.text)}
		case l.is(".") && strings.HasPrefix(next.text, "__"):
			return nil, fmt.Errorf("the name %s is not allowed", next.text)
		case (l.is("*") || l.is("%")) && follows(out) && !divides(out):
			n = operand(all[i+1:])
			more, err = term(all[i+1 : i+1+n])
			n++
			filter := name(map[string]string{"*": "__mul", "%": "__mod"}[l.text])
			more = append(append([]lexeme{operator("|"), filter, operator("(")}, more...), operator(")"))
		default:
			more = []lexeme{l}
		}
		if err != nil {
			return nil, err
		}
		out = append(out, more...)
		i += n
	}
	return out, nil
}

func ourFilter(n string) string {
	if _, ours := filters[n]; ours {
		return filterPrefix + n
	}
	return n
}

// brackets rewrites what is between brackets; those that look into a value with
// bounds become a filter with the bounds as arguments.
func brackets(all []lexeme, inside bool) ([]lexeme, error) {
	open, end := all[0], all[len(all)-1]
	if len(all) < 2 || !end.closes() {
		return nil, fmt.Errorf("a bracket %s is not closed", open.text)
	}
	all = all[1 : len(all)-1]
	bounds, _ := splitAt(all, func(i int) bool { return all[i].is(":") })
	if !open.is("[") || !inside || len(bounds) == 1 {
		out, err := rewrite(all)
		return append(append([]lexeme{open}, out...), end), err
	}
	out := []lexeme{operator("|"), name("__slice"), operator("(")}
	for i, b := range bounds {
		b, err := rewrite(b)
		if err != nil {
			return nil, err
		}
		if len(b) == 0 {
			b = []lexeme{name("none")}
		}
		if i > 0 {
			out = append(out, operator(","))
		}
		out = append(out, b...)
	}
	return append(out, operator(")")), nil
}

// rewriteTest handles "is" and what follows; it returns how many lexemes it
// read.
func rewriteTest(out *[]lexeme, all []lexeme) (int, error) {
	n := 1
	if at(all, n).word("not") {
		n++
	}
	test := at(all, n)
	if test.word("in") {
		*out = append(*out, all[1:n+1]...)
		return n + 1, nil
	}
	*out = append(*out, all[:n]...)
	if test.kind != lexName {
		return n, nil
	}
	if test.text == "sequence" {
		test.text = "iterable" // strings and dictionaries are sequences, too
	}
	*out = append(*out, test)
	n++
	argument := at(all, n)
	switch {
	case argument.is("("):
		k := group(all[n:])
		more, err := brackets(all[n:n+k], false)
		*out = append(*out, more...)
		return n + k, err
	case takesArgument[test.text] && n < len(all):
		k := operand(all[n:])
		more, err := term(all[n : n+k])
		*out = append(append(append(*out, operator("(")), more...), operator(")"))
		return n + k, err
	}
	return n, nil
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
		if depth <= 0 {
			return i + 1
		}
	}
	return len(all)
}

// divides says that the last operand in a term is the right side of a division
// or power: then it is a number, and a product takes the whole.
func divides(out []lexeme) bool {
	depth, divided := 0, false
	for _, l := range out {
		switch {
		case l.opens():
			depth++
		case l.closes():
			depth--
		case depth == 0 && (l.is("/") || l.is("//") || l.is("**")):
			divided = true
		}
	}
	return divided
}
