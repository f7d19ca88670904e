package cpu

import (
	"github.com/confab-tui/confab/engine/model"
	"github.com/confab-tui/confab/kernels"
	"github.com/confab-tui/confab/kernels/matmul"
	"github.com/confab-tui/confab/kernels/rowwise"
)

// experts is one layer's feed-forward by chosen experts. The rows are sorted by expert,
// so that each expert's are multiplied together; then come gate and up, the
// activation, down, and the sum of what a row's experts gave.
//
// A slot is one row at one of its experts. The slots of an expert stand together.
type experts struct {
	e      *Executor
	op     *model.Experts
	domain domain
	room   *expertRoom
}

// expertRoom is what the layers of experts use, one after the other.
type expertRoom struct {
	first  []int32 // each expert's first slot, and the end
	active []int   // the experts that have slots
	rows   []int32 // of each slot
	slots  []int32 // of each choice, row after row
	every  []int32 // 0, 1, 2 ...
	hidden []float32
	gated  matmul.Input
	out    []float32
}

// experts adds the phases of one layer.
func (p *planner) experts(op *model.Experts) {
	if p.room == nil {
		p.room = &expertRoom{}
	}
	e := p.e
	x := &experts{e: e, op: op, domain: domainOf(e.program.Buffers[op.Out.Buf]), room: p.room}
	gate := expertProduct{experts: x, matrices: e.weights.packed[op.Gate], in: &p.filled(op.In, e.weights.of(op.Gate, 0).Form()).data}
	up := expertProduct{experts: x, matrices: e.weights.packed[op.Up], in: &p.filled(op.In, e.weights.of(op.Up, 0).Form()).data}
	down := expertProduct{experts: x, matrices: e.weights.packed[op.Down], in: &x.room.gated, slots: true}
	hidden := op.Gate.Rows
	gate.out = func() ([]float32, int) { return x.room.hidden, 2 * hidden }
	up.out = func() ([]float32, int) { return x.room.hidden[min(hidden, len(x.room.hidden)):], 2 * hidden }
	down.out = func() ([]float32, int) { return x.room.out, op.Out.Width }
	p.add(&expertSort{x})
	p.add(&expertProducts{e: e, parts: []*expertProduct{&gate, &up}})
	p.add(&expertGate{x})
	p.add(&expertProducts{e: e, parts: []*expertProduct{&down}})
	p.row(x.domain, x.sum)
}

// expertSort gives every choice its slot.
type expertSort struct{ *experts }

func (x *expertSort) units() int { return min(1, x.e.count(x.domain)) }

func (x *expertSort) run(int, int) {
	m, used, count := x.room, x.op.IDs.Width, x.e.count(x.domain)
	m.first = kernels.Grow(m.first, x.op.Gate.Experts+1)
	clear(m.first)
	for r := range count {
		for _, expert := range x.e.intRow(x.op.IDs, r) {
			m.first[expert+1]++
		}
	}
	m.active = m.active[:0]
	for expert := range x.op.Gate.Experts {
		if m.first[expert+1] > 0 {
			m.active = append(m.active, expert)
		}
		m.first[expert+1] += m.first[expert]
	}
	m.fit(count*used, x.op, x.e.weights.of(x.op.Down, 0).Form())
	for r := range count {
		for j, expert := range x.e.intRow(x.op.IDs, r) {
			slot := m.first[expert]
			m.first[expert]++
			m.rows[slot], m.slots[r*used+j] = int32(r), slot
		}
	}
	// Filling moved every expert's first slot to the next one's.
	copy(m.first[1:], m.first)
	m.first[0] = 0
}

func (m *expertRoom) fit(slots int, op *model.Experts, form kernels.Form) {
	m.rows, m.slots = kernels.Grow(m.rows, slots), kernels.Grow(m.slots, slots)
	m.hidden = kernels.Grow(m.hidden, slots*2*op.Gate.Rows)
	m.out = kernels.Grow(m.out, slots*op.Out.Width)
	m.gated.Reset(form, slots, op.Gate.Rows)
	for i := len(m.every); i < slots; i++ {
		m.every = append(m.every, int32(i))
	}
}

