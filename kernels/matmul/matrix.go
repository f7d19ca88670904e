package matmul

import (
	"fmt"
	"runtime"
	"slices"
	"unsafe"

	"github.com/confab-tui/confab/kernels"
)

// A panel is 32 neighbouring rows of a matrix, stored block by block so that one
// pass over it reads memory in order. The two halves of 16 rows are what the lanes
// of two 64-byte registers hold: a line is 16 rows times 4 bytes, and the line of
// the second half follows that of the first.
const (
	panelRows = 32
	// groupRows is the most input rows a kernel multiplies with one panel in one go; kernels for
	// many rows, where there are any, take manyRows.
	groupRows = 6
	manyRows  = 16
)

// Matrix is [N rows][K] weights, K contiguous, repacked for this processor. It is
// read by many goroutines at once after packing.
type Matrix struct {
	N, K   int
	typ    Type
	layout *layout
	// panels holds Panels() panels of panelBytes each.
	panels     []byte
	panelBytes int
}

// layout is a packed form of weights. A block is the smallest piece that stands for
// itself: so many values of each of a panel's rows.
type layout struct {
	kind          kind
	form          kernels.Form
	values, bytes int
	// steps is how often a kernel fetches ahead in a block: once for every line of
	// 64 bytes or more often.
	steps int
}

// unaided says that panels are read faster if the next one is not asked for while so many rows are
// multiplied: then memory is the bound, and a processor that sees lines read in order
// fetches ahead with more buffers than it has for prefetches.
func (l *layout) unaided(rows int) bool {
	switch l.kind {
	case kindF32, kindBF16, kindI8:
		return rows <= groupRows
	}
	return false
}

// kind numbers the layouts.
type kind uint8

const (
	kindF32 kind = iota
	kindF16
	kindBF16
	kindI8
	kindQ4_0
	kindIQ4
	kindFP4
	kindQ4_1
	kindQ5_0
	kindQ5_1
	kindQ4K
	kindQ5K
	kindQ6K
	kindQ2K
	kindQ3K
	kindIQ4K
	kindI8K
	kindTQ
	kindIQ1S
	kindIQ1M
	kindIQ2
	kindIQ3
	kindQ1_0
	kindQ2_0
	kindNVFP4
)

// packer turns one block of n rows (n <= panelRows) into a block of a panel; the
// rows' blocks are stride bytes apart. The other rows' results are never stored.
type packer func(dst, src []byte, stride, n int)

// packing says which layout a type is packed into, how, and how many blocks of the
// layout one block of the type becomes.
type packing struct {
	layout *layout
	pack   packer
	// split is for types whose blocks are longer than the layout's.
	split int
}

// product is one call of a kernel: some input rows times one panel.
type product struct {
	// w is the panel: so many blocks of so many bytes.
	w             *byte
	blocks, bytes int
	// rows is how many of x and out there are.
	rows int
	// ahead is where fetching of the panel that comes next begins; the kernel goes
	// aheadStep bytes on with each of the layout's steps.
	ahead     *byte
	aheadStep int
	// mask has a bit for each row of the panel that exists.
	mask uint32
	// small says that all input rows are small (see Input).
	small bool
	// few says that so few rows share the panel that memory may be the bound.
	few bool
	// x are the prepared input rows.
	x [manyRows]*byte
	// out is where the first row's results for the panel go; those of the next are outStep bytes on.
	out     *float32
	outStep int
}

// results is where n results of input row i go.
func (p *product) results(i, n int) []float32 {
	return unsafe.Slice((*float32)(unsafe.Add(unsafe.Pointer(p.out), i*p.outStep)), n)
}

// NewMatrix makes room for the packed form of n rows of k values of type t; Pack fills it.
func NewMatrix(t Type, n, k int) (*Matrix, error) {
	f, ok := formats[t]
	if !ok {
		return nil, fmt.Errorf("matmul: tensor type %d is not supported", uint32(t))
	}
	if n <= 0 || k <= 0 || k%f.values != 0 {
		return nil, fmt.Errorf("matmul: a matrix of %d rows of %d values cannot be %s: its blocks are %d values", n, k, f.name, f.values)
	}
	m := &Matrix{N: n, K: k, typ: t, layout: packingOf(t).layout}
	m.panelBytes = (m.blocks()*m.layout.bytes + 63) &^ 63
	m.panels = kernels.WeightBytes(m.Panels() * m.panelBytes)
	return m, nil
}

// Panels is how many pieces the rows come in: the grain of scheduling.
func (m *Matrix) Panels() int { return (m.N + panelRows - 1) / panelRows }

// blocks is how many blocks of the layout a panel has.
func (m *Matrix) blocks() int { return (m.K + m.layout.values - 1) / m.layout.values }

// Form is what Mul wants its input to be.
func (m *Matrix) Form() kernels.Form { return m.layout.form }

// Bytes is the size of the packed weights.
func (m *Matrix) Bytes() int64 { return int64(len(m.panels)) }

// rowBytes is the size of a row in a file.
func (m *Matrix) rowBytes() int { return m.K / formats[m.typ].values * formats[m.typ].bytes }

// Source is where the rows of panels p0 to p1 are in the matrix's bytes of a file.
func (m *Matrix) Source(p0, p1 int) (from, to int) {
	return p0 * panelRows * m.rowBytes(), min(p1*panelRows, m.N) * m.rowBytes()
}

