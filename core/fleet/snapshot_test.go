package fleet_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/fleet"
	"cupola/core/fleet/fleettest"
	"cupola/core/fleet/observe"
)

func TestASnapshotWithoutServerIsEmptyAndNoError(t *testing.T) {
	t.Parallel()
	f := openFake(t, &fleettest.Engine{ListErr: fmt.Errorf("list panes: %w", engine.ErrNoServer)})
	snapshot, err := f.Overview.Snapshot(t.Context(), observe.View{})
	if err != nil {
		t.Fatal(err)
	}
	if snapshot.EngineUp || len(snapshot.Sessions) != 0 {
		t.Errorf("snapshot = %+v", snapshot)
	}
	body, err := json.Marshal(snapshot)
	if err != nil || strings.Contains(string(body), "null") {
		t.Errorf("lists must be empty, not absent: %s, %v", body, err)
	}
}

func TestAMissingServerProgramIsUnavailable(t *testing.T) {
	t.Parallel()
	for _, sentinel := range []error{engine.ErrUnavailable, engine.ErrTooOld} {
		f := openFake(t, &fleettest.Engine{ListErr: fmt.Errorf("list panes: %w", sentinel)})
		_, err := f.Overview.Snapshot(t.Context(), observe.View{})
		var known *core.Error
		if !errors.As(err, &known) || known.Code != core.EngineUnavailable {
			t.Fatalf("error = %v", err)
		}
	}
}

func TestASnapshotSortsNamesNumbersAndRecognises(t *testing.T) {
	t.Parallel()
	f := openFake(t, &fleettest.Engine{Listing: fleettest.TwoSessions()})
	snapshot, err := f.Overview.Snapshot(t.Context(), observe.View{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, pane := range snapshot.Panes() {
		got = append(got, fmt.Sprintf("%s %s %s/%s %s managed=%t", pane.Address(), pane.ID, pane.Agent.Name,
			pane.Agent.Kind, pane.Agent.Recognised, pane.Managed))
	}
	want := []string{
		"api.0 %1 /  managed=true",
		"api.1 %2 cc_1/claude tag managed=true",
		"api.3 %3 cod_1/codex tag managed=true",
		"api.4 %12 /  managed=false",
		"web.0 %5 cc_1/claude process managed=false",
		"web.1 %6 /  managed=false",
		"web.2 %20 cc_2/claude process managed=false",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if api, web := snapshot.Session("api"), snapshot.Session("web"); api.Foreign || !web.Foreign {
		t.Errorf("foreign: api %t, web %t", api.Foreign, web.Foreign)
	}
}

func TestForeignSessionsAreHiddenButCanBeNamed(t *testing.T) {
	t.Parallel()
	f := openFake(t, &fleettest.Engine{Listing: fleettest.TwoSessions()},
		func(o *fleet.Options) { o.HideForeign = true })
	snapshot, err := f.Overview.Snapshot(t.Context(), observe.View{})
	if err != nil || len(snapshot.Sessions) != 1 || snapshot.Sessions[0].Name != "api" {
		t.Errorf("snapshot = %+v, %v", snapshot, err)
	}
	snapshot, err = f.Overview.Snapshot(t.Context(), observe.View{Session: "web"})
	if err != nil || len(snapshot.Sessions) != 1 || snapshot.Sessions[0].Name != "web" {
		t.Errorf("snapshot of web = %+v, %v", snapshot, err)
	}
}

func TestASnapshotOfAnUnknownSessionSuggestsTheNearest(t *testing.T) {
	t.Parallel()
	f := openFake(t, &fleettest.Engine{Listing: fleettest.TwoSessions()})
	_, err := f.Overview.Snapshot(t.Context(), observe.View{Session: "ap"})
	fleettest.WantError(t, err, core.SessionNotFound, "api")
}

func TestASnapshotAsksTheEngineTwiceAtMost(t *testing.T) {
	t.Parallel()
	p := &fleettest.Engine{Listing: fleettest.TwoSessions()}
	if _, err := openFake(t, p).Overview.Snapshot(t.Context(), observe.View{}); err != nil || p.Questions != 2 ||
		len(p.Asked) != 4 {
		t.Errorf("%d questions, %d screens of 4 agents, %v", p.Questions, len(p.Asked), err)
	}
	p = &fleettest.Engine{Listing: fleettest.TwoSessions()}
	if _, err := openFake(t, p).Overview.Snapshot(t.Context(), observe.View{Session: "web"}); err != nil ||
		p.Questions != 2 || len(p.Asked) != 2 {
		t.Errorf("%d questions, %d screens of 2 agents in one session, %v", p.Questions, len(p.Asked), err)
	}
	p = &fleettest.Engine{Listing: fleettest.TwoSessions()}
	for i := range p.Listing.Panes {
		p.Listing.Panes[i].Process.Command, p.Listing.Panes[i].Tags = "bash", nil
	}
	if _, err := openFake(t, p).Overview.Snapshot(t.Context(), observe.View{}); err != nil || p.Questions != 1 {
		t.Errorf("%d questions without agents, %v", p.Questions, err)
	}
}
