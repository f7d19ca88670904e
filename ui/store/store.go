package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	_ "modernc.org/sqlite" // registers the driver "sqlite"
)

// FileName is the database's name in the data folder.
const FileName = "confab.db"

// Options of a Store.
type Options struct {
	// AppVersion is stored with every answer.
	AppVersion string
	// Report, if set, is called from the writer's goroutine when saving begins to
	// fail, when the cause changes, and with nil when it works again.
	Report func(error)
}

// Store is an open database with its writer.
type Store struct {
	db      *sql.DB
	path    string
	options Options
	writer  *writer
	watch   watch
}

// Open opens or makes the database in the folder dir, which is made where it is
// missing, and removes for good what was deleted long ago. The error is a *CorruptError
// where the file is no sound database.
func Open(dir string, o Options) (*Store, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("conversations: making the data folder: %w", err)
	}
	path := filepath.Join(dir, FileName)
	// SQLite gives its -wal and -shm files the mode of the main one.
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("conversations cannot be saved: %w: make the data folder %s writable or choose another", err, dir)
	}
	f.Close()
	// What was there may be open to others.
	if err := errors.Join(os.Chmod(dir, 0o700), os.Chmod(path, 0o600)); err != nil {
		return nil, fmt.Errorf("conversations: %w", err)
	}
	s, err := open((&url.URL{Scheme: "file", OmitHost: true, Path: path}).String(), path, 0, o)
	if err != nil {
		return nil, err
	}
	// Where that fails, reading and writing will say so, and another start tries again.
	_, _ = s.purge(context.Background(), time.Now().Add(-keepDeleted))
	return s, nil
}

// OpenOrBegin is Open, but where the database is damaged it is moved aside, under the
// name that is returned, and a new one is begun.
func OpenOrBegin(dir string, o Options) (s *Store, aside string, err error) {
	s, err = Open(dir, o)
	if _, damaged := errors.AsType[*CorruptError](err); damaged {
		if aside, err = moveAside(dir); err == nil {
			s, err = Open(dir, o)
		}
	}
	return s, aside, err
}

// OpenMemory makes a store that lives as long as the program: what to use when
// Open fails and the person wants to go on.
func OpenMemory(o Options) (*Store, error) {
	return open("file::memory:", "", 1, o)
}

func open(uri, path string, connections int, o Options) (*Store, error) {
	pragmas := url.Values{
		"_pragma": {"busy_timeout(5000)", "journal_mode(WAL)", "foreign_keys(1)", "synchronous(FULL)"},
		"_txlock": {"immediate"},
	}
	db, err := sql.Open("sqlite", uri+"?"+pragmas.Encode())
	if err != nil {
		return nil, explain(path, err)
	}
	db.SetMaxOpenConns(connections)
	if connections > 0 { // an in-memory database dies with its connection
		db.SetConnMaxLifetime(0)
		db.SetMaxIdleConns(connections)
	}
	if err := migrate(context.Background(), db, path); err != nil {
		db.Close()
		return nil, explain(path, err)
	}
	s := &Store{db: db, path: path, options: o}
	s.writer = newWriter(s)
	return s, nil
}

// Path is the database's file, empty for one in memory.
func (s *Store) Path() string { return s.path }

// Flush waits until everything that was changed before is on disk.
func (s *Store) Flush(ctx context.Context) error { return s.writer.wait(ctx) }

// Err is why saving fails at the moment, or nil.
func (s *Store) Err() error { return s.writer.failure() }

// Close writes what is left and closes the database. It tries for about ten
// seconds at most; the error says what could not be written.
func (s *Store) Close() error {
	err := s.writer.close()
	return errors.Join(err, s.watch.close(), s.db.Close())
}

// moveAside renames the database of the folder dir, with its companions, and returns
// the new name.
func moveAside(dir string) (string, error) {
	path := filepath.Join(dir, FileName)
	to := strings.TrimSuffix(path, ".db") + "-" + time.Now().Format("20060102-150405") + ".damaged.db"
	if err := os.Rename(path, to); err != nil {
		return "", fmt.Errorf("moving the damaged database aside: %w", err)
	}
	for _, suffix := range []string{"-wal", "-shm"} {
		if err := os.Rename(path+suffix, to+suffix); err != nil && !errors.Is(err, os.ErrNotExist) {
			return to, fmt.Errorf("moving the damaged database aside: %w", err)
		}
	}
	return to, nil
}
