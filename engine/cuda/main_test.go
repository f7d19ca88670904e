//go:build cuda

package cuda

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/confab-tui/confab/kernels"
	"github.com/confab-tui/confab/kernels/kerneltest"
)

var (
	// testdata is where ../shared/testdata is where the tree stands alone.
	testdata = flag.String("testdata", "../../../shared/testdata", "a folder of more models and logits")
	record   = flag.String("record", "", "where to write what ran on which device, if all of it passed")
)

// figures are what benchmarks found, a line each; device is what they ran on.
var (
	figures []string
	device  string
	sources string
)

func TestMain(m *testing.M) {
	flag.Parse()
	var err error
	if kernels.Fatbin, err = kerneltest.Image(); err != nil {
		panic(err)
	}
	code := m.Run()
	if code == 0 && *record != "" && device != "" {
		text := fmt.Sprintf("%s %s %s\n\n%s: tests passed; median of about a second:\n\n%s\n", time.Now().UTC().Format(time.DateOnly), sources,
			device, filepath.Base(*benchModel), strings.Join(figures, "\n"))
		if err := os.WriteFile(*record, []byte(text), 0o644); err != nil {
			panic(err)
		}
	}
	os.Exit(code)
}
