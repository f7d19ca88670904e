package store

import (
	"database/sql"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/confab-tui/confab/engine/chat"
)

// write puts a batch into the database in one transaction.
func (s *Store) write(b batch) error {
	tx, err := s.db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	for id, columns := range b.chats {
		if err := writeChat(tx, id, columns); err != nil {
			return err
		}
	}
	for _, m := range b.messages {
		if err := writeMessage(tx, m); err != nil {
			return err
		}
	}
	for k, v := range b.state {
		if _, err := tx.Exec("INSERT INTO state(key, value) VALUES(?, ?) ON CONFLICT(key) DO UPDATE SET value = excluded.value", k, v); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// ensureChat makes the row where there is none: for a new chat, and for one
// that another program removed while this one used it.
const ensureChat = "INSERT INTO chats(id, created) VALUES(?, ?) ON CONFLICT(id) DO NOTHING"

func writeChat(tx *sql.Tx, id ID, columns map[string]any) error {
	if created, all := columns["created"]; all {
		if _, err := tx.Exec(ensureChat, id, created); err != nil {
			return err
		}
	}
	names := slices.Sorted(maps.Keys(columns))
	if len(names) == 0 {
		return nil
	}
	values := make([]any, 0, len(names)+1)
	for _, n := range names {
		values = append(values, columns[n])
	}
	_, err := tx.Exec("UPDATE chats SET "+strings.Join(names, " = ?, ")+" = ? WHERE id = ?", append(values, id)...)
	return err
}

const messageColumns = "id, chat, parent, role, content, thinking, tool_calls, name, tool_call_id, tokens, tokens_of, unfinished, removed, created, facts, odds"

const upsertMessage = "INSERT INTO messages(" + messageColumns + ", indexed) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,0)" +
	" ON CONFLICT(id) DO UPDATE SET content = excluded.content, thinking = excluded.thinking," +
	" tool_calls = excluded.tool_calls, tokens = excluded.tokens, tokens_of = excluded.tokens_of," +
	" unfinished = excluded.unfinished, removed = excluded.removed, facts = excluded.facts, odds = excluded.odds, indexed = 0"

// reviveChat takes a chat out of the trash into which another program put it before
// this message was written in it.
const reviveChat = "UPDATE chats SET deleted = 0 WHERE id = ? AND deleted <> 0 AND deleted < ?"

func writeMessage(tx *sql.Tx, m Message) error {
	for _, chat := range []string{ensureChat, reviveChat} {
		if _, err := tx.Exec(chat, m.Chat, millis(m.Created)); err != nil {
			return err
		}
	}
	calls, facts := "", ""
	if len(m.ToolCalls) > 0 {
		b, err := json.Marshal(m.ToolCalls)
		if err != nil {
			return err
		}
		calls = string(b)
	}
	if m.Facts != nil {
		b, err := json.Marshal(m.Facts)
		if err != nil {
			return err
		}
		facts = string(b)
	}
	_, err := tx.Exec(upsertMessage, m.ID, m.Chat, m.Parent, string(m.Role), m.Content, m.Thinking, calls,
		m.Name, m.ToolCallID, packTokens(m.Tokens), m.TokensOf, m.Unfinished, m.Removed, millis(m.Created), facts, m.Odds.pack())
	return err
}

func scanMessage(rows *sql.Rows) (*Message, error) {
	var m Message
	var role, calls, facts string
	var tokens, odds []byte
	var created int64
	err := rows.Scan(&m.ID, &m.Chat, &m.Parent, &role, &m.Content, &m.Thinking, &calls, &m.Name, &m.ToolCallID,
		&tokens, &m.TokensOf, &m.Unfinished, &m.Removed, &created, &facts, &odds)
	if err != nil {
		return nil, err
	}
	m.Role, m.Created, m.Odds = chat.Role(role), fromMillis(created), oddsFrom(odds)
	if m.Tokens, err = unpackTokens(tokens); err == nil && calls != "" {
		err = json.Unmarshal([]byte(calls), &m.ToolCalls)
	}
	if err == nil && facts != "" {
		err = json.Unmarshal([]byte(facts), &m.Facts)
	}
	if err != nil {
		return nil, fmt.Errorf("message %d of chat %d is damaged: %w", m.ID, m.Chat, err)
	}
	return &m, nil
}

// packTokens writes each id as the zigzag varint of its difference to the one
// before it; nil gives nil.
func packTokens(ids []int32) []byte {
	var b []byte
	last := int32(0)
	for _, id := range ids {
		b = binary.AppendVarint(b, int64(id)-int64(last))
		last = id
	}
	return b
}

func unpackTokens(b []byte) ([]int32, error) {
	var ids []int32
	last := int64(0)
	for len(b) > 0 {
		d, n := binary.Varint(b)
		last += d
		if n <= 0 || last != int64(int32(last)) {
			return nil, errors.New("its token ids are no such list")
		}
		ids = append(ids, int32(last))
		b = b[n:]
	}
	return ids, nil
}
