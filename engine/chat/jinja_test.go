package chat

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func renderText(source string, messages ...Message) (string, error) {
	tm, err := New(source, nil, Names{"<s>", "</s>"})
	if err != nil {
		return "", err
	}
	return tm.Text(messages, Options{Now: time.Date(2026, 1, 5, 9, 30, 4, 0, time.UTC), Strict: true, Tools: []byte(`[{"b": 1, "a": [1.0, true, null, "é\n\"<"]}]`)})
}

// What Jinja2 as transformers sets it up makes of small templates.
func TestJinja(t *testing.T) {
	for _, c := range []struct{ source, want string }{
		// White space.
		{"a\n  {% if true %}\nb\n  {% endif %}\nc\n", "a\nb\nc"},
		{"a\n  {{ 1 }}\nb\n\n", "a\n  1\nb\n"},
		{"a \n {%- if true -%} \n b {%- endif %} c", "ab c"},
		{"a\n  {%+ if true %}b{% endif +%}\nc", "a\n  b\nc"},
		{"a\n  {# x #}\nb", "a\nb"},
		{"{% if true %}{{ 1 }}\n{% endif %}", "1\n"},
		{"{% if true %}  {{ 1 }} {% endif %}", "  1 "},
		{"  {% if true %}x{% endif %}", "x"},
		{"a{{- ' b ' -}} c", "a b c"},
		{"{% raw %}{{ a }}{% b %}{% endraw %}\nx", "{{ a }}{% b %}x"},
		{"a\r\nb", "a\nb"},
		// Strings.
		{`{{ 'a' 'b' }}{{ "\u00e9\x41\\n\n" }}{{ 'it\'s' }}`, "abéA\\n\nit's"},
		{"{{ '%}' }}{{ {'a': {'b': 1}}['a']['b'] }}", "%}1"},
		{"{{ 'a,b,c'.split(',', 1) }}", "['a', 'b,c']"},
		{"{{ 'a,b,c'.rsplit(',', 1)[0] }}{{ ' a  b '.split() }}", "a,b['a', 'b']"},
		{"{{ 'xxaxx'.strip('x') }}{{ ' a '.lstrip() }}|", "aa |"},
		{"{{ 'abc'[-2:] }}{{ 'abc'[::-1] }}{{ 'a'.startswith(('b', 'a')) }}", "bccbaTrue"},
		{"{{ 'a{}b{x}{{}}'.format(1, x='y') }}{{ '%s-%03d' % ('a', 7) }}{{ '%s' % 'z' }}", "a1by{}a-007z"},
		{"{{ 'ab' * 2 }}{{ 7 % 4 }}{{ 2 * 3 + 1 }}{{ 12 / 4 * 2 }}{{ 5 - 7 % 4 }}", "abab376.02"},
		{"{{ 'hello world'.title() }}{{ 'aB'|capitalize }}{{ 'ab'|upper }}", "Hello WorldAbAB"},
		{"{{ ['a', 'it\\'s', 1.0, none, true, {'k': 2}] }}", `['a', "it's", 1.0, None, True, {'k': 2}]`},
		{"{{ none }}{{ 1.50 }}{{ nothing }}", "None1.5"},
		{"{{ 'abcde'[1:-1] }}{{ 'abcde'[::2] }}{{ 'abcde'[3:0:-2] }}{{ 'ab'[5:] }}{{ [1, 2, 3][-2:] }}{{ [1, 2, 3][:0] }}{{ 'é日'[1:] }}", "bcdacedb[2, 3][]日"},
		{"{% set m = {'a': [1, 2]} %}{{ m['a'][0] }}{{ m.a[1:][0] }}{{ [[1], [2]][1][0] }}{{ {'a': 1 if true else 2}['a'] }}", "1221"},
		// Filters.
		{"{{ tools|tojson }}", `[{"b": 1, "a": [1.0, true, null, "é\n\"<"]}]`},
		{"{{ {'a': [1, {}], 'b': []}|tojson(indent=2) }}", "{\n  \"a\": [\n    1,\n    {}\n  ],\n  \"b\": []\n}"},
		{"{{ {'b': 1, 'a': 2}|tojson(sort_keys=true, separators=(',', ':')) }}", `{"a":2,"b":1}`},
		{"{{ [3, 1, 2]|sort|join('-') }}{{ ['b', 'A']|sort|join }}{{ [1, 2]|map('string')|join('+') }}", "1-2-3Ab1+2"},
		{"{{ messages|selectattr('role', 'equalto', 'user')|map(attribute='content')|join(',') }}", "hi,yo"},
		{"{{ messages|selectattr('name')|list|length }}{{ messages|rejectattr('role', 'eq', 'user')|list|length }}", "01"},
		{"{{ x|default('d') }}{{ ''|default('e', true) }}{{ none|default('f') }}", "deNone"},
		{"{{ 'a\nb'|indent(2) }}{{ 'a\nb'|indent(2, true) }}", "a\n  b  a\n  b"},
		{"{{ 'abc'|first }}{{ [1, 2]|last }}{{ '日本'|length }}{{ 'b'|replace('b', 'c') }}", "a22c"},
		{"{{ {'b': 1, 'a': 2}|dictsort }}{{ {'a': 1}.items() }}{{ {'a': 1}.get('b', 3) }}", "[['a', 2], ['b', 1]][['a', 1]]3"},
		{"{% filter upper %}a{{ 'b' }}{% endfilter %}{% set x | trim %} c {% endset %}{{ x }}", "ABc"},
		// Statements.
		{"{% for i in range(3) if i != 1 %}{{ loop.index }}{{ i }}{{ ',' if not loop.last }}{% endfor %}", "10,22"},
		{"{% for k, v in {'a': 1}.items() %}{{ k }}{{ v }}{% else %}none{% endfor %}{% for x in [] %}{% else %}e{% endfor %}", "a1e"},
		{"{% for i in range(4) %}{% if i == 1 %}{% continue %}{% endif %}{% if i == 3 %}{% break %}{% endif %}{{ i }}{% endfor %}", "02"},
		{"{% set ns = namespace(n=0) %}{% for i in range(3) %}{% set ns.n = ns.n + i %}{% endfor %}{{ ns.n }}", "3"},
		{"{% for i in range(2) %}{{ x is defined }}{% if i == 0 %}{% set x = 1 %}{% endif %}{% endfor %}{{ x is defined }}", "FalseFalseFalse"},
		{"{% set x = 'o' %}{% for i in range(2) %}{{ x }}{% set x = 'i' %}{{ x }}{% endfor %}{{ x }}", "oioio"},
		{"{% set a, b = [1, 2] %}{{ b }}{{ a }}", "21"},
		{"{% macro m(a, b=', (', c=[1, 2]) %}{{ a }}{{ b }}{{ c|length }}{% endmacro %}{{ m(1) }}{{ m(2, c=[]) }}", "1, (22, (0"},
		{"{% macro m() %}<{{ caller() }}>{% endmacro %}{% call m() %}x{% endcall %}", "<x>"},
		{"{% generation %}a{% endgeneration %}", "a"},
		{"{{ 1 + 2 ~ 'a' ~ none ~ 1.0 }}{{ 'a' + 'b' ~ 3 - 1 }}{{ [1] + [2] }}{{ - 1 + 3 }}{{ 2 - -1 }}{{ 1 + 1 == 2 and 'a' ~ 'b' in ['ab'] }}", "3aNone1.0ab2[1, 2]23True"},
		{"{{ ('a' ~ 'b')|upper ~ 'c' if 1 < 2 else 'd' ~ 'e' }}{{ {'k': 'a' ~ 'b'}['k' ~ ''] }}{{ f(x=1 + 1) if false else dict(x=1 + 1).x }}", "ABcab2"},
		// Tests.
		{"{{ 'a' is in ['a'] }}{{ 'b' is not in ['a'] }}{{ 3 is gt 2 }}{{ 'x' is sequence }}{{ {} is mapping }}{{ 1 is eq 1 and true }}", "TrueTrueTrueTrueTrueTrue"},
		{"{{ bos_token }}{{ strftime_now('%d %b %Y %-d/%-m %H:%M %j %%') }}", "<s>05 Jan 2026 5/1 09:30 005 %"},
	} {
		got, err := renderText(c.source, Message{Role: User, Content: "hi"}, Message{Role: Assistant, Content: "oh"}, Message{Role: User, Content: "yo"})
		if err != nil || got != c.want {
			t.Errorf("%s\n got %q, %v\nwant %q", c.source, got, err, c.want)
		}
	}
}

