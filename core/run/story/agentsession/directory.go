package agentsession

import (
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
	"github.com/google/uuid"

	"cupola/core"
	"cupola/core/run/story"
	"cupola/core/system/plainfile"
	"cupola/core/system/textfile"
	"cupola/core/text/near"
)

const (
	// lockFile is locked while records change.
	lockFile = "lock"
	// lockEvery is how often the lock is tried, and lockWithin how long.
	lockEvery  = 5 * time.Millisecond
	lockWithin = 30 * time.Second
)

// Directory is the directory of all sessions.
type Directory struct {
	// Dir is made with the first session. It holds a file for each, readable by the user alone.
	Dir string
	// Files changes files of tasks and designs.
	Files story.Files
	// Now is the clock; nil is the machine's.
	Now func() time.Time
}

// Request holds the values of a new session.
type Request struct {
	Change *story.Change
	// Dir is the folder in which the session is found, and below; empty is the folder of the file of tasks.
	Dir  string
	Pane Pane
	// Story is the current story; empty for none yet.
	Story string
	// Run is the run of stories that the session belongs to; empty for none.
	Run        string
	Verify     []string
	VerifyFrom story.VerifyFrom
	// Owner is the process that the session lasts as long as; zero is this process.
	Owner Owner
}

// Create begins a session. Those of the same change whose owner ended are taken over: what was learned and ticked in
// them moves to the new one, and they are removed and returned. ChangeLocked says that a living owner has the change.
func (b *Directory) Create(ctx context.Context, r Request) (s *Session, over []Session, err error) {
	owner, err := ownerOr(r.Owner)
	if err != nil {
		return nil, nil, err
	}
	now := b.now()
	s = &Session{
		Version: recordVersion, ID: uuid.NewString(), Change: r.Change.Name, Path: resolved(r.Change.Path),
		Dir: resolved(cmp.Or(r.Dir, filepath.Dir(r.Change.Path))), Pane: r.Pane, Story: r.Story, Owner: owner,
		Created:   now,
		Learnings: []story.Learning{}, Ticked: []string{}, Verify: r.Verify, VerifyFrom: r.VerifyFrom, Run: r.Run,
	}
	if dir := r.Change.Dir; dir != "" {
		// The folder of the change may be a link, and is found by its name in that of the changes.
		s.ChangeDir = filepath.Join(resolved(filepath.Dir(dir)), filepath.Base(dir))
	}
	err = b.locked(ctx, func() error {
		others, err := b.of(s.Path)
		if err != nil {
			return err
		}
		for i := range others {
			if others[i].Owner.Alive() {
				return lockedError(&others[i])
			}
			s.Learnings = append(s.Learnings, others[i].Learnings...)
			for _, task := range others[i].Ticked {
				s.hasTicked(task)
			}
		}
		slices.SortStableFunc(s.Learnings, func(x, y story.Learning) int { return x.At.Compare(y.At) })
		if err := b.save(s); err != nil {
			return err
		}
		// The new record is complete, so nothing is lost if this ends early.
		for i := range others {
			if err := b.erase(others[i].ID); err != nil {
				return err
			}
		}
		over = others
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	return s, over, nil
}

// Resume gives a session a new owner, after its own ended. ChangeLocked says that a living owner has it, or another
// session of its change.
func (b *Directory) Resume(ctx context.Context, id string, owner Owner, pane Pane) (s *Session, err error) {
	if owner, err = ownerOr(owner); err != nil {
		return nil, err
	}
	return b.change(ctx, id, func(s *Session) error {
		others, err := b.of(s.Path)
		if err != nil {
			return err
		}
		for i := range others {
			if others[i].Owner.Alive() {
				return lockedError(&others[i])
			}
		}
		s.Owner, s.Pane, s.Resumed = owner, pane, b.now()
		return nil
	})
}

// SetStory makes a story the current one; empty for none.
func (b *Directory) SetStory(ctx context.Context, id, storyID string) error {
	_, err := b.change(ctx, id, func(s *Session) error {
		s.Story = storyID
		return nil
	})
	return err
}

// Tick ticks a task of the session's change, and returns the change as it is then. A task that is ticked already stays
// so. It has the errors of story.Files.Tick.
func (b *Directory) Tick(ctx context.Context, id, task string) (*story.Change, error) {
	s, err := b.Load(id)
	if err != nil {
		return nil, err
	}
	if _, err := b.Files.Tick(ctx, s.Path, task, true); err != nil {
		return nil, err
	}
	_, err = b.change(ctx, id, func(s *Session) error {
		s.hasTicked(task)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return s.Read()
}

// Load returns a session. NotFound says that there is none with this id, and which are near.
func (b *Directory) Load(id string) (*Session, error) {
	if uuid.Validate(id) != nil || strings.ContainsRune(id, filepath.Separator) {
		return nil, b.notFound(id)
	}
	text, err := plainfile.Read(b.path(id), plainfile.Record)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, b.notFound(id)
	}
	s := &Session{}
	if err == nil {
		err = json.Unmarshal(text, s)
	}
	if err == nil {
		err = s.valid(id)
	}
	if err != nil {
		return nil, failed("read the session "+id, err)
	}
	return s, nil
}

// All returns the sessions, the newest first. Those that cannot be read are left out.
func (b *Directory) All() ([]Session, error) {
	entries, err := os.ReadDir(b.Dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, failed("list the sessions", err)
	}
	all := []Session{}
	for _, entry := range entries {
		id, is := strings.CutSuffix(entry.Name(), ".json")
		if !is {
			continue
		}
		if s, err := b.Load(id); err == nil {
			all = append(all, *s)
		}
	}
	slices.SortFunc(all, func(x, y Session) int {
		return cmp.Or(y.last().Compare(x.last()), cmp.Compare(x.ID, y.ID))
	})
	return all, nil
}

// last is when a session got its owner.
func (s *Session) last() time.Time {
	if s.Resumed.IsZero() {
		return s.Created
	}
	return s.Resumed
}

// of returns the sessions of a file of tasks.
func (b *Directory) of(path string) ([]Session, error) {
	all, err := b.All()
	return slices.DeleteFunc(all, func(s Session) bool { return s.Path != path }), err
}

// change reads a session, changes it and writes it, while no other process does.
func (b *Directory) change(ctx context.Context, id string, change func(*Session) error) (s *Session, err error) {
	if _, err := b.Load(id); err != nil { // without making the directory of a session that is none
		return nil, err
	}
	err = b.locked(ctx, func() error {
		if s, err = b.Load(id); err != nil {
			return err
		}
		if err := change(s); err != nil {
			return err
		}
		return b.save(s)
	})
	return s, err
}

// locked calls do while no other process changes sessions.
func (b *Directory) locked(ctx context.Context, do func() error) error {
	if err := os.MkdirAll(b.Dir, 0o700); err != nil {
		return failed("make the folder of sessions", err)
	}
	lock := flock.New(filepath.Join(b.Dir, lockFile), flock.SetPermissions(0o600),
		flock.SetFlag(os.O_CREATE|os.O_RDONLY|syscall.O_NONBLOCK))
	short, stop := context.WithTimeout(ctx, lockWithin)
	defer stop()
	if taken, err := lock.TryLockContext(short, lockEvery); !taken {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case short.Err() != nil:
			return core.Errorf(core.Timeout, "another process held the sessions' lock for %s", lockWithin)
		}
		return failed("lock the sessions", err)
	}
	defer func() { _ = lock.Unlock() }()
	return do()
}

func (b *Directory) save(s *Session) error {
	if err := textfile.WriteJSON(b.path(s.ID), s); err != nil {
		return failed("write the session", err)
	}
	return nil
}

// erase removes a record.
func (b *Directory) erase(id string) error {
	if err := os.Remove(b.path(id)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return failed("remove the session "+id, err)
	}
	return nil
}

func (b *Directory) path(id string) string { return filepath.Join(b.Dir, id+".json") }

func (b *Directory) now() time.Time {
	if b.Now != nil {
		return b.Now().UTC()
	}
	return time.Now().UTC()
}

func (b *Directory) notFound(id string) error {
	all, _ := b.All() // for the near ones alone
	ids := core.Map(all, func(s Session) string { return s.ID })
	return &core.Error{
		Code: core.NotFound, Message: fmt.Sprintf("no session of an agent has the id %q", id),
		Suggestions: near.Words(id, ids), Slip: core.Slip{Word: id, Input: "session"},
		Remedies: []core.Remedy{core.RemedyStartAgentSession},
	}
}

// lockedError is the error of a change that a living owner has.
func lockedError(s *Session) error {
	return &core.Error{
		Code: core.ChangeLocked,
		Message: fmt.Sprintf("the change %s belongs to the session %s, whose owner (process %d) runs", s.Change, s.ID,
			s.Owner.PID),
		Remedies: []core.Remedy{core.RemedyFlushAgentSession}, Subject: core.Subject{Run: s.ID},
		Details: map[string]any{"session_id": s.ID, "owner_pid": s.Owner.PID, "tasks_file": s.Path},
	}
}

// ownerOr returns an owner, or this process for a zero one.
func ownerOr(owner Owner) (Owner, error) {
	if owner != (Owner{}) {
		return owner, nil
	}
	owner, err := Self()
	if err != nil {
		return owner, core.Errorf(core.InternalError, "find this process: %w", err)
	}
	return owner, nil
}

func failed(op string, err error) error {
	if e := (*core.Error)(nil); errors.As(err, &e) {
		return err
	}
	return core.FileError(op, err)
}
