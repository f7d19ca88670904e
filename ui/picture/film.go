package picture

import (
	"cmp"
	"image"
	"image/color"
	"image/gif"
	"io"
	"slices"
	"time"

	uv "github.com/charmbracelet/ultraviolet"
)

// Film is a sequence of screens of one size, each shown for a while.
type Film struct {
	look   Look
	scenes []scene
}

// scene is a copy of a screen's cells, row by row.
type scene struct {
	w, h  int
	cells []uv.Cell
	show  time.Duration
}

// NewFilm begins a film in the colours of a look.
func NewFilm(look Look) *Film { return &Film{look: look} }

// Add shows a screen for a while; where nothing has changed, the last one longer.
func (f *Film) Add(s Screen, show time.Duration) {
	now := scene{w: s.Width(), h: s.Height(), show: show}
	now.cells = make([]uv.Cell, now.w*now.h)
	for i := range now.cells {
		if c := s.CellAt(i%now.w, i/now.w); c != nil {
			now.cells[i] = *c
		}
	}
	if n := len(f.scenes); n > 0 && slices.EqualFunc(f.scenes[n-1].cells, now.cells, same) {
		f.scenes[n-1].show += show
		return
	}
	f.scenes = append(f.scenes, now)
}

func same(a, b uv.Cell) bool { return a.Equal(&b) }

// Width, Height and CellAt make a scene a Screen.
func (s *scene) Width() int               { return s.w }
func (s *scene) Height() int              { return s.h }
func (s *scene) CellAt(x, y int) *uv.Cell { return &s.cells[y*s.w+x] }

// WriteGIF encodes the film, played again and again. Each frame holds only what
// has changed. Where there are more colours than a GIF has, the rarest become the
// nearest others.
func (f *Film) WriteGIF(w io.Writer) error {
	palette := f.palette()
	index := map[color.RGBA]uint8{}
	g := gif.GIF{}
	f.play(func(now, before *image.RGBA, changed image.Rectangle, show time.Duration) {
		frame := image.NewPaletted(changed, palette)
		for y := changed.Min.Y; y < changed.Max.Y; y++ {
			for x := changed.Min.X; x < changed.Max.X; x++ {
				c := now.RGBAAt(x, y)
				if before != nil && c == before.RGBAAt(x, y) {
					continue // transparent
				}
				i, ok := index[c]
				if !ok {
					i = uint8(palette[1:].Index(c) + 1)
					index[c] = i
				}
				frame.SetColorIndex(x, y, i)
			}
		}
		g.Image = append(g.Image, frame)
		g.Delay = append(g.Delay, int(show/(10*time.Millisecond)))
		g.Disposal = append(g.Disposal, gif.DisposalNone)
	})
	return gif.EncodeAll(w, &g)
}

// play draws scene after scene, and gives each with the one before it and the
// rectangle in which they differ.
func (f *Film) play(frame func(now, before *image.RGBA, changed image.Rectangle, show time.Duration)) {
	var before *image.RGBA
	for i := range f.scenes {
		now := Draw(&f.scenes[i], f.look)
		changed := now.Bounds()
		if before != nil {
			changed = difference(now, before)
		}
		frame(now, before, changed, f.scenes[i].show)
		before = now
	}
}

// difference is the least rectangle that holds all pixels in which two images of
// one size differ.
func difference(a, b *image.RGBA) image.Rectangle {
	var out image.Rectangle
	for y := a.Rect.Min.Y; y < a.Rect.Max.Y; y++ {
		for x := a.Rect.Min.X; x < a.Rect.Max.X; x++ {
			if a.RGBAAt(x, y) != b.RGBAAt(x, y) {
				out = out.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	return out
}

// palette holds the film's most frequent colours behind the transparent one. Of
// colours that no eye tells apart it has one.
func (f *Film) palette() color.Palette {
	count := map[color.RGBA]int{}
	f.play(func(now, _ *image.RGBA, changed image.Rectangle, _ time.Duration) {
		for y := changed.Min.Y; y < changed.Max.Y; y++ {
			for x := changed.Min.X; x < changed.Max.X; x++ {
				count[now.RGBAAt(x, y)]++
			}
		}
	})
	all := make([]color.RGBA, 0, len(count))
	for c := range count {
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b color.RGBA) int {
		return cmp.Or(count[b]-count[a], cmp.Compare(key(a), key(b)))
	})
	out := color.Palette{color.RGBA{}}
	for _, c := range all {
		if len(out) < 256 && !slices.ContainsFunc(out[1:], func(o color.Color) bool { return alike(c, o.(color.RGBA)) }) {
			out = append(out, c)
		}
	}
	return out
}

func alike(a, b color.RGBA) bool {
	const least = 6 // steps of a channel
	near := func(x, y uint8) bool { return max(x, y)-min(x, y) < least }
	return near(a.R, b.R) && near(a.G, b.G) && near(a.B, b.B)
}

func key(c color.RGBA) int { return int(c.R)<<16 | int(c.G)<<8 | int(c.B) }
