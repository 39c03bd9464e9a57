package tmux

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/engine"
)

// List returns every session with its panes. It takes one request.
func (s *Server) List(ctx context.Context, detail engine.Detail) (engine.Listing, error) {
	seen, err := s.list(ctx, detail, nil)
	if err != nil {
		return engine.Listing{}, err
	}
	return seen.listing(), nil
}

// snapshot is everything on the server at one moment. It is immutable.
type snapshot struct {
	taken time.Time
	// server identifies one run of the server.
	server   string
	sessions []engine.Session
	panes    []pane
	// raw is the answer that this was read from.
	raw []byte
}

// listCommands asks for all that a snapshot holds.
func listCommands(detail engine.Detail) []command {
	return []command{
		{"list-sessions", "-F", "S|" + sessionLine()},
		{"list-panes", "-a", "-F", "P|" + lineFor(detail).format},
		deadOnly(), lineFor(detail).tagsOnly(),
	}
}

// list asks for everything. It does not parse an answer that is the same as before.
func (s *Server) list(ctx context.Context, detail engine.Detail, before *snapshot) (*snapshot, error) {
	taken := s.now()
	out, err := s.ask(ctx, "list panes", reads, listCommands(detail)...)
	if err != nil {
		return nil, err
	}
	if before != nil && bytes.Equal(out, before.raw) {
		same := *before
		same.taken = taken
		return &same, nil
	}
	seen, err := readSnapshot(string(out), detail)
	if err != nil {
		return nil, fmt.Errorf("list panes: %w", explain(ctx, s, err))
	}
	seen.taken, seen.raw = taken, out
	if s.process.over != nil {
		seen.dropPaths()
	}
	return seen, nil
}

// dropPaths removes values that would be mistaken for paths and processes of this machine.
func (v *snapshot) dropPaths() {
	for i := range v.panes {
		v.panes[i].dropPaths()
	}
	for i := range v.sessions {
		v.sessions[i].Dir = ""
	}
}

func (p *pane) dropPaths() { p.Process.Dir, p.TTY = "", "" }

// arrange sorts sessions and panes, and drops repeated panes.
func (v *snapshot) arrange() {
	slices.SortFunc(v.sessions, func(a, b engine.Session) int { return strings.Compare(a.Name, b.Name) })
	slices.SortStableFunc(v.panes, func(a, b pane) int {
		return cmp.Compare(sequence(string(a.Session)), sequence(string(b.Session)))
	})
	shown := make(map[core.PaneID]bool, len(v.panes))
	v.panes = slices.DeleteFunc(v.panes, func(p pane) bool {
		again := shown[p.ID]
		shown[p.ID] = true
		return again
	})
	index := make(map[core.SessionID]int, len(v.sessions))
	for i, session := range v.sessions {
		index[session.ID] = i
	}
	slices.SortStableFunc(v.panes, func(a, b pane) int {
		return cmp.Or(
			cmp.Compare(index[a.Session], index[b.Session]),
			cmp.Compare(a.Window.Index, b.Window.Index),
			cmp.Compare(a.Window.PaneIndex, b.Window.PaneIndex))
	})
}

// sequence is the number in an id such as "$3".
func sequence(id string) int { return number(strings.TrimLeft(id, "$@%")) }

func (v *snapshot) listing() engine.Listing {
	l := engine.Listing{Taken: v.taken, Sessions: v.sessions, Panes: make([]engine.Pane, len(v.panes))}
	for i := range v.panes {
		l.Panes[i] = v.panes[i].Pane
		if seconds := v.panes[i].activity; seconds > 0 {
			l.Panes[i].Activity = time.Unix(seconds, 0)
		}
	}
	return l
}
