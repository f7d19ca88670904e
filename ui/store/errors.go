package store

import (
	"errors"
	"fmt"

	"modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"
)

// CorruptError says that the file is not a sound database.
type CorruptError struct {
	Path string
	Err  error
}

// Error names the file and the cure.
func (e *CorruptError) Error() string {
	return fmt.Sprintf("the conversations in %s cannot be read (%v): move the file aside to begin a new one, or put a backup in its place", e.Path, e.Err)
}

// Unwrap gives SQLite's error.
func (e *CorruptError) Unwrap() error { return e.Err }

// code is SQLite's primary result code, 0 where the error is none of SQLite's.
func code(err error) int {
	var e *sqlite.Error
	if errors.As(err, &e) {
		return e.Code() & 0xff
	}
	return 0
}

// explain says what an error of SQLite means for a person, and the cure.
func explain(path string, err error) error {
	if path == "" {
		path = "memory"
	}
	cure := ""
	switch code(err) {
	case lib.SQLITE_CORRUPT, lib.SQLITE_NOTADB:
		return &CorruptError{Path: path, Err: err}
	case lib.SQLITE_FULL:
		cure = ": the disk is full, free some space"
	case lib.SQLITE_READONLY, lib.SQLITE_CANTOPEN, lib.SQLITE_PERM:
		cure = ": make the file and its folder writable, or choose another data folder"
	case lib.SQLITE_BUSY, lib.SQLITE_LOCKED:
		cure = ": another program holds the database for more than 5 seconds, close it"
	case lib.SQLITE_IOERR:
		cure = ": the disk gives errors or is full"
	}
	return fmt.Errorf("conversations in %s: %w%s", path, err, cure)
}

// ofOneRow reports that an error comes from what was written, not from where:
// other rows can still be saved.
func ofOneRow(err error) bool {
	switch code(err) {
	case lib.SQLITE_CONSTRAINT, lib.SQLITE_TOOBIG, lib.SQLITE_MISMATCH:
		return true
	}
	return false
}
