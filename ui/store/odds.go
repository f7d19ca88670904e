package store

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"math"
	"slices"
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

// Odds are those of all tokens of an answer. They never change; deflating is left to
// whoever writes them, and then only the deflated form is kept.
type Odds struct {
	mu     sync.Mutex
	loose  [][]byte // in pieces, nil when it was deflated
	packed []byte
}

// NewOdds takes down what a sequence gives, and keeps nothing of it; an empty one gives nil.
func NewOdds(tokens iter.Seq[TokenOdds]) *Odds {
	loose := encodeOdds(tokens)
	if loose == nil {
		return nil
	}
	return &Odds{loose: loose}
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
	loose, packed := o.loose, o.packed
	o.mu.Unlock()
	if loose != nil {
		return decodeOdds(slices.Concat(loose...))
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
		o.packed, o.loose = deflate(o.loose), nil
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

// oddsPiece is the size in bytes of a piece: a slice that grew would be copied again and
// again, while whoever ended the answer waits.
const oddsPiece = 32 << 10

var errOdds = errors.New("the stored odds of an answer's tokens are damaged")

// encodeOdds writes the spellings of all candidates once, then the tokens with
// candidates by their number, logarithms as differences in whole steps; all of it
// as varints.
func encodeOdds(tokens iter.Seq[TokenOdds]) [][]byte {
	var names, body []byte
	pieces := [][]byte{nil} // the first for the names
	number, count := map[int32]uint64{}, uint64(0)
	for t := range tokens {
		count++
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
		if len(body) > oddsPiece {
			pieces, body = append(pieces, body), make([]byte, 0, oddsPiece+oddsPiece/8)
		}
	}
	if count == 0 {
		return nil
	}
	head := binary.AppendUvarint(nil, uint64(len(number)))
	pieces[0] = binary.AppendUvarint(append(head, names...), count)
	return append(pieces, body)
}

func deflate(pieces [][]byte) []byte {
	var out bytes.Buffer
	w, err := flate.NewWriter(&out, flate.DefaultCompression)
	if err != nil {
		panic("store: " + err.Error()) // the level is one that there is
	}
	for _, p := range pieces {
		w.Write(p) // a Buffer takes everything
	}
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
	return decodeOdds(b)
}

func decodeOdds(b []byte) ([]TokenOdds, error) {
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
