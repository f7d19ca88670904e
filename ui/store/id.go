package store

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync/atomic"
	"time"
)

// ID names a chat or a message. IDs grow with time, and two programs do not
// give the same one: the upper bits are milliseconds, the lower 22 random. 0 is
// no one: the parent of a first message.
type ID int64

// epoch is 2024-01-01 in Unix milliseconds; 41 bits of time reach to 2093.
const epoch = 1_704_067_200_000

var lastID atomic.Int64

func newID() ID {
	for {
		last := lastID.Load()
		next := max((time.Now().UnixMilli()-epoch)<<22|rand.Int64N(1<<22), last+1)
		if lastID.CompareAndSwap(last, next) {
			return ID(next)
		}
	}
}

// String is the decimal number.
func (id ID) String() string { return strconv.FormatInt(int64(id), 10) }

// MarshalText makes IDs strings in JSON, whose numbers are too short for them.
func (id ID) MarshalText() ([]byte, error) { return []byte(id.String()), nil }

// UnmarshalText reads what MarshalText wrote.
func (id *ID) UnmarshalText(b []byte) error {
	n, err := strconv.ParseInt(string(b), 10, 64)
	if err != nil {
		return fmt.Errorf("%q is not the number of a chat or message", b)
	}
	*id = ID(n)
	return nil
}
