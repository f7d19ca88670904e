//go:build !cuda

package gpu

import "errors"

// Available says why no GPU can be used.
func Available() error {
	return errors.New("this confab was built without CUDA: build it with make")
}
