package store

import (
	"context"
	"database/sql"
	"strings"
)

// list reads what a query finds, each row as scan makes it; nothing where there is
// no file.
func list[T any](ctx context.Context, s *Store, op string, scan func(*sql.Rows) (T, error), query string,
	args ...any,
) ([]T, error) {
	found := []T{}
	err := s.read(ctx, op, func(db *sql.DB) (err error) {
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

// into is a statement that puts a row into a table, whose columns it names. A table
// may have others: a newer program brought the file up to date meanwhile. A
// connection that has not heard of such a change yet looks again where it does
// not know a name, but not where only the number of columns is wrong.
func into(table, columns string) string {
	return "INSERT INTO " + table + " (" + columns + ") VALUES (?" +
		strings.Repeat(", ?", strings.Count(columns, ",")) + ")"
}

// querier is a file, or a transaction in one.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}
