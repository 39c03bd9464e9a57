package orchestrator

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"cupola/core"
	"cupola/core/run"
	"cupola/core/run/crew"
)

// processVersion is that of the records that this program writes.
const processVersion = 1

// Process is what is on record of the process that runs a crew; the crew itself is in the store.
type Process struct {
	Version int       `json:"process_version"`
	ID      string    `json:"id"`
	PID     int       `json:"pid"`
	Running bool      `json:"running"`
	Started time.Time `json:"started_at"`
}

// Key is the id of the crew.
func (p *Process) Key() string { return p.ID }

// Valid returns an error for a record of a version that is not known.
func (p *Process) Valid() error {
	if p.Version < 1 || p.Version > processVersion {
		return fmt.Errorf("version %d of a crew's process cannot be read", p.Version)
	}
	return nil
}

// Live reports whether a process runs the crew, as the record says.
func (p *Process) Live() bool { return p.Running }

// Process is the process that runs it, or did last.
func (p *Process) Process() int { return p.PID }

// Begun is when it was put on record.
func (p *Process) Begun() time.Time { return p.Started }

// Interrupt notes that its process ended without recording an end.
func (p *Process) Interrupt() { p.Running = false }

// Book is the directory of the processes that run crews.
type Book struct{ Dir string }

func (b Book) files() *run.Book[Process, *Process] {
	return &run.Book[Process, *Process]{Dir: b.Dir, File: "process.json", Noun: "crew"}
}

// Folder is the directory of a crew.
func (b Book) Folder(id string) string { return b.files().Folder(id) }

// Relays is the directory of the relays of a crew.
func (b Book) Relays(id string) string { return filepath.Join(b.Folder(id), "relays") }

// Running reports whether a process runs a crew.
func (b Book) Running(id string) bool { return b.files().Held(id) }

// Detach starts a program that is to run a crew in the background, and returns once it does.
func (b Book) Detach(ctx context.Context, id, dir string, argv ...string) error {
	_, err := b.files().Detach(ctx, id, dir, argv...)
	return err
}

// MarkInterrupted sets the state of a crew on record that no process runs, though the record says so:
// it is interrupted.
func (b Book) MarkInterrupted(c *crew.Crew) {
	if !c.State.Ended() && !b.Running(c.ID) {
		c.State = crew.Interrupted
	}
}

// take makes this process the one that runs a crew.
func (b Book) take(ctx context.Context, id string) (*Process, func(), error) {
	process, release, err := b.files().Take(ctx, id)
	if e := core.AsError(err); e.HasCode(core.Conflict) {
		e.Hint, e.Remedies = "", []core.Remedy{core.RemedyShowCrew, core.RemedyStopCrew}
	}
	return process, release, err
}
