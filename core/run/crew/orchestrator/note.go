package orchestrator

import (
	"encoding/json"
	"os"
	"path/filepath"
	"time"

	"cupola/core/run/crew"
	"cupola/core/system/plainfile"
	"cupola/core/system/textfile"
)

// Note summarises a crew without the store: a small file for each crew that works, or that ended a short while ago.
type Note struct {
	ID     string      `json:"id"`
	State  crew.State  `json:"state"`
	Reason crew.Reason `json:"reason,omitempty"`
	Error  string      `json:"error,omitempty"`
	// At is when something happened in it last.
	At time.Time `json:"-"`
}

const notesFolder = "notes"

const (
	// endedFor is how long the end of a crew is noted, failedFor that of one that failed or was cut off.
	endedFor  = time.Hour
	failedFor = 24 * time.Hour
)

// note writes the note of a crew. What cannot be noted raises no alert, and is no failure.
func (b Book) note(c *crew.Crew) {
	folder := filepath.Join(b.Dir, notesFolder)
	if os.MkdirAll(folder, 0o700) == nil {
		_ = textfile.WriteJSON(filepath.Join(folder, c.ID), &Note{
			ID: c.ID, State: c.State, Reason: c.Reason, Error: c.Error,
		})
	}
}

// progress notes that something happened in a crew.
func (b Book) progress(id string, now time.Time) {
	_ = os.Chtimes(filepath.Join(b.Dir, notesFolder, id), now, now)
}

// forget removes the note of a crew.
func (b Book) forget(id string) { _ = os.Remove(filepath.Join(b.Dir, notesFolder, id)) }

// Notes returns what is noted of the crews that work, and of those that ended a short while ago.
func (b Book) Notes(now time.Time) []Note {
	folder := filepath.Join(b.Dir, notesFolder)
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil
	}
	var notes []Note
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil {
			continue
		}
		n := Note{}
		text, err := plainfile.Read(filepath.Join(folder, entry.Name()), plainfile.Record)
		if err != nil || json.Unmarshal(text, &n) != nil || n.ID != entry.Name() {
			continue
		}
		n.At = info.ModTime()
		if !n.State.Ended() && !b.Running(n.ID) {
			n.State = crew.Interrupted
		}
		counts := endedFor
		if n.State == crew.Failed || n.State == crew.Interrupted {
			counts = failedFor
		}
		if n.State.Ended() && now.Sub(n.At) > counts {
			continue
		}
		notes = append(notes, n)
	}
	return notes
}

// tidyNotes removes the notes that count no more.
func (b Book) tidyNotes(now time.Time) {
	entries, err := os.ReadDir(filepath.Join(b.Dir, notesFolder))
	if err != nil {
		return
	}
	for _, entry := range entries {
		if info, err := entry.Info(); err == nil && now.Sub(info.ModTime()) > failedFor && !b.Running(entry.Name()) {
			b.forget(entry.Name())
		}
	}
}
