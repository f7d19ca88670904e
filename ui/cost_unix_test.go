//go:build unix

package ui

import (
	"syscall"
	"testing"
	"time"
)

// cost runs a benchmark's frames, and reports beside the time what the process
// computed for it, garbage collection included: other programs do not disturb that.
func cost(b *testing.B, frame func(i int)) {
	b.ReportAllocs()
	b.ResetTimer()
	before := processorTime()
	for i := range b.N {
		frame(i)
	}
	b.ReportMetric(float64(processorTime()-before)/float64(b.N)/1e6, "cpu-ms/op")
}

func processorTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
