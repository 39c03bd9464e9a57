package main

import (
	"fmt"
	"slices"
	"strconv"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/engine/enginetest"
	"cupola/core/fleet/fleettest"
)

// engine is the machine's terminal server, whichever it is.
func (m *machine) engine() engine.Engine {
	m.t.Helper()
	return fleettest.EngineAt(m.t, m.tmux.Socket)
}

// paneID is the id of the n-th pane that the machine's server made, from 0.
func paneID(n int) core.PaneID {
	if enginetest.OnOwn() {
		return core.PaneID(fmt.Sprintf("%%o%d", n))
	}
	return core.PaneID(fmt.Sprintf("%%%d", n))
}

// screenOf returns the screen of a pane; empty if the pane is not there.
func (m *machine) screenOf(id core.PaneID) string {
	m.t.Helper()
	e := m.engine()
	defer e.Close()
	screens, err := e.Capture(m.t.Context(), engine.Ask{Pane: id})
	if err != nil || len(screens) != 1 {
		return ""
	}
	return screens[0].Text()
}

// listed is a pane as the server lists it.
func (m *machine) listed(id core.PaneID) engine.Pane {
	m.t.Helper()
	e := m.engine()
	defer e.Close()
	l, err := e.List(m.t.Context(), 0)
	if err != nil {
		m.t.Fatal(err)
	}
	i := slices.IndexFunc(l.Panes, func(p engine.Pane) bool { return p.ID == id })
	if i < 0 {
		m.t.Fatalf("no pane %s in %+v", id, l.Panes)
	}
	return l.Panes[i]
}

// pidOf is the pid of a pane's program.
func (m *machine) pidOf(id core.PaneID) string { return strconv.Itoa(m.listed(id).Process.PID) }
