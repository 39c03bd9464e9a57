package budget

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"syscall"

	"cupola/core"
	"cupola/core/record/store"
	"cupola/core/system/plainfile"
	"cupola/core/system/textfile"
)

// Ceilings returns every ceiling. If the store has none, or was damaged and replaced,
// it restores those of the copy.
func (m *Monitor) Ceilings(ctx context.Context) ([]store.Ceiling, error) {
	found, err := m.recorded(ctx)
	kept, unread := m.kept()
	switch {
	case err != nil && core.AsError(err).HasCode(core.StoreError) && len(kept) > 0:
		// Opened to be written to, a damaged store is set aside.
		s, failed := m.Write(ctx)
		if failed != nil {
			return nil, err
		}
		return kept, m.setAgain(ctx, s, kept)
	case err != nil:
		return nil, err
	case len(found) == 0 && unread != nil:
		return nil, unread
	case len(found) == 0 && len(kept) > 0:
		s, err := m.Write(ctx)
		if err != nil {
			return nil, err
		}
		return kept, m.setAgain(ctx, s, kept)
	case unread != nil || !slices.EqualFunc(found, kept, same):
		m.keep(found)
	}
	return found, nil
}

// Known reports whether there may be ceilings: the copy contains some, or cannot be read.
// It does not open the store.
func (m *Monitor) Known() bool {
	kept, unread := m.kept()
	return len(kept) > 0 || unread != nil
}

// recorded returns the ceilings of the store.
func (m *Monitor) recorded(ctx context.Context) ([]store.Ceiling, error) {
	s, err := m.Read(ctx)
	if err != nil {
		return nil, err
	}
	return store.CeilingsIn(s).All(ctx)
}

// setAgain restores ceilings to a store that lost them.
func (m *Monitor) setAgain(ctx context.Context, s *store.Store, ceilings []store.Ceiling) error {
	for i := range ceilings {
		if err := store.CeilingsIn(s).Set(ctx, ceilings[i]); err != nil {
			return err
		}
	}
	if m.Warn != nil {
		m.Warn(fmt.Sprintf("the store held no ceilings any more; %d were taken over from %s", len(ceilings), m.Copy))
	}
	return nil
}

// kept returns the ceilings of the copy; none without one.
func (m *Monitor) kept() ([]store.Ceiling, error) {
	if m.Copy == "" {
		return nil, nil
	}
	text, err := plainfile.Read(m.Copy, plainfile.Text)
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
			Code: core.StoreError, Message: fmt.Sprintf("the ceilings in %s cannot be read: %v", m.Copy, err), Err: err,
			Remedies: []core.Remedy{core.RemedySetCeilings},
		}
	}
	return kept, nil
}

// keep writes the copy atomically; without ceilings it removes it. Its failure loses
// nothing: the store holds the ceilings.
func (m *Monitor) keep(ceilings []store.Ceiling) {
	if m.Copy == "" {
		return
	}
	if len(ceilings) == 0 {
		_ = os.Remove(m.Copy)
		return
	}
	_ = textfile.WriteJSON(m.Copy, ceilings)
}

// same reports whether two ceilings are the same one and allow as much.
func same(a, m store.Ceiling) bool {
	return a.Scope == m.Scope && a.Session == m.Session && a.Unit == m.Unit && a.Most == m.Most &&
		a.Since.Equal(m.Since) && a.SetAt.Equal(m.SetAt)
}
