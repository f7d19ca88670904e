package chat

import (
	"fmt"
	"time"

	"github.com/ardanlabs/jinja"
)

// A template comes with a model's file and may be hostile. It has no way to
// files or the network; the guard bounds what it can spend: time, rounds and
// calls, depth of calls, bytes of one value and of the output.
const (
	maxTime  = 5 * time.Second
	maxSteps = 2_000_000
	maxDepth = 32
	// A value or the output may have so many bytes, and more for long input.
	minBytes      = 4 << 20
	bytesPerInput = 16
	// maxItems bounds range().
	maxItems = 100_000
)

type guard struct {
	deadline            time.Time
	steps, depth, bytes int
	limit               int
}

func newGuard(input int) *guard {
	return &guard{deadline: time.Now().Add(maxTime), limit: minBytes + bytesPerInput*input}
}

// step counts a round, call or filter.
func (g *guard) step() error {
	g.steps++
	if g.steps > maxSteps {
		return fmt.Errorf("the template runs more than %d steps", maxSteps)
	}
	if g.steps%64 == 0 && time.Now().After(g.deadline) {
		return fmt.Errorf("the template runs longer than %v", maxTime)
	}
	return nil
}

// write counts bytes of output.
func (g *guard) write(n int) error {
	if g.bytes += n; g.bytes > g.limit {
		return fmt.Errorf("the template writes more than %d bytes", g.limit)
	}
	return nil
}

// room refuses a value of n bytes before it is made.
func (g *guard) room(n int) error {
	if n < 0 || n > g.limit {
		return fmt.Errorf("the template makes a value of more than %d bytes", g.limit)
	}
	return nil
}

// weigh is about how many bytes a value has: it looks into lists only two deep,
// since every item was weighed when it was made.
func weigh(v jinja.Value, deep int) int {
	switch {
	case v.IsString():
		return len(v.AsString())
	case v.IsList():
		n := 48 * v.AsList().Len()
		if deep > 0 && v.AsList().Len() < 1024 {
			for _, item := range v.AsList().Items {
				n += weigh(item, deep-1)
			}
		}
		return n
	case v.IsDict():
		return 96 * v.AsDict().Len()
	}
	return 16
}

// globals are what a template finds besides its input, for one rendering.
func (g *guard) globals(now time.Time) map[string]jinja.Value {
	all := map[string]jinja.Value{
		"raise_exception": call("raise_exception", func(args []jinja.Value) (jinja.Value, error) {
			return jinja.Undefined(), &RefusedError{Reason: pyString(arg(args, 0))}
		}),
		"strftime_now": call("strftime_now", func(args []jinja.Value) (jinja.Value, error) {
			return jinja.NewString(strftime(now, pyString(arg(args, 0)))), nil
		}),
		"range":     call("range", g.rangeOf),
		"namespace": jinja.NewCallable("namespace", makeDict),
		"dict":      jinja.NewCallable("dict", makeDict),
		"__round": call("loop", func(args []jinja.Value) (jinja.Value, error) {
			return empty, first(g.step(), g.write(int(args[0].AsInt())))
		}),
		"__enter": call("macro", func(args []jinja.Value) (jinja.Value, error) {
			if g.depth++; g.depth > maxDepth {
				return empty, fmt.Errorf("the template calls itself more than %d deep", maxDepth)
			}
			return empty, first(g.step(), g.write(int(args[0].AsInt())))
		}),
		"__leave": call("macro", func([]jinja.Value) (jinja.Value, error) { g.depth--; return empty, nil }),
		"__out": call("output", func(args []jinja.Value) (jinja.Value, error) {
			s := pyString(args[0])
			return jinja.NewString(s), first(g.step(), g.write(len(s)))
		}),
		"__size": call("set", func(args []jinja.Value) (jinja.Value, error) {
			return empty, first(g.step(), g.room(weigh(args[0], 1)))
		}),
		"__cat": call("~", g.concatenate),
		"__sum": call("+", g.sum),
		"__slice": call("slice", func(args []jinja.Value) (jinja.Value, error) {
			return slice(args[0], arg(args, 1), arg(args, 2), arg(args, 3)), g.step()
		}),
		"__mul": call("*", func(args []jinja.Value) (jinja.Value, error) { return g.multiply(args[0], args[1]) }),
		"__mod": call("%", func(args []jinja.Value) (jinja.Value, error) { return g.modulo(args[0], args[1]) }),
	}
	for n, f := range filters {
		all[filterPrefix+n] = g.wrap(n, f)
	}
	for n := range methods {
		all[methodPrefix+n] = g.wrap(n, method(n))
	}
	return all
}

// operation is a filter or method: the value it works on is in[0].
type operation func(g *guard, in []jinja.Value, named map[string]jinja.Value) (jinja.Value, error)

func (g *guard) wrap(n string, f operation) jinja.Value {
	return jinja.NewCallable(n, func(args []jinja.Value, named map[string]jinja.Value) (jinja.Value, error) {
		if err := first(g.step(), g.room(weigh(arg(args, 0), 0))); err != nil {
			return jinja.Undefined(), err
		}
		v, err := f(g, args, named)
		if err != nil {
			return v, fmt.Errorf("%s: %w", n, err)
		}
		return v, nil
	})
}

var empty = jinja.NewString("")

func call(n string, f func([]jinja.Value) (jinja.Value, error)) jinja.Value {
	return jinja.NewCallable(n, func(args []jinja.Value, _ map[string]jinja.Value) (jinja.Value, error) { return f(args) })
}

func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// arg is the argument i, or undefined.
func arg(args []jinja.Value, i int) jinja.Value {
	if i < len(args) {
		return args[i]
	}
	return jinja.Undefined()
}

// option is an argument given by place or by name.
func option(args []jinja.Value, named map[string]jinja.Value, i int, n string) jinja.Value {
	if v, ok := named[n]; ok {
		return v
	}
	return arg(args, i)
}

func (g *guard) rangeOf(args []jinja.Value) (jinja.Value, error) {
	start, stop, step := int64(0), integer(arg(args, 0)), int64(1)
	if len(args) > 1 {
		start, stop = stop, integer(args[1])
	}
	if len(args) > 2 {
		step = integer(args[2])
	}
	if step == 0 {
		return jinja.Undefined(), fmt.Errorf("range: the step is 0")
	}
	var items []jinja.Value
	for i := start; step > 0 && i < stop || step < 0 && i > stop; i += step {
		if len(items) == maxItems {
			return jinja.Undefined(), fmt.Errorf("range: more than %d numbers", maxItems)
		}
		items = append(items, jinja.NewInt(i))
	}
	return jinja.NewList(items), nil
}
