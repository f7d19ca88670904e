package picture

import (
	"bytes"
	"image"
	"image/draw"
	"image/gif"
	"testing"
	"time"

	"github.com/charmbracelet/x/vt"
)

// TestFilm: frames laid over each other are the screens, equal ones are one, and
// a frame is no larger than what has changed.
func TestFilm(t *testing.T) {
	e := vt.NewEmulator(20, 4)
	f := NewFilm(Dark)
	var want []*image.RGBA
	for _, s := range []string{"hello", "", "\x1b[3;5H\x1b[31mred\x1b[m", "\x1b[1;1Hj"} {
		if _, err := e.WriteString(s); err != nil {
			t.Fatal(err)
		}
		f.Add(e, 250*time.Millisecond)
		if s != "" {
			want = append(want, Draw(e, Dark))
		}
	}
	var b bytes.Buffer
	if err := f.WriteGIF(&b); err != nil {
		t.Fatal(err)
	}
	g, err := gif.DecodeAll(&b)
	if err != nil {
		t.Fatal(err)
	}
	if len(g.Image) != len(want) || g.Delay[0] != 50 || g.Delay[1] != 25 {
		t.Fatalf("%d frames with delays %v", len(g.Image), g.Delay)
	}
	shown := image.NewRGBA(want[0].Bounds())
	for i, frame := range g.Image {
		draw.Draw(shown, frame.Bounds(), frame, frame.Bounds().Min, draw.Over)
		for at, v := range shown.Pix {
			if w := want[i].Pix[at]; max(v, w)-min(v, w) > 6 {
				t.Fatalf("frame %d does not give its screen: %d at %d, not %d", i, v, at, w)
			}
		}
	}
	if w := g.Image[2].Bounds().Dx(); w > cellW {
		t.Errorf("one letter has changed, and the frame is %d pixels wide", w)
	}
}
