package chat

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/ardanlabs/jinja"
)

// format is Python's str.format for fields {}, {0} and {name}, without formats
// behind a colon.
func (g *guard) format(s string, args []jinja.Value, named map[string]jinja.Value) (jinja.Value, error) {
	var b strings.Builder
	next := 0
	for i := 0; i < len(s); i++ {
		if err := g.room(b.Len()); err != nil {
			return jinja.Undefined(), err
		}
		c := s[i]
		if c != '{' && c != '}' {
			b.WriteByte(c)
			continue
		}
		if i+1 < len(s) && s[i+1] == c {
			b.WriteByte(c)
			i++
			continue
		}
		end := strings.IndexByte(s[i:], '}')
		if c == '}' || end < 0 {
			return jinja.Undefined(), fmt.Errorf("a single %q in the format", c)
		}
		field := s[i+1 : i+end]
		i += end
		v, ok := named[field]
		if field == "" {
			v, ok = arg(args, next), next < len(args)
			next++
		} else if n, err := strconv.Atoi(field); err == nil && n >= 0 {
			v, ok = arg(args, n), n < len(args)
		}
		if !ok {
			return jinja.Undefined(), fmt.Errorf("there is no value for the field {%s}", field)
		}
		b.WriteString(pyString(v))
	}
	return jinja.NewString(b.String()), nil
}

func filterFormat(g *guard, in []jinja.Value, named map[string]jinja.Value) (jinja.Value, error) {
	if len(named) > 0 {
		d, err := makeDict(nil, named)
		if err != nil {
			return d, err
		}
		return g.percent(pyString(in[0]), d)
	}
	return g.percent(pyString(in[0]), jinja.NewList(in[1:]))
}

// percent is Python's "%s" % values for s, r, d, f, i and x, with widths and
// precisions that Go reads alike.
func (g *guard) percent(s string, v jinja.Value) (jinja.Value, error) {
	var b strings.Builder
	next := 0
	for i := 0; i < len(s); i++ {
		if err := g.room(b.Len()); err != nil {
			return jinja.Undefined(), err
		}
		if s[i] != '%' {
			b.WriteByte(s[i])
			continue
		}
		end := i + 1
		value := arg(listOf(v), next)
		if !v.IsList() {
			value = v
		}
		if strings.HasPrefix(s[end:], "(") && v.IsDict() {
			n, _, _ := strings.Cut(s[end+1:], ")")
			value, _ = v.AsDict().Get(n)
			end += len(n) + 2
		}
		flags := end
		for end < len(s) && strings.IndexByte("0123456789.-+ #", s[end]) >= 0 {
			end++
		}
		if end >= len(s) || end-flags > 6 {
			return jinja.Undefined(), fmt.Errorf("the format %q is not known", s[i:])
		}
		verb, spec := s[end], "%"+s[flags:end]
		i = end
		if verb == '%' {
			b.WriteByte('%')
			continue
		}
		next++
		switch verb {
		case 's':
			fmt.Fprintf(&b, spec+"s", pyString(value))
		case 'r':
			pyRepr(&b, value, 0)
		case 'd', 'i':
			fmt.Fprintf(&b, spec+"d", integer(value))
		case 'x':
			fmt.Fprintf(&b, spec+"x", integer(value))
		case 'f', 'g', 'e':
			fmt.Fprintf(&b, spec+string(verb), number(value))
		default:
			return jinja.Undefined(), fmt.Errorf("the format %%%c is not known", verb)
		}
	}
	return jinja.NewString(b.String()), nil
}
