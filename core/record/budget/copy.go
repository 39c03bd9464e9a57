package budget

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"cupola/core"
	"cupola/core/record/store"
	"cupola/core/system/plainfile"
)

// Ceilings returns every ceiling. If the store has none, or was damaged and replaced,
// it restores those of the copy.
func (b *Book) Ceilings(ctx context.Context) ([]store.Ceiling, error) {
	found, err := b.recorded(ctx)
	kept, unread := b.kept()
	switch {
	case err != nil && core.AsError(err).HasCode(core.StoreError) && len(kept) > 0:
		// Opened to be written to, a damaged store is set aside.
		s, failed := b.Write(ctx)
		if failed != nil {
			return nil, err
		}
		return kept, b.setAgain(ctx, s, kept)
	case err != nil:
		return nil, err
	case len(found) == 0 && unread != nil:
		return nil, unread
	case len(found) == 0 && len(kept) > 0:
		s, err := b.Write(ctx)
		if err != nil {
			return nil, err
		}
		return kept, b.setAgain(ctx, s, kept)
	case unread != nil || !slices.EqualFunc(found, kept, same):
		b.keep(found)
	}
	return found, nil
}

// Known reports whether there may be ceilings: the copy contains some, or cannot be read.
// It does not open the store.
func (b *Book) Known() bool {
	kept, unread := b.kept()
	return len(kept) > 0 || unread != nil
}

// recorded returns the ceilings of the store.
func (b *Book) recorded(ctx context.Context) ([]store.Ceiling, error) {
	s, err := b.Read(ctx)
	if err != nil {
		return nil, err
	}
	return store.CeilingsIn(s).All(ctx)
}

// setAgain restores ceilings to a store that lost them.
func (b *Book) setAgain(ctx context.Context, s *store.Store, ceilings []store.Ceiling) error {
	for i := range ceilings {
		if err := store.CeilingsIn(s).Set(ctx, ceilings[i]); err != nil {
			return err
		}
	}
	if b.Warn != nil {
		b.Warn(fmt.Sprintf("the store held no ceilings any more; %d were taken over from %s", len(ceilings), b.Copy))
	}
	return nil
}

// kept returns the ceilings of the copy; none without one.
func (b *Book) kept() ([]store.Ceiling, error) {
	if b.Copy == "" {
		return nil, nil
	}
	text, err := plainfile.Read(b.Copy, plainfile.Text)
	// If the folder itself is missing, so is the copy.
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil, nil
	}
	var kept []store.Ceiling
	if err == nil {
		err = json.Unmarshal(text, &kept)
	}
	if err != nil {
		return nil, &core.Error{
			Code: core.StoreError, Message: fmt.Sprintf("the ceilings in %s cannot be read: %v", b.Copy, err), Err: err,
			Remedies: []core.Remedy{core.RemedySetCeilings},
		}
	}
	return kept, nil
}

// keep writes the copy atomically; without ceilings it removes it. Its failure loses
// nothing: the store holds the ceilings.
func (b *Book) keep(ceilings []store.Ceiling) {
	if b.Copy == "" {
		return
	}
	if len(ceilings) == 0 {
		_ = os.Remove(b.Copy)
		return
	}
	text, err := json.Marshal(ceilings)
	if err != nil {
		return
	}
	file, err := os.CreateTemp(filepath.Dir(b.Copy), filepath.Base(b.Copy)+".new-*")
	if err != nil {
		return
	}
	defer os.Remove(file.Name()) //nolint:errcheck // it was renamed, or is of no use
	_, err = file.Write(append(text, '\n'))
	if err = errors.Join(err, file.Close()); err == nil {
		_ = os.Rename(file.Name(), b.Copy)
	}
}

// same reports whether two ceilings are the same one and allow as much.
func same(a, b store.Ceiling) bool {
	return a.Scope == b.Scope && a.Session == b.Session && a.Unit == b.Unit && a.Most == b.Most &&
		a.Since.Equal(b.Since) && a.SetAt.Equal(b.SetAt)
}
