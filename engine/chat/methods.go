package chat

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ardanlabs/jinja"
)

// methodPrefix begins the names under which methods are called as filters.
const methodPrefix = "__m_"

// methods are the ones that we provide, of strings, lists and dictionaries.
var methods = func() map[string]bool {
	all := map[string]bool{}
	for _, n := range strings.Fields(`strip lstrip rstrip split rsplit splitlines startswith endswith replace upper lower
		title capitalize count find rfind format join removeprefix removesuffix partition rpartition isdigit isalpha
		isspace isupper islower append pop insert extend index get items keys values update setdefault copy clear`) {
		all[n] = true
	}
	return all
}()

// method calls the method n of its first argument.
func method(n string) operation {
	return func(g *guard, in []jinja.Value, named map[string]jinja.Value) (jinja.Value, error) {
		v, args := in[0], in[1:]
		switch {
		case v.IsString():
			return g.stringMethod(n, v.AsString(), args, named)
		case v.IsList():
			return listMethod(n, v.AsList(), args)
		case v.IsDict():
			if f, ok := v.AsDict().Get(n); ok && f.IsCallable() {
				return f.AsCallable().Fn(args, named)
			}
			return dictMethod(n, v.AsDict(), args, named)
		}
		return jinja.Undefined(), fmt.Errorf("%s has no such method", pyString(v))
	}
}

func (g *guard) stringMethod(n, s string, args []jinja.Value, named map[string]jinja.Value) (jinja.Value, error) {
	a := pyString(arg(args, 0))
	str := func(s string) (jinja.Value, error) { return jinja.NewString(s), nil }
	switch n {
	case "strip", "lstrip", "rstrip":
		return str(strip(n, s, arg(args, 0)))
	case "split", "rsplit":
		return split(s, option(args, named, 0, "sep"), option(args, named, 1, "maxsplit"), n == "rsplit")
	case "splitlines":
		return strings2list(strings.Split(strings.TrimSuffix(s, "\n"), "\n")), nil
	case "startswith", "endswith":
		return jinja.NewBool(affix(n, s, arg(args, 0))), nil
	case "replace":
		return g.replace(s, a, pyString(arg(args, 1)), arg(args, 2))
	case "upper":
		return str(strings.ToUpper(s))
	case "lower":
		return str(strings.ToLower(s))
	case "title":
		return str(titled(s))
	case "capitalize":
		return str(capitalized(s))
	case "count":
		return jinja.NewInt(int64(strings.Count(s, a))), nil
	case "find", "index":
		return place(n, s, strings.Index(s, a))
	case "rfind":
		return place(n, s, strings.LastIndex(s, a))
	case "format":
		return g.format(s, args, named)
	case "join":
		return g.join(arg(args, 0), s)
	case "removeprefix":
		return str(strings.TrimPrefix(s, a))
	case "removesuffix":
		return str(strings.TrimSuffix(s, a))
	case "partition", "rpartition":
		return partition(n, s, a), nil
	case "isdigit", "isalpha", "isspace", "isupper", "islower":
		return jinja.NewBool(is(n, s)), nil
	}
	return jinja.Undefined(), fmt.Errorf("a string has no such method")
}

func strings2list(all []string) jinja.Value {
	items := make([]jinja.Value, len(all))
	for i, s := range all {
		items[i] = jinja.NewString(s)
	}
	return jinja.NewList(items)
}

func strip(n, s string, set jinja.Value) string {
	in := unicode.IsSpace
	if set.IsString() {
		in = func(r rune) bool { return strings.ContainsRune(set.AsString(), r) }
	}
	if n != "rstrip" {
		s = strings.TrimLeftFunc(s, in)
	}
	if n != "lstrip" {
		s = strings.TrimRightFunc(s, in)
	}
	return s
}

// split follows Python: without a separator at runs of spaces.
func split(s string, sep, most jinja.Value, right bool) (jinja.Value, error) {
	limit := -1
	if most.IsInt() {
		limit = int(most.AsInt())
	}
	if !sep.IsString() {
		all := strings.Fields(s)
		if limit >= 0 && len(all) > limit && !right {
			rest := s
			for range limit {
				rest = strings.TrimLeftFunc(rest, unicode.IsSpace)
				rest = rest[strings.IndexFunc(rest, unicode.IsSpace):]
			}
			all = append(all[:limit], strings.TrimLeftFunc(rest, unicode.IsSpace))
		}
		return strings2list(all), nil
	}
	if sep.AsString() == "" {
		return jinja.Undefined(), fmt.Errorf("the separator is empty")
	}
	all := strings.Split(s, sep.AsString())
	if limit >= 0 && len(all) > limit+1 {
		if right {
			cut := len(all) - limit
			all = append([]string{strings.Join(all[:cut], sep.AsString())}, all[cut:]...)
		} else {
			all = append(all[:limit:limit], strings.Join(all[limit:], sep.AsString()))
		}
	}
	return strings2list(all), nil
}

