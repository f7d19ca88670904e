package store

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"math"
	"sync"
)

// TokenOdds is how likely one token of an answer was.
type TokenOdds struct {
	ID int32
	// LogProb is under the model alone, Prob with the knobs that it was drawn with.
	LogProb, Prob float32
	// Length counts the bytes that it added to the text or, where Thinking, to the
	// thinking, as they are shown.
	Length       int
	Thinking     bool
	Alternatives []Candidate
}

// Candidate is a token that could have stood there, spelled out, so that it can be
// shown without the model.
type Candidate struct {
	ID      int32
	LogProb float32
	Text    string
}

// Odds are those of all tokens of an answer. They never change; packing is left
// to whoever writes them, and then only the packed form is kept, which takes a
// small part of the list's memory.
type Odds struct {
	mu     sync.Mutex
	list   []TokenOdds
	packed []byte
}

// NewOdds keeps the list, which belongs to the Odds from then on; an empty one
// gives nil.
func NewOdds(list []TokenOdds) *Odds {
	if len(list) == 0 {
		return nil
	}
	return &Odds{list: list}
}

func oddsFrom(packed []byte) *Odds {
	if len(packed) == 0 {
		return nil
	}
	return &Odds{packed: packed}
}

// Tokens are the odds in the order of the tokens; an error says that what was
// stored is damaged.
func (o *Odds) Tokens() ([]TokenOdds, error) {
	if o == nil {
		return nil, nil
	}
	o.mu.Lock()
	list, packed := o.list, o.packed
	o.mu.Unlock()
	if list != nil {
		return list, nil
	}
	return unpackOdds(packed)
}

// pack is the form on the disk, nil for none.
func (o *Odds) pack() []byte {
	if o == nil {
		return nil
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.packed == nil {
		o.packed, o.list = packOdds(o.list), nil
	}
	return o.packed
}

// MarshalJSON writes the packed form.
func (o *Odds) MarshalJSON() ([]byte, error) { return json.Marshal(o.pack()) }

// UnmarshalJSON reads it.
func (o *Odds) UnmarshalJSON(b []byte) error {
	return json.Unmarshal(b, &o.packed)
}

const (
	// oddsStep is the precision of logarithms: one part in so many.
	oddsStep = 1024
	oddsMost = 1 << 20 // stands for a probability of zero
	// oddsBytes bounds what a packed list may grow to.
	oddsBytes = 32 << 20
)

var errOdds = errors.New("the stored odds of an answer's tokens are damaged")

// packOdds writes the spellings of all candidates once, then the tokens with
// candidates by their number, logarithms as differences in whole steps; all of it
// as varints, deflated.
func packOdds(list []TokenOdds) []byte {
	var names, body []byte
	number := map[int32]uint64{}
	for i := range list {
		t := &list[i]
		body = binary.AppendVarint(body, int64(t.ID))
		body = binary.AppendUvarint(body, uint64(t.Length)<<1|uint64(bit(t.Thinking)))
		body = binary.AppendUvarint(body, quantum(t.LogProb))
		body = binary.AppendUvarint(body, quantum(float32(math.Log(float64(t.Prob)))))
		body = binary.AppendUvarint(body, uint64(len(t.Alternatives)))
		last := int64(0)
		for _, c := range t.Alternatives {
			n, known := number[c.ID]
			if !known {
				n = uint64(len(number))
				number[c.ID] = n
				names = binary.AppendVarint(names, int64(c.ID))
				names = binary.AppendUvarint(names, uint64(len(c.Text)))
				names = append(names, c.Text...)
			}
			q := int64(quantum(c.LogProb))
			body = binary.AppendVarint(binary.AppendUvarint(body, n), q-last)
			last = q
		}
	}
	head := binary.AppendUvarint(nil, uint64(len(number)))
	body = append(binary.AppendUvarint(append(head, names...), uint64(len(list))), body...)
	var out bytes.Buffer
	w, err := flate.NewWriter(&out, flate.DefaultCompression)
	if err != nil {
		panic("store: " + err.Error()) // the level is one that there is
	}
	w.Write(body) // a Buffer takes everything
	w.Close()
	return out.Bytes()
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

func quantum(log float32) uint64 {
	v := -float64(log) * oddsStep
	if !(v < oddsMost) {
		return oddsMost
	}
	return uint64(max(math.Round(v), 0))
}

func unquantum(q int64) float32 {
	if q >= oddsMost {
		return float32(math.Inf(-1))
	}
	return float32(-float64(q) / oddsStep)
}

func unpackOdds(packed []byte) ([]TokenOdds, error) {
	b, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(packed)), oddsBytes))
	if err != nil {
		return nil, errOdds
	}
	r := oddsReader{b: b}
	known := make([]Candidate, r.count(2))
	for i := range known {
		known[i].ID = int32(r.signed())
		known[i].Text = r.text(r.count(1))
	}
	list := make([]TokenOdds, r.count(5))
	for i := range list {
		t := &list[i]
		t.ID = int32(r.signed())
		length := r.unsigned()
		t.Length, t.Thinking = int(length>>1&math.MaxInt32), length&1 == 1
		t.LogProb = unquantum(int64(r.unsigned()))
		t.Prob = float32(math.Exp(float64(unquantum(int64(r.unsigned())))))
		t.Alternatives = make([]Candidate, r.count(2))
		q := int64(0)
		for j := range t.Alternatives {
			n := r.unsigned()
			if n >= uint64(len(known)) {
				return nil, errOdds
			}
			q += r.signed()
			t.Alternatives[j] = known[n]
			t.Alternatives[j].LogProb = unquantum(q)
		}
	}
	if r.bad || len(r.b) > 0 {
		return nil, errOdds
	}
	return list, nil
}

// oddsReader takes varints off its bytes; past an error it gives zeros.
type oddsReader struct {
	b   []byte
	bad bool
}

func (r *oddsReader) unsigned() uint64 {
	v, n := binary.Uvarint(r.b)
	return r.take(v, n)
}

func (r *oddsReader) signed() int64 {
	v, n := binary.Varint(r.b)
	return int64(r.take(uint64(v), n))
}

func (r *oddsReader) take(v uint64, n int) uint64 {
	if n <= 0 {
		r.bad, r.b = true, nil
		return 0
	}
	r.b = r.b[n:]
	return v
}

// count is a number of items of at least so many bytes each, which must be there.
func (r *oddsReader) count(each int) int {
	n := r.unsigned()
	if n > uint64(len(r.b)/each) {
		r.bad, r.b = true, nil
		return 0
	}
	return int(n)
}

func (r *oddsReader) text(n int) string {
	s := string(r.b[:n])
	r.b = r.b[n:]
	return s
}
