package text

import "strings"

// Line is one row of a rendered document.
type Line struct {
	// ANSI is the row with its styles, every one of them reset at its end.
	ANSI string
	// Start and End are the bytes of Document.Source that the row shows, equal
	// where it shows none of it.
	Start, End int
	// Lead is how many cells at the begin are no text of the source: bars,
	// bullets, indentation. Code tells that the rest is the source as it stands.
	Lead int
	Code bool
}

// Document is markdown that may still grow. The zero value is empty. It is not
// safe for use by several goroutines, and not copied once it holds text.
type Document struct {
	src    string
	grows  strings.Builder // holds src: what comes is added in place
	done   bool
	frozen int // bytes of src whose blocks can no longer change
	width  int
	theme  *Theme
	lines  List[Line] // of the frozen blocks, then of the tail
	solid  int        // how many of lines are of the frozen blocks
	thaws  int        // how often those were dropped
	fresh  bool       // lines are those of src
	code   colours
}

// Append adds text, which it cleans first; the text must end between two
// characters.
func (d *Document) Append(s string) {
	if s == "" {
		return
	}
	s = Clean(s)
	d.grows.Grow(len(s)) // doubles where there is no room, which is more than an append takes, and not cleared
	d.grows.WriteString(s)
	d.src = d.grows.String()
	d.fresh, d.done = false, false
}

// Set replaces the text.
func (d *Document) Set(s string) {
	*d = Document{thaws: d.thaws + 1}
	d.Append(s)
}

// Finish says that nothing more will come: what was rendered in haste is
// rendered once more with care.
func (d *Document) Finish() {
	if d.done {
		return
	}
	d.done, d.fresh = true, false
	if d.width > 0 { // Settle is to know of all code that was shown
		d.Lines(d.width, d.theme)
	}
}

// Settle colours a little more of the code that was shown in haste while it grew, and
// reports whether there was any: Lines show it then. So the end of a long block does not
// hold up who draws it.
func (d *Document) Settle() bool {
	if !d.code.settle() {
		return false
	}
	d.fresh = false
	return true
}

// Source is the cleaned text; the places in a Line are bytes of it.
func (d *Document) Source() string { return d.src }

// Len is len(Source()).
func (d *Document) Len() int { return len(d.src) }

// Lines renders the document. The list is the document's own and stands until
// the next call.
func (d *Document) Lines(width int, th *Theme) *List[Line] {
	if width != d.width || th != d.theme {
		d.width, d.theme = width, th
		d.frozen, d.solid, d.fresh = 0, 0, false
		d.thaws++
	}
	if d.fresh {
		return &d.lines
	}
	d.lines.Cut(d.solid)
	d.freeze()
	d.render(d.src[d.frozen:], d.frozen, !d.done)
	d.fresh = true
	return &d.lines
}

// Solid is how many of the first lines stay as they are however the text grows, as long
// as thaws is the same.
func (d *Document) Solid() (lines, thaws int) { return d.solid, d.thaws }

// freeze renders for good all blocks of the complete lines but the last one:
// more text can only change the last.
func (d *Document) freeze() {
	tail := d.src[d.frozen:]
	complete := strings.LastIndexByte(tail, '\n') + 1
	if complete == 0 {
		return
	}
	root := parse([]byte(tail[:complete]))
	last := root.LastChild()
	if last == nil || last == root.FirstChild() {
		return
	}
	start := blockStart(last, tail)
	if start <= 0 {
		return
	}
	if !d.render(tail[:start], d.frozen, false) {
		d.lines.Cut(d.solid)
		return
	}
	d.frozen += start
	d.solid = d.lines.Len()
}

// render appends the lines of one piece of the source that starts at base, and reports
// whether they are as they will stay.
func (d *Document) render(src string, base int, open bool) bool {
	p := &page{src: []byte(src), base: base, width: max(d.width, 1), open: open, colours: &d.code}
	p.blocks(parse(p.src), margin{}, false)
	at := 0
	if len(p.rows) > 0 && d.lines.Len() > 0 {
		at = d.lines.Last().End
		d.lines.Add(Line{Start: at, End: at})
	}
	var b strings.Builder
	for _, row := range p.rows {
		b.Reset()
		d.theme.write(&b, row)
		l := Line{ANSI: b.String(), Start: at, End: at}
		l.cover(row)
		at = l.End
		d.lines.Add(l)
	}
	return !p.unsettled
}

// cover widens a line to the bytes of the source that its glyphs come from.
func (l *Line) cover(row []glyph) {
	first := true
	for i := range row {
		if row[i].src >= 0 {
			break
		}
		l.Lead += int(row[i].w)
		l.Code = l.Code || row[i].s == codeBar
	}
	for i := range row {
		if row[i].src < 0 {
			continue
		}
		if first {
			l.Start, l.End = row[i].src, row[i].src
			first = false
		}
		l.Start = min(l.Start, row[i].src)
		l.End = max(l.End, row[i].src+row[i].n)
	}
}
