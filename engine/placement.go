package engine

import (
	"fmt"
	"math"
	"sort"
	"strconv"

	"github.com/confab-tui/confab/engine/model"
)

// GPULayers reads what Config.GPULayers says: the most layers that the GPU may have, -1 for
// as many as fit.
func GPULayers(text string) (int, error) {
	switch text {
	case "", "auto":
		return -1, nil
	case "all":
		return math.MaxInt, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("%q is no number of layers, nor auto or all", text)
	}
	return n, nil
}

// dividing is what the division of a model between a GPU and its host depends on.
type dividing struct {
	free    int64 // bytes on the GPU
	layers  []int // how many it may have, the fewest first
	experts func(layers int) int
	need    func(model.Placement) int64 // bytes on the GPU
	wish    int                         // as GPULayers reads it
}

// choose gives the GPU as many layers as fit, or as are wanted, and the host the experts of
// as few of them as possible: a token passes all of a layer's other weights, and few of
// its experts.
func (d dividing) choose() (model.Placement, error) {
	fits := func(at model.Placement) bool { return d.need(at) <= d.free }
	sparse := func(i int) model.Placement {
		return model.Placement{Layers: d.layers[i], HostExperts: d.experts(d.layers[i])}
	}
	most := sort.Search(len(d.layers), func(i int) bool { return !fits(sparse(i)) }) - 1
	if d.wish >= 0 {
		wanted := sort.Search(len(d.layers), func(i int) bool { return d.layers[i] > d.wish }) - 1
		switch {
		case wanted < 0:
			return model.Placement{}, fmt.Errorf("engine.gpu-layers is %d, and the GPU takes %d of this model's layers or none", d.wish, d.layers[0])
		case wanted > most && most >= 0:
			return model.Placement{}, fmt.Errorf("%d layers need %s of the GPU, %s free: lower engine.gpu-layers to %d",
				d.layers[wanted], gib(d.need(sparse(wanted))), gib(d.free), d.layers[most])
		}
		most = min(most, wanted)
	}
	if most < 0 {
		return model.Placement{}, fmt.Errorf("%d of the model's layers need %s of the GPU, %s free", d.layers[0], gib(d.need(sparse(0))), gib(d.free))
	}
	at := sparse(most)
	at.HostExperts = sort.Search(at.HostExperts, func(n int) bool {
		return fits(model.Placement{Layers: at.Layers, HostExperts: n})
	})
	return at, nil
}

// placed says what of a model of so many layers is where.
func placed(at model.Placement, layers int) string {
	text := fmt.Sprintf("%d of %d layers on the GPU", at.Layers, layers)
	if at.HostExperts > 0 {
		text += fmt.Sprintf(", experts of %d on the host", at.HostExperts)
	}
	return text
}

// whole says that a model of so many layers is not divided.
func whole(at model.Placement, layers int) bool { return at == model.Placement{Layers: layers} }
