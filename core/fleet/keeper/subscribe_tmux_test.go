package keeper

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"cupola/core"
	"cupola/core/engine/enginetest"
	"cupola/core/fleet/fleettest"
	"cupola/core/fleet/observe"
	"cupola/core/fleet/rundir"
)

// onTmux returns streams of a private server and that server.
func onTmux(t *testing.T, dir string) (*Streams, *enginetest.Tmux) {
	t.Helper()
	m := enginetest.Private(t)
	server := fleettest.EngineOf(t, m, "")
	t.Cleanup(func() { server.Close() })
	return openStreams(t, fleettest.BuiltinKinds(t), dir, Options{Engine: server}), m
}

func TestASubscriptionLivesThroughTheDeathOfTmux(t *testing.T) {
	t.Parallel()
	f, m := onTmux(t, fleettest.RuntimeDir(t))
	r := subscribed(t, f, Interest{Watched: true})
	first := r.next()
	if first.Type != core.Resynced || first.Snapshot.EngineUp {
		t.Fatalf("without a server it begins with %s", fleettest.EventLines([]core.Event{first}))
	}
	m.Start()
	events := r.until(core.PaneOpened)
	m.Run("rename-session", "-t", "=first", "api")
	events = append(events, r.until(core.SessionRenamed)...)
	m.Run("select-pane", "-t", "=api:", "-T", "⠋ tests")
	events = append(events, r.until(core.PaneRetitled)...)
	pid, err := strconv.Atoi(m.Run("display-message", "-p", "#{pid}"))
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	events = append(events, r.until(core.AlertRaised)...)
	m.Start()
	events = append(events, r.until(core.PaneOpened)...)
	checkGapFree(t, first.Revision, events)
	var got []string
	for _, e := range events {
		got = append(got, string(e.Type))
	}
	want := "engine_back session_created pane_opened session_renamed pane_retitled " +
		"engine_lost pane_closed session_closed alert_raised engine_back session_created pane_opened"
	if strings.Join(got, " ") != want {
		t.Errorf("%q", fleettest.EventLines(events))
	}
}

func TestAOneShotCallShowsTheKeepersLastRevision(t *testing.T) {
	t.Parallel()
	dir := fleettest.RuntimeDir(t)
	f, m := onTmux(t, dir)
	m.Start()
	view := overviewOf(f, fleettest.BuiltinKinds(t), nil)
	before, err := view.Snapshot(t.Context(), observe.View{})
	if err != nil || before.Revision != 0 {
		t.Fatalf("%+v %v", before, err)
	}
	left, err := os.ReadDir(dir)
	left = slices.DeleteFunc(left, func(e os.DirEntry) bool { // the record of what runs, and the locks of its writers
		return strings.HasSuffix(e.Name(), ".running") || strings.HasSuffix(e.Name(), ".lock")
	})
	if err != nil || len(left) > 0 {
		t.Fatalf("it left %v %v", left, err)
	}
	r := subscribed(t, f, Interest{})
	revision := r.next().Revision
	r.end()
	after, err := view.Snapshot(t.Context(), observe.View{})
	if err != nil || after.Revision != revision || revision == 0 {
		t.Errorf("the snapshot has revision %d, the stream ended at %d (%v)", after.Revision, revision, err)
	}
	info, err := f.opts.Engine.Info(t.Context())
	if got := rundir.LastRevision(rundir.FilesOf(dir, info)); err != nil || got != revision {
		t.Errorf("recorded is %d (%v)", got, err)
	}
}
