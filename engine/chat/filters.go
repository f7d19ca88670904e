package chat

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ardanlabs/jinja"
)

// filterPrefix begins the names under which our filters stand, so that they are
// found instead of the library's.
const filterPrefix = "__f_"

// filters are ours where the library's differ from Jinja2's, are missing, or
// can grow without bounds; the others are the library's.
var filters map[string]operation

func init() {
	filters = map[string]operation{
		"tojson": toJSON, "fromjson": fromJSON, "from_json": fromJSON,
		"join": filterJoin, "replace": filterReplace, "indent": filterIndent, "format": filterFormat,
		"trim": filterTrim, "string": filterString, "default": filterDefault, "d": filterDefault,
		"length": filterLength, "count": filterLength, "first": filterFirst, "last": filterLast,
		"list": filterList, "items": filterItems, "int": filterInt, "float": filterFloat, "round": filterRound,
		"map": filterMap, "select": selecting(true, false), "reject": selecting(false, false),
		"selectattr": selecting(true, true), "rejectattr": selecting(false, true),
		"sort": filterSort, "dictsort": filterDictSort, "unique": filterUnique, "sum": filterSum,
		"title": byMethod("title"), "capitalize": byMethod("capitalize"), "attr": filterAttr,
	}
}

func byMethod(n string) operation {
	return func(g *guard, in []jinja.Value, named map[string]jinja.Value) (jinja.Value, error) {
		return g.stringMethod(n, pyString(in[0]), in[1:], named)
	}
}

func filterJoin(g *guard, in []jinja.Value, named map[string]jinja.Value) (jinja.Value, error) {
	v := in[0]
	if a := option(in, named, 2, "attribute"); !a.IsUndefined() {
		var all []jinja.Value
		for _, item := range listOf(v) {
			all = append(all, attribute(item, pyString(a)))
		}
		v = jinja.NewList(all)
	}
	return g.join(v, pyString(option(in, named, 1, "d")))
}

func (g *guard) join(v jinja.Value, sep string) (jinja.Value, error) {
	var b strings.Builder
	for i, item := range listOf(v) {
		s := pyString(item)
		if err := g.room(b.Len() + len(sep) + len(s)); err != nil {
			return v, err
		}
		if i > 0 {
			b.WriteString(sep)
		}
		b.WriteString(s)
	}
	return jinja.NewString(b.String()), nil
}

func filterReplace(g *guard, in []jinja.Value, named map[string]jinja.Value) (jinja.Value, error) {
	return g.replace(pyString(in[0]), pyString(option(in, named, 1, "old")), pyString(option(in, named, 2, "new")), option(in, named, 3, "count"))
}

func (g *guard) replace(s, from, to string, count jinja.Value) (jinja.Value, error) {
	n := strings.Count(s, from)
	if count.IsInt() && count.AsInt() >= 0 {
		n = min(n, int(count.AsInt()))
	}
	if grow := len(to) - len(from); grow > 0 && n > (g.limit-len(s))/grow {
		return jinja.Undefined(), g.room(-1)
	}
	return jinja.NewString(strings.Replace(s, from, to, n)), nil
}

func filterIndent(g *guard, in []jinja.Value, named map[string]jinja.Value) (jinja.Value, error) {
	width, s := option(in, named, 1, "width"), pyString(in[0])
	pad := "    "
	if width.IsString() {
		pad = width.AsString()
	} else if width.IsInt() {
		pad = strings.Repeat(" ", int(max(0, min(width.AsInt(), 1024))))
	}
	if err := g.room(len(s) + len(pad)*(1+strings.Count(s, "\n"))); err != nil {
		return jinja.Undefined(), err
	}
	lines := strings.Split(s, "\n")
	for i := range lines {
		blank := strings.TrimSpace(lines[i]) == "" && !option(in, named, 3, "blank").IsTruthy()
		if i == 0 && !option(in, named, 2, "first").IsTruthy() || i > 0 && blank {
			continue
		}
		lines[i] = pad + lines[i]
	}
	return jinja.NewString(strings.Join(lines, "\n")), nil
}

func filterTrim(_ *guard, in []jinja.Value, named map[string]jinja.Value) (jinja.Value, error) {
	return jinja.NewString(strip("strip", pyString(in[0]), option(in, named, 1, "chars"))), nil
}

func filterString(_ *guard, in []jinja.Value, _ map[string]jinja.Value) (jinja.Value, error) {
	return jinja.NewString(pyString(in[0])), nil
}

func filterDefault(_ *guard, in []jinja.Value, named map[string]jinja.Value) (jinja.Value, error) {
	if in[0].IsUndefined() || option(in, named, 2, "boolean").IsTruthy() && !in[0].IsTruthy() {
		if v := option(in, named, 1, "default_value"); !v.IsUndefined() {
			return v, nil
		}
		return empty, nil
	}
	return in[0], nil
}

