package chat

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/ardanlabs/jinja"
)

// parseJSON reads JSON with the keys of objects in their order.
func parseJSON(raw json.RawMessage) (jinja.Value, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	v, err := readJSON(d, 0)
	if err != nil {
		return v, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return v, fmt.Errorf("something follows the JSON value")
	}
	return v, nil
}

func readJSON(d *json.Decoder, depth int) (jinja.Value, error) {
	t, err := d.Token()
	if err != nil {
		return jinja.Undefined(), err
	}
	if depth > maxNesting {
		return jinja.Undefined(), fmt.Errorf("JSON is nested deeper than %d", maxNesting)
	}
	switch t {
	case json.Delim('['):
		items := []jinja.Value{}
		for d.More() {
			v, err := readJSON(d, depth+1)
			if err != nil {
				return v, err
			}
			items = append(items, v)
		}
		_, err = d.Token()
		return jinja.NewList(items), err
	case json.Delim('{'):
		dict := jinja.NewDict()
		for d.More() {
			key, err := d.Token()
			if err != nil {
				return dict, err
			}
			v, err := readJSON(d, depth+1)
			if err != nil {
				return v, err
			}
			dict.AsDict().Set(key.(string), v)
		}
		_, err = d.Token()
		return dict, err
	}
	return jinja.FromGoValue(t), nil
}

// jsonWriter writes as Python's json.dumps(ensure_ascii=False) does.
type jsonWriter struct {
	strings.Builder
	item, key string // separators
	indent    string // of one level; used where pretty
	pretty    bool
	sorted    bool
	guard     *guard
}

func toJSON(g *guard, in []jinja.Value, named map[string]jinja.Value) (jinja.Value, error) {
	w := &jsonWriter{item: ", ", key: ": ", guard: g, sorted: option(in, named, 4, "sort_keys").IsTruthy()}
	if indent := option(in, named, 2, "indent"); indent.IsInt() || indent.IsString() {
		w.item, w.pretty = ",", true
		w.indent = strings.Repeat(" ", int(max(0, min(integer(indent), 32))))
		if indent.IsString() {
			w.indent = indent.AsString()
		}
	}
	if s := option(in, named, 3, "separators"); s.IsList() && s.AsList().Len() == 2 {
		w.item, w.key = pyString(s.AsList().Get(0)), pyString(s.AsList().Get(1))
	}
	if err := w.value(in[0], 0); err != nil {
		return jinja.Undefined(), err
	}
	return jinja.NewString(w.String()), nil
}

func (w *jsonWriter) value(v jinja.Value, depth int) error {
	if depth > maxNesting {
		return fmt.Errorf("the value is nested deeper than %d", maxNesting)
	}
	if err := first(w.guard.step(), w.guard.room(w.Len())); err != nil {
		return err
	}
	switch {
	case v.IsNone():
		w.WriteString("null")
	case v.IsBool():
		w.WriteString(map[bool]string{true: "true", false: "false"}[v.AsBool()])
	case v.IsNumber():
		w.WriteString(strings.NewReplacer("nan", "NaN", "inf", "Infinity").Replace(pyString(v)))
	case v.IsString():
		w.text(v.AsString())
	case v.IsList():
		return w.group("[", "]", v.AsList().Len(), depth, func(i int) error {
			return w.value(v.AsList().Get(i), depth+1)
		})
	case v.IsDict():
		d := v.AsDict()
		keys := d.Keys
		if w.sorted {
			keys = slices.Sorted(slices.Values(keys))
		}
		return w.group("{", "}", len(keys), depth, func(i int) error {
			w.text(keys[i])
			w.WriteString(w.key)
			return w.value(d.Data[keys[i]], depth+1)
		})
	default:
		return fmt.Errorf("the value is undefined or a function, which JSON cannot say")
	}
	return nil
}

func (w *jsonWriter) group(open, end string, n, depth int, each func(int) error) error {
	w.WriteString(open)
	for i := range n {
		if i > 0 {
			w.WriteString(w.item)
		}
		w.line(depth + 1)
		if err := each(i); err != nil {
			return err
		}
	}
	if n > 0 {
		w.line(depth)
	}
	w.WriteString(end)
	return nil
}

func (w *jsonWriter) line(depth int) {
	if w.pretty {
		w.WriteByte('\n')
		for range depth {
			w.WriteString(w.indent)
		}
	}
}

func (w *jsonWriter) text(s string) {
	w.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			w.WriteByte('\\')
			w.WriteRune(r)
		case r >= 0x20:
			w.WriteRune(r)
		default:
			if at := strings.IndexRune("\n\r\t\b\f", r); at >= 0 {
				w.WriteByte('\\')
				w.WriteByte("nrtbf"[at])
			} else {
				fmt.Fprintf(w, `\u%04x`, r)
			}
		}
	}
	w.WriteByte('"')
}
