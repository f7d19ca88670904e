//go:build !linux

package kernels

// adviseHuge has nobody to ask.
func adviseHuge([]byte) {}
