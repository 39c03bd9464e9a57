package demo

import (
	"context"
	"embed"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"cupola/core"
	"cupola/core/fleet"
	"cupola/core/fleet/observe"
	"cupola/core/git"
)

// projects are the files of the sessions that have some, as they were committed and as they are; their names end in
// .txt.
//
//go:embed projects
var projects embed.FS

// newProject makes the folder of a session a git repository with a commit and changes since. A session without files,
// and a machine without git, have none.
func newProject(ctx context.Context, session, dir string, environ []string) error {
	if !slices.Contains(sessionsWithFiles(), session) {
		return nil
	}
	c := &git.Command{
		Dir: dir, Environ: environ,
		Env: []string{
			"GIT_AUTHOR_NAME=Demo", "GIT_AUTHOR_EMAIL=demo@localhost", "GIT_COMMITTER_NAME=Demo",
			"GIT_COMMITTER_EMAIL=demo@localhost", "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_CONFIG_NOSYSTEM=1",
		},
	}
	for _, step := range []func() error{
		func() error { return writeFiles("projects/"+session+"/before", dir) },
		func() error { _, err := c.Output(ctx, "init", "--quiet", "--initial-branch=main"); return err },
		func() error { _, err := c.Output(ctx, "add", "--all"); return err },
		func() error { _, err := c.Output(ctx, "commit", "--quiet", "--message=Begin"); return err },
		func() error { return writeFiles("projects/"+session+"/after", dir) },
	} {
		if err := step(); errors.Is(err, git.ErrMissing) {
			return nil
		} else if err != nil {
			return err
		}
	}
	return nil
}

// sessionsWithFiles are the sessions that have files.
func sessionsWithFiles() []string {
	folders, err := projects.ReadDir("projects")
	if err != nil {
		return nil
	}
	return core.Map(folders, fs.DirEntry.Name)
}

// writeFiles writes the files of an embedded folder.
func writeFiles(from, to string) error {
	return fs.WalkDir(projects, from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := projects.ReadFile(path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, filepath.FromSlash(strings.TrimSuffix(strings.TrimPrefix(path, from+"/"), ".txt")))
		if err := os.MkdirAll(filepath.Dir(target), 0o700); err != nil {
			return err
		}
		return os.WriteFile(target, text, 0o600)
	})
}

// asked are prompts that the agents were given before the demo began.
var asked = []struct {
	agent string // SESSION/NAME
	ago   time.Duration
	text  string
}{
	{"docs/cod_1", 95 * time.Minute, "Read the guide as a user who upgrades from 1.2, and say where you get lost."},
	{"web/cod_1", 80 * time.Minute, "List the forms that still use the old grid."},
	{"api/cod_1", 52 * time.Minute, "Where does a search spend its time? Measure before you guess."},
	{"api/cc_1", 41 * time.Minute, "A customer lost the last row of an import. Find out why."},
	{"web/cc_1", 33 * time.Minute, "The table takes two seconds with 500 rows.\nMake it fast."},
	{"api/cc_2", 12 * time.Minute, "Prepare the release: version, notes, tag."},
}

// recordPast records what the agents were asked before.
func recordPast(ctx context.Context, f *fleet.Fleet, journal fleet.Journal) error {
	if journal == nil {
		return nil
	}
	snapshot, err := f.Overview.Snapshot(ctx, observe.View{Brief: true})
	if err != nil {
		return err
	}
	for _, one := range asked {
		for _, pane := range snapshot.Panes() {
			if pane.Session+"/"+pane.Agent.Name != one.agent {
				continue
			}
			id, err := uuid.NewV7()
			if err != nil {
				return err
			}
			p := core.NewPrompt(core.OriginSend, one.text, pane.Ref())
			p.ID, p.At = id.String(), time.Now().Add(-one.ago)
			if err := journal.Sending(ctx, *p); err != nil {
				return err
			}
			p.Deliveries[0].Result = core.Result{
				Outcome: core.Delivered, At: p.At, Evidence: []string{"recorded for the demo"},
			}
			if err := journal.Sent(ctx, p.ID, p.Deliveries); err != nil {
				return err
			}
		}
	}
	return nil
}
