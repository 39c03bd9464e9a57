// Package undo keeps the last acts of users on record, each with what takes it back. It takes nothing back itself.
package undo

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/gofrs/flock"

	"cupola/core"
	"cupola/core/config/recipe"
	"cupola/core/git/changes"
	"cupola/core/system/plainfile"
	"cupola/core/system/textfile"
)

// Shown is how many acts lists have.
const Shown = 20

// most is how many acts are kept, and keptFor how long those are kept that lists have no more.
const (
	most    = 500
	keptFor = 30 * 24 * time.Hour
)

// Act is an act that can be taken back by exactly one of the pointers and lists.
type Act struct {
	ID string    `json:"id"`
	At time.Time `json:"at"`
	// Origin is the face that it came from, such as dashboard; empty for the command line.
	Origin string `json:"origin,omitempty"`
	// Server is the path of the terminal server's socket; empty for an act on a working tree.
	Server string `json:"server,omitempty"`
	// Did describes the act in the past tense, Back what taking it back does.
	Did  string `json:"did"`
	Back string `json:"back"`
	// Asks is true where taking it back starts programs or moves commits.
	Asks bool `json:"asks,omitempty"`
	// Undone is when it was taken back; zero if it was not.
	Undone time.Time `json:"undone,omitzero"`

	Labels  []Label       `json:"labels,omitempty"`
	Renamed *Renamed      `json:"renamed,omitempty"`
	Ended   *Ended        `json:"ended,omitempty"`
	Alerts  []string      `json:"alerts,omitempty"`
	Tree    *changes.Undo `json:"tree,omitempty"`
	Queued  []Queued      `json:"queued,omitempty"`
}

// Queued is a queued prompt that was dropped, with the identity of its pane.
type Queued struct {
	Owner  string            `json:"owner"`
	Prompt core.QueuedPrompt `json:"prompt"`
}

// Label is the label that a pane had; empty for none. Now is the label that the act gave it. The others are so for
// whether its agent was pinned, and until when it was snoozed.
type Label struct {
	Pane core.PaneID `json:"pane"`
	// Agent is the name of the agent that was in the pane.
	Agent      string    `json:"agent"`
	Was        string    `json:"was,omitempty"`
	Now        string    `json:"now,omitempty"`
	WasPinned  bool      `json:"was_pinned,omitempty"`
	NowPinned  bool      `json:"now_pinned,omitempty"`
	WasSnoozed time.Time `json:"was_snoozed,omitzero"`
	NowSnoozed time.Time `json:"now_snoozed,omitzero"`
}

// Renamed is a session that got another name.
type Renamed struct {
	ID   core.SessionID `json:"id"`
	From string         `json:"from"`
	To   string         `json:"to"`
}

// Ended is a session, or panes of one, that ended and can be started again.
type Ended struct {
	Session string `json:"session"`
	Dir     string `json:"dir"`
	// Whole is true where the session ended with the panes.
	Whole bool          `json:"whole,omitempty"`
	Panes []recipe.Pane `json:"panes"`
	// Heads are the commits of worktrees of agents, by their folders.
	Heads map[string]string `json:"heads,omitempty"`
	// Lost says what is lost of the conversations of agents, by their names.
	Lost map[string]string `json:"lost,omitempty"`
}

// Log is the file of acts; its zero value keeps none.
type Log struct{ Path string }

// errDamaged is the error of a file that cannot be understood.
var errDamaged = errors.New("it is damaged; the next act moves it aside")

// All returns the acts, the newest first. A damaged file is an error.
func (l Log) All() ([]Act, error) {
	if l.Path == "" {
		return nil, nil
	}
	text, err := plainfile.Read(l.Path, mostBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, core.FileError("read the acts that can be undone", err)
	}
	var acts []Act
	if len(text) > 0 && json.Unmarshal(text, &acts) != nil {
		return nil, core.Errorf(core.IOError, "read the acts that can be undone: %s: %w", l.Path, errDamaged)
	}
	return acts, nil
}

// mostBytes is the longest file that is read.
const mostBytes = 16 << 20

// Add records an act, to which it gives an id, and returns the acts that are no longer on record.
func (l Log) Add(ctx context.Context, act *Act) (dropped []Act, err error) {
	err = l.change(ctx, func(acts []Act) []Act {
		act.ID = freeID(acts, act.At)
		acts = slices.Insert(acts, 0, *act)
		for i := len(acts) - 1; i >= Shown; i-- {
			if i >= most || acts[i].At.Before(act.At.Add(-keptFor)) {
				dropped = append(dropped, acts[i])
				acts = slices.Delete(acts, i, i+1)
			}
		}
		return acts
	})
	return dropped, err
}

// freeID returns an id that no act has, which is short and grows with time.
func freeID(acts []Act, at time.Time) string {
	for n := at.UnixMilli(); ; n++ {
		id := strconv.FormatInt(n, 36)
		if !slices.ContainsFunc(acts, func(a Act) bool { return a.ID == id }) {
			return id
		}
	}
}

// Take claims an act for taking it back, so that no other process does it too. It returns NotFound for one that is not
// on record, and Conflict for one that was taken back.
func (l Log) Take(ctx context.Context, id string, now time.Time) error {
	err := error(core.Errorf(core.NotFound, "no act has the id %q", core.Cut(id)))
	changed := l.change(ctx, func(acts []Act) []Act {
		for i := range acts {
			switch act := &acts[i]; {
			case act.ID != id:
			case act.Undone.IsZero():
				act.Undone, err = now, nil
			default:
				err = core.Errorf(core.Conflict, "that was undone already: %s", act.Did)
			}
		}
		return acts
	})
	return errors.Join(changed, err)
}

// Release gives back an act that could not be taken back.
func (l Log) Release(ctx context.Context, id string) error {
	return l.change(ctx, func(acts []Act) []Act {
		for i := range acts {
			if acts[i].ID == id {
				acts[i].Undone = time.Time{}
			}
		}
		return acts
	})
}

// change changes the file while no other process does.
func (l Log) change(ctx context.Context, change func([]Act) []Act) error {
	if l.Path == "" {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(l.Path), 0o700); err != nil {
		return core.FileError("record what can be undone", err)
	}
	lock := flock.New(l.Path + ".lock")
	ctx, stop := context.WithTimeout(ctx, lockWithin)
	defer stop()
	held, err := lock.TryLockContext(ctx, 10*time.Millisecond)
	if err != nil || !held {
		return errors.Join(core.Errorf(core.IOError, "the record of what can be undone is locked"), err)
	}
	defer func() { _ = lock.Unlock() }()
	acts, err := l.All()
	if errors.Is(err, errDamaged) {
		err = os.Rename(l.Path, l.Path+".damaged")
	}
	if err != nil {
		return err
	}
	text, err := json.Marshal(change(acts))
	if err != nil {
		return err
	}
	return textfile.Put(l.Path, text)
}

// lockWithin is how long another process may hold the file.
const lockWithin = 2 * time.Second
