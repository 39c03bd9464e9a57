package run

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/gofrs/flock"

	"cupola/core"
	"cupola/core/system/plainfile"
	"cupola/core/system/textfile"
)

// The files of a run besides its record.
const (
	lockFile   = "lock"
	logFile    = "log"
	cancelFile = "cancel"
	pauseFile  = "pause"
)

// Record is the part of a record that a Directory reads.
type Record interface {
	// Head summarises the run without its details. Its id is the name of the directory.
	Head() Head
	// Valid returns an error for a record that this program cannot read.
	Valid() error
	// Interrupt notes that its process ended without saying how it went, and Cancel that it was cancelled.
	Interrupt()
	Cancel(at time.Time)
}

// Readable returns an error for a record of a version that this program does not know. Newest is the one that it
// writes, and noun names the subject of the record.
func Readable(noun string, version, newest int) error {
	if version < 1 || version > newest {
		return fmt.Errorf("version %d of %s cannot be read", version, noun)
	}
	return nil
}

// trimmer is a record that has what is large.
type trimmer interface {
	// Trim drops what is large, and changes nothing that another record may share.
	Trim()
}

// Directory is a directory of runs of one kind. T is the record, and R the pointer to it.
type Directory[T any, R interface {
	*T
	Record
}] struct {
	// Dir is the directory; it is made with the first run.
	Dir string
	// File is the name of the record's file, and Noun what a run is called in errors.
	File, Noun string
	// Index gets every run; nil for runs that are part of others, which are in no list.
	Index *Index
	// Keep is how long a run stays on record after its end: each that begins removes some that are older. 0 is for
	// ever, and one that needs the user stays as long.
	Keep time.Duration
}

// Of is the kind of its runs.
func (b *Directory[T, R]) Of() Kind {
	head := R(new(T)).Head()
	return head.Kind
}

// Folder is the directory of a run.
func (b *Directory[T, R]) Folder(id string) string { return filepath.Join(b.Dir, id) }

// Make makes the directory of a run and saves its first record.
func (b *Directory[T, R]) Make(run R) error {
	head := run.Head()
	err := os.MkdirAll(b.Dir, 0o700)
	if err == nil {
		head.State = Pending // it is open until its record is there
		b.Index.Put(&Row{Head: head, Record: json.RawMessage("{}")})
		err = os.MkdirAll(b.Folder(head.ID), 0o700)
	}
	if err != nil {
		return failed("make the "+b.Noun+"'s folder", err)
	}
	Expire(b.Index, b.Of(), head.Started, b.Keep, b.Remove)
	return b.Save(run)
}

// removedAtOnce is how many runs are removed at most when one begins, so that it takes no longer with many on record.
const removedAtOnce = 3

// Expire removes some runs of a kind that ended more than a span of time before now, as far as that works; 0 removes
// none, and so does a nil Index.
func Expire(
	x *Index, kind Kind, now time.Time, keep time.Duration, remove func(ctx context.Context, id string) error,
) {
	if x == nil || keep <= 0 {
		return
	}
	old, _, err := x.List(Expired(kind, now.Add(-keep), removedAtOnce))
	for i := range old {
		if err == nil {
			err = remove(x.ctx, old[i].ID)
		}
	}
	if err != nil {
		x.log.Warn("old runs stay", "kind", kind, "error", err)
	}
}

// Expired chooses runs of a kind that ended before a time, without the ones that need the user, or were interrupted
// and can be resumed.
func Expired(kind Kind, before time.Time, limit int) Filter {
	states := []State{Done, Failed, Cancelled}
	if kind == Relay {
		states = append(states, Interrupted)
	}
	return Filter{Kinds: []Kind{kind}, States: states, Before: before, Limit: limit, Uncounted: true}
}

// Save writes a run's record, whole or not at all.
func (b *Directory[T, R]) Save(run R) error {
	row, live := (*Row)(nil), false
	if b.Index != nil {
		row = b.rowOf(run)
		live = !row.State.Ended()
	}
	if live {
		b.Index.Put(row)
	}
	if err := textfile.WriteJSON(filepath.Join(b.Folder(run.Head().ID), b.File), run); err != nil {
		return failed("write the "+b.Noun, err)
	}
	if !live {
		b.Index.Put(row)
	}
	b.Index.Changed()
	return nil
}

