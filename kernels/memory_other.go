//go:build !linux

package kernels

// adviseHuge has nobody to ask.
func adviseHuge([]byte) {}

// Populate is false: nobody does that here.
func Populate([]byte) bool { return false }
