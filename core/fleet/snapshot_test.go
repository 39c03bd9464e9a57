package fleet

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"cupola/core"
	"cupola/core/engine"
)

func TestASnapshotWithoutServerIsEmptyAndNoError(t *testing.T) {
	f := staged(t, &puppet{listErr: fmt.Errorf("list panes: %w", engine.ErrNoServer)})
	snapshot, err := f.Snapshot(t.Context(), View{})
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

func TestAMissingServerProgramSaysWhatToInstall(t *testing.T) {
	for _, sentinel := range []error{engine.ErrUnavailable, engine.ErrTooOld} {
		f := staged(t, &puppet{listErr: fmt.Errorf("list panes: %w", sentinel)})
		_, err := f.Snapshot(t.Context(), View{})
		var known *core.Error
		if !errors.As(err, &known) || known.Code != core.EngineUnavailable {
			t.Fatalf("error = %v", err)
		}
		if row, _ := known.Code.Row(); !strings.Contains(row.Hint, "install tmux") {
			t.Errorf("the hint names no program to install: %q", row.Hint)
		}
	}
}

func TestASnapshotSortsNamesNumbersAndRecognises(t *testing.T) {
	f := staged(t, &puppet{listing: cast()})
	snapshot, err := f.Snapshot(t.Context(), View{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, pane := range snapshot.Panes() {
		got = append(got, fmt.Sprintf("%s %s %s/%s %s managed=%t", pane.Address(), pane.ID, pane.Agent.Name, pane.Agent.Kind, pane.Agent.Recognised, pane.Managed))
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
	f := staged(t, &puppet{listing: cast()})
	f.hideForeign = true
	snapshot, err := f.Snapshot(t.Context(), View{})
	if err != nil || len(snapshot.Sessions) != 1 || snapshot.Sessions[0].Name != "api" {
		t.Errorf("snapshot = %+v, %v", snapshot, err)
	}
	snapshot, err = f.Snapshot(t.Context(), View{Session: "web"})
	if err != nil || len(snapshot.Sessions) != 1 || snapshot.Sessions[0].Name != "web" {
		t.Errorf("snapshot of web = %+v, %v", snapshot, err)
	}
}

func TestASnapshotOfAnUnknownSessionSuggestsTheNearest(t *testing.T) {
	f := staged(t, &puppet{listing: cast()})
	_, err := f.Snapshot(t.Context(), View{Session: "ap"})
	wantError(t, err, core.SessionNotFound, "api")
}

func TestASnapshotAsksTheEngineTwiceAtMost(t *testing.T) {
	p := &puppet{listing: cast()}
	if _, err := staged(t, p).Snapshot(t.Context(), View{}); err != nil || p.questions != 2 || len(p.asked) != 4 {
		t.Errorf("%d questions, %d screens of 4 agents, %v", p.questions, len(p.asked), err)
	}
	p = &puppet{listing: cast()}
	if _, err := staged(t, p).Snapshot(t.Context(), View{Session: "web"}); err != nil || p.questions != 2 || len(p.asked) != 2 {
		t.Errorf("%d questions, %d screens of 2 agents in one session, %v", p.questions, len(p.asked), err)
	}
	p = &puppet{listing: cast()}
	for i := range p.listing.Panes {
		p.listing.Panes[i].Process.Command, p.listing.Panes[i].Tags = "bash", nil
	}
	if _, err := staged(t, p).Snapshot(t.Context(), View{}); err != nil || p.questions != 1 {
		t.Errorf("%d questions without agents, %v", p.questions, err)
	}
}

// wantError checks an error's code and first suggestion; an empty suggestion is
// not checked.
func wantError(t *testing.T, err error, code core.Code, suggestion string) *core.Error {
	t.Helper()
	var known *core.Error
	if !errors.As(err, &known) {
		t.Fatalf("error = %v, want %s", err, code)
	}
	if known.Code != code {
		t.Errorf("code = %s (%v), want %s", known.Code, err, code)
	}
	if suggestion != "" && (len(known.Suggestions) == 0 || known.Suggestions[0] != suggestion) {
		t.Errorf("suggestions = %q, want %q first", known.Suggestions, suggestion)
	}
	return known
}
