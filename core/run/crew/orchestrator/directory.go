package orchestrator

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"cupola/core"
	"cupola/core/record/store"
	"cupola/core/run"
	"cupola/core/run/crew"
)

// processVersion is the version of the records that this program writes.
const processVersion = 1

// Process is the record of the process that runs a crew; the crew itself is in the store.
type Process struct {
	Version int       `json:"process_version"`
	ID      string    `json:"id"`
	PID     int       `json:"pid"`
	Running bool      `json:"running"`
	Started time.Time `json:"started_at"`
}

// Head summarises the process, without the crew.
func (p *Process) Head() run.Head {
	h := run.Head{ID: p.ID, Kind: run.Crew, State: run.Interrupted, PID: p.PID, Started: p.Started}
	if p.Running {
		h.State = run.Running
	}
	return h
}

// Valid returns an error for a record of a version that is not known.
func (p *Process) Valid() error { return run.Readable("a crew's process", p.Version, processVersion) }

// Interrupt notes that its process ended without recording an end.
func (p *Process) Interrupt() { p.Running = false }

// Cancel notes the same: the end of the crew is in the store.
func (p *Process) Cancel(time.Time) { p.Running = false }

// Directory is the directory of the processes that run crews.
type Directory struct {
	Dir string
	// Index lists the crews; nil for crews that are part of another run.
	Index *run.Index
}

// Source is where crews are on record, for an index.
type Source struct {
	Directory Directory
	// Open opens the store that has them, for reading.
	Open func(context.Context) (*store.Store, error)
}

// Of is the kind.
func (s Source) Of() run.Kind { return run.Crew }

// Folder is the directory of a crew.
func (s Source) Folder(id string) string { return s.Directory.Folder(id) }

// Held reports whether a process runs a crew.
func (s Source) Held(id string) bool { return s.Directory.Running(id) }

// Row returns the row of a crew; fs.ErrNotExist if there is no such crew.
func (s Source) Row(ctx context.Context, id string) (*run.Row, error) {
	records, err := s.Open(ctx)
	if err != nil {
		return nil, err
	}
	c, err := store.CrewsIn(records).Load(ctx, id)
	switch {
	case core.AsError(err).HasCode(core.NotFound):
		return nil, fs.ErrNotExist
	case err != nil:
		return nil, err
	}
	s.Directory.MarkInterrupted(c)
	return rowOf(c), nil
}

// Rows returns those of all crews.
func (s Source) Rows(ctx context.Context) ([]run.Row, error) {
	if _, err := os.Stat(s.Directory.Dir); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	records, err := s.Open(ctx)
	if err != nil {
		return nil, err
	}
	all, err := store.CrewsIn(records).All(ctx, 0)
	rows := make([]run.Row, len(all))
	for i := range all {
		s.Directory.MarkInterrupted(&all[i])
		rows[i] = *rowOf(&all[i])
	}
	return rows, err
}

func rowOf(c *crew.Crew) *run.Row {
	text, _ := json.Marshal(c) // what is on record can be encoded
	return &run.Row{Head: c.Head(), Record: text}
}

// list notes a crew in the index.
func (b Directory) list(c *crew.Crew) { b.Index.Put(rowOf(c)) }

func (b Directory) files() *run.Directory[Process, *Process] {
	return &run.Directory[Process, *Process]{Dir: b.Dir, File: "process.json", Noun: "crew"}
}

// Folder is the directory of a crew.
func (b Directory) Folder(id string) string { return b.files().Folder(id) }

// Relays is the directory of the relays of a crew.
func (b Directory) Relays(id string) string { return filepath.Join(b.Folder(id), "relays") }

// Running reports whether a process runs a crew.
func (b Directory) Running(id string) bool { return b.files().Held(id) }

// Detach starts a program that is to run a crew in the background, and returns once it does.
func (b Directory) Detach(ctx context.Context, id, dir string, argv ...string) error {
	_, err := b.files().Detach(ctx, id, dir, argv...)
	return err
}

// MarkInterrupted sets the state of a crew on record that no process runs, though the record says so:
// it is interrupted.
func (b Directory) MarkInterrupted(c *crew.Crew) {
	if !c.State.Ended() && !b.Running(c.ID) {
		c.State = crew.Interrupted
	}
}

// take makes this process the one that runs a crew.
func (b Directory) take(ctx context.Context, id string) (*Process, func(), error) {
	return b.files().Take(ctx, id)
}