// Pack repacks panels p0 to p1 from data, the file's bytes of their rows. Different panels may
// be packed by different goroutines.
func (m *Matrix) Pack(data []byte, p0, p1 int) {
	if from, to := m.Source(p0, p1); len(data) != to-from {
		panic(fmt.Sprintf("matmul: panels %d to %d of %d rows of %d values take %d bytes, not %d", p0, p1, m.N, m.K, to-from, len(data)))
	}
	f, how, stride := formats[m.typ], packingOf(m.typ), m.rowBytes()
	block := how.layout.bytes * how.split
	for p := p0; p < p1; p++ {
		dst := m.panels[p*m.panelBytes:][:m.panelBytes]
		src := data[(p-p0)*panelRows*stride:]
		n := min(panelRows, m.N-p*panelRows)
		if f.values == 1 {
			how.pack(dst, src, stride, n)
			continue
		}
		for b := range m.K / f.values {
			how.pack(dst[b*block:(b+1)*block], src[b*f.bytes:], stride, n)
		}
	}
}

// Mul multiplies panels p0 to p1 with rows of the input: out[i*ld+n] is the sum
// over k of W[n][k] times row rows[i], for the panels' n; rows nil means all rows
// of the input in order. Other values of out stay as they are.
func (m *Matrix) Mul(out []float32, ld int, in *Input, rows []int32, p0, p1 int) {
	m.MulOn(out, ld, in, rows, p0, p1, p1)
}

// MulOn is Mul for a caller that goes on to panel end after p1: the first panel of what comes
// then, or with many rows its first block, is on its way from memory when MulOn returns.
func (m *Matrix) MulOn(out []float32, ld int, in *Input, rows []int32, p0, p1, end int) {
	if in.form != m.layout.form || in.k != m.K {
		panic(fmt.Sprintf("matmul: input of form %d and %d values for a matrix of form %d and %d", in.form, in.k, m.layout.form, m.K))
	}
	count := in.rows
	if rows != nil {
		count = len(rows)
	}
	if count > 0 && p1 > p0 && (p1 > m.Panels() || len(out) < (count-1)*ld+min(p1*panelRows, m.N)) {
		panic(fmt.Sprintf("matmul: %d results of %d rows do not fit in %d values with stride %d", count, m.N, len(out), ld))
	}
	tile := tileRows(in.stride)
	for first := 0; first < count; first += tile {
		m.mulTile(out, ld, in, rows, first, min(first+tile, count), p0, p1, end)
	}
}

// Fetch brings up to n bytes of panels p0 to p1 into the caches, from the at-th on, and returns
// how many there were.
func (m *Matrix) Fetch(p0, p1, at, n int) int {
	panels := m.panels[p0*m.panelBytes : p1*m.panelBytes]
	if at >= len(panels) {
		return 0
	}
	panels = panels[at:min(at+n, len(panels))]
	load(panels)
	return len(panels)
}

// load brings b into the caches by reading it: of many prefetches at once a processor drops those
// for which it has no buffer.
func load(b []byte) {
	var all byte
	for i := 0; i < len(b); i += 64 {
		all |= b[i]
	}
	runtime.KeepAlive(all)
}

// tileRows is how many rows of an input stay in the second-level cache while the
// panels pass by.
func tileRows(stride int) int {
	const share = 768 << 10
	return max(groupRows, share/stride/groupRows*groupRows)
}

func (m *Matrix) mulTile(out []float32, ld int, in *Input, rows []int32, i0, i1, p0, p1, end int) {
	a := product{blocks: m.blocks(), bytes: m.layout.bytes, few: i1-i0 <= manyRows, outStep: 4 * ld}
	most := groupRows
	if i1-i0 > groupRows && manySteps(m.layout.kind) > 0 {
		most = manyRows
	}
	groups := (i1 - i0 + most - 1) / most
	for p := p0; p < p1; p++ {
		a.w = &m.panels[p*m.panelBytes]
		a.mask = uint32(1<<min(panelRows, m.N-p*panelRows) - 1)
		for g, i := 0, i0; i < i1; g++ {
			// Groups are as even as they can be, and so are their shares of fetching.
			a.rows = (i1 - i + groups - g - 1) / (groups - g)
			if rows == nil {
				copy(a.x[:a.rows], in.at[i:])
				a.small = !slices.Contains(in.small[i:i+a.rows], false)
			} else {
				a.x, a.small = in.listed(rows[i : i+a.rows])
			}
			a.out = &out[i*ld+p*panelRows]
			a.ahead, a.aheadStep = a.w, 0
			if p+1 < end && !m.layout.unaided(i1-i0) {
				m.fetchAhead(&a, p+1, g, groups)
			}
			multiply(m.layout.kind, &a)
			i += a.rows
		}
	}
}

// fetchAhead gives the group-th of so many groups of input rows its share of
// fetching panel p.
func (m *Matrix) fetchAhead(a *product, p, group, groups int) {
	steps := m.layout.steps
	if a.rows > groupRows {
		steps = (a.rows + 3) / 4 * manySteps(m.layout.kind)
	}
	step := (a.bytes + groups*steps - 1) / (groups * steps)
	at := group * step * steps * a.blocks
	if groups == 1 && a.rows > groupRows {
		// Blocks of many rows take long enough for the next one to come; a whole panel would push
		// the rows out of the first-level cache.
		p, at = p-1, a.bytes
	}
	if at < m.panelBytes {
		a.ahead, a.aheadStep = &m.panels[p*m.panelBytes+at], step
	}
}

// bytesAt are n bytes from p on.
func bytesAt(p *byte, n int) []byte { return unsafe.Slice(p, n) }