// rowOf is the row of a run in the index.
func (b *Directory[T, R]) rowOf(run R) *Row {
	trimmed := *run
	if t, is := any(R(&trimmed)).(trimmer); is {
		t.Trim()
	}
	text, _ := json.Marshal(R(&trimmed)) // what was written as a record can be encoded
	return &Row{Head: run.Head(), Record: text}
}

// Row returns the row of a run as its record says; fs.ErrNotExist if it has none.
func (b *Directory[T, R]) Row(_ context.Context, id string) (*Row, error) {
	run, err := b.Load(id)
	if err != nil {
		return nil, err
	}
	return b.rowOf(run), nil
}

// Rows returns those of all runs whose record can be read.
func (b *Directory[T, R]) Rows(context.Context) ([]Row, error) {
	all, err := b.read()
	return core.Map(all, func(t T) Row { return *b.rowOf(&t) }), err
}

// Remove removes a run with all that is on record of it, also one whose record is damaged. Conflict says that a process
// runs it.
func (b *Directory[T, R]) Remove(ctx context.Context, id string) error {
	release, err := b.hold(ctx, id)
	if err != nil {
		return err
	}
	defer release()
	if _, err := os.Lstat(filepath.Join(b.Folder(id), b.File)); err != nil {
		return failed("read the "+b.Noun, err)
	}
	if b.Index != nil {
		if row, err := b.Row(ctx, id); err == nil {
			row.State = Pending // what is removed in part is compared with its record, which is not there
			b.Index.Put(row)
		}
	}
	if err := os.RemoveAll(b.Folder(id)); err != nil {
		return failed("remove the "+b.Noun, err)
	}
	if b.Index != nil {
		b.Index.Remove(b.Of(), id)
	}
	return nil
}

// Log is the file that took what a run printed in the background; empty where it never ran there.
func (b *Directory[T, R]) Log(id string) string {
	path := filepath.Join(b.Folder(id), logFile)
	if _, err := os.Stat(path); err != nil {
		return ""
	}
	return path
}

// All returns the runs, the newest first. One whose process ended without a word is interrupted.
// Those that cannot be read are left out, and of those of an index what is large.
func (b *Directory[T, R]) All() ([]T, error) { return b.List(Filter{}) }

// List returns the runs that a filter chooses, the newest first, without what is large; all without an index.
func (b *Directory[T, R]) List(f Filter) ([]T, error) {
	if b.Index == nil {
		return b.read()
	}
	f.Kinds = []Kind{b.Of()}
	return Records[T](b.Index, f)
}

// read reads the records of all runs, the newest first.
func (b *Directory[T, R]) read() ([]T, error) {
	folders, err := os.ReadDir(b.Dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, failed("list the "+b.Noun+"s", err)
	}
	all := []T{}
	for _, folder := range folders {
		if run, err := b.Load(folder.Name()); err == nil {
			all = append(all, *run)
		}
	}
	slices.SortFunc(all, func(x, y T) int {
		a, b := R(&x).Head(), R(&y).Head()
		return cmp.Or(b.Started.Compare(a.Started), cmp.Compare(a.ID, b.ID))
	})
	return all, nil
}

// Find returns the run with an id, or the newest one that has a word for its name; names may be empty. It returns
// NotFound, with similar words, for an unknown word.
func (b *Directory[T, R]) Find(word string) (R, error) {
	h, err := b.head(word)
	if err != nil {
		return nil, err
	}
	run, err := b.Load(h.ID)
	if err != nil {
		return nil, core.Errorf(core.IOError, "the record of the %s %s cannot be read: %w", b.Noun, h.ID, err)
	}
	return run, nil
}

