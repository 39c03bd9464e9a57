package pipeline

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/run"
)

// Book is the folder that holds the runs of pipelines.
type Book struct {
	Dir string
	// Index lists the runs; nil lists them by their records.
	Index *run.Index
	// Keep is how long they stay on record; 0 is for ever.
	Keep time.Duration
}

func (b Book) files() *run.Book[Run, *Run] {
	return &run.Book[Run, *Run]{Dir: b.Dir, File: "run.json", Noun: "run", Index: b.Index, Keep: b.Keep}
}

// Source is where the records of the runs are, for an index.
func (b Book) Source() run.Source { return b.files() }

// New puts a run on record, with an id of its own. No step of it has started.
func (b Book) New(p *Pipeline, run *Run, now time.Time) error {
	run.Version, run.Name, run.State, run.Started = runVersion, p.Name, Interrupted, now.UTC()
	run.ID = fmt.Sprintf("%s-%s-%s", run.Name, run.Started.Format("20060102-150405"), strings.ToLower(rand.Text()[:4]))
	run.Steps = []StepRun{}
	for _, i := range p.order() {
		run.Steps = append(run.Steps, StepRun{Name: p.Steps[i].Name, Verb: p.Steps[i].Verb, State: Pending})
	}
	return b.files().Make(run)
}

// nameOf is the name of a pipeline that has none, by its file.
func nameOf(file string) string {
	name := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	if !nameForm().MatchString(name) {
		return "pipeline"
	}
	return name
}

// Log is the file that took what a run printed in the background; empty where it
// never ran there.
func (b Book) Log(id string) string { return b.files().Log(id) }

// All returns the runs, the newest first. One whose process ended without a word
// is Interrupted. Those that cannot be read are left out.
func (b Book) All() ([]Run, error) { return b.files().All() }

// Find returns the run with an id, or the newest run of the pipeline with a name. It
// returns NotFound, with similar names, for an unknown word.
func (b Book) Find(word string) (*Run, error) {
	return b.files().Find(word, core.RemedyListRuns)
}

// Take makes this process the one that runs a run, until release is called or the
// process ends. Conflict says that another does.
func (b Book) Take(ctx context.Context, id string) (run *Run, release func(), err error) {
	run, release, err = b.files().Take(ctx, id)
	return run, release, withRemedies(err, core.RemedyShowRun, core.RemedyCancelRun)
}

// Limit adds to what a run may do.
func (b Book) Limit(ctx context.Context, id string, limit json.RawMessage) error {
	run, release, err := b.Take(ctx, id)
	if err != nil {
		return err
	}
	defer release()
	run.Limits = append(run.Limits, limit)
	return b.files().Save(run)
}

// Detach starts a program that is to take up a run in the background, and returns once it has.
func (b Book) Detach(ctx context.Context, id, dir string, argv ...string) (*Run, error) {
	return b.files().Detach(ctx, id, dir, argv...)
}

// Cancel cancels a run: it signals the process that runs it, and waits until that
// process releases it or ctx ends. A step that ran is recorded as cut off. Cancel
// returns Conflict for a run that has ended.
func (b Book) Cancel(ctx context.Context, id string) (*Run, error) {
	files := b.files()
	run, err := files.Load(id)
	if err != nil {
		return nil, core.FileError("read the run", err)
	}
	if !run.State.May(Cancelled) {
		return run, &core.Error{
			Code: core.Conflict, Message: fmt.Sprintf("the run %s has ended: %s", id, run.State),
			Remedies: []core.Remedy{core.RemedyShowRun}, Subject: core.Subject{Run: id},
		}
	}
	taken, release, err := files.Cancel(ctx, id)
	if err != nil {
		return run, withRemedies(err, core.RemedyShowRun, core.RemedyCancelRun)
	}
	defer release()
	if taken.State.May(Cancelled) {
		taken.cutOff()
		taken.State, taken.Ended = Cancelled, time.Now().UTC()
		err = files.Save(taken)
	}
	return taken, err
}

// withRemedies adds to a Conflict what helps against it.
func withRemedies(err error, remedies ...core.Remedy) error {
	if e := core.AsError(err); e != nil && e.Code == core.Conflict {
		e.Remedies = remedies
	}
	return err
}

// Load returns the run with an id.
func (b Book) Load(id string) (*Run, error) { return b.files().Load(id) }

// Remove removes what is on record of a run. Conflict says that a process runs it.
func (b Book) Remove(ctx context.Context, id string) error { return b.files().Remove(ctx, id) }
