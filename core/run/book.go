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
	"cupola/core/text/near"
)

// The files of a run besides its record.
const (
	lockFile   = "lock"
	logFile    = "log"
	cancelFile = "cancel"
)

// Record is what a Book must know of a run.
type Record interface {
	// Key is the id, which is the name of the directory.
	Key() string
	// Valid returns an error for a record that this program cannot read.
	Valid() error
	// Live reports whether a process runs it, as the record says.
	Live() bool
	// Process is the id of the process that runs it, or did last.
	Process() int
	// Begun is when it began.
	Begun() time.Time
	// Interrupt notes that its process ended without saying how it went.
	Interrupt()
}

// Book is a directory of runs. T is the record, and R the pointer to it.
type Book[T any, R interface {
	*T
	Record
}] struct {
	// Dir is the directory; it is made with the first run.
	Dir string
	// File is the name of the record's file, and Noun what a run is called in errors.
	File, Noun string
}

// Folder is the directory of a run.
func (b *Book[T, R]) Folder(id string) string { return filepath.Join(b.Dir, id) }

// Make makes the directory of a run and saves its first record.
func (b *Book[T, R]) Make(run R) error {
	if err := os.MkdirAll(b.Folder(run.Key()), 0o700); err != nil {
		return b.failed("make the "+b.Noun+"'s folder", err)
	}
	return b.Save(run)
}

// Save writes a run's record, whole or not at all.
func (b *Book[T, R]) Save(run R) error {
	if err := textfile.WriteJSON(filepath.Join(b.Folder(run.Key()), b.File), run); err != nil {
		return b.failed("write the "+b.Noun, err)
	}
	return nil
}

// Remove removes a run with all that is on record of it. Conflict says that a process runs it.
func (b *Book[T, R]) Remove(ctx context.Context, id string) error {
	_, release, err := b.Take(ctx, id)
	if err != nil {
		return err
	}
	defer release()
	if err := os.RemoveAll(b.Folder(id)); err != nil {
		return b.failed("remove the "+b.Noun, err)
	}
	return nil
}

// Log is the file that took what a run printed in the background; empty where it never ran there.
func (b *Book[T, R]) Log(id string) string {
	path := filepath.Join(b.Folder(id), logFile)
	if _, err := os.Stat(path); err != nil {
		return ""
	}
	return path
}

// All returns the runs, the newest first. One whose process ended without a word is interrupted.
// Those that cannot be read are left out.
func (b *Book[T, R]) All() ([]T, error) {
	folders, err := os.ReadDir(b.Dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, b.failed("list the "+b.Noun+"s", err)
	}
	all := []T{}
	for _, folder := range folders {
		if run, err := b.Load(folder.Name()); err == nil {
			all = append(all, *run)
		}
	}
	slices.SortFunc(all, func(x, y T) int {
		return cmp.Or(R(&y).Begun().Compare(R(&x).Begun()), cmp.Compare(R(&x).Key(), R(&y).Key()))
	})
	return all, nil
}

// Find returns the run with an id, or the newest one that has a word for its name; names may be empty. It returns
// NotFound, with similar words, for an unknown word.
func (b *Book[T, R]) Find(word string, name func(R) string, list core.Remedy) (R, error) {
	all, err := b.All()
	if err != nil {
		return nil, err
	}
	var words []string
	for i := range all {
		run := R(&all[i])
		for _, known := range []string{run.Key(), name(run)} {
			switch known {
			case "":
			case word:
				return run, nil
			default:
				words = append(words, known)
			}
		}
	}
	if filepath.Base(word) == word {
		if _, err := b.Load(word); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, core.Errorf(core.IOError, "the record of the %s %s cannot be read: %w", b.Noun, word, err)
		}
	}
	return nil, &core.Error{
		Code: core.NotFound, Message: fmt.Sprintf("no %s is called %q", b.Noun, word),
		Suggestions: near.Words(word, words), Slip: core.Slip{Word: word}, Remedies: []core.Remedy{list},
	}
}

// Load reads the record of a run. One whose process ended without a word is interrupted.
func (b *Book[T, R]) Load(id string) (R, error) {
	for was := []byte(nil); ; {
		text, err := plainfile.Read(filepath.Join(b.Folder(id), b.File), plainfile.Record)
		if err != nil {
			return nil, err
		}
		run, err := decode[T, R](text)
		if err != nil {
			return nil, err
		}
		if run.Key() != id {
			return nil, fmt.Errorf("the folder %s holds the %s %s", id, b.Noun, run.Key())
		}
		if !run.Live() || b.Held(id) {
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
func (b *Book[T, R]) Held(id string) bool {
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
func (b *Book[T, R]) Take(ctx context.Context, id string) (run R, release func(), err error) {
	lock := flock.New(filepath.Join(b.Folder(id), lockFile), flock.SetPermissions(0o600),
		flock.SetFlag(os.O_CREATE|os.O_RDONLY|syscall.O_NONBLOCK))
	short, stop := context.WithTimeout(ctx, probeTimeout)
	defer stop()
	taken, err := lock.TryLockContext(short, probeTimeout/25)
	if err != nil && short.Err() == nil {
		return nil, nil, b.failed("take the "+b.Noun, err)
	}
	if !taken {
		return nil, nil, &core.Error{
			Code: core.Conflict, Message: "the " + b.Noun + " " + id + " is running",
			Hint: "Wait for it, or cancel it.", Subject: core.Subject{Run: id},
		}
	}
	release = func() { _ = lock.Unlock() }
	_ = os.Remove(filepath.Join(b.Folder(id), cancelFile))
	text, err := plainfile.Read(filepath.Join(b.Folder(id), b.File), plainfile.Record)
	if err == nil {
		run, err = decode[T, R](text)
	}
	if err == nil && run.Key() != id {
		err = fmt.Errorf("the folder %s holds the %s %s", id, b.Noun, run.Key())
	}
	if err != nil {
		release()
		return nil, nil, b.failed("read the "+b.Noun, err)
	}
	return run, release, nil
}

func (b *Book[T, R]) failed(op string, err error) error {
	return &core.Error{Code: core.FileCode(err), Op: op, Message: op + ": " + err.Error(), Err: err}
}

// lastLine is the last line of a log.
func lastLine(text []byte) string {
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return lines[len(lines)-1]
}