// expertProduct multiplies every active expert's slots by its matrix.
type expertProduct struct {
	*experts
	matrices []*matmul.Matrix
	in       *matmul.Input
	slots    bool // in has a row a slot; otherwise one of the step's
	out      func() (values []float32, stride int)
}

// expertProducts is a phase; a unit is some panels of one expert's matrix.
type expertProducts struct {
	e     *Executor
	parts []*expertProduct
	chunk int // panels of a unit
}

// unitsPerWorker is about how many units of expert products a worker gets.
const unitsPerWorker = 16

func (p *expertProducts) units() int {
	x := p.parts[0]
	if x.e.count(x.domain) == 0 {
		return 0
	}
	panels := x.matrices[0].Panels()
	all := panels * len(x.room.active) * len(p.parts)
	p.chunk = min(panels, max(1, all/(unitsPerWorker*p.e.options.Threads)))
	return (panels + p.chunk - 1) / p.chunk * len(x.room.active) * len(p.parts)
}

// find returns a unit's product, expert and panels.
func (p *expertProducts) find(unit int) (x *expertProduct, expert, from, to int) {
	x = p.parts[unit%len(p.parts)]
	unit /= len(p.parts)
	panels := x.matrices[0].Panels()
	chunks := (panels + p.chunk - 1) / p.chunk
	from = unit % chunks * p.chunk
	return x, x.room.active[unit/chunks], from, min(from+p.chunk, panels)
}

func (p *expertProducts) run(unit, _ int) {
	x, expert, from, to := p.find(unit)
	s0, s1 := x.room.first[expert], x.room.first[expert+1]
	rows := x.room.rows[s0:s1]
	if x.slots {
		rows = x.room.every[s0:s1]
	}
	out, stride := x.out()
	x.matrices[expert].Mul(out[int(s0)*stride:], stride, x.in, rows, from, to)
}

// expertGate activates and prepares the input of down, slot by slot.
type expertGate struct{ *experts }

func (x *expertGate) units() int {
	return (x.e.count(x.domain)*x.op.IDs.Width + blockRows - 1) / blockRows
}

func (x *expertGate) run(unit, _ int) {
	m, hidden := x.room, x.op.Gate.Rows
	s0 := unit * blockRows
	s1 := min(s0+blockRows, x.e.count(x.domain)*x.op.IDs.Width)
	expert := 0
	for s := s0; s < s1; s++ {
		for int(m.first[expert+1]) <= s {
			expert++
		}
		g, u := m.hidden[2*s*hidden:][:hidden], m.hidden[(2*s+1)*hidden:][:hidden]
		addPart(g, x.op.GateBias, expert)
		addPart(u, x.op.UpBias, expert)
		gate(x.op.Act, g, g, u)
	}
	m.gated.Fill(m.hidden, 2*hidden, s0, s1)
}

// addPart adds an expert's part of a vector, if there is one.
func addPart(x []float32, v *model.Vector, expert int) {
	if v != nil {
		rowwise.Add(x, x, v.Values[expert*len(x):][:len(x)])
	}
}

// sum adds up what a row's experts gave, in the order of its choices.
func (x *experts) sum(row int) {
	m, out := x.room, x.e.row(x.op.Out, row)
	ids, weights := x.e.intRow(x.op.IDs, row), x.e.row(x.op.Weights, row)
	clear(out)
	for j, expert := range ids {
		given := m.out[int(m.slots[row*len(ids)+j])*len(out):][:len(out)]
		addPart(given, x.op.DownBias, int(expert))
		by := weights[j]
		if x.op.DownScale != nil {
			by *= x.op.DownScale.Values[expert]
		}
		rowwise.AddScaled(out, given, by)
	}
}
