package chat

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/ardanlabs/jinja"
)

// filterMap takes an attribute of every item, or applies a filter to it.
func filterMap(g *guard, in []jinja.Value, named map[string]jinja.Value) (jinja.Value, error) {
	var all []jinja.Value
	a, byAttribute := named["attribute"]
	f, known := filters[pyString(arg(in, 1))]
	if simple, ok := plainFilters[pyString(arg(in, 1))]; ok && !known {
		f, known = simple, true
	}
	if !byAttribute && !known {
		return jinja.Undefined(), fmt.Errorf("the filter %q is not known", pyString(arg(in, 1)))
	}
	for _, item := range listOf(in[0]) {
		if err := g.step(); err != nil {
			return item, err
		}
		if byAttribute {
			v := attribute(item, pyString(a))
			if d, ok := named["default"]; ok && v.IsUndefined() {
				v = d
			}
			all = append(all, v)
			continue
		}
		v, err := f(g, append([]jinja.Value{item}, in[2:]...), named)
		if err != nil {
			return v, err
		}
		all = append(all, v)
	}
	return jinja.NewList(all), nil
}

// plainFilters are filters of the library that map may name.
var plainFilters = map[string]operation{
	"upper": byMethod("upper"), "lower": byMethod("lower"),
}

// selecting keeps the items, or drops them, that pass a test; by one of their
// attributes where byAttribute.
func selecting(keep, byAttribute bool) operation {
	return func(g *guard, in []jinja.Value, _ map[string]jinja.Value) (jinja.Value, error) {
		args := in[1:]
		path := ""
		if byAttribute {
			path, args = pyString(arg(args, 0)), args[min(1, len(args)):]
		}
		var all []jinja.Value
		for _, item := range listOf(in[0]) {
			v := item
			if byAttribute {
				v = attribute(item, path)
			}
			ok := v.IsTruthy()
			if len(args) > 0 {
				var err error
				if ok, err = test(pyString(args[0]), v, arg(args, 1)); err != nil {
					return item, err
				}
			}
			if err := g.step(); err != nil {
				return item, err
			}
			if ok == keep {
				all = append(all, item)
			}
		}
		return jinja.NewList(all), nil
	}
}

// test is a test by its name, as the selecting filters take it.
func test(n string, v, other jinja.Value) (bool, error) {
	switch n {
	case "defined":
		return !v.IsUndefined(), nil
	case "undefined":
		return v.IsUndefined(), nil
	case "none":
		return v.IsNone(), nil
	case "string":
		return v.IsString(), nil
	case "mapping":
		return v.IsDict(), nil
	case "iterable", "sequence":
		return v.IsString() || v.IsList() || v.IsDict(), nil
	case "number":
		return v.IsNumber(), nil
	case "integer":
		return v.IsInt(), nil
	case "boolean":
		return v.IsBool(), nil
	case "true", "false":
		return v.IsBool() && v.AsBool() == (n == "true"), nil
	case "odd", "even":
		return v.IsInt() && (v.AsInt()%2 != 0) == (n == "odd"), nil
	case "eq", "equalto", "==", "sameas":
		return equal(v, other), nil
	case "ne", "!=":
		return !equal(v, other), nil
	case "gt", "greaterthan", ">":
		return compare(v, other, true) > 0, nil
	case "ge", ">=":
		return compare(v, other, true) >= 0, nil
	case "lt", "lessthan", "<":
		return compare(v, other, true) < 0, nil
	case "le", "<=":
		return compare(v, other, true) <= 0, nil
	case "in":
		if other.IsString() {
			return strings.Contains(other.AsString(), pyString(v)), nil
		}
		return slices.ContainsFunc(listOf(other), func(o jinja.Value) bool { return equal(v, o) }), nil
	}
	return false, fmt.Errorf("the test %q is not known", n)
}

func equal(a, b jinja.Value) bool {
	if a.IsNumber() && b.IsNumber() {
		return number(a) == number(b)
	}
	return a.Equals(b)
}

// compare orders numbers before strings, and strings by their characters.
func compare(a, b jinja.Value, exact bool) int {
	switch {
	case a.IsString() && b.IsString() && exact:
		return strings.Compare(a.AsString(), b.AsString())
	case a.IsString() && b.IsString():
		return strings.Compare(strings.ToLower(a.AsString()), strings.ToLower(b.AsString()))
	case a.IsString() != b.IsString():
		return cmp.Compare(boolInt(a.IsString()), boolInt(b.IsString()))
	case a.IsList() && b.IsList():
		return slices.CompareFunc(a.AsList().Items, b.AsList().Items, func(x, y jinja.Value) int { return compareDeep(x, y, exact) })
	}
	return cmp.Compare(number(a), number(b))
}

// compareDeep compares items of lists; lists in them count as equal.
func compareDeep(a, b jinja.Value, exact bool) int {
	if a.IsList() || b.IsList() {
		return 0
	}
	return compare(a, b, exact)
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

func filterSort(_ *guard, in []jinja.Value, named map[string]jinja.Value) (jinja.Value, error) {
	all := slices.Clone(listOf(in[0]))
	exact := option(in, named, 2, "case_sensitive").IsTruthy()
	path := option(in, named, 3, "attribute")
	key := func(v jinja.Value) jinja.Value {
		if path.IsString() {
			return attribute(v, path.AsString())
		}
		return v
	}
	slices.SortStableFunc(all, func(a, b jinja.Value) int {
		if option(in, named, 1, "reverse").IsTruthy() {
			a, b = b, a
		}
		return compare(key(a), key(b), exact)
	})
	return jinja.NewList(all), nil
}

func filterDictSort(_ *guard, in []jinja.Value, named map[string]jinja.Value) (jinja.Value, error) {
	if !in[0].IsDict() {
		return jinja.Undefined(), fmt.Errorf("%s is no dictionary", pyString(in[0]))
	}
	d := in[0].AsDict()
	keys := slices.Clone(d.Keys)
	exact := option(in, named, 1, "case_sensitive").IsTruthy()
	byValue := pyString(option(in, named, 2, "by")) == "value"
	slices.SortStableFunc(keys, func(a, b string) int {
		if option(in, named, 3, "reverse").IsTruthy() {
			a, b = b, a
		}
		if byValue {
			return compare(d.Data[a], d.Data[b], exact)
		}
		return compare(jinja.NewString(a), jinja.NewString(b), exact)
	})
	return pairs(d, keys), nil
}
