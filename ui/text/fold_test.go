package text

import (
	"slices"
	"testing"
)

// TestFold: case and accents do not part what is searched from what stands there, and
// scripts whose marks make other letters stay as they are.
func TestFold(t *testing.T) {
	for s, want := range map[string]string{
		"Naïve CAFÉ": "naive cafe", "e\u0301a": "ea", "Ñandú": "nandu", "ÅNGSTRÖM": "angstrom", "Ελλάς": "ελλας",
		"漢字": "漢字", "मराठी": "मराठी", "각": "각", "が": "が", "straße": "straße", "ệ": "e", "": "",
	} {
		if got := Fold(s); got != want {
			t.Errorf("Fold(%q) = %q, want %q", s, got, want)
		}
	}
	s := "naïve, NAI\u0308VE and 漢 naive"
	var got []string
	for _, f := range Find(s, "naive") {
		got = append(got, s[f[0]:f[1]])
	}
	if want := []string{"naïve", "NAI\u0308VE", "naive"}; !slices.Equal(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
	if len(Find(s, "")) > 0 || len(Find("", "x")) > 0 {
		t.Error("nothing is found in nothing")
	}
}