// head returns at least the id of the run that a word names.
func (b *Directory[T, R]) head(word string) (Head, error) {
	if word != "" && filepath.Base(word) == word {
		if _, err := os.Lstat(filepath.Join(b.Folder(word), b.File)); err == nil {
			return Head{ID: word}, nil
		}
	}
	if b.Index != nil {
		return b.Index.find(word, b.Noun, []Kind{b.Of()})
	}
	all, err := b.read()
	heads := core.Map(all, func(t T) Head { return R(&t).Head() })
	if h, found := chosen(heads, word); found || err != nil {
		return h, err
	}
	return Head{}, errUnknown(b.Noun, word, heads)
}

// Load reads the record of a run. One whose process ended without a word is interrupted.
func (b *Directory[T, R]) Load(id string) (R, error) {
	for was := []byte(nil); ; {
		text, err := plainfile.Read(filepath.Join(b.Folder(id), b.File), plainfile.Record)
		if err != nil {
			return nil, err
		}
		run, err := decode[T, R](text)
		if err != nil {
			return nil, err
		}
		head := run.Head()
		if head.ID != id {
			return nil, fmt.Errorf("the folder %s holds the %s %s", id, b.Noun, head.ID)
		}
		if !head.started() || b.Held(id) {
			return run, nil
		}
		// It may have ended, or been taken up, after its record was read.
		if bytes.Equal(text, was) {
			run.Interrupt()
			return run, nil
		}
		was = text
	}
}

func decode[T any, R interface {
	*T
	Record
}](text []byte) (R, error) {
	run := R(new(T))
	if err := json.Unmarshal(text, run); err != nil {
		return nil, err
	}
	return run, run.Valid()
}

// Held reports whether a process runs it.
func (b *Directory[T, R]) Held(id string) bool {
	lock := flock.New(filepath.Join(b.Folder(id), lockFile), flock.SetFlag(os.O_RDWR|syscall.O_NONBLOCK))
	taken, err := lock.TryRLock()
	if taken {
		_ = lock.Unlock()
	}
	return err == nil && !taken
}

// probeTimeout is how long Held of other processes may hold the lock.
const probeTimeout = 500 * time.Millisecond

// Take makes this process the one that runs a run, until release is called or the process ends.
// Conflict says that another does.
func (b *Directory[T, R]) Take(ctx context.Context, id string) (run R, release func(), err error) {
	if release, err = b.hold(ctx, id); err != nil {
		return nil, nil, err
	}
	_ = os.Remove(filepath.Join(b.Folder(id), cancelFile))
	text, err := plainfile.Read(filepath.Join(b.Folder(id), b.File), plainfile.Record)
	if err == nil {
		run, err = decode[T, R](text)
	}
	if err == nil && run.Head().ID != id {
		err = fmt.Errorf("the folder %s holds the %s %s", id, b.Noun, run.Head().ID)
	}
	if err != nil {
		release()
		return nil, nil, failed("read the "+b.Noun, err)
	}
	return run, release, nil
}

// hold takes the lock of a run, until release is called or the process ends. Conflict says that another process has it.
func (b *Directory[T, R]) hold(ctx context.Context, id string) (release func(), err error) {
	lock := flock.New(filepath.Join(b.Folder(id), lockFile), flock.SetPermissions(0o600),
		flock.SetFlag(os.O_CREATE|os.O_RDONLY|syscall.O_NONBLOCK))
	short, stop := context.WithTimeout(ctx, probeTimeout)
	defer stop()
	taken, err := lock.TryLockContext(short, probeTimeout/25)
	if err != nil && short.Err() == nil {
		return nil, failed("take the "+b.Noun, err)
	}
	if !taken {
		return nil, ErrOf(core.Conflict, id, "the "+b.Noun+" "+id+" is running", core.RemedyShowRun,
			core.RemedyCancelRun)
	}
	return func() { _ = lock.Unlock() }, nil
}

// failed is the error of an operation on files.
func failed(op string, err error) error {
	return &core.Error{Code: core.FileCode(err), Op: op, Message: op + ": " + err.Error(), Err: err}
}

// lastLine is the last line of a log.
func lastLine(text []byte) string {
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return lines[len(lines)-1]
}
