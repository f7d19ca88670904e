package chat

import (
	"fmt"
	"slices"
	"strings"
)

// callable begins a macro or a call block.
func (t *translator) callable(keyword string, rest []lexeme) error {
	head := ""
	switch {
	case keyword == "macro":
		if len(rest) < 3 || rest[0].kind != lexName || !rest[1].is("(") || !rest[len(rest)-1].is(")") {
			return fmt.Errorf("a macro needs a name and parameters in brackets")
		}
		t.names(rest[0].text)
		params, err := t.parameters(rest[2 : len(rest)-1])
		if err != nil {
			return err
		}
		head = rest[0].text + "(" + params + ")"
	default:
		args := ""
		if at(rest, 0).is("(") {
			end := slices.IndexFunc(rest, func(l lexeme) bool { return l.is(")") })
			if end < 0 {
				return fmt.Errorf("the brackets of call do not end")
			}
			args, rest = "("+spell(rest[1:end])+") ", rest[end+1:]
		}
		e, err := rewritten(rest)
		if err != nil {
			return err
		}
		head = args + e
	}
	b := &block{keyword: keyword, body: len(t.out) + 1}
	t.emit("{% " + keyword + " " + head + " %}")
	t.emit("")
	return t.push(b)
}

// parameters writes a macro's parameters; the library reads only simple
// defaults, so they are computed beside the macro.
func (t *translator) parameters(all []lexeme) (string, error) {
	var params []string
	for len(all) > 0 {
		end, depth := 0, 0
		for ; end < len(all) && (depth > 0 || !all[end].is(",")); end++ {
			if all[end].opens() {
				depth++
			} else if all[end].closes() {
				depth--
			}
		}
		p := all[:end]
		all = all[min(end+1, len(all)):]
		switch {
		case len(p) == 1 && p[0].kind == lexName:
			params = append(params, p[0].text)
		case len(p) > 2 && p[0].kind == lexName && p[1].is("="):
			e, err := rewritten(p[2:])
			if err != nil {
				return "", err
			}
			value := t.newName()
			t.assign(value, e)
			params = append(params, p[0].text+"="+value)
		default:
			return "", fmt.Errorf("a macro's parameter is a name, or a name with a value")
		}
	}
	return strings.Join(params, ", "), nil
}