func filterLength(_ *guard, in []jinja.Value, _ map[string]jinja.Value) (jinja.Value, error) {
	switch v := in[0]; {
	case v.IsString():
		return jinja.NewInt(int64(utf8.RuneCountInString(v.AsString()))), nil
	case v.IsList():
		return jinja.NewInt(int64(v.AsList().Len())), nil
	case v.IsDict():
		return jinja.NewInt(int64(v.AsDict().Len())), nil
	case v.IsUndefined():
		return jinja.NewInt(0), nil
	}
	return jinja.Undefined(), fmt.Errorf("%s has no length", pyString(in[0]))
}

func filterFirst(_ *guard, in []jinja.Value, _ map[string]jinja.Value) (jinja.Value, error) {
	return arg(listOf(in[0]), 0), nil
}

func filterLast(_ *guard, in []jinja.Value, _ map[string]jinja.Value) (jinja.Value, error) {
	all := listOf(in[0])
	if len(all) == 0 {
		return jinja.Undefined(), nil
	}
	return all[len(all)-1], nil
}

// listOf are the items that a loop over v would see.
func listOf(v jinja.Value) []jinja.Value {
	switch {
	case v.IsList():
		return v.AsList().Items
	case v.IsDict():
		return strings2list(v.AsDict().Keys).AsList().Items
	case v.IsString():
		return strings2list(strings.Split(v.AsString(), "")).AsList().Items
	}
	return nil
}

func filterList(_ *guard, in []jinja.Value, _ map[string]jinja.Value) (jinja.Value, error) {
	return jinja.NewList(slices.Clone(listOf(in[0]))), nil
}

func filterItems(_ *guard, in []jinja.Value, _ map[string]jinja.Value) (jinja.Value, error) {
	switch {
	case in[0].IsUndefined():
		return jinja.NewList(nil), nil
	case !in[0].IsDict():
		return jinja.Undefined(), fmt.Errorf("items: pairs are there of a mapping only")
	}
	return pairs(in[0].AsDict(), in[0].AsDict().Keys), nil
}

func filterInt(_ *guard, in []jinja.Value, _ map[string]jinja.Value) (jinja.Value, error) {
	return jinja.NewInt(integer(in[0])), nil
}

func filterFloat(_ *guard, in []jinja.Value, _ map[string]jinja.Value) (jinja.Value, error) {
	return jinja.NewFloat(number(in[0])), nil
}

func filterRound(_ *guard, in []jinja.Value, named map[string]jinja.Value) (jinja.Value, error) {
	scale := math.Pow(10, float64(integer(option(in, named, 1, "precision"))))
	round := math.RoundToEven
	switch pyString(option(in, named, 2, "method")) {
	case "ceil":
		round = math.Ceil
	case "floor":
		round = math.Floor
	}
	return jinja.NewFloat(round(number(in[0])*scale) / scale), nil
}

func filterUnique(_ *guard, in []jinja.Value, _ map[string]jinja.Value) (jinja.Value, error) {
	seen := map[string]bool{}
	var all []jinja.Value
	for _, v := range listOf(in[0]) {
		key := strings.ToLower(pyString(v))
		if !seen[key] {
			seen[key] = true
			all = append(all, v)
		}
	}
	return jinja.NewList(all), nil
}

func filterSum(_ *guard, in []jinja.Value, named map[string]jinja.Value) (jinja.Value, error) {
	sum := option(in, named, 2, "start")
	for _, v := range listOf(in[0]) {
		if a := option(in, named, 1, "attribute"); !a.IsUndefined() {
			v = attribute(v, pyString(a))
		}
		if sum.IsFloat() || v.IsFloat() {
			sum = jinja.NewFloat(number(sum) + number(v))
		} else {
			sum = jinja.NewInt(integer(sum) + integer(v))
		}
	}
	if sum.IsUndefined() {
		sum = jinja.NewInt(0)
	}
	return sum, nil
}

func filterAttr(_ *guard, in []jinja.Value, _ map[string]jinja.Value) (jinja.Value, error) {
	return attribute(in[0], pyString(arg(in, 1))), nil
}

// attribute follows a path such as "function.name".
func attribute(v jinja.Value, path string) jinja.Value {
	for _, n := range strings.Split(path, ".") {
		switch {
		case v.IsDict():
			v, _ = v.AsDict().Get(n)
		case v.IsList():
			v = arg(v.AsList().Items, int(max(0, integer(jinja.NewString(n)))))
		default:
			return jinja.Undefined()
		}
	}
	return v
}

func fromJSON(_ *guard, in []jinja.Value, _ map[string]jinja.Value) (jinja.Value, error) {
	return parseJSON(json.RawMessage(pyString(in[0])))
}
