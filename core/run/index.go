package run

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"cupola/core"
)

// Row is the entry of a run in an Index.
type Row struct {
	Head
	// Changed is when something of it was noted last, or when the index was made.
	Changed time.Time
	// Record is the record of the run without what is large, as JSON.
	Record json.RawMessage
}

// Source is where the records of one kind of run are: what an Index is derived from.
type Source interface {
	// Of is the kind.
	Of() Kind
	// Folder is the directory of a run, and that of all for an empty id.
	Folder(id string) string
	// Held reports whether a process runs a run.
	Held(id string) bool
	// Row returns the row of a run as its record says; fs.ErrNotExist if it has none.
	Row(ctx context.Context, id string) (*Row, error)
	// Rows returns those of all runs whose record can be read.
	Rows(ctx context.Context) ([]Row, error)
}

// Index is a file that lists the runs of all kinds, so that finding some of them costs the same however many there
// are. It is derived from the records of its sources: one that is missing, damaged or of another version is made
// anew. A row is open from before the record of its run is written first until after it was written last, and what is
// open is compared with the record when it is read: so a process may be killed at any moment.
//
// The file is opened when it is needed. An Index is safe for concurrent use.
type Index struct {
	ctx     context.Context
	path    string
	sources map[Kind]Source
	log     *slog.Logger

	mu sync.Mutex
	db *sql.DB
	// file is the file that db has open; copied is true for a copy in memory, where there can be no file.
	file   fs.FileInfo
	copied bool
	// written is the last row of each run that this process wrote.
	written map[string]string
	bell    bell
}

// NewIndex returns the index in a file. It is used with the context of the process: noting a run takes as long as
// writing its record, and must not be left out. Publish reports to other processes that runs have changed, and log
// takes the errors of runs that could not be noted; both may be nil.
func NewIndex(
	ctx context.Context, path string, publish func(context.Context), log *slog.Logger, sources ...Source,
) *Index {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	x := &Index{ctx: ctx, path: path, log: log, sources: map[Kind]Source{}, written: map[string]string{}}
	if publish != nil {
		x.bell.ring = func() { publish(ctx) }
	}
	for _, source := range sources {
		x.sources[source.Of()] = source
	}
	return x
}

// indexVersion is the version of the file. A file of any other is rebuilt.
const indexVersion = 2

const indexSchema = `DROP TABLE IF EXISTS runs;
CREATE TABLE runs (kind TEXT NOT NULL, id TEXT NOT NULL, name TEXT NOT NULL, dir TEXT NOT NULL, state TEXT NOT NULL,
	started INTEGER NOT NULL, ended INTEGER NOT NULL, open INTEGER NOT NULL, seq INTEGER NOT NULL DEFAULT 1,
	changed INTEGER NOT NULL, head TEXT NOT NULL, record TEXT NOT NULL, PRIMARY KEY (kind, id));
CREATE INDEX runs_started ON runs (started DESC, id);
CREATE INDEX runs_kind ON runs (kind, started DESC, id);
CREATE INDEX runs_state ON runs (state, started DESC, id);
CREATE INDEX runs_dir ON runs (dir, started DESC, id);
CREATE INDEX runs_name ON runs (name, started DESC);
CREATE INDEX runs_ended ON runs (ended) WHERE open = 0;
CREATE INDEX runs_open ON runs (started) WHERE open = 1;`

// busyFor is how long one process waits for another that writes.
const busyFor = 5 * time.Second

// stale is a file whose presence says that a run could not be noted.
func (x *Index) stale() string { return x.path + ".stale" }

// Changed reports to other processes that something of a run is new. A nil Index reports nothing.
func (x *Index) Changed() {
	if x != nil && x.bell.ring != nil {
		x.bell.call()
	}
}

// Close closes the file, after a report that was put off.
func (x *Index) Close() error {
	x.bell.flush()
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.close()
}

func (x *Index) close() error {
	if x.db == nil {
		return nil
	}
	db := x.db
	x.db, x.file, x.copied = nil, nil, false
	clear(x.written)
	return db.Close()
}

// connect opens the file and makes it anew if it must be. The caller holds mu.
func (x *Index) connect() error {
	info, err := os.Stat(x.path)
	if x.db != nil && x.file != nil && err == nil && os.SameFile(info, x.file) && !x.marked() {
		return nil
	}
	_ = x.close()
	if err == nil && !info.Mode().IsRegular() {
		return &fs.PathError{Op: "open", Path: x.path, Err: errors.New("it is no regular file")}
	}
	for again := false; ; again = true {
		if err = x.open(); !damaged(err) || again {
			return err
		}
		for _, part := range []string{"", "-wal", "-shm"} {
			_ = os.Remove(x.path + part)
		}
	}
}

