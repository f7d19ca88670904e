package picture

import (
	"image"
	"image/color"

	"github.com/charmbracelet/x/ansi"
)

// index tells which of the sixteen named colours c is.
func index(c color.Color) (int, bool) {
	switch c := c.(type) {
	case ansi.BasicColor:
		return int(c), true
	case ansi.IndexedColor:
		return int(c), c < 16
	}
	return 0, false
}

// arms of a box-drawing character, from the middle: left, right, up, down; 2 is
// a heavy line.
var boxes = map[rune][4]int{
	'─': {1, 1, 0, 0}, '━': {2, 2, 0, 0}, '│': {0, 0, 1, 1}, '┃': {0, 0, 2, 2},
	'┌': {0, 1, 0, 1}, '┐': {1, 0, 0, 1}, '└': {0, 1, 1, 0}, '┘': {1, 0, 1, 0},
	'╭': {0, 1, 0, 1}, '╮': {1, 0, 0, 1}, '╰': {0, 1, 1, 0}, '╯': {1, 0, 1, 0},
	'├': {0, 1, 1, 1}, '┤': {1, 0, 1, 1}, '┬': {1, 1, 0, 1}, '┴': {1, 1, 1, 0}, '┼': {1, 1, 1, 1},
	'╴': {1, 0, 0, 0}, '╶': {0, 1, 0, 0}, '╵': {0, 0, 1, 0}, '╷': {0, 0, 0, 1}, '╸': {2, 0, 0, 0}, '╺': {0, 2, 0, 0},
}

// shape draws the characters that must fill or touch the cell's edges, and the
// marks that the font lacks.
func shape(img *image.RGBA, box image.Rectangle, r rune, c color.RGBA) bool {
	w, h := box.Dx(), box.Dy()
	part := func(x0, y0, x1, y1 int) {
		fill(img, image.Rect(box.Min.X+x0, box.Min.Y+y0, box.Min.X+x1, box.Min.Y+y1), c)
	}
	if arms, ok := boxes[r]; ok {
		lines(part, w, h, arms)
		return true
	}
	switch {
	case r >= '▁' && r <= '█':
		part(0, h-h*int(r-'▁'+1)/8, w, h)
	case r >= '▉' && r <= '▏':
		part(0, 0, max(1, w*(7-int(r-'▉'))/8), h)
	case r == '▀':
		part(0, 0, w, h/2)
	case r == '▐':
		part(w/2, 0, w, h)
	case r >= '░' && r <= '▓':
		dots(img, box, int(r-'░')+1, c)
	case r == '┄' || r == '┈' || r == '╌':
		part(1, h/2, w/2-1, h/2+1)
		part(w/2+1, h/2, w-1, h/2+1)
	case r == '⏸':
		part(2, 5, 4, h-5)
		part(w-4, 5, w-2, h-5)
	default:
		return mark(img, box, r, c)
	}
	return true
}

func lines(part func(x0, y0, x1, y1 int), w, h int, arms [4]int) {
	mx, my := w/2, h/2
	for i, weight := range arms {
		if weight == 0 {
			continue
		}
		t := weight - 1
		switch i {
		case 0:
			part(0, my-t, mx+1, my+1)
		case 1:
			part(mx, my-t, w, my+1)
		case 2:
			part(mx-t, 0, mx+1, my+1)
		case 3:
			part(mx-t, my, mx+1, h)
		}
	}
}

// order is the order in which the pixels of a two by two square are inked.
var order = [2][2]int{{0, 2}, {3, 1}}

// dots shades a cell to a quarter, a half or three quarters.
func dots(img *image.RGBA, box image.Rectangle, quarters int, c color.RGBA) {
	for y := box.Min.Y; y < box.Max.Y; y++ {
		for x := box.Min.X; x < box.Max.X; x++ {
			if order[y%2][x%2] < quarters {
				img.SetRGBA(x, y, c)
			}
		}
	}
}

// mark draws circles and triangles.
func mark(img *image.RGBA, box image.Rectangle, r rune, c color.RGBA) bool {
	inside := marks[r]
	if inside == nil {
		return false
	}
	const fine = 4 // sub-pixels a side, for smooth edges
	cx, cy := float64(box.Min.X+box.Max.X)/2, float64(box.Min.Y+box.Max.Y)/2
	for y := box.Min.Y; y < box.Max.Y; y++ {
		for x := box.Min.X; x < box.Max.X; x++ {
			n := 0
			for i := range fine * fine {
				if inside(float64(x)+(float64(i%fine)+0.5)/fine-cx, float64(y)+(float64(i/fine)+0.5)/fine-cy) {
					n++
				}
			}
			if n > 0 {
				img.SetRGBA(x, y, mix(img.RGBAAt(x, y), c, float64(n)/(fine*fine)))
			}
		}
	}
	return true
}

// marks tell for a point, seen from the cell's middle in pixels, whether it is
// inked.
var marks = map[rune]func(x, y float64) bool{
	'●': func(x, y float64) bool { return x*x+y*y < 16 },
	'○': func(x, y float64) bool { d := x*x + y*y; return d < 16 && d > 8.5 },
	'◐': func(x, y float64) bool { d := x*x + y*y; return d < 16 && (d > 8.5 || x < 0) },
	'◑': func(x, y float64) bool { d := x*x + y*y; return d < 16 && (d > 8.5 || x > 0) },
	'▸': func(x, y float64) bool { return x > -2.5 && x < 3.5-abs(y)*1.3 },
	'▾': func(x, y float64) bool { return y > -2.5 && y < 3.5-abs(x)*1.3 },
	'▴': func(x, y float64) bool { return y < 2.5 && y > -3.5+abs(x)*1.3 },
	'◂': func(x, y float64) bool { return x < 2.5 && x > -3.5+abs(y)*1.3 },
	'◆': func(x, y float64) bool { return abs(x)+abs(y) < 4.5 },
}

func abs(v float64) float64 { return max(v, -v) }
