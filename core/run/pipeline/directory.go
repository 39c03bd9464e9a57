package pipeline

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"cupola/core/run"
)

// Directory is the folder that holds the runs of pipelines.
type Directory = run.Directory[Run, *Run]

// DirectoryIn returns the runs in a folder. Index lists them, keep is how long they stay on
// record; both may be zero.
func DirectoryIn(dir string, index *run.Index, keep time.Duration) *Directory {
	return &Directory{Dir: dir, File: "run.json", Noun: "run", Index: index, Keep: keep}
}

// New puts a run on record, with an id of its own. No step of it has started.
func New(b *Directory, p *Pipeline, run *Run, now time.Time) error {
	run.Version, run.Name, run.State, run.Started = runVersion, p.Name, Interrupted, now.UTC()
	run.ID = fmt.Sprintf("%s-%s-%s", run.Name, run.Started.Format("20060102-150405"), strings.ToLower(rand.Text()[:4]))
	run.Steps = []StepRun{}
	for _, i := range p.order() {
		run.Steps = append(run.Steps, StepRun{Name: p.Steps[i].Name, Verb: p.Steps[i].Verb, State: Pending})
	}
	return b.Make(run)
}

// nameOf is the name of a pipeline that has none, by its file.
func nameOf(file string) string {
	name := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	if !nameForm().MatchString(name) {
		return "pipeline"
	}
	return name
}

// Limit adds to what a run may do.
func Limit(ctx context.Context, b *Directory, id string, limit json.RawMessage) error {
	run, release, err := b.Take(ctx, id)
	if err != nil {
		return err
	}
	defer release()
	run.Limits = append(run.Limits, limit)
	return b.Save(run)
}
