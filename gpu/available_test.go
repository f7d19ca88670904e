package gpu

import "testing"

// On a machine without a GPU the reason must be a sentence; where there is one,
// Available says yes. Either way the process lives.
func TestAvailable(t *testing.T) {
	if err := Available(); err != nil {
		if len(err.Error()) < 10 {
			t.Errorf("Available gives no reason: %q", err)
		}
		t.Log(err)
	}
}
