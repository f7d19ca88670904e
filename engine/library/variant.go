package library

import (
	"cmp"
	"fmt"
	"math"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// RemoteFile is a file of a repository.
type RemoteFile struct {
	// Path is slash-separated, below the repository.
	Path  string
	Bytes int64
	// SHA256 is in hexadecimal, empty where the listing does not say.
	SHA256 string
}

// Variant is one form of a repository's model: a file, or all parts of a split
// one in their order.
type Variant struct {
	// Quant is how its name says it is quantised, such as "Q4_K_M"; may be empty.
	Quant string
	Files []RemoteFile
}

// Bytes is the size of all parts.
func (v Variant) Bytes() int64 {
	var n int64
	for _, f := range v.Files {
		n += f.Bytes
	}
	return n
}

// Name is the file's base name without its ending and number.
func (v Variant) Name() string {
	stem := strings.TrimSuffix(path.Base(v.Files[0].Path), ".gguf")
	if p := part.FindStringSubmatch(stem); p != nil {
		return p[1]
	}
	return stem
}

// DefaultQuant is what a person gets who asks for none: the smallest loss for
// its size.
const DefaultQuant = "Q4_K_M"

var quantName = regexp.MustCompile(`(?i)(?:^|[-._])((?:UD-)?(?:I?Q\d(?:_\w+)?|TQ\d_\d|MXFP\d(?:_\w+)?|BF16|FP?16|FP?32))$`)

// quantOf reads the quantisation off a file's name, else off its folder's.
func quantOf(v Variant) string {
	for _, name := range []string{v.Name(), path.Base(path.Dir(v.Files[0].Path))} {
		if m := quantName.FindStringSubmatch(name); m != nil {
			return strings.ToUpper(m[1])
		}
	}
	return ""
}

// variants groups files into models. Files that are no chat model (projectors,
// importance matrices), that have unsafe names, or that are parts of an
// incomplete set are left out.
func variants(files []RemoteFile) []Variant {
	sets := map[string][]RemoteFile{}
	var order []string
	for _, f := range files {
		if !safe(f) || !chatModel(f.Path) {
			continue
		}
		key := f.Path
		if p := part.FindStringSubmatch(strings.TrimSuffix(f.Path, ".gguf")); p != nil {
			key = p[1] + "/" + p[3] // no file's path holds both
		}
		if sets[key] == nil {
			order = append(order, key)
		}
		sets[key] = append(sets[key], f)
	}
	var out []Variant
	for _, key := range order {
		v := Variant{Files: sets[key]}
		slices.SortFunc(v.Files, func(a, b RemoteFile) int { return cmp.Compare(a.Path, b.Path) })
		if complete(v.Files) {
			v.Quant = quantOf(v)
			out = append(out, v)
		}
	}
	return out
}

// safe tells whether a file may be written below a folder by its own name.
func safe(f RemoteFile) bool {
	if f.Bytes <= 0 || f.Bytes > 1<<44 || len(f.Path) > 400 || strings.Count(f.Path, "/") > 3 {
		return false
	}
	if !filepath.IsLocal(filepath.FromSlash(f.Path)) || path.Clean(f.Path) != f.Path || strings.ContainsAny(f.Path, "\\:") {
		return false
	}
	for _, r := range f.Path {
		if !unicode.IsPrint(r) || r == unicode.ReplacementChar {
			return false
		}
	}
	return !strings.HasPrefix(f.Path, ".") && !strings.Contains(f.Path, "/.")
}

func chatModel(name string) bool {
	base := strings.ToLower(path.Base(name))
	return strings.HasSuffix(name, ".gguf") && !strings.HasPrefix(base, "mmproj") && !strings.Contains(base, "imatrix")
}

// complete tells whether sorted files are parts 1 .. n of n, or one whole file.
func complete(files []RemoteFile) bool {
	for i, f := range files {
		p := part.FindStringSubmatch(strings.TrimSuffix(f.Path, ".gguf"))
		if p == nil {
			return len(files) == 1
		}
		if n, _ := strconv.Atoi(p[3]); n != len(files) || p[2] != fmt.Sprintf("%05d", i+1) {
			return false
		}
	}
	return len(files) > 0
}

// choose picks the variant that has the wanted quantisation or file name.
// Without a wish it is the one nearest to DefaultQuant.
func choose(all []Variant, quant string) (Variant, error) {
	var fit []Variant
	want := cmp.Or(quant, DefaultQuant)
	for _, exact := range []bool{true, false} {
		for _, v := range all {
			if v.is(want, exact) {
				fit = append(fit, v)
			}
		}
		if len(fit) > 0 {
			break
		}
	}
	if len(fit) == 0 && quant == "" {
		fit = nearest(all)
	}
	switch len(fit) {
	case 0:
		return Variant{}, fmt.Errorf("there is no %s; there is %s", want, menu(all))
	case 1:
		return fit[0], nil
	}
	return Variant{}, fmt.Errorf("several files are %s; give one's name after the colon: %s", cmp.Or(fit[0].Quant, "there"), menu(fit))
}

// is tells whether want names the variant; unless exact, a "dynamic" form counts
// as the plain one.
func (v Variant) is(want string, exact bool) bool {
	if !exact {
		return strings.EqualFold(strings.TrimPrefix(v.Quant, "UD-"), want)
	}
	return strings.EqualFold(v.Quant, want) || strings.EqualFold(v.Name(), strings.TrimSuffix(want, ".gguf")) || v.Files[0].Path == want
}

// nearest lists the variants whose bits a weight are nearest to DefaultQuant's.
func nearest(all []Variant) []Variant {
	distance := func(v Variant) float64 { return math.Abs(bits(v.Quant) - bits(DefaultQuant)) }
	if len(all) == 0 {
		return nil
	}
	best := slices.MinFunc(all, func(a, b Variant) int {
		return cmp.Or(cmp.Compare(distance(a), distance(b)), cmp.Compare(bits(b.Quant), bits(a.Quant)))
	})
	var out []Variant
	for _, v := range all {
		if v.Quant == best.Quant {
			out = append(out, v)
		}
	}
	return out
}

// bits is about how many bits a weight takes, well enough to order names; one
// that says nothing is far from all others.
func bits(quant string) float64 {
	q := strings.TrimPrefix(quant, "UD-")
	switch {
	case strings.HasSuffix(q, "32"):
		return 32
	case strings.HasSuffix(q, "16"):
		return 16
	}
	i := strings.IndexAny(q, "0123456789")
	if i < 0 {
		return 1000
	}
	more := 0.5
	for _, s := range []struct {
		suffix string
		more   float64
	}{{"_XXS", 0.1}, {"_XS", 0.25}, {"_XL", 1}, {"_M", 0.8}, {"_L", 0.9}, {"_1", 0.95}} {
		if strings.HasSuffix(q, s.suffix) {
			more = s.more
			break
		}
	}
	return float64(q[i]-'0') + more
}

// menu lists variants in an error.
func menu(all []Variant) string {
	if len(all) == 0 {
		return "no GGUF file of a chat model at all"
	}
	var words []string
	for i, v := range all {
		if i == 30 {
			words = append(words, fmt.Sprintf("and %d more", len(all)-i))
			break
		}
		words = append(words, fmt.Sprintf("%s (%s)", cmp.Or(v.Quant, v.Name()), Size(v.Bytes())))
	}
	return strings.Join(words, ", ")
}
