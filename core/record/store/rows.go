package store

import (
	"context"
	"database/sql"
	"strings"
)

// file is the part of the store that the records of one subject use.
type file interface {
	// read runs act on the file; without a file it does nothing.
	read(ctx context.Context, op string, act func(*sql.DB) error) error
	// write runs act in one transaction, and save does so for records that accumulate.
	write(ctx context.Context, op string, act func(*sql.Tx) error) error
	save(ctx context.Context, op string, act func(*sql.Tx) error) error
}

// list returns the rows of a query, read by scan; nothing without a file.
func list[T any](ctx context.Context, in file, op string, scan func(*sql.Rows) (T, error), query string,
	args ...any,
) ([]T, error) {
	found := []T{}
	err := in.read(ctx, op, func(db *sql.DB) (err error) {
		found, err = rowsOf(ctx, db, scan, query, args...)
		return err
	})
	return found, err
}

// rowsOf is the same within a read or a write.
func rowsOf[T any](ctx context.Context, db querier, scan func(*sql.Rows) (T, error), query string, args ...any) ([]T,
	error,
) {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	found := []T{}
	for rows.Next() {
		one, err := scan(rows)
		if err != nil {
			return nil, err
		}
		found = append(found, one)
	}
	return found, rows.Err()
}

// scan reads a row that has the columns of a record, and no others.
func scan[T any](fields func(*T) []any) func(*sql.Rows) (T, error) {
	return func(row *sql.Rows) (one T, err error) {
		err = row.Scan(fields(&one)...)
		return one, err
	}
}

// single are the columns of a value that has one.
func single[T any](value *T) []any { return []any{value} }

// into returns an INSERT statement that names the columns of a table. A table may have
// more: a newer program may migrate the file meanwhile. A connection with an old schema
// reloads it for an unknown column, but not for a wrong number of columns.
func into(table, columns string) string {
	return "INSERT INTO " + table + " (" + columns + ") VALUES (?" +
		strings.Repeat(", ?", strings.Count(columns, ",")) + ")"
}

// querier is a file, or a transaction in one.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}
