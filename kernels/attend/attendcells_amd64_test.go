package attend

import (
	"slices"
	"testing"
)

// Lines are asked for in one of two ways, as the processor likes it, and the results do not differ.
func TestAskL2(t *testing.T) {
	defer func(was bool) { askL2 = was }(askL2)
	for _, c := range attendCases() {
		d := newAttendData(c)
		askL2 = false
		want := d.run(t, 1, 1)
		askL2 = true
		if got := d.run(t, 1, 1); !slices.Equal(got, want) {
			t.Errorf("%s: results differ", c)
		}
	}
}
