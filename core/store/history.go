package store

import (
	"context"
	"database/sql"
	"strings"
	"time"

	"cupola/core"
)

// PromptQuery selects prompts. Its zero value is all of them.
type PromptQuery struct {
	// ID names one prompt.
	ID string
	// Server excludes prompts to the panes of other servers.
	Server string
	// Session, Panes and Kinds name those that a prompt went to. A pane is an
	// address, an engine's id, an agent's name or an ordinal.
	Session string
	Panes   []string
	Kinds   []core.Kind
	// OpenAt names a pane whose delivery of the prompt is open; empty is any prompt.
	OpenAt core.PaneID
	// Except names sessions; prompts that went to no other session are excluded.
	Except []string
	// Since excludes older prompts.
	Since time.Time
	// Last keeps only the newest so many; 0 is all.
	Last int
	// Limit and Offset paginate those; a Limit of 0 is all.
	Limit, Offset int
}

// Prompts is a part of what a query found.
type Prompts struct {
	// Prompts are the newest first.
	Prompts []Prompt
	// Total counts what the query found.
	Total int
}

// condition is the query as SQL over prompts.
func (q *PromptQuery) condition() (where string, args []any) {
	all := []string{"true"}
	add := func(clause string, values ...any) {
		all, args = append(all, clause), append(args, values...)
	}
	if q.ID != "" {
		add("id = ?", q.ID)
	}
	if q.Server != "" {
		add("server = ?", q.Server)
	}
	if !q.Since.IsZero() {
		add("at >= ?", millis(q.Since))
	}
	if q.OpenAt != "" {
		add("EXISTS (SELECT 1 FROM deliveries d WHERE d.prompt = seq AND d.pane = ? AND d.outcome = ?)",
			string(q.OpenAt), OutcomeOpen)
	}
	var values []any
	if at := q.at(&values); len(at) > 0 {
		add("EXISTS (SELECT 1 FROM deliveries d WHERE d.prompt = seq AND "+strings.Join(at, " AND ")+")", values...)
	}
	return strings.Join(all, " AND "), args
}

// selection is the numbers of the prompts that the query finds.
func (q *PromptQuery) selection() (query string, args []any) {
	where, args := q.condition()
	query = "SELECT seq FROM prompts WHERE " + where
	if q.Last > 0 {
		query, args = query+" ORDER BY seq DESC LIMIT ?", append(args, q.Last)
	}
	return query, args
}

// Prompts returns the prompts that a query finds, the newest first.
func (s *Store) Prompts(ctx context.Context, q PromptQuery) (Prompts, error) {
	page := Prompts{Prompts: []Prompt{}}
	err := s.read(ctx, "read the history", func(db *sql.DB) error {
		tx, err := db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
		if err != nil {
			return err
		}
		defer tx.Rollback() //nolint:errcheck // it only read
		chosen, args := q.selection()
		if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM ("+chosen+")", args...).Scan(&page.Total); err != nil {
			return err
		}
		limit := q.Limit
		if limit == 0 {
			limit = -1
		}
		chosen = "SELECT seq FROM (" + chosen + ") ORDER BY seq DESC LIMIT ? OFFSET ?"
		args = append(args, limit, q.Offset)
		page.Prompts, err = readPrompts(ctx, tx, chosen, args)
		return err
	})
	return page, err
}

// readPrompts reads the prompts whose numbers a query gives, and then their
// deliveries, in two questions.
func readPrompts(ctx context.Context, tx *sql.Tx, chosen string, args []any) ([]Prompt, error) {
	rows, err := tx.QueryContext(ctx,
		"SELECT seq, "+promptColumns+" FROM prompts WHERE seq IN ("+chosen+") ORDER BY seq DESC", args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	prompts, places := []Prompt{}, map[int64]int{}
	for rows.Next() {
		var p Prompt
		var seq, at int64
		if err := rows.Scan(&seq, &p.ID, &at, &p.Server, &p.Session, &p.Origin, &p.Tracked, &p.Bytes,
			&p.Text); err != nil {
			return nil, err
		}
		p.At = moment(at)
		places[seq] = len(prompts)
		prompts = append(prompts, p)
	}
	if err := rows.Err(); err != nil || len(prompts) == 0 {
		return prompts, err
	}
	return prompts, readDeliveries(ctx, tx, chosen, args, func(seq int64, d Delivery) {
		p := &prompts[places[seq]]
		p.Deliveries = append(p.Deliveries, d)
	})
}

func readDeliveries(ctx context.Context, tx *sql.Tx, chosen string, args []any,
	each func(seq int64, d Delivery),
) error {
	rows, err := tx.QueryContext(ctx,
		"SELECT prompt, "+deliveryColumns+" FROM deliveries WHERE prompt IN ("+chosen+") ORDER BY prompt, place",
		args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var d Delivery
		var seq, elapsed, at int64
		err := rows.Scan(&seq, &d.Session, &d.Ordinal, &d.Pane, &d.Agent, &d.Kind, &d.Outcome, &d.Why, &d.Evidence,
			&d.Enters, &elapsed, &at)
		if err != nil {
			return err
		}
		d.Elapsed, d.At = time.Duration(elapsed)*time.Millisecond, moment(at)
		each(seq, d)
	}
	return rows.Err()
}
