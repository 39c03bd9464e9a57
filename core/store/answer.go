package store

import (
	"context"
	"database/sql"
	"strings"
	"time"

	"cupola/core"
)

// Answer is one that was given to a dialog of an agent.
type Answer struct {
	At time.Time
	// Server is the path of the terminal server's socket.
	Server  string
	Session string
	Ordinal int
	Pane    core.PaneID
	Agent   string
	Kind    core.Kind
	// Origin says which act or face it came from, By in which pane it was given;
	// empty for panes that Cupola did not make.
	Origin string
	By     string
	// Reason is what the dialog asked for, Asks what it asked about.
	Reason core.Reason
	Asks   string
	// Act is how it was answered, Chosen the label of the option that was taken, Text
	// the words that were given.
	Act    string
	Chosen string
	Text   string
	// Outcome is what fleet calls what became of it.
	Outcome string
}

// Answers is a part of what a query found.
type Answers struct {
	// Answers are the newest first.
	Answers []Answer
	// Total counts what the query found.
	Total int
}

const answerColumns = "at, server, session, ordinal, pane, agent, kind, origin, given_by, reason, asks, act, " +
	"chosen, text, outcome"

// SaveAnswer records an answer.
func (s *Store) SaveAnswer(ctx context.Context, a Answer) error {
	return s.write(ctx, "record the answer", func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, into("answers", answerColumns),
			millis(a.At), a.Server, a.Session, a.Ordinal, string(a.Pane), a.Agent, string(a.Kind), a.Origin, a.By,
			string(a.Reason), a.Asks, a.Act, a.Chosen, a.Text, a.Outcome)
		return err
	})
}

// Answers returns the answers that a query of prompts finds, the newest first. An
// ID in the query finds none.
func (s *Store) Answers(ctx context.Context, q PromptQuery) (Answers, error) {
	page := Answers{Answers: []Answer{}}
	if q.ID != "" {
		return page, nil
	}
	err := s.read(ctx, "read the answers", func(db *sql.DB) error {
		chosen, args := q.answers()
		if err := db.QueryRowContext(ctx, "SELECT count(*) FROM ("+chosen+")", args...).Scan(&page.Total); err != nil {
			return err
		}
		limit := q.Limit
		if limit == 0 {
			limit = -1
		}
		var err error
		page.Answers, err = rowsOf(ctx, db, scanAnswer, "SELECT * FROM ("+chosen+") ORDER BY seq DESC LIMIT ? OFFSET ?",
			append(args, limit, q.Offset)...)
		return err
	})
	return page, err
}

func scanAnswer(row *sql.Rows) (a Answer, err error) {
	var seq, at int64
	err = row.Scan(&seq, &at, &a.Server, &a.Session, &a.Ordinal, &a.Pane, &a.Agent, &a.Kind, &a.Origin, &a.By,
		&a.Reason, &a.Asks, &a.Act,
		&a.Chosen, &a.Text, &a.Outcome)
	a.At = moment(at)
	return a, err
}

// answers is the query as SQL over answers.
func (q *PromptQuery) answers() (query string, args []any) {
	query = "SELECT seq, " + answerColumns + " FROM answers d WHERE true"
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
			*args = append(*args, string(kind))
		}
		clauses = append(clauses, "d.kind IN (?"+strings.Repeat(", ?", len(q.Kinds)-1)+")")
	}
	return clauses
}