func (x *Index) open() error {
	if err := os.MkdirAll(filepath.Dir(x.path), 0o700); err != nil {
		return err
	}
	file, err := os.OpenFile(x.path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err == nil {
		err = file.Close()
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	query := url.Values{
		"_txlock": {"immediate"}, "_pragma": {"busy_timeout(" + ms(busyFor) + ")", "synchronous(NORMAL)"},
	}
	db, err := sql.Open("sqlite", (&url.URL{Scheme: "file", Path: x.path, RawQuery: query.Encode()}).String())
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(1)
	x.db = db
	if err = x.refresh(); err == nil {
		x.file, err = os.Stat(x.path)
	}
	if err != nil {
		_ = x.close()
	}
	return err
}

// marked reports whether a run could not be noted, so that the content must be made anew.
func (x *Index) marked() bool {
	_, err := os.Lstat(x.stale())
	return err == nil
}

// refresh makes the content of the file anew if it is of another version, or if a run could not be noted.
func (x *Index) refresh() error {
	var version int
	if err := x.db.QueryRowContext(x.ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return err
	}
	marked := x.marked()
	if version == indexVersion && !marked {
		return nil
	}
	var mode string
	if err := x.db.QueryRowContext(x.ctx, "PRAGMA journal_mode = WAL").Scan(&mode); err != nil {
		return err
	}
	return x.fill(marked)
}

// fill makes all rows anew, unless another process has done so.
func (x *Index) fill(forced bool) error {
	tx, err := x.db.BeginTx(x.ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() //nolint:errcheck // a transaction that was committed has none
	var version int
	if err := tx.QueryRowContext(x.ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return err
	}
	if version == indexVersion && !forced {
		return nil
	}
	_ = os.Remove(x.stale())
	if _, err := tx.ExecContext(x.ctx, indexSchema+"PRAGMA user_version = "+decimal(indexVersion)); err != nil {
		return err
	}
	for kind, source := range x.sources {
		rows, err := source.Rows(x.ctx)
		if err != nil {
			x.log.Warn("runs could not be listed", "kind", kind, "error", err)
			x.markStale()
		}
		for i := range rows {
			if err := put(x.ctx, tx, &rows[i], !rows[i].State.Ended()); err != nil {
				return err
			}
		}
	}
	return tx.Commit()
}

func (x *Index) markStale() {
	if !x.copied {
		_ = os.WriteFile(x.stale(), nil, 0o600)
	}
}

// execer is a database, or a transaction in one.
type execer interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

func put(ctx context.Context, db execer, row *Row, open bool) error {
	head, err := json.Marshal(&row.Head)
	if err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, "INSERT INTO runs (kind, id, name, dir, state, started, ended, open, changed, head, "+
		"record) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (kind, id) DO UPDATE SET name = excluded.name, "+
		"dir = excluded.dir, state = excluded.state, started = excluded.started, ended = excluded.ended, "+
		"open = excluded.open, seq = seq + 1, changed = excluded.changed, head = excluded.head, "+
		"record = excluded.record",
		row.Kind, row.ID, row.Name, row.Dir, row.State, millis(row.Started), millis(row.over()), open,
		time.Now().UnixMilli(), string(head), string(row.Record))
	return err
}

// Put notes a run as it is: before its record is written if it is open then, else after that. A run that cannot be
// noted keeps running: the next process that opens the index rebuilds it. A nil Index notes nothing.
func (x *Index) Put(row *Row) {
	if x == nil {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	head, _ := json.Marshal(&row.Head) // it has nothing that cannot be encoded
	key, now := string(row.Kind)+"/"+row.ID, string(head)+string(row.Record)
	if x.db != nil && x.written[key] == now {
		return
	}
	err := x.attempt(func() error { return put(x.ctx, x.db, row, !row.State.Ended()) })
	if err != nil {
		x.log.Warn("a run could not be noted in the index", "run", row.ID, "error", err)
		x.markStale()
		return
	}
	x.written[key] = now
}

// Remove forgets a run whose record is gone.
func (x *Index) Remove(kind Kind, id string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	delete(x.written, string(kind)+"/"+id)
	err := x.attempt(func() error {
		_, err := x.db.ExecContext(x.ctx, "DELETE FROM runs WHERE kind = ? AND id = ?", kind, id)
		return err
	})
	if err != nil {
		x.markStale()
	}
	x.Changed()
}

// attempt carries out act on the file; a file that turns out to be damaged is made anew first.
func (x *Index) attempt(act func() error) error {
	err := x.connect()
	if err == nil {
		err = act()
	}
	if damaged(err) {
		_ = x.close()
		for _, part := range []string{"", "-wal", "-shm"} {
			_ = os.Remove(x.path + part)
		}
		if err = x.connect(); err == nil {
			err = act()
		}
	}
	return err
}

// read carries out act on the file, after its open rows were compared with the records. Where there is no file it does
// so on a copy in memory, for who reads makes none; without any run it does not call act.
func (x *Index) read(act func() error) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	_, err := os.Stat(x.path)
	missing := errors.Is(err, fs.ErrNotExist)
	if missing && !x.any() {
		return nil
	}
	both := func() error {
		if err := x.reconcile(); err != nil {
			return err
		}
		return act()
	}
	if !missing {
		if err = x.attempt(both); err == nil || x.ctx.Err() != nil {
			return err
		}
		x.log.Warn("the index of runs cannot be used", "error", err)
	}
	_ = x.close()
	if x.db, err = sql.Open("sqlite", ":memory:"); err != nil {
		return err
	}
	defer x.close() //nolint:errcheck // it is in memory
	x.db.SetMaxOpenConns(1)
	x.copied = true
	if err = x.fill(true); err == nil {
		err = both()
	}
	return err
}

// Make makes the file where there is none and there may be runs, for a process that reads again and again.
func (x *Index) Make() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if !x.any() {
		return nil
	}
	return x.attempt(func() error { return nil })
}

// any reports whether there may be a run.
func (x *Index) any() bool {
	for _, source := range x.sources {
		if _, err := os.Lstat(source.Folder("")); err == nil {
			return true
		}
	}
	return false
}

// openRow is a row of a run that has not ended. Started is in Unix milliseconds.
type openRow struct {
	kind    Kind
	id      string
	seq     int64
	started int64
}

// openRows returns the rows of the runs that have not ended.
func (x *Index) openRows() (open []openRow, err error) {
	rows, err := x.db.QueryContext(x.ctx, "SELECT kind, id, seq, started FROM runs WHERE open = 1")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		one := openRow{}
		if err := rows.Scan(&one.kind, &one.id, &one.seq, &one.started); err != nil {
			return nil, err
		}
		open = append(open, one)
	}
	return open, rows.Err()
}

