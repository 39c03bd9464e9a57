package agentsession

import (
	"cmp"
	"context"
	"path/filepath"

	"cupola/core/run/story"
)

// Learn adds learnings to a session, and returns how many it has then. A zero time is now, an empty story the current
// one.
func (b *Directory) Learn(ctx context.Context, id string, learned story.Learning) (total int, err error) {
	s, err := b.change(ctx, id, func(s *Session) error {
		if learned.At.IsZero() {
			learned.At = b.now()
		}
		if learned.Story == "" {
			learned.Story = s.Story
		}
		s.Learnings = append(s.Learnings, learned)
		return nil
	})
	if err != nil {
		return 0, err
	}
	return len(s.Learnings), nil
}

// Drain gives the learnings of a session to write, and removes them from it if that succeeds. Nothing is learned
// meanwhile. Without learnings, write is not called. It returns how many there were.
func (b *Directory) Drain(ctx context.Context, id string, write func([]story.Learning) error) (written int, err error) {
	_, err = b.change(ctx, id, func(s *Session) error {
		written, err = drained(s, write)
		return err
	})
	return written, err
}

// Close ends a session: it drains the learnings, and then removes the session, which releases the change. If write
// fails the session stays. A nil write drops the learnings.
func (b *Directory) Close(ctx context.Context, id string, write func([]story.Learning) error) (written int, err error) {
	if _, err := b.Load(id); err != nil {
		return 0, err
	}
	err = b.locked(ctx, func() error {
		s, err := b.Load(id)
		if err != nil {
			return err
		}
		if write != nil {
			if written, err = drained(s, write); err != nil {
				return err
			}
		}
		return b.erase(id)
	})
	return written, err
}

// Flush ends a session, and writes what was learned into the design of its change.
func (b *Directory) Flush(ctx context.Context, id string) (written int, err error) {
	s, err := b.Load(id)
	if err != nil {
		return 0, err
	}
	return b.Close(ctx, id, func(learnings []story.Learning) error {
		return b.Files.AddLearnings(ctx, s.DesignFile(), learnings)
	})
}

// DesignFile is the file that takes the learnings: design.md of the change, or beside a plain file of tasks.
func (s *Session) DesignFile() string {
	return filepath.Join(cmp.Or(s.ChangeDir, filepath.Dir(s.Path)), "design.md")
}

// drained gives the learnings of a session to write, and removes them from it.
func drained(s *Session, write func([]story.Learning) error) (int, error) {
	n := len(s.Learnings)
	if n == 0 {
		return 0, nil
	}
	if err := write(s.Learnings); err != nil {
		return 0, err
	}
	s.Learnings = []story.Learning{}
	return n, nil
}
