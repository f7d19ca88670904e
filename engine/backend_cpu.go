//go:build !cuda

package engine

import (
	"errors"
	"fmt"
	"os"

	"github.com/confab-tui/confab/engine/cpu"
	"github.com/confab-tui/confab/engine/model"
)

// Backends says what this build can run models on, for people.
func Backends() string { return "CPU (" + cpu.Features() + "); CUDA not built in" }

// Room is how many bytes Open could use for weights and cells now; false where the
// machine does not tell.
func Room(Config) (bytes int64, ok bool) { return roomOnCPU() }

// placedNow says what of a program Open would place on a GPU: nothing.
func placedNow(*model.Program) string { return "" }

// driverFile is there where an NVIDIA driver is.
var driverFile = "/proc/driver/nvidia/version"

// hasDriver tells whether the machine could use a build with CUDA, which who has no GPU
// is not reminded of.
func hasDriver() bool {
	_, err := os.Stat(driverFile)
	return err == nil
}

// place makes the executor that the configuration asks for. The notices say what
// else a person should know about the choice.
func place(p *model.Program, c Config, context int, report report) (executor, []string, error) {
	var notices []string
	switch c.Backend {
	case "", "auto":
		if wish, _ := GPULayers(c.GPULayers); wish > 0 || hasDriver() {
			notices = []string{"The CPU is used: this build has no CUDA support; make builds confab with it."}
		}
	case "cpu":
	case "cuda":
		return nil, nil, errors.New(`engine: backend "cuda" is not in this build: build confab with make, or choose "cpu"`)
	default:
		return nil, nil, fmt.Errorf("engine: backend %q is not known: auto, cpu and cuda are", c.Backend)
	}
	exec, err := placeCPU(p, c, context, report)
	if err != nil {
		return nil, nil, err
	}
	return exec, notices, nil
}
