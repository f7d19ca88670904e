//go:build !linux

package cpu

import "runtime"

// cores counts the processors that Go may use.
func cores() int { return runtime.GOMAXPROCS(0) }