// affix tests for a prefix or suffix, or for any of a list of them.
func affix(n, s string, v jinja.Value) bool {
	has := strings.HasPrefix
	if n == "endswith" {
		has = strings.HasSuffix
	}
	if v.IsList() {
		return slices.ContainsFunc(v.AsList().Items, func(x jinja.Value) bool { return has(s, pyString(x)) })
	}
	return has(s, pyString(v))
}

func place(n, s string, at int) (jinja.Value, error) {
	if at < 0 && n == "index" {
		return jinja.Undefined(), fmt.Errorf("not found")
	}
	if at > 0 {
		at = utf8.RuneCountInString(s[:at])
	}
	return jinja.NewInt(int64(at)), nil
}

func partition(n, s, sep string) jinja.Value {
	at := strings.Index(s, sep)
	if n == "rpartition" {
		at = strings.LastIndex(s, sep)
	}
	switch {
	case at >= 0:
		return strings2list([]string{s[:at], sep, s[at+len(sep):]})
	case n == "rpartition":
		return strings2list([]string{"", "", s})
	}
	return strings2list([]string{s, "", ""})
}

func is(n, s string) bool {
	test := map[string]func(rune) bool{
		"isdigit": unicode.IsDigit, "isalpha": unicode.IsLetter, "isspace": unicode.IsSpace,
		"isupper": func(r rune) bool { return !unicode.IsLower(r) }, "islower": func(r rune) bool { return !unicode.IsUpper(r) },
	}[n]
	return s != "" && strings.IndexFunc(s, func(r rune) bool { return !test(r) }) < 0
}

func listMethod(n string, l *jinja.List, args []jinja.Value) (jinja.Value, error) {
	i := int(integer(arg(args, 0)))
	switch n {
	case "append":
		l.Append(arg(args, 0))
		return jinja.None(), nil
	case "extend":
		if more := arg(args, 0); more.IsList() {
			l.Items = append(l.Items, more.AsList().Items...)
		}
		return jinja.None(), nil
	case "insert":
		i = max(0, min(i, l.Len()))
		l.Items = slices.Insert(l.Items, i, arg(args, 1))
		return jinja.None(), nil
	case "pop":
		if len(args) == 0 {
			i = -1
		}
		if i < 0 {
			i += l.Len()
		}
		if i < 0 || i >= l.Len() {
			return jinja.Undefined(), fmt.Errorf("the list has %d items", l.Len())
		}
		v := l.Items[i]
		l.Items = slices.Delete(slices.Clone(l.Items), i, i+1)
		return v, nil
	case "index", "count":
		at, count := -1, 0
		for k, v := range l.Items {
			if v.Equals(arg(args, 0)) {
				count++
				if at < 0 {
					at = k
				}
			}
		}
		if n == "count" {
			return jinja.NewInt(int64(count)), nil
		}
		if at < 0 {
			return jinja.Undefined(), fmt.Errorf("not found")
		}
		return jinja.NewInt(int64(at)), nil
	case "copy":
		return jinja.NewList(slices.Clone(l.Items)), nil
	}
	return jinja.Undefined(), fmt.Errorf("a list has no such method")
}

func dictMethod(n string, d *jinja.Dict, args []jinja.Value, named map[string]jinja.Value) (jinja.Value, error) {
	key := pyString(arg(args, 0))
	v, found := d.Get(key)
	switch n {
	case "get":
		if !found {
			v = jinja.None()
			if len(args) > 1 {
				v = args[1]
			}
		}
		return v, nil
	case "items":
		return pairs(d, d.Keys), nil
	case "keys":
		return strings2list(d.Keys), nil
	case "values":
		var all []jinja.Value
		for _, k := range d.Keys {
			all = append(all, d.Data[k])
		}
		return jinja.NewList(all), nil
	case "pop":
		if found {
			delete(d.Data, key)
			d.Keys = slices.DeleteFunc(slices.Clone(d.Keys), func(k string) bool { return k == key })
			return v, nil
		}
		return arg(args, 1), nil
	case "setdefault":
		if !found {
			v = arg(args, 1)
			d.Set(key, v)
		}
		return v, nil
	case "update":
		more, err := makeDict(args, named)
		for _, k := range more.AsDict().Keys {
			d.Set(k, more.AsDict().Data[k])
		}
		return jinja.None(), err
	case "copy":
		c := jinja.NewDict()
		for _, k := range d.Keys {
			c.AsDict().Set(k, d.Data[k])
		}
		return c, nil
	}
	return jinja.Undefined(), fmt.Errorf("a dictionary has no such method")
}

func pairs(d *jinja.Dict, keys []string) jinja.Value {
	all := make([]jinja.Value, len(keys))
	for i, k := range keys {
		all[i] = jinja.NewList([]jinja.Value{jinja.NewString(k), d.Data[k]})
	}
	return jinja.NewList(all)
}
