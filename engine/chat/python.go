package chat

import (
	"fmt"
	"math"
	"sort"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/ardanlabs/jinja"
)

// pyString is Python's str().
func pyString(v jinja.Value) string {
	switch {
	case v.IsUndefined():
		return ""
	case v.IsString():
		return v.AsString()
	}
	var b strings.Builder
	pyRepr(&b, v, 0)
	return b.String()
}

// maxRepr bounds how deep values are written; a list may hold itself.
const maxRepr = 64

func pyRepr(b *strings.Builder, v jinja.Value, depth int) {
	if depth > maxRepr {
		b.WriteString("...")
		return
	}
	switch {
	case v.IsUndefined():
		b.WriteString("Undefined")
	case v.IsNone():
		b.WriteString("None")
	case v.IsBool():
		b.WriteString(map[bool]string{true: "True", false: "False"}[v.AsBool()])
	case v.IsInt():
		b.WriteString(strconv.FormatInt(v.AsInt(), 10))
	case v.IsFloat():
		b.WriteString(pyFloat(v.AsFloat()))
	case v.IsString():
		reprString(b, v.AsString())
	case v.IsList():
		b.WriteByte('[')
		for i, item := range v.AsList().Items {
			if i > 0 {
				b.WriteString(", ")
			}
			pyRepr(b, item, depth+1)
		}
		b.WriteByte(']')
	case v.IsDict():
		b.WriteByte('{')
		for i, k := range v.AsDict().Keys {
			if i > 0 {
				b.WriteString(", ")
			}
			reprString(b, k)
			b.WriteString(": ")
			pyRepr(b, v.AsDict().Data[k], depth+1)
		}
		b.WriteByte('}')
	default:
		b.WriteString("<function>")
	}
}

// reprString quotes as Python does: with ' unless the text has it and no ".
func reprString(b *strings.Builder, s string) {
	q := '\''
	if strings.Contains(s, "'") && !strings.Contains(s, `"`) {
		q = '"'
	}
	b.WriteRune(q)
	for _, r := range s {
		switch {
		case r == q || r == '\\':
			b.WriteRune('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\r':
			b.WriteString(`\r`)
		case r < 0x20 || r >= 0x7f && r < 0xa0:
			fmt.Fprintf(b, `\x%02x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteRune(q)
}

// pyFloat is the shortest spelling that reads back, as Python writes it.
func pyFloat(f float64) string {
	switch {
	case math.IsNaN(f):
		return "nan"
	case math.IsInf(f, 1):
		return "inf"
	case math.IsInf(f, -1):
		return "-inf"
	}
	if a := math.Abs(f); a != 0 && (a < 1e-4 || a >= 1e16) {
		return strconv.FormatFloat(f, 'e', -1, 64)
	}
	s := strconv.FormatFloat(f, 'f', -1, 64)
	if !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}

// maxDigits is the longest text that is read as a number.
const maxDigits = 400

// integer is Python's int(), 0 where it would fail.
func integer(v jinja.Value) int64 {
	switch {
	case v.IsInt():
		return v.AsInt()
	case v.IsFloat():
		return int64(v.AsFloat())
	case v.IsBool() && v.AsBool():
		return 1
	case v.IsString() && len(v.AsString()) <= maxDigits:
		s := strings.TrimSpace(v.AsString())
		if n, err := strconv.ParseInt(s, 10, 64); err == nil {
			return n
		}
		f, _ := strconv.ParseFloat(s, 64)
		return int64(f)
	}
	return 0
}

// number is Python's float(), 0 where it would fail.
func number(v jinja.Value) float64 {
	switch {
	case v.IsFloat():
		return v.AsFloat()
	case v.IsString() && len(v.AsString()) <= maxDigits:
		f, _ := strconv.ParseFloat(strings.TrimSpace(v.AsString()), 64)
		return f
	}
	return float64(integer(v))
}

// makeDict makes a dictionary of another one, of pairs, and of named values,
// which come in the order of their names.
func makeDict(args []jinja.Value, named map[string]jinja.Value) (jinja.Value, error) {
	d := jinja.NewDict()
	if from := arg(args, 0); from.IsDict() {
		for _, k := range from.AsDict().Keys {
			d.AsDict().Set(k, from.AsDict().Data[k])
		}
	} else if from.IsList() {
		for _, pair := range from.AsList().Items {
			if pair.IsList() && pair.AsList().Len() == 2 {
				d.AsDict().Set(pyString(pair.AsList().Get(0)), pair.AsList().Get(1))
			}
		}
	}
	names := make([]string, 0, len(named))
	for n := range named {
		names = append(names, n)
	}
	sort.Strings(names)
	for _, n := range names {
		d.AsDict().Set(n, named[n])
	}
	return d, nil
}

// strftime formats a time as C and Python do.
func strftime(t time.Time, format string) string {
	layouts := map[byte]string{
		'Y': "2006", 'y': "06", 'm': "01", 'd': "02", 'e': "_2", 'H': "15", 'I': "03", 'M': "04", 'S': "05",
		'B': "January", 'b': "Jan", 'h': "Jan", 'A': "Monday", 'a': "Mon", 'p': "PM", 'Z': "MST", 'z': "-0700",
		'F': "2006-01-02", 'T': "15:04:05", 'D': "01/02/06", 'R': "15:04", 'j': "002", 'f': "000000",
		'c': "Mon Jan _2 15:04:05 2006", 'x': "01/02/06", 'X': "15:04:05",
	}
	var b strings.Builder
	for i := 0; i < len(format); i++ {
		if format[i] != '%' || i+1 == len(format) {
			b.WriteByte(format[i])
			continue
		}
		i++
		short := format[i] == '-' && i+1 < len(format)
		if short {
			i++
		}
		layout, known := layouts[format[i]]
		value := t.Format(layout)
		switch {
		case format[i] == '%':
			value = "%"
		case !known:
			value = format[i-1 : i+1]
		case short:
			if value = strings.TrimLeft(value, "0 "); value == "" {
				value = "0"
			}
		}
		b.WriteString(value)
	}
	return b.String()
}

// titled makes each word's first letter a capital and the others small.
func titled(s string) string {
	inside := false
	return strings.Map(func(r rune) rune {
		was := inside
		inside = unicode.IsLetter(r)
		if was {
			return unicode.ToLower(r)
		}
		return unicode.ToTitle(r)
	}, s)
}

// capitalized makes the first letter a capital and the others small.
func capitalized(s string) string {
	for i, r := range s {
		if i == 0 {
			return string(unicode.ToUpper(r)) + strings.ToLower(s[len(string(r)):])
		}
	}
	return s
}
