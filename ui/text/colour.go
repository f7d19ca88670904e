package text

import (
	"strings"
	"time"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"
)

const (
	// hastyLines is how many lines of a code block that still grows are coloured
	// together: colouring starts anew behind them until the block is finished, since
	// every new token would cost the whole block again otherwise.
	hastyLines = 10
	// settleBytes is how much code one call of Settle colours: some lexers take 5 µs a
	// byte.
	settleBytes = 256
	// longestCode is the size in bytes up to which code is coloured at all.
	longestCode = 256 << 10
)

// Patience is how long colouring may take at a time: some lexers are slow on code that is
// not what it says it is, and a document that met that once stays without colours. Tests,
// which a busy machine may hold up, have more of it.
var Patience = 150 * time.Millisecond

// run is some code of one role, in bytes.
type run struct {
	role Role
	n    int
}

// coloured is code with its colours.
type coloured struct {
	lang, code string
	runs       []run           // of the code's begin
	done       int             // bytes that the runs cover
	rest       chroma.Iterator // gives the rest; nil where there is none
	set        codeRows
}

// more colours n more bytes. Code that the lexer does not give back as it was stays
// without colours.
func (c *coloured) more(n int) {
	for to := c.done + n; c.rest != nil && c.done < to; {
		t := c.rest()
		switch {
		case t == chroma.EOF && c.done == len(c.code):
			c.rest = nil
		case t == chroma.EOF || !strings.HasPrefix(c.code[c.done:], t.Value):
			c.plain()
		default:
			c.put(roleOf(t.Type), len(t.Value))
		}
	}
}

func (c *coloured) put(role Role, n int) {
	if last := len(c.runs) - 1; last >= 0 && c.runs[last].role == role {
		c.runs[last].n += n
	} else {
		c.runs = append(c.runs, run{role, n})
	}
	c.done += n
}

func (c *coloured) plain() {
	c.runs, c.done, c.rest = []run{{RoleText, len(c.code)}}, len(c.code), nil
}

// colours are those of a document's code, by the place of its first byte in the
// source. They do not depend on the page, and outlast a change of its width.
type colours struct {
	hasty   map[int]*coloured // the pieces of blocks that grow
	whole   map[int]*coloured // blocks that are finished
	waiting []*coloured       // those of them that settle colours
	slow    bool              // colouring took too long once
}

// piece gives a part of a block that still grows.
func (cs *colours) piece(at int, lang, code string) *coloured {
	if c := cs.hasty[at]; c != nil && c.lang == lang && c.code == code {
		return c
	}
	c := cs.begin(lang, code)
	cs.more(c, len(code)+1)
	if cs.hasty == nil {
		cs.hasty = map[int]*coloured{}
	}
	cs.hasty[at] = c
	return c
}

// block gives a finished block, nil as long as Settle has not coloured all of it. Only
// one that was shown in pieces before waits for that.
func (cs *colours) block(at int, lang, code string) *coloured {
	c := cs.whole[at]
	if c == nil || c.lang != lang || c.code != code {
		c = cs.begin(lang, code)
		if cs.hasty[at] != nil && len(code) > settleBytes {
			cs.waiting = append(cs.waiting, c)
		} else {
			cs.more(c, len(code)+1)
		}
		if cs.whole == nil {
			cs.whole = map[int]*coloured{}
		}
		cs.whole[at] = c
	}
	if c.rest != nil {
		return nil
	}
	for place := range cs.hasty {
		if place >= at && place < at+len(code) {
			delete(cs.hasty, place)
		}
	}
	return c
}

// begin is code of which nothing is coloured yet.
func (cs *colours) begin(lang, code string) *coloured {
	c := &coloured{lang: lang, code: code}
	if lexer := lexerFor(lang); lexer != nil && !cs.slow && len(code) <= longestCode {
		if it, err := lexer.Tokenise(nil, code); err == nil {
			c.rest = it
			return c
		}
	}
	c.plain()
	return c
}

func (cs *colours) more(c *coloured, n int) {
	began := time.Now()
	c.more(n)
	cs.slow = cs.slow || time.Since(began) > Patience
}

// settle colours some more of a block that waits, and reports whether there was one.
func (cs *colours) settle() bool {
	if len(cs.waiting) == 0 {
		return false
	}
	c := cs.waiting[0]
	cs.more(c, settleBytes)
	if cs.slow {
		c.plain()
	}
	if c.rest == nil {
		cs.waiting = cs.waiting[1:]
	}
	return true
}

// lexerFor finds a lexer by the name behind the fence.
func lexerFor(lang string) chroma.Lexer {
	if lang == "" {
		return nil
	}
	l := lexers.Get(lang)
	if l == nil {
		return nil
	}
	return chroma.Coalesce(l)
}
