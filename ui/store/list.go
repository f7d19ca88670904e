package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

const infoColumns = "c.id, c.title, c.created, c.updated, c.opened, c.pinned, c.deleted, c.model_path, c.model_name"

// List returns the chats that are not deleted: pinned ones first, then the
// newest by Updated.
func (s *Store) List(ctx context.Context) ([]Info, error) {
	s.settle(ctx)
	rows, err := s.db.QueryContext(ctx, "SELECT "+infoColumns+
		", (SELECT count(*) FROM messages m WHERE m.chat = c.id) FROM chats c WHERE c.deleted = 0 ORDER BY c.pinned DESC, c.updated DESC, c.id DESC")
	if err != nil {
		return nil, explain(s.path, err)
	}
	defer rows.Close()
	var all []Info
	for rows.Next() {
		var i Info
		if err := scanInfo(rows, &i, &i.Messages); err != nil {
			return nil, explain(s.path, err)
		}
		all = append(all, i)
	}
	if err := rows.Err(); err != nil {
		return nil, explain(s.path, err)
	}
	return all, nil
}

// settle waits a moment for the writer, so that reading sees what was changed.
// Where saving fails, reading still shows what is on disk.
func (s *Store) settle(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	_ = s.writer.wait(ctx)
}

func scanInfo(row interface{ Scan(...any) error }, i *Info, more ...any) error {
	var created, updated, opened, deleted int64
	err := row.Scan(append([]any{&i.ID, &i.Title, &created, &updated, &opened, &i.Pinned, &deleted, &i.ModelPath, &i.ModelName}, more...)...)
	i.Created, i.Updated = fromMillis(created), fromMillis(updated)
	i.Opened, i.Deleted = fromMillis(opened), fromMillis(deleted)
	return err
}

// Load reads a chat with all its messages. A chat may be loaded twice; the two
// values do not see each other's changes.
func (s *Store) Load(ctx context.Context, id ID) (*Chat, error) {
	s.settle(ctx)
	c := s.empty()
	c.stored = true
	var sampling string
	row := s.db.QueryRowContext(ctx, "SELECT "+infoColumns+", c.system, c.sampling, c.draft, c.leaf FROM chats c WHERE c.id = ?", id)
	err := scanInfo(row, &c.Info, &c.System, &sampling, &c.Draft, &c.leaf)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, fmt.Errorf("there is no chat %d in %s", id, s.path)
	}
	if err != nil {
		return nil, explain(s.path, err)
	}
	if sampling != "" {
		c.Sampling = json.RawMessage(sampling)
	}
	if err := s.loadMessages(ctx, c); err != nil {
		return nil, explain(s.path, err)
	}
	return c, nil
}

func (s *Store) loadMessages(ctx context.Context, c *Chat) error {
	rows, err := s.db.QueryContext(ctx, "SELECT "+messageColumns+" FROM messages WHERE chat = ? ORDER BY id", c.ID)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		m, err := scanMessage(rows)
		if err != nil {
			return err
		}
		c.messages[m.ID] = m
	}
	if err := rows.Err(); err != nil {
		return err
	}
	c.grow()
	return nil
}

// grow builds the tree from the messages. Parents are older than their
// children; a message whose parent is not there stands as a first one, so that
// nothing is out of reach.
func (c *Chat) grow() {
	for _, m := range c.messages {
		if m.Parent >= m.ID || c.messages[m.Parent] == nil {
			m.Parent = 0
		}
		c.adopt(m)
	}
	c.Messages = len(c.messages)
	if m := c.messages[c.leaf]; m == nil || m.Removed {
		c.leaf = 0
		if roots := c.Children(0); len(roots) > 0 {
			c.leaf = c.newest(roots[len(roots)-1])
		}
	}
	c.choose(c.leaf)
}

// newest goes down from id along the newest messages.
func (c *Chat) newest(id ID) ID {
	for children := c.Children(id); len(children) > 0; children = c.Children(id) {
		id = children[len(children)-1]
	}
	return id
}

// Rename, SetPinned, Delete and Undelete change a chat that need not be loaded;
// they do not wait. A Chat in memory is not told.

// Rename sets the title.
func (s *Store) Rename(id ID, title string) {
	s.setColumns(id, true, map[string]any{"title": title})
}

// SetPinned keeps the chat at the top of lists.
func (s *Store) SetPinned(id ID, on bool) {
	s.setColumns(id, true, map[string]any{"pinned": on})
}

// Delete puts the chat into the trash, where it stays for keepDeleted.
func (s *Store) Delete(id ID) {
	s.setColumns(id, true, map[string]any{"deleted": time.Now().UnixMilli()})
}

// Undelete takes it out again.
func (s *Store) Undelete(id ID) {
	s.setColumns(id, true, map[string]any{"deleted": 0})
}

// keepDeleted is how long a deleted chat can be had back.
const keepDeleted = 30 * 24 * time.Hour

// purge removes for good the chats that were deleted before t; it returns how many.
func (s *Store) purge(ctx context.Context, t time.Time) (int, error) {
	s.settle(ctx)
	r, err := s.db.ExecContext(ctx, "DELETE FROM chats WHERE deleted <> 0 AND deleted < ?", t.UnixMilli())
	if err != nil {
		return 0, explain(s.path, err)
	}
	n, err := r.RowsAffected()
	return int(n), err
}

// SetState keeps a small value of the ui, such as the open tabs.
func (s *Store) SetState(key, value string) {
	s.writer.change(false, func(b *batch) { b.state[key] = value })
}

// State reads such a value, "" where there is none.
func (s *Store) State(ctx context.Context, key string) (value string, err error) {
	s.settle(ctx)
	err = s.db.QueryRowContext(ctx, "SELECT value FROM state WHERE key = ?", key).Scan(&value)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return "", explain(s.path, err)
	}
	return value, nil
}

// Prompts returns the last things that people wrote in any chat, newest first,
// each once. What was deleted is not among them.
func (s *Store) Prompts(ctx context.Context, limit int) ([]string, error) {
	s.settle(ctx)
	rows, err := s.db.QueryContext(ctx, "SELECT m.content FROM messages m JOIN chats c ON c.id = m.chat"+
		" WHERE m.role = 'user' AND m.content <> '' AND m.removed = 0 AND c.deleted = 0"+
		" GROUP BY m.content ORDER BY max(m.id) DESC LIMIT ?", limit)
	if err != nil {
		return nil, explain(s.path, err)
	}
	defer rows.Close()
	var all []string
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			return nil, explain(s.path, err)
		}
		all = append(all, text)
	}
	if err := rows.Err(); err != nil {
		return nil, explain(s.path, err)
	}
	return all, nil
}
