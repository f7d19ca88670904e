//go:build cuda

package kernels

import (
	_ "embed"
)

// Fatbin holds the compiled kernels, as fatbin.sh makes them.
//
//go:embed kernels.fatbin
var Fatbin []byte
