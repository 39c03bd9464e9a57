package loop

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"cupola/core"
	"cupola/core/run"
	"cupola/core/run/story"
	"cupola/core/system/textfile"
)

// Book is the directory that holds the runs.
type Book struct {
	Dir string
	// Index lists the runs; nil lists them by their records.
	Index *run.Index
	// Keep is how long they stay on record; 0 is for ever.
	Keep time.Duration
}

// The files of a run.
const (
	recordFile = "run.json"
	eventsFile = "events.jsonl"
	pauseFile  = "pause"
	relaysDir  = "relays"
)

func (b Book) files() *run.Book[story.Run, *story.Run] {
	return &run.Book[story.Run, *story.Run]{
		Dir: b.Dir, File: recordFile, Noun: "run of stories", Index: b.Index, Keep: b.Keep,
	}
}

// Source is where the records of the runs are, for an index.
func (b Book) Source() run.Source { return b.files() }

// All returns the runs, the newest first. One whose process ended without a word is interrupted.
func (b Book) All() ([]story.Run, error) { return b.files().All() }

// Load returns the run with an id.
func (b Book) Load(id string) (*story.Run, error) { return b.files().Load(id) }

// Find returns the run with an id, or the newest one of the change with a name. It returns NotFound, with similar
// words, for an unknown word.
func (b Book) Find(word string) (*story.Run, error) {
	return b.files().Find(word, core.RemedyListStoryRuns)
}

// Running reports whether a process works on a run.
func (b Book) Running(id string) bool { return b.files().Held(id) }

// Remove removes what is on record of a run. Conflict says that a process works on it.
func (b Book) Remove(ctx context.Context, id string) error { return b.files().Remove(ctx, id) }

// Log is the file that took what a run printed in the background; empty where it never ran there.
func (b Book) Log(id string) string { return b.files().Log(id) }

// Relays is the directory of the relays that asked the agents of a run.
func (b Book) Relays(id string) string { return filepath.Join(b.files().Folder(id), relaysDir) }

// Detach starts a program that is to take up a run in the background, and returns once it has.
func (b Book) Detach(ctx context.Context, id, dir string, argv ...string) (*story.Run, error) {
	return b.files().Detach(ctx, id, dir, argv...)
}

// Stop stops a run: it signals the process that works on it, and waits until that process releases it. It returns
// Conflict for a run that has ended.
func (b Book) Stop(ctx context.Context, id string) (*story.Run, error) {
	r, err := b.Load(id)
	if err != nil {
		return nil, core.FileError("read the run", err)
	}
	if !r.Head().State.May(run.Cancelled) {
		return r, &core.Error{
			Code: core.Conflict, Message: fmt.Sprintf("the run %s has ended: %s", id, r.State),
			Remedies: []core.Remedy{core.RemedyShowStory}, Subject: core.Subject{Run: id},
		}
	}
	stopped, release, err := b.files().Cancel(ctx, id)
	if err != nil {
		return r, err
	}
	defer release()
	if err := b.GoOn(id); err != nil || !stopped.Head().State.May(run.Cancelled) {
		return stopped, err
	}
	// Its process was killed, or could not record its end.
	stopped.State, stopped.Reason, stopped.Ended = story.Stopped, story.StoppedBy, time.Now().UTC()
	return stopped, b.files().Save(stopped)
}

// Pause asks a run to start no other try until GoOn. An agent that works continues until its turn ends.
func (b Book) Pause(id string) error {
	if err := textfile.Put(b.pause(id), nil); err != nil {
		return core.FileError("pause the run", err)
	}
	return nil
}

// GoOn ends the pause of a run.
func (b Book) GoOn(id string) error {
	if err := os.Remove(b.pause(id)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return core.FileError("end the pause of the run", err)
	}
	return nil
}

// Paused reports whether a run is asked to pause.
func (b Book) Paused(id string) bool {
	_, err := os.Lstat(b.pause(id))
	return err == nil
}

func (b Book) pause(id string) string { return filepath.Join(b.files().Folder(id), pauseFile) }

// Events returns the events of a run from an offset in bytes on, and the offset behind them. A line that a killed
// process left unfinished is left out.
func (b Book) Events(id string, offset int64) ([]story.Event, int64, error) {
	events, next, err := run.Lines[story.Event](b.eventsPath(id), offset)
	if err != nil {
		return nil, offset, core.FileError("read the events of the run", err)
	}
	return events, next, nil
}

func (b Book) eventsPath(id string) string { return filepath.Join(b.files().Folder(id), eventsFile) }

// journal appends the events of a run to its file.
type journal struct {
	file *os.File
	seq  int64
}

// journal opens the file of events of a run, and cuts off what a killed process left unfinished.
func (b Book) journal(id string) (*journal, error) {
	events, whole, err := b.Events(id, 0)
	if err != nil {
		return nil, err
	}
	file, err := os.OpenFile(b.eventsPath(id), os.O_CREATE|os.O_WRONLY|syscall.O_NONBLOCK, 0o600)
	if err != nil {
		return nil, core.FileError("open the events of the run", err)
	}
	j := &journal{file: file}
	if n := len(events); n > 0 {
		j.seq = events[n-1].Seq
	}
	err = file.Truncate(whole)
	if err == nil {
		_, err = file.Seek(whole, io.SeekStart)
	}
	if err != nil {
		_ = file.Close()
		return nil, core.FileError("open the events of the run", err)
	}
	return j, nil
}

// write numbers an event and appends it.
func (j *journal) write(event *story.Event) error {
	j.seq++
	event.Seq = j.seq
	line, err := json.Marshal(event)
	if err == nil {
		_, err = j.file.Write(append(line, '\n'))
	}
	if err != nil {
		return core.FileError("record an event of the run", err)
	}
	return nil
}
