package ui

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/confab-tui/confab/engine"
)

// waitLines say of each chat that waits for cells who holds them, and what would
// make room. Idle chats are not among those: their cells are taken without
// asking.
func (r *root) waitLines(w int) []string {
	th := r.th
	var out []string
	name := r.poolName(w)
	for _, p := range r.panes() {
		if p.conv.state() != engine.StateWaiting || r.backOf(p) != r.back() {
			continue
		}
		id := p.conv.chat.ID.String()
		lack := p.conv.live.answer.counts.WaitingFor
		out = append(out, fit("  "+fit(r.ownerName(id, name-2), name)+th.warn.draw(th.mark.wait+" waits for "+plural(lack, "cell", "cells"))+
			th.dim.draw(" "+r.untilRoom(id, lack)), w))
	}
	if len(out) > 0 {
		out = append([]string{spaces(w)}, out...)
	}
	return out
}

// nameShort is the longest that a chat's name is set in a sentence.
const nameShort = 20

// untilRoom says what must happen before lack cells come free for a chat.
func (r *root) untilRoom(id string, lack int) string {
	var busy []engine.PoolOwner
	all := 0
	for _, o := range r.back().stats.Pool.Owners {
		if o.Conversation != id && (o.State == engine.StatePrefill || o.State == engine.StateDecoding) {
			busy = append(busy, o)
			all += o.Cells - o.Shared
		}
	}
	slices.SortFunc(busy, func(a, b engine.PoolOwner) int { return cmp.Compare(a.Cells-a.Shared, b.Cells-b.Shared) })
	for _, o := range busy {
		if own := o.Cells - o.Shared; own >= lack {
			return fmt.Sprintf("until %s ends or is stopped, which frees %s", inQuotes(r.ownerName(o.Conversation, nameShort)), group(own))
		}
	}
	if len(busy) > 0 {
		return fmt.Sprintf("until running answers end, which hold %s", group(all))
	}
	return "and is next"
}
