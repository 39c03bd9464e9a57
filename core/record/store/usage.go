package store

import (
	"context"
	"database/sql"
	"time"

	"cupola/core"
)

// Usage is the part of a store that holds what agents have used.
type Usage struct{ in file }

// UsageIn returns the usage records of a store.
func UsageIn(s *Store) Usage { return Usage{s} }

// UsageFile is the progress of reading a transcript.
type UsageFile struct {
	ID   int64
	Kind core.Kind
	// Path names it; a database has one for each session in it.
	Path string
	// Size and Modified (Unix nanoseconds) describe the file when it was last read, Position is the offset up to which
	// it was read, and Mark a hash of its bytes there.
	Size, Modified, Position, Mark int64
	// State is the state from which its reader continues.
	State string
	// Session is the agent's own id of it, Folder where the agent worked.
	Session, Folder string
	// Owner is the session whose agent wrote it and Agent that agent's name; empty
	// where they are not known.
	Owner, Agent string
}

// UsageTokens counts tokens. Input excludes those read from a cache or written to one;
// Reasoning is a part of Output.
type UsageTokens struct {
	Input, CacheRead, CacheWrite, CacheLong, Output, Reasoning int64
}

// UsageRequest is one request to a model.
type UsageRequest struct {
	// Key identifies the request: it is the same in all transcripts that contain it.
	Key   int64
	At    time.Time
	Model string
	UsageTokens
	// Cost is the agent's own figure in USD; nil where it gives none.
	Cost *float64
}

// UsageCost is an agent's own figure for what its session cost with a model until a time,
// and for how many tokens.
type UsageCost struct {
	Model string
	Until time.Time
	UsageTokens
	Cost float64
}

// UsageLimit is a provider's limit as a transcript shows it.
type UsageLimit struct {
	Kind core.Kind
	// Name distinguishes the limits of a provider.
	Name string
	// Used is in percent, -1 if unknown. Window is the length of the limit's period,
	// ResetsAt its end; zero if unknown.
	Used     float64
	Window   time.Duration
	ResetsAt time.Time
	SeenAt   time.Time
	Message  string
}

// UsagePart is a part of one transcript, as it was read.
type UsagePart struct {
	File UsageFile
	// Afresh is true if the transcript was read again from its beginning; its earlier
	// records are removed.
	Afresh   bool
	Requests []UsageRequest
	Costs    []UsageCost
	Limits   []UsageLimit
}

const (
	fileColumns    = "kind, path, size, modified, position, mark, state, session, folder"
	requestColumns = "key, file, at, model, input, cache_read, cache_write, cache_long, output, reasoning, cost"
	costColumns    = "model, until, input, cache_read, cache_write, cache_long, output, cost"
	limitColumns   = "kind, name, used, minutes, resets_at, seen_at, message"
)

// Files returns how far each transcript was read, in no order.
func (u Usage) Files(ctx context.Context) ([]UsageFile, error) {
	return list(ctx, u.in, "read the usage index", func(row *sql.Rows) (f UsageFile, err error) {
		err = row.Scan(&f.ID, &f.Kind, &f.Path, &f.Size, &f.Modified, &f.Position, &f.Mark, &f.State, &f.Session,
			&f.Folder, &f.Owner, &f.Agent)
		return f, err
	}, "SELECT id, "+fileColumns+", owner, agent FROM usage_files")
}

// Own records the Owner and Agent of each file.
func (u Usage) Own(ctx context.Context, files []UsageFile) error {
	return u.in.write(ctx, "record whose transcripts these are", func(tx *sql.Tx) error {
		for i := range files {
			f := &files[i]
			if _, err := tx.ExecContext(ctx, "UPDATE usage_files SET owner = ?, agent = ? WHERE path = ?", f.Owner,
				f.Agent, f.Path); err != nil {
				return err
			}
		}
		return nil
	})
}

// Limits returns the recorded limits of providers, by kind and name.
func (u Usage) Limits(ctx context.Context) ([]UsageLimit, error) {
	return list(ctx, u.in, "read the limits", func(row *sql.Rows) (l UsageLimit, err error) {
		var minutes int64
		err = row.Scan(&l.Kind, &l.Name, &l.Used, &minutes, when(&l.ResetsAt), when(&l.SeenAt), &l.Message)
		l.Window = time.Duration(minutes) * time.Minute
		return l, err
	}, "SELECT "+limitColumns+" FROM usage_limits ORDER BY kind, name")
}