func TestRefusals(t *testing.T) {
	for _, c := range []struct{ source, want string }{
		{"{{ raise_exception('no ' ~ 'way') }}", "no way"},
		{"{% include 'x' %}", "without files"},
		{"{% include '/etc/hostname' ignore missing %}", "without files"},
		{"{% extends 'x' %}", "extends"},
		{"{% import 'x' as y %}", "import"},
		{"{% from 'x' import y %}", "from"},
		{"{% if true %}", "does not end"},
		{"{% for x in y %}{% endif %}", "endif"},
		{"{{ 'a }}", "does not end"},
		{"{# a", "does not end"},
		{"{% foo %}", "foo"},
		{"{{ x.__class__ }}", "__class__"},
		{"{% set __round = 1 %}", "__round"},
		{"{{ }}", "missing"},
		{"{{ a ! b }}", "!"},
		{"{{ 1|nofilter }}", "nofilter"},
		{"{{ 'a'.nomethod() }}", "nomethod"},
		{"{{ nothing() }}", "nothing"},
	} {
		if got, err := renderText(c.source); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s gave %q, %v", c.source, got, err)
		}
	}
}

// A template may be hostile: it ends with an error, within bounds.
func TestHostileTemplates(t *testing.T) {
	doubling := "{% set x = 'aaaaaaaaaaaaaaaa' %}" + strings.Repeat("{% set x = x ~ x %}", 60)
	for name, source := range map[string]string{
		"range":              "{% for i in range(1000000000000) %}{% endfor %}",
		"loops":              "{% for a in range(10000) %}{% for b in range(10000) %}{% for c in range(10000) %}{% endfor %}{% endfor %}{% endfor %}",
		"output":             "{% for a in range(99999) %}{% for a in range(99999) %}" + strings.Repeat("x", 1000) + "{% endfor %}{% endfor %}",
		"outputs":            "{% set x = 'x' * 1000000 %}{% for a in range(99999) %}{{ x }}{% endfor %}",
		"repeat":             "{{ 'x' * 1000000000000 }}",
		"repeat twice":       "{{ 'x' * 1000000 * 1000000 }}",
		"repeat nothing":     "{{ ('' * 9223372036854775807) ~ ('x' * -5) ~ [1] * 99999999999 }}",
		"doubling":           doubling,
		"sums":               "{% set x = 'x' * 4000000 %}{% set y = x" + strings.Repeat(" ~ x", 1000) + " %}",
		"more sums":          "{% set x = 'x' * 4000000 %}{% set y = x" + strings.Repeat(" + x", 1000) + " %}",
		"doubling lists":     "{% set x = [1, 2, 3] %}" + strings.Repeat("{% set x = x + x %}", 60),
		"doubling in a loop": "{% set n = namespace(x='x') %}{% for i in range(99) %}{% set n.x = n.x + n.x %}{% endfor %}",
		"replace":            "{% set x = 'x' * 1000000 %}{{ x|replace('', x) }}",
		"replace method":     "{% set x = 'x' * 1000000 %}{{ x.replace('x', x) }}",
		"join":               "{% set x = 'x' * 1000000 %}{% set l = [] %}{% for i in range(9999) %}{{ l.append(x) or '' }}{% endfor %}{{ l|join }}",
		"indent":             "{% set x = '\n' * 1000000 %}{{ x|indent(1000000000) }}",
		"format":             "{% set x = '{0}' * 100000 %}{{ x.format('x' * 1000000) }}",
		"percent":            "{{ '%999999999d' % 1 }}",
		"recursion":          "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
		"caller":             "{% macro m() %}{% call m() %}{{ m() }}{% endcall %}{% endmacro %}{{ m() }}",
		"itself":             "{% set l = [] %}{{ l.append(l) or '' }}{{ l|tojson }}",
		"brackets":           "{{ " + strings.Repeat("(", 100000) + " }}",
		"nots":               "{{ " + strings.Repeat("not ", 100000) + "x }}",
		"ifs":                strings.Repeat("{% if x %}", 10000),
		"long":               strings.Repeat("x", maxSource+1),
		"slice":              "{{ raise_exception(([1, 2, 3])[::-9223372036854775807] ~ 'a'[:9223372036854775807:2]) }}",
	} {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			got, err := renderText(source)
			if err == nil {
				t.Errorf("rendered %d bytes", len(got))
			}
			if len(fmt.Sprint(err)) > 400 {
				t.Errorf("the error has %d bytes", len(err.Error()))
			}
			t.Logf("%v after %v", err, time.Since(start))
		})
	}
}

func FuzzTemplates(f *testing.F) {
	for _, s := range []string{
		"{% for m in messages %}{{ m.role }}: {{ m['content']|trim }}\n{% endfor %}", "{% set x = [1] * 3 %}{{ x[1:] | join(',') }}",
		"{%- if a is not in [1] -%}{# c #}{% raw %}{{{% endraw %}{% else %}{% endif %}", "{% macro a(b, c=1) %}{{ b % c }}{% endmacro %}{{ a('%s', c=(2,)) }}",
		"{{ {'a': {}}['a'] ~ 1.5 // 2 ** 3 }}", "{% filter upper %}x{% endfilter %}{% call(x) y(1) %}{% endcall %}",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, source string) {
		text, err := renderText(source, Message{Role: User, Content: "hi"})
		if err == nil && len(text) > 2*minBytes {
			t.Errorf("%q rendered %d bytes", source, len(text))
		}
	})
}
