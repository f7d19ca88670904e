package store

import (
	"context"
	"database/sql"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// watch notices that the database was written, by a connection of its own.
type watch struct {
	mu      sync.Mutex
	conn    *sql.Conn
	version int64
}

// Changed tells whether anything was written since it was asked last, by this program or
// another; the first time it was. It reads no table.
func (s *Store) Changed(ctx context.Context) (bool, error) {
	if s.path == "" { // nobody else has it
		return false, nil
	}
	w := &s.watch
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.conn == nil {
		conn, err := s.db.Conn(ctx)
		if err != nil {
			return false, explain(s.path, err)
		}
		w.conn = conn
	}
	var now int64
	if err := w.conn.QueryRowContext(ctx, "PRAGMA data_version").Scan(&now); err != nil {
		return false, explain(s.path, err)
	}
	changed := now != w.version
	w.version = now
	return changed, nil
}

// Behind gives those of some chats to which something was added later than is known.
func (s *Store) Behind(ctx context.Context, known map[ID]time.Time) (behind []ID, err error) {
	s.settle(ctx)
	for id, at := range known {
		var updated int64
		switch err := s.db.QueryRowContext(ctx, "SELECT updated FROM chats WHERE id = ?", id).Scan(&updated); {
		case errors.Is(err, sql.ErrNoRows):
		case err != nil:
			return nil, explain(s.path, err)
		case updated > millis(at):
			behind = append(behind, id)
		}
	}
	return behind, nil
}

func (w *watch) close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.conn == nil {
		return nil
	}
	return w.conn.Close()
}

// Merge takes over from the same chat, loaded again, what another program added to it:
// messages, and text that messages have grown by. Where that follows the active path, the
// path goes on along it. Answers that are still being written are left out.
func (c *Chat) Merge(loaded *Chat) (added, grown []ID) {
	for _, id := range slices.Sorted(maps.Keys(loaded.messages)) { // parents first
		m, mine := loaded.messages[id], c.messages[id]
		switch {
		case m.Unfinished && (m.Facts == nil || m.Facts.Reason == ""):
		case mine == nil && (m.Parent == 0 || c.messages[m.Parent] != nil):
			c.adopt(m)
			added = append(added, id)
		case mine != nil && grew(mine.Content, m.Content) && strings.HasPrefix(m.Thinking, mine.Thinking):
			*mine = *m
			grown = append(grown, id)
		}
	}
	for _, id := range added {
		if m := c.messages[id]; m.Parent == c.leaf && !m.Removed {
			c.leaf = id
			c.choose(id)
		}
	}
	if loaded.Updated.After(c.Updated) && len(added)+len(grown) > 0 {
		c.Title, c.Updated = loaded.Title, loaded.Updated
	}
	return added, grown
}

func grew(from, to string) bool { return len(to) > len(from) && strings.HasPrefix(to, from) }
