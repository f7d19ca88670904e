// Package picture draws a screen of terminal cells as an image, so that a golden
// screen can be looked at and the README shows what the program really draws.
// Letters come from the Go Mono fonts; lines, blocks and marks are drawn as
// shapes, as terminals do, so that they meet without gaps.
package picture

import (
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"sync"

	uv "github.com/charmbracelet/ultraviolet"
	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/image/font/gofont/gomonobold"
	"golang.org/x/image/font/gofont/gomonobolditalic"
	"golang.org/x/image/font/gofont/gomonoitalic"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
)

// Screen is what a terminal shows.
type Screen interface {
	Width() int
	Height() int
	CellAt(x, y int) *uv.Cell
}

// Look is a terminal's own colours.
type Look struct {
	Fore, Back color.RGBA
	// Palette holds the sixteen named colours.
	Palette [16]color.RGBA
}

// Dark and Light are plain looks.
var (
	Dark = Look{rgb(0xd8dee9), rgb(0x16181d), [16]color.RGBA{
		rgb(0x16181d), rgb(0xe06c75), rgb(0x98c379), rgb(0xe5c07b), rgb(0x61afef), rgb(0xc678dd), rgb(0x56b6c2), rgb(0xabb2bf),
		rgb(0x5c6370), rgb(0xf07178), rgb(0xb5d89a), rgb(0xf0d399), rgb(0x82c4ff), rgb(0xd89bec), rgb(0x7fd3de), rgb(0xffffff)}}
	Light = Look{rgb(0x24292f), rgb(0xfcfcfa), [16]color.RGBA{
		rgb(0x24292f), rgb(0xb3261e), rgb(0x2a7d32), rgb(0x8a6100), rgb(0x1455a8), rgb(0x8b2a9b), rgb(0x0b6e78), rgb(0x6e7781),
		rgb(0x8c959f), rgb(0xc9382f), rgb(0x388e3c), rgb(0xa87500), rgb(0x1f6fd1), rgb(0xa23bb3), rgb(0x0f8591), rgb(0xffffff)}}
)

func rgb(v uint32) color.RGBA {
	return color.RGBA{uint8(v >> 16), uint8(v >> 8), uint8(v), 255}
}

// The size of a cell in pixels, for letters of 15 pixels.
const (
	cellW    = 9
	cellH    = 19
	letters  = 15
	baseline = 14
	margin   = 12
)

// WritePNG draws a screen.
func WritePNG(w io.Writer, s Screen, look Look) error {
	return png.Encode(w, Draw(s, look))
}

// Draw draws a screen.
func Draw(s Screen, look Look) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, s.Width()*cellW+2*margin, s.Height()*cellH+2*margin))
	draw.Draw(img, img.Bounds(), image.NewUniform(look.Back), image.Point{}, draw.Src)
	for y := range s.Height() {
		for x := 0; x < s.Width(); x++ {
			c := s.CellAt(x, y)
			if c == nil {
				continue
			}
			drawCell(img, image.Pt(margin+x*cellW, margin+y*cellH), c, look)
			x += max(c.Width-1, 0)
		}
	}
	return img
}

func drawCell(img *image.RGBA, at image.Point, c *uv.Cell, look Look) {
	fore, back := look.Colours(c)
	box := image.Rectangle{at, at.Add(image.Pt(max(c.Width, 1)*cellW, cellH))}
	draw.Draw(img, box, image.NewUniform(back), image.Point{}, draw.Src)
	runes := []rune(c.Content)
	if len(runes) > 0 && runes[0] != ' ' && !shape(img, box, runes[0], fore) {
		d := font.Drawer{Dst: img, Src: image.NewUniform(fore), Face: face(c.Style.Attrs),
			Dot: fixed.P(at.X, at.Y+baseline)}
		d.DrawString(c.Content)
	}
	if c.Style.Underline != 0 {
		fill(img, image.Rect(box.Min.X, box.Min.Y+baseline+2, box.Max.X, box.Min.Y+baseline+3), fore)
	}
	if c.Style.Attrs&uv.AttrStrikethrough != 0 {
		fill(img, image.Rect(box.Min.X, box.Min.Y+cellH/2, box.Max.X, box.Min.Y+cellH/2+1), fore)
	}
}

// Colours are those of a cell's letter and of its ground.
func (l Look) Colours(c *uv.Cell) (fore, back color.RGBA) {
	fore, back = l.colour(c.Style.Fg, l.Fore), l.colour(c.Style.Bg, l.Back)
	if c.Style.Attrs&uv.AttrReverse != 0 {
		fore, back = back, fore
	}
	if c.Style.Attrs&uv.AttrFaint != 0 {
		fore = mix(fore, back, 0.5)
	}
	return fore, back
}

// colour resolves a cell's colour: none is the look's own, the first sixteen
// are its palette.
func (l Look) colour(c color.Color, none color.RGBA) color.RGBA {
	if c == nil {
		return none
	}
	if i, ok := index(c); ok {
		return l.Palette[i]
	}
	return color.RGBAModel.Convert(c).(color.RGBA)
}

func mix(a, b color.RGBA, t float64) color.RGBA {
	f := func(x, y uint8) uint8 { return uint8(float64(x)*(1-t) + float64(y)*t) }
	return color.RGBA{f(a.R, b.R), f(a.G, b.G), f(a.B, b.B), 255}
}

func fill(img *image.RGBA, r image.Rectangle, c color.RGBA) {
	draw.Draw(img, r, image.NewUniform(c), image.Point{}, draw.Src)
}

var faces = sync.OnceValue(func() (f [4]font.Face) {
	for i, ttf := range [][]byte{gomono.TTF, gomonobold.TTF, gomonoitalic.TTF, gomonobolditalic.TTF} {
		parsed, err := opentype.Parse(ttf)
		if err != nil {
			panic(err)
		}
		if f[i], err = opentype.NewFace(parsed, &opentype.FaceOptions{Size: letters, DPI: 72, Hinting: font.HintingFull}); err != nil {
			panic(err)
		}
	}
	return f
})

func face(attrs uint8) font.Face {
	i := 0
	if attrs&uv.AttrBold != 0 {
		i |= 1
	}
	if attrs&uv.AttrItalic != 0 {
		i |= 2
	}
	return faces()[i]
}
