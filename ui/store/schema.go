package store

import (
	"context"
	"database/sql"
	"fmt"
)

// migrations[i] brings a database from user_version i to i+1. Entries are only
// ever added. Times are Unix milliseconds.
var migrations = []string{`
CREATE TABLE chats (
	id         INTEGER PRIMARY KEY,
	title      TEXT    NOT NULL DEFAULT '',
	created    INTEGER NOT NULL DEFAULT 0,
	updated    INTEGER NOT NULL DEFAULT 0,
	opened     INTEGER NOT NULL DEFAULT 0,
	pinned     INTEGER NOT NULL DEFAULT 0,
	deleted    INTEGER NOT NULL DEFAULT 0, -- when, 0 is not
	system     TEXT    NOT NULL DEFAULT '',
	model_path TEXT    NOT NULL DEFAULT '',
	model_name TEXT    NOT NULL DEFAULT '',
	sampling   TEXT    NOT NULL DEFAULT '', -- JSON, '' is the model's own
	draft      TEXT    NOT NULL DEFAULT '',
	leaf       INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE TABLE messages (
	id           INTEGER PRIMARY KEY,
	chat         INTEGER NOT NULL REFERENCES chats(id) ON DELETE CASCADE,
	parent       INTEGER NOT NULL, -- 0 for a first message
	role         TEXT    NOT NULL,
	content      TEXT    NOT NULL,
	thinking     TEXT    NOT NULL,
	tool_calls   TEXT    NOT NULL, -- JSON or ''
	name         TEXT    NOT NULL,
	tool_call_id TEXT    NOT NULL,
	tokens       BLOB,             -- differences of ids as varints
	tokens_of    TEXT    NOT NULL,
	unfinished   INTEGER NOT NULL,
	removed      INTEGER NOT NULL,
	created      INTEGER NOT NULL,
	facts        TEXT    NOT NULL, -- JSON or ''
	indexed      INTEGER NOT NULL  -- 0 where the search index is behind
) STRICT;
CREATE INDEX messages_chat ON messages(chat);
CREATE INDEX messages_behind ON messages(id) WHERE indexed = 0;
CREATE TABLE state (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE VIRTUAL TABLE search USING fts5(content, thinking, tokenize = 'trigram remove_diacritics 1');
CREATE TRIGGER messages_gone AFTER DELETE ON messages BEGIN
	DELETE FROM search WHERE rowid = old.id;
END;
`, `
ALTER TABLE messages ADD COLUMN odds BLOB; -- of an answer's tokens, see encodeOdds
`}

// migrate brings the schema up to date, or refuses a newer one.
func migrate(ctx context.Context, db *sql.DB, path string) error {
	have, err := userVersion(ctx, db)
	if err != nil || have == len(migrations) {
		return err
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	// Another program may have migrated while this one waited for the lock.
	if have, err = userVersion(ctx, tx); err != nil {
		return err
	}
	if have > len(migrations) {
		return fmt.Errorf("%s has schema %d, this confab knows %d and older: use the newer confab that wrote it, or another data folder", path, have, len(migrations))
	}
	for _, m := range migrations[have:] {
		if _, err := tx.ExecContext(ctx, m); err != nil {
			return err
		}
	}
	if _, err := tx.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d", len(migrations))); err != nil {
		return err
	}
	return tx.Commit()
}

func userVersion(ctx context.Context, q interface {
	QueryRowContext(context.Context, string, ...any) *sql.Row
}) (n int, err error) {
	err = q.QueryRowContext(ctx, "PRAGMA user_version").Scan(&n)
	return n, err
}
