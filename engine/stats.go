package engine

import (
	"maps"
	"time"

	"github.com/confab-tui/confab/engine/kv"
)

// marks is how many entries PoolStats.Map has at most.
const marks = 1024

// Stats is a picture of this moment. It waits for no step.
func (e *Engine) Stats() Stats {
	e.mu.Lock()
	defer e.mu.Unlock()
	now := time.Now()
	s := Stats{
		TokensPerSecond: e.figures.tokens.perSecond(now),
		PromptPerSecond: e.figures.prompt.perSecond(now),
		Streams:         len(e.answers),
		Steps:           maps.Clone(e.figures.steps),
	}
	states := make(map[string]State)
	for _, a := range e.answers {
		states[a.req.Conversation] = a.state
	}
	u := e.pool.Usage(marks)
	s.Pool = PoolStats{Total: u.Total, Held: u.Held, Shared: u.Shared, Cached: u.Cached, Free: u.Free}
	for _, o := range u.Owners {
		state, at := states[o.Name]
		if !at {
			state = StateEnded
		}
		s.Pool.Owners = append(s.Pool.Owners, PoolOwner{
			Conversation: o.Name, Cells: o.Cells, Shared: o.Shared, State: state, LastUse: o.Used,
		})
	}
	for _, k := range u.Map {
		s.Pool.Map = append(s.Pool.Map, [...]CellKind{kv.Free: CellFree, kv.Cached: CellCached, kv.Shared: CellShared, kv.Held: CellHeld}[k])
	}
	return s
}
