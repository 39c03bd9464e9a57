package store

import (
	"context"
	"database/sql"
	"strings"

	"cupola/core"
)

// DecisionPage is one page of the results of a query.
type DecisionPage struct {
	// Decisions are the newest first.
	Decisions []core.Decision
	// Total counts all results of the query.
	Total int
}

// Decisions is the part of a store that holds answers to dialogs.
type Decisions struct{ in file }

// DecisionsIn returns the answers to dialogs of a store.
func DecisionsIn(s *Store) Decisions { return Decisions{s} }

// Save records an answer to a dialog.
func (l Decisions) Save(ctx context.Context, d core.Decision) error {
	return l.in.write(ctx, "record the answer", func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, into("answers", decisionColumns), decisionFields(&d)...)
		return err
	})
}

// Find returns the answers to dialogs that a query of prompts finds, the newest first. An
// ID in the query finds none.
func (l Decisions) Find(ctx context.Context, q PromptQuery) (DecisionPage, error) {
	page := DecisionPage{Decisions: []core.Decision{}}
	if q.ID != "" {
		return page, nil
	}
	err := l.in.read(ctx, "read the answers", func(db *sql.DB) error {
		chosen, args := q.answers()
		if err := db.QueryRowContext(ctx, "SELECT count(*) FROM ("+chosen+")", args...).Scan(&page.Total); err != nil {
			return err
		}
		var err error
		page.Decisions, err = rowsOf(ctx, db, func(row *sql.Rows) (d core.Decision, err error) {
			var seq int64
			err = row.Scan(append([]any{&seq}, decisionFields(&d)...)...)
			return d, err
		}, "SELECT * FROM ("+chosen+") ORDER BY seq DESC LIMIT ? OFFSET ?", append(args, q.limit(), q.Offset)...)
		return err
	})
	return page, err
}

// answers is the query as SQL over answers.
func (q *PromptQuery) answers() (query string, args []any) {
	query = "SELECT seq, " + decisionColumns + " FROM answers d WHERE true"
	if !q.Since.IsZero() {
		query, args = query+" AND at >= ?", append(args, millis(q.Since))
	}
	if q.Server != "" {
		query, args = query+" AND server = ?", append(args, q.Server)
	}
	for _, clause := range q.at(&args) {
		query += " AND " + clause
	}
	if q.Last > 0 {
		query, args = query+" ORDER BY seq DESC LIMIT ?", append(args, q.Last)
	}
	return query, args
}

// at are the conditions on the pane d that the query names, whose values it adds
// to args.
func (q *PromptQuery) at(args *[]any) (clauses []string) {
	if q.Session != "" {
		clauses, *args = append(clauses, "d.session = ?"), append(*args, q.Session)
	}
	if len(q.Except) > 0 {
		for _, session := range q.Except {
			*args = append(*args, session)
		}
		clauses = append(clauses, "d.session NOT IN (?"+strings.Repeat(", ?", len(q.Except)-1)+")")
	}
	if len(q.Panes) > 0 {
		var either []string
		for _, pane := range q.Panes {
			either, *args = append(either,
				"? IN (d.pane, d.agent, CAST(d.ordinal AS TEXT), d.session || '.' || d.ordinal)"), append(*args, pane)
		}
		clauses = append(clauses, "("+strings.Join(either, " OR ")+")")
	}
	if len(q.Kinds) > 0 {
		for _, kind := range q.Kinds {
			*args = append(*args, kind)
		}
		clauses = append(clauses, "d.kind IN (?"+strings.Repeat(", ?", len(q.Kinds)-1)+")")
	}
	return clauses
}
