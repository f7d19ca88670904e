package picture

import (
	"image"
	"testing"

	"github.com/charmbracelet/x/vt"
)

func inked(img *image.RGBA, x, y int) int {
	n := 0
	for py := range cellH {
		for px := range cellW {
			if img.RGBAAt(margin+x*cellW+px, margin+y*cellH+py) != Dark.Back {
				n++
			}
		}
	}
	return n
}

func TestDraw(t *testing.T) {
	e := vt.NewEmulator(10, 2)
	if _, err := e.WriteString("A █─●\x1b[31mx\x1b[m\r\n\x1b[7m \x1b[m▁▏"); err != nil {
		t.Fatal(err)
	}
	img := Draw(e, Dark)
	for _, c := range []struct{ x, y, low, high int }{
		{0, 0, 20, 120}, {1, 0, 0, 0}, {2, 0, cellW * cellH, cellW * cellH}, {3, 0, cellW, cellW}, {4, 0, 40, 80},
		{0, 1, cellW * cellH, cellW * cellH}, {1, 1, 2 * cellW, 3 * cellW}, {2, 1, cellH, cellH}, {9, 1, 0, 0},
	} {
		if n := inked(img, c.x, c.y); n < c.low || n > c.high {
			t.Errorf("cell %d,%d has %d inked pixels, want %d to %d", c.x, c.y, n, c.low, c.high)
		}
	}
	red := false
	for px := range cellW {
		for py := range cellH {
			red = red || img.RGBAAt(margin+5*cellW+px, margin+py) == Dark.Palette[1]
		}
	}
	if !red {
		t.Error("the red letter has no pixel of the palette's red")
	}
}
