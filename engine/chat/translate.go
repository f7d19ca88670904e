package chat

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// translate turns a template into one that the library renders as Jinja2 does,
// and within limits:
//   - text becomes string outputs, so that the library finds no whitespace to
//     control a second time;
//   - filters and methods become our own (see rewrite);
//   - every output, loop round and macro call passes through the guard;
//   - variables set in a loop's body start every round with their outer values.
//
// Names that begin with two underscores are ours; templates may not use them.
func translate(source string) (string, error) {
	if len(source) > maxSource {
		return "", fmt.Errorf("the template has %d bytes, more than %d", len(source), maxSource)
	}
	parts, err := scan(source)
	if err != nil {
		return "", err
	}
	t := &translator{blocks: []*block{{keyword: "template"}}}
	for _, p := range parts {
		switch p.kind {
		case partText:
			t.text(p.text)
		case partOutput:
			err = t.output(p.text)
		case partStatement:
			err = t.statement(p.text)
		}
		if err != nil {
			return "", fmt.Errorf("line %d: %w", p.line, err)
		}
	}
	if b := t.top(); b.keyword != "template" {
		return "", fmt.Errorf("the %s block does not end", b.keyword)
	}
	return strings.Join(t.out, ""), nil
}

// maxSource is far above any real template's size, which is 20 KB at most.
const maxSource = 512 << 10

type translator struct {
	out    []string
	blocks []*block
	fresh  int // counts the names that we made
}

// block is an open statement.
type block struct {
	keyword string
	// before and body are places in out that are filled when a loop or macro
	// ends; names are set in its body, text counts its literal bytes.
	before, body int
	names        []string
	targets      []string
	text         int
	// filter and target finish a filter block or a set block.
	filter, target string
}

func (t *translator) top() *block { return t.blocks[len(t.blocks)-1] }

// scope is the innermost block with variables of its own.
func (t *translator) scope() *block {
	for i := len(t.blocks) - 1; ; i-- {
		switch t.blocks[i].keyword {
		case "for", "macro", "call", "template":
			return t.blocks[i]
		}
	}
}

func (t *translator) push(b *block) error {
	if len(t.blocks) > maxNesting {
		return fmt.Errorf("blocks are nested deeper than %d", maxNesting)
	}
	t.blocks = append(t.blocks, b)
	return nil
}

func (t *translator) pop(keyword string) (*block, error) {
	b := t.top()
	if b.keyword != keyword {
		return nil, fmt.Errorf("end%s inside of the %s block", keyword, b.keyword)
	}
	t.blocks = t.blocks[:len(t.blocks)-1]
	return b, nil
}

func (t *translator) emit(s string) { t.out = append(t.out, s) }

func (t *translator) newName() string {
	t.fresh++
	return "__v" + strconv.Itoa(t.fresh)
}

func (t *translator) text(s string) {
	t.scope().text += len(s)
	t.emit("{{ " + quote(s) + " }}")
}

func (t *translator) output(inside string) error {
	e, err := expression(inside)
	if err != nil {
		return err
	}
	t.emit("{{ ( " + e + " ) | __out }}")
	return nil
}

// expression rewrites a whole expression.
func expression(text string) (string, error) {
	all, err := lex(text)
	if err == nil {
		all, err = rewrite(all)
	}
	if err == nil && len(all) == 0 {
		err = fmt.Errorf("an expression is missing")
	}
	return spell(all), err
}

func rewritten(all []lexeme) (string, error) { return expression(spell(all)) }

func (t *translator) statement(inside string) error {
	all, err := lex(inside)
	if err != nil {
		return err
	}
	if len(all) == 0 || all[0].kind != lexName {
		return fmt.Errorf("a statement is missing")
	}
	keyword, rest := all[0].text, all[1:]
	for _, l := range rest {
		if l.kind == lexName && strings.HasPrefix(l.text, "__") {
			return fmt.Errorf("the name %s is not allowed", l.text)
		}
	}
	switch keyword {
	case "if", "elif":
		return t.condition(keyword, rest)
	case "else":
		t.emit("{% else %}")
	case "for":
		return t.loop(rest)
	case "set":
		return t.set(rest)
	case "macro", "call":
		return t.callable(keyword, rest)
	case "filter":
		f, err := rewritten(append([]lexeme{name("x"), operator("|")}, rest...))
		if err != nil {
			return err
		}
		b := &block{keyword: "filter", target: t.newName(), filter: strings.TrimPrefix(f, "x ")}
		t.emit("{% set " + b.target + " %}")
		return t.push(b)
	case "generation":
		return t.push(&block{keyword: keyword})
	case "break", "continue":
		t.emit("{% " + keyword + " %}")
	case "do":
		e, err := rewritten(rest)
		t.emit("{% set " + t.newName() + " = " + e + " %}")
		return err
	case "include", "import", "from", "extends", "block":
		return fmt.Errorf("%s is not possible: a chat template is one text, without files", keyword)
	default:
		if ends, ok := strings.CutPrefix(keyword, "end"); ok {
			return t.end(ends)
		}
		return fmt.Errorf("the statement %q is not known", keyword)
	}
	return nil
}

