package pipeline

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
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
	"cupola/core/near"
	"cupola/core/plainfile"
	"cupola/core/textfile"
)

// The files of a run, in a folder that is named for its id.
const (
	runFile    = "run.json"
	lockFile   = "lock"
	logFile    = "log"
	cancelFile = "cancel"
)

// Book is the folder that holds the runs of pipelines.
type Book struct{ Dir string }

// New records a new run and sets its id. It starts no step.
func (b Book) New(p *Pipeline, run *Run, now time.Time) error {
	run.Version, run.Name, run.State, run.Started = runVersion, p.Name, Interrupted, now.UTC()
	run.ID = fmt.Sprintf("%s-%s-%s", run.Name, run.Started.Format("20060102-150405"), strings.ToLower(rand.Text()[:4]))
	run.Steps = []StepRun{}
	for _, i := range p.order() {
		run.Steps = append(run.Steps, StepRun{Name: p.Steps[i].Name, Verb: p.Steps[i].Verb, State: Pending})
	}
	if err := os.MkdirAll(b.folder(run.ID), 0o700); err != nil {
		return failedIO("make the run's folder", err)
	}
	return b.save(run)
}

// nameOf is the name of a pipeline that has none, by its file.
func nameOf(file string) string {
	name := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	if !nameForm().MatchString(name) {
		return "pipeline"
	}
	return name
}

func (b Book) folder(id string) string { return filepath.Join(b.Dir, id) }

// Log returns the path of the output of a run in the background; empty if it never ran in
// the background.
func (b Book) Log(id string) string {
	path := b.log(id)
	if _, err := os.Stat(path); err != nil {
		return ""
	}
	return path
}

func (b Book) log(id string) string { return filepath.Join(b.folder(id), logFile) }

// save writes a run's record, whole or not at all.
func (b Book) save(run *Run) error {
	if err := textfile.WriteJSON(filepath.Join(b.folder(run.ID), runFile), run); err != nil {
		return failedIO("write the run", err)
	}
	return nil
}

// All returns the runs, the newest first. A run whose process ended without recording a
// result is Interrupted. It omits runs that cannot be read.
func (b Book) All() ([]Run, error) {
	folders, err := os.ReadDir(b.Dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, failedIO("list the runs", err)
	}
	runs := []Run{}
	for _, folder := range folders {
		if run, err := b.load(folder.Name()); err == nil {
			runs = append(runs, *run)
		}
	}
	slices.SortFunc(runs, func(x, y Run) int { return cmp.Or(y.Started.Compare(x.Started), cmp.Compare(x.ID, y.ID)) })
	return runs, nil
}

// Find returns the run with an id, or the newest run of the pipeline with a name. It
// returns NotFound, with similar names, for an unknown word.
func (b Book) Find(word string) (*Run, error) {
	runs, err := b.All()
	if err != nil {
		return nil, err
	}
	var words []string
	for i := range runs {
		if runs[i].ID == word || runs[i].Name == word {
			return &runs[i], nil
		}
		words = append(words, runs[i].ID, runs[i].Name)
	}
	return nil, &core.Error{
		Code: core.NotFound, Message: fmt.Sprintf("no run and no pipeline that ran is named %q", word),
		Suggestions: near.Words(word, words), Slip: core.Slip{Word: word},
		Remedies: []core.Remedy{core.RemedyListRuns},
	}
}

func (b Book) load(id string) (*Run, error) {
	for was := []byte(nil); ; {
		text, err := plainfile.Read(filepath.Join(b.folder(id), runFile), plainfile.Record)
		if err != nil {
			return nil, err
		}
		run, err := decode(text)
		if err != nil {
			return nil, err
		}
		if run.ID != id {
			return nil, fmt.Errorf("the folder %s holds the run %s", id, run.ID)
		}
		if run.State != Running || b.held(id) {
			return run, nil
		}
		// It may have ended, or been taken up, after its record was read.
		if bytes.Equal(text, was) {
			run.State = Interrupted
			return run, nil
		}
		was = text
	}
}

// decode reads a run's record.
func decode(text []byte) (*Run, error) {
	run := &Run{}
	if err := json.Unmarshal(text, run); err != nil {
		return nil, err
	}
	if run.Version < 1 || run.Version > runVersion {
		return nil, fmt.Errorf("version %d of a run cannot be read", run.Version)
	}
	return run, nil
}

// held reports whether a process runs it.
func (b Book) held(id string) bool {
	lock := flock.New(filepath.Join(b.folder(id), lockFile), flock.SetFlag(os.O_RDWR|syscall.O_NONBLOCK))
	taken, err := lock.TryRLock()
	if taken {
		_ = lock.Unlock()
	}
	return err == nil && !taken
}

// probeTimeout is how long held of other processes may hold the lock.
const probeTimeout = 500 * time.Millisecond

// Take locks a run for this process, until release is called or the process ends. It
// returns Conflict if another process holds it.
func (b Book) Take(ctx context.Context, id string) (run *Run, release func(), err error) {
	lock := flock.New(filepath.Join(b.folder(id), lockFile), flock.SetFlag(os.O_CREATE|os.O_RDONLY|syscall.O_NONBLOCK),
		flock.SetPermissions(0o600))
	short, stop := context.WithTimeout(ctx, probeTimeout)
	defer stop()
	taken, err := lock.TryLockContext(short, probeTimeout/25)
	if err != nil && short.Err() == nil {
		return nil, nil, failedIO("take the run", err)
	}
	if !taken {
		return nil, nil, &core.Error{
			Code: core.Conflict, Message: "the run " + id + " is running", Hint: "Wait for it, or cancel it.",
			Remedies: []core.Remedy{core.RemedyShowRun, core.RemedyCancelRun}, Subject: core.Subject{Run: id},
		}
	}
	release = func() { _ = lock.Unlock() }
	_ = os.Remove(filepath.Join(b.folder(id), cancelFile))
	text, err := plainfile.Read(filepath.Join(b.folder(id), runFile), plainfile.Record)
	if err == nil {
		run, err = decode(text)
	}
	if err != nil {
		release()
		return nil, nil, failedIO("read the run", err)
	}
	return run, release, nil
}

func failedIO(op string, err error) error {
	return &core.Error{Code: core.FileCode(err), Op: op, Message: op + ": " + err.Error(), Err: err}
}
