package main

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// found is a finding as govulncheck prints it.
func found(osv, module, function string) string {
	return fmt.Sprintf(`{"finding": {"osv": %q, "fixed_version": "v1.2.3", "trace": [{"module": %q, "version": "v1.2.0", "function": %q}, {"module": "m"}]}}`, osv, module, function)
}

func TestWeaknessesThatAreReachedFail(t *testing.T) {
	const head = `{"config": {"scan_level": "symbol"}} {"osv": {"id": "GO-1"}} `
	for _, c := range []struct{ output, want, fail string }{
		{head, "", ""},
		{head + found("GO-1", "example.org/a", ""), "", ""},
		{head + found("GO-1", "stdlib", "Read") + found("GO-1", "stdlib", "Write"), "GO-1 in stdlib v1.2.0, mended in v1.2.3\nall of them", ""},
		{head + found("GO-2", "example.org/a", "Read") + found("GO-1", "stdlib", "Read"),
			"GO-1 in stdlib v1.2.0, mended in v1.2.3\nGO-2 in example.org/a v1.2.0, mended in v1.2.3\n", "known weaknesses of its modules"},
		{head + `{"finding": `, "", "govulncheck"},
	} {
		var out bytes.Buffer
		err := judge(&out, []byte(c.output))
		if (err != nil) != (c.fail != "") || err != nil && !strings.Contains(err.Error(), c.fail) {
			t.Errorf("%s: %v, want %q", c.output, err, c.fail)
		}
		if !strings.HasPrefix(out.String(), c.want) || c.want == "" && out.Len() > 0 {
			t.Errorf("%s says %q, want %q", c.output, out.String(), c.want)
		}
	}
}
