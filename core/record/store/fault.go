package store

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"modernc.org/sqlite"

	"cupola/core"
	"cupola/core/system/disk"
	"cupola/core/system/private"
)

// The primary result codes of SQLite that mean something to us.
const (
	sqliteError   = 1
	sqliteBusy    = 5
	sqliteLocked  = 6
	sqliteIO      = 10
	sqliteCorrupt = 11
	sqliteFull    = 13
	sqliteNotADB  = 26
)

// result is the primary result code of an error of SQLite; 0 for others.
func result(err error) int {
	if e, is := errors.AsType[*sqlite.Error](err); is {
		return e.Code() & 0xff
	}
	return 0
}

func locked(err error) bool { return result(err) == sqliteBusy || result(err) == sqliteLocked }

// damaged reports whether an error says that the file is not what SQLite wrote, or lacks a part that every file has.
func damaged(err error) bool {
	var found damage
	return result(err) == sqliteCorrupt || result(err) == sqliteNotADB || incomplete(err) || errors.As(err, &found)
}

// incomplete reports whether a statement names a table, column or constraint that the file lacks.
func incomplete(err error) bool {
	if result(err) != sqliteError {
		return false
	}
	return slices.ContainsFunc([]string{"no such table", "no such column", "has no column", "ON CONFLICT clause"},
		func(words string) bool { return strings.Contains(err.Error(), words) })
}

// full reports whether an error of a disk without room. SQLite reports some of them as errors of input and output.
func (p *location) full(err error) bool {
	if result(err) == sqliteFull || errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return true
	}
	if result(err) != sqliteIO {
		return false
	}
	const needed = 64 << 10 // for the index of the write-ahead log
	space, err := disk.Of(p.path)
	return err == nil && space.Free < needed
}

// damage is a fault of a file for which SQLite has no error of its own.
type damage string

func (d damage) Error() string { return string(d) }

// fault turns an error into a *core.Error; one that is that already only gets
// the operation.
func (p *location) fault(ctx context.Context, op string, err error) error {
	if err == nil {
		return nil
	}
	if known, is := errors.AsType[*core.Error](err); is {
		known.Op = op
		return known
	}
	e := &core.Error{Code: core.StoreError, Op: op, Message: fmt.Sprintf("%s: %s: %v", p.path, op, err), Err: err}
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		e.Code = core.Cancelled
	case locked(err), errors.Is(err, context.DeadlineExceeded), errors.Is(ctx.Err(), context.DeadlineExceeded):
		e.Code, e.Message = core.StoreLocked, p.path+": another process holds the store"
	case p.full(err):
		e.Message = p.path + ": the disk is full"
	case damaged(err):
		e.Message = p.path + ": the store is damaged"
		e.Hint = "The next prompt that is sent sets the file aside and begins a new one."
	}
	if folder, owned, _ := private.Closed(filepath.Dir(p.path)); owned && e.Code == core.StoreError {
		e.Remedies, e.Subject.Dir = []core.Remedy{core.RemedyOpenFolder}, folder
	}
	return e
}
