//go:build !amd64

package kernels

// fastest finds no form but the plain one.
func fastest(*layout) func(p *product) { return nil }