func (t *translator) condition(keyword string, rest []lexeme) error {
	e, err := rewritten(rest)
	if err != nil {
		return err
	}
	t.emit("{% " + keyword + " " + e + " %}")
	if keyword == "if" {
		return t.push(&block{keyword: "if"})
	}
	return nil
}

// find is the place of a word outside of brackets, or -1.
func find(all []lexeme, word string) int {
	depth := 0
	for i, l := range all {
		switch {
		case l.opens():
			depth++
		case l.closes():
			depth--
		case depth == 0 && l.word(word):
			return i
		}
	}
	return -1
}

func (t *translator) loop(rest []lexeme) error {
	in := find(rest, "in")
	if in < 0 {
		return fmt.Errorf("a loop needs in")
	}
	b := &block{keyword: "for", before: len(t.out), body: len(t.out) + 2}
	for _, l := range rest[:in] {
		if l.kind == lexName {
			b.targets = append(b.targets, l.text)
		}
	}
	if len(b.targets) == 0 || len(b.targets) > 2 {
		return fmt.Errorf("a loop has %d variables, 1 or 2 are possible", len(b.targets))
	}
	over := rest[in+1:]
	if n := len(over); n > 0 && over[n-1].word("recursive") {
		return fmt.Errorf("recursive loops are not possible")
	}
	filter := ""
	if at := find(over, "if"); at >= 0 && find(over[at:], "else") < 0 {
		e, err := rewritten(over[at+1:])
		if err != nil {
			return err
		}
		filter, over = " if "+e, over[:at]
	}
	e, err := rewritten(over)
	if err != nil {
		return err
	}
	t.emit("")
	t.emit("{% for " + strings.Join(b.targets, ", ") + " in ( " + e + " ) " + filter + " %}")
	t.emit("")
	return t.push(b)
}

func (t *translator) set(rest []lexeme) error {
	if at(rest, 1).is("=") || at(rest, 1).is(".") && at(rest, 3).is("=") {
		eq := slices.IndexFunc(rest, func(l lexeme) bool { return l.is("=") })
		e, err := rewritten(rest[eq+1:])
		if err != nil {
			return err
		}
		target := strings.ReplaceAll(spell(rest[:eq]), " ", "")
		if eq == 1 {
			t.names(target)
		}
		t.assign(target, e)
		return nil
	}
	if at(rest, 1).is(",") {
		return t.unpack(rest)
	}
	if len(rest) == 0 || rest[0].kind != lexName || len(rest) > 1 && !rest[1].is("|") {
		return fmt.Errorf("set needs a name and a value")
	}
	b := &block{keyword: "set", target: rest[0].text}
	if len(rest) > 1 {
		f, err := rewritten(append([]lexeme{name("x")}, rest[1:]...))
		if err != nil {
			return err
		}
		b.filter = strings.TrimPrefix(f, "x ")
	}
	t.names(b.target)
	t.emit("{% set " + b.target + " %}")
	return t.push(b)
}

// unpack sets several names from one list.
func (t *translator) unpack(rest []lexeme) error {
	eq := slices.IndexFunc(rest, func(l lexeme) bool { return l.is("=") })
	if eq < 0 {
		return fmt.Errorf("set needs a value")
	}
	e, err := rewritten(rest[eq+1:])
	if err != nil {
		return err
	}
	list, n := t.newName(), 0
	t.assign(list, e)
	for _, l := range rest[:eq] {
		if l.kind == lexName {
			t.names(l.text)
			t.emit("{% set " + l.text + " = " + list + "[" + strconv.Itoa(n) + "] %}")
			n++
		}
	}
	return nil
}

// assign sets a variable and has the guard look at its size.
func (t *translator) assign(target, e string) {
	t.emit("{% set " + target + " = " + e + " %}{{ " + target + " | __size }}")
}

// names notes that a variable belongs to the present scope.
func (t *translator) names(n string) {
	if s := t.scope(); !slices.Contains(s.names, n) && !slices.Contains(s.targets, n) {
		s.names = append(s.names, n)
	}
}

// end closes a block and fills its places.
func (t *translator) end(keyword string) error {
	b, err := t.pop(keyword)
	if err != nil {
		return err
	}
	switch keyword {
	case "for":
		for _, n := range b.names {
			outer := t.newName()
			t.out[b.before] += "{% set " + outer + " = " + n + " %}"
			t.out[b.body] += "{% set " + n + " = " + outer + " %}"
		}
		t.out[b.body] += "{{ __round(" + strconv.Itoa(b.text) + ") }}"
	case "macro", "call":
		t.out[b.body] = "{{ __enter(" + strconv.Itoa(b.text) + ") }}"
		t.emit("{{ __leave() }}")
	case "filter":
		t.emit("{% endset %}{{ " + b.target + " " + b.filter + " | __out }}")
		return nil
	case "set":
		t.emit("{% endset %}")
		if b.filter != "" {
			t.emit("{% set " + b.target + " = " + b.target + " " + b.filter + " %}")
		}
		return nil
	case "generation":
		return nil
	}
	t.emit("{% end" + keyword + " %}")
	return nil
}