// reconcile compares the open rows that no process holds with their records.
func (x *Index) reconcile() error {
	open, err := x.openRows()
	if err != nil {
		return err
	}
	for _, one := range open {
		source := x.sources[one.kind]
		if source == nil || source.Held(one.id) {
			continue
		}
		row, err := source.Row(x.ctx, one.id)
		switch {
		case errors.Is(err, fs.ErrNotExist) && time.Since(time.UnixMilli(one.started)) > beginWithin:
			_, err = x.db.ExecContext(x.ctx, "DELETE FROM runs WHERE kind = ? AND id = ? AND seq = ?", one.kind, one.id,
				one.seq)
		case err != nil:
			continue
		default:
			err = x.correct(row, one.seq)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// correct writes a row, unless another process wrote it since it was read with a sequence number.
func (x *Index) correct(row *Row, seq int64) error {
	if !row.State.Ended() {
		return nil // it has not started
	}
	head, err := json.Marshal(&row.Head)
	if err != nil {
		return err
	}
	delete(x.written, string(row.Kind)+"/"+row.ID)
	ended := row.Ended
	if ended.IsZero() {
		ended = time.Now() // its process died since it was read last
	}
	_, err = x.db.ExecContext(x.ctx, "UPDATE runs SET state = ?, ended = ?, open = 0, seq = seq + 1, head = ?, "+
		"record = ? WHERE kind = ? AND id = ? AND seq = ?", row.State, millis(ended), string(head),
		string(row.Record), row.Kind, row.ID, seq)
	x.Changed()
	return err
}

// List returns the runs that a filter chooses, the newest first, and how many there are without its limit.
func (x *Index) List(f Filter) (list []Row, total int, err error) {
	condition, args := f.condition()
	err = x.read(func() error {
		list = nil
		if !f.Uncounted {
			query := "SELECT count(*)" + f.from() + condition
			if err := x.db.QueryRowContext(x.ctx, query, args...).Scan(&total); err != nil {
				return err
			}
		}
		limit := f.Limit
		if limit <= 0 {
			limit = -1
		}
		rows, err := x.db.QueryContext(x.ctx, "SELECT changed, head, record"+f.from()+condition+
			" ORDER BY started DESC, id LIMIT ? OFFSET ?", append(args[:len(args):len(args)], limit, f.Offset)...)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			row, changed, head, record := Row{}, int64(0), "", ""
			if err := rows.Scan(&changed, &head, &record); err != nil {
				return err
			}
			row.Changed = time.UnixMilli(changed)
			if err := json.Unmarshal([]byte(head), &row.Head); err != nil {
				return err
			}
			row.Record = json.RawMessage(record)
			list = append(list, row)
		}
		return rows.Err()
	})
	if err != nil {
		return nil, 0, core.FileError("list the runs", err)
	}
	return list, total, nil
}

// Counts returns how many runs that a filter chooses are in each state.
func (x *Index) Counts(f Filter) (counts map[State]int, err error) {
	counts = map[State]int{}
	condition, args := f.condition()
	err = x.read(func() error {
		rows, err := x.db.QueryContext(x.ctx, "SELECT state, count(*) FROM runs WHERE "+condition+" GROUP BY state",
			args...)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			state, n := State(""), 0
			if err := rows.Scan(&state, &n); err != nil {
				return err
			}
			counts[state] = n
		}
		return rows.Err()
	})
	if err != nil {
		return nil, core.FileError("count the runs", err)
	}
	return counts, nil
}

// damaged reports whether an error says that a file is no index.
func damaged(err error) bool {
	e := (*sqlite.Error)(nil)
	if !errors.As(err, &e) {
		syntax := (*json.SyntaxError)(nil)
		return errors.As(err, &syntax)
	}
	switch e.Code() & 0xff {
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR:
		return true
	}
	return false
}
