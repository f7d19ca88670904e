package chat

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ardanlabs/jinja"
)

// concatenate joins the arguments as strings.
func (g *guard) concatenate(args []jinja.Value) (jinja.Value, error) {
	all := make([]string, len(args))
	size := 0
	for i, v := range args {
		all[i] = pyString(v)
		size += len(all[i])
		if err := first(g.step(), g.room(size)); err != nil {
			return v, err
		}
	}
	return jinja.NewString(strings.Join(all, "")), nil
}

// sum adds and subtracts from left to right: every second argument is the
// operator. Strings and lists are joined; what is undefined or none adds
// nothing to a string.
func (g *guard) sum(args []jinja.Value) (jinja.Value, error) {
	total := args[0]
	for i := 1; i+1 < len(args); i += 2 {
		if err := first(g.step(), g.room(weigh(total, 0)+weigh(args[i+1], 0))); err != nil {
			return total, err
		}
		total = add(total, args[i+1], args[i].AsString() == "-")
	}
	return total, nil
}

func add(a, b jinja.Value, minus bool) jinja.Value {
	switch {
	case !minus && (a.IsString() || b.IsString()):
		text := func(v jinja.Value) string {
			if v.IsNone() {
				return ""
			}
			return pyString(v)
		}
		return jinja.NewString(text(a) + text(b))
	case !minus && a.IsList() && b.IsList():
		return jinja.NewList(slices.Concat(a.AsList().Items, b.AsList().Items))
	case a.IsFloat() || b.IsFloat():
		if minus {
			return jinja.NewFloat(number(a) - number(b))
		}
		return jinja.NewFloat(number(a) + number(b))
	case minus:
		return jinja.NewInt(integer(a) - integer(b))
	}
	return jinja.NewInt(integer(a) + integer(b))
}

func (g *guard) multiply(a, b jinja.Value) (jinja.Value, error) {
	if b.IsString() || b.IsList() {
		a, b = b, a
	}
	n := int(max(0, min(integer(b), int64(g.limit)+1)))
	switch {
	case a.IsString():
		if s := a.AsString(); n == 0 || g.room(len(s)) == nil && len(s)*n <= g.limit {
			return jinja.NewString(strings.Repeat(s, n)), nil
		}
		return a, g.room(-1)
	case a.IsList():
		if weigh(a, 0)*n > g.limit || n > g.limit {
			return a, g.room(-1)
		}
		var items []jinja.Value
		for range n {
			items = append(items, a.AsList().Items...)
		}
		return jinja.NewList(items), nil
	case a.IsFloat() || b.IsFloat():
		return jinja.NewFloat(number(a) * number(b)), nil
	}
	return jinja.NewInt(integer(a) * integer(b)), nil
}

func (g *guard) modulo(a, b jinja.Value) (jinja.Value, error) {
	if a.IsString() {
		return g.percent(a.AsString(), b)
	}
	n := integer(b)
	if n == 0 {
		return jinja.Undefined(), fmt.Errorf("%%: division by zero")
	}
	return jinja.NewInt(((integer(a) % n) + n) % n), nil
}

// slice is Python's v[start:stop:step] of a string or list.
func slice(v, start, stop, step jinja.Value) jinja.Value {
	if !v.IsString() && !v.IsList() {
		return jinja.Undefined()
	}
	by := 1
	if step.IsInt() && step.AsInt() != 0 {
		by = int(step.AsInt())
	}
	var runes []rune
	var items []jinja.Value
	if v.IsString() {
		runes = []rune(v.AsString())
	} else {
		items = v.AsList().Items
	}
	n := len(runes) + len(items)
	low, high := 0, n // where bounds are clamped to
	if by < 0 {
		low, high = -1, n-1
	}
	bound := func(b jinja.Value, otherwise int) int {
		if b.IsNone() || b.IsUndefined() {
			return otherwise
		}
		i := integer(b)
		if i < 0 {
			i = max(i+int64(n), int64(low))
		}
		return int(min(i, int64(high)))
	}
	first, end := bound(start, low), bound(stop, high)
	if by < 0 {
		first, end = bound(start, high), bound(stop, low)
	}
	var list []jinja.Value
	var text []rune
	for i := first; by > 0 && i < end || by < 0 && i > end; i += by {
		if v.IsString() {
			text = append(text, runes[i])
		} else {
			list = append(list, items[i])
		}
		if left := end - i; by > 0 && by >= left || by < 0 && by <= left {
			break
		}
	}
	if v.IsList() {
		return jinja.NewList(list)
	}
	return jinja.NewString(string(text))
}
