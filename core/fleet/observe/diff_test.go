package observe

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"cupola/core"
	"cupola/core/fleet/fleettest"
)

func titled(title string) func(*core.Pane) { return func(p *core.Pane) { p.Title = title } }

// asks makes a pane one whose agent waits for an approval.
func asks(what string) func(*core.Pane) {
	return func(p *core.Pane) {
		fleettest.Claude(core.Waiting)(p)
		p.Status.Reason, p.Status.Asks = core.ReasonApproval, what
	}
}

// ofAPI is a snapshot of the session api alone.
func ofAPI(panes ...core.Pane) *core.Snapshot {
	return fleettest.Snapshot(fleettest.Session("$1", "api", panes...))
}

func TestDiffReportsChanges(t *testing.T) {
	bare, second := fleettest.Pane(0, "%1", nil), fleettest.Pane(1, "%2", nil)
	api, web := fleettest.Session("$1", "api", bare), fleettest.Session("$2", "web")
	later := api
	later.Created = fleettest.Dawn.Add(time.Hour)
	for name, c := range map[string]struct {
		before, after *core.Snapshot
		want          []string
	}{
		"nothing known, nothing there": {nil, &core.Snapshot{}, []string{}},
		"a server appears": {nil, ofAPI(bare, fleettest.Pane(1, "%2", fleettest.Claude(core.Starting))), []string{
			"engine_back|||||||",
			"session_created|api||||||",
			"pane_opened|api|api.0|||unknown||",
			"pane_opened|api|api.1|cc_1||starting||",
			"agent_found|api|api.1|cc_1||starting||",
		}},
		"a server goes": {ofAPI(bare), &core.Snapshot{}, []string{
			"engine_lost|||||||", "pane_closed|api|api.0|||||", "session_closed|api||||||",
		}},
		"another server under the same ids": {ofAPI(bare), fleettest.Snapshot(later), []string{
			"engine_lost|||||||another server took its place",
			"pane_closed|api|api.0|||||", "session_closed|api||||||", "engine_back|||||||",
			"session_created|api||||||", "pane_opened|api|api.0|||unknown||",
		}},
		"a session renamed is not a session closed": {
			ofAPI(bare), fleettest.Snapshot(fleettest.Session("$1", "web", bare)),
			[]string{"session_renamed|web|||api|web||"},
		},
		"two sessions swap their names": {
			fleettest.Snapshot(fleettest.Session("$1", "api"), web),
			fleettest.Snapshot(fleettest.Session("$2", "api"), fleettest.Session("$1", "web")),
			[]string{"session_renamed|api|||web|api||", "session_renamed|web|||api|web||"},
		},
		"a pane moves to another session": {
			fleettest.Snapshot(fleettest.Session("$1", "api", bare, second), web),
			fleettest.Snapshot(api, fleettest.Session("$2", "web", fleettest.Pane(0, "%2", nil))),
			[]string{"pane_moved|web|web.0||api.1|web.0||"},
		},
		"a spinner turns": {
			ofAPI(fleettest.Pane(0, "%1", titled("⠂ write tests"))),
			ofAPI(fleettest.Pane(0, "%1", titled("✳ write tests"))),
			[]string{},
		},
		"a title changes behind its spinner": {
			ofAPI(fleettest.Pane(0, "%1", titled("⠂ write tests"))),
			ofAPI(fleettest.Pane(0, "%1", titled("⠐ read code"))),
			[]string{"pane_retitled|api|api.0||write tests|read code||"},
		},
		"an agent is labelled": {
			ofAPI(fleettest.Pane(0, "%1", fleettest.Claude(core.Working))),
			ofAPI(fleettest.Pane(0, "%1", func(p *core.Pane) {
				fleettest.Claude(core.Working)(p)
				p.Agent.Label = "review"
			})),
			[]string{"pane_labelled|api|api.0|cc_1||review||"},
		},
		"a state changes": {
			ofAPI(fleettest.Pane(0, "%1", fleettest.Claude(core.Working))),
			ofAPI(fleettest.Pane(0, "%1", func(p *core.Pane) {
				fleettest.Claude(core.Waiting)(p)
				p.Status.Reason = core.ReasonApproval
			})),
			[]string{"state_changed|api|api.0|cc_1|working|waiting|approval|"},
		},
		"a dialog follows another": {
			ofAPI(fleettest.Pane(0, "%1", asks("ls"))), ofAPI(fleettest.Pane(0, "%1", asks("rm x"))),
			[]string{"state_changed|api|api.0|cc_1|waiting|waiting|approval|asks: rm x"},
		},
		"a dialog is drawn that was told of": {
			ofAPI(fleettest.Pane(0, "%1", asks(""))), ofAPI(fleettest.Pane(0, "%1", asks("rm x"))), []string{},
		},
		"only a note comes": {
			ofAPI(fleettest.Pane(0, "%1", fleettest.Claude(core.Idle))),
			ofAPI(fleettest.Pane(0, "%1", func(p *core.Pane) {
				fleettest.Claude(core.Idle)(p)
				p.Status.Notes = []core.Note{core.NoteDraft, core.NoteQueued}
			})),
			[]string{"state_changed|api|api.0|cc_1|idle|idle||notes: draft, queued"},
		},
		"an agent in a foreign session ends": {
			ofAPI(fleettest.Pane(0, "%1", fleettest.Claude(core.Idle))), ofAPI(bare),
			[]string{"state_changed|api|api.0|cc_1|idle|exited||the pane holds no agent any more"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := Diff(c.before, c.after, fleettest.Dawn)
			if diff := cmp.Diff(c.want, fleettest.EventLines(got)); diff != "" {
				t.Error(diff)
			}
			for _, e := range got {
				if !e.At.Equal(fleettest.Dawn) || e.Revision != 0 {
					t.Errorf("%s at %v with revision %d", e.Type, e.At, e.Revision)
				}
			}
		})
	}
}

// essence is the part of a snapshot that events report.
type essence struct {
	up       bool
	sessions map[string]bool
	panes    map[core.PaneID]paneEssence
}

type paneEssence struct {
	address, window string
	kind            core.Kind
	agent, title    string
	state, reason   string
	notes           string
}

func essenceOf(s *core.Snapshot) essence {
	e := essence{up: s.EngineUp, sessions: map[string]bool{}, panes: map[core.PaneID]paneEssence{}}
	for _, session := range s.Sessions {
		e.sessions[session.Name] = true
		for _, p := range session.Panes {
			reported := paneEssence{
				address: p.Address(), window: string(session.ID) + string(p.Window.ID), title: core.BareTitle(p.Title),
			}
			if p.IsAgent() {
				reported.kind, reported.agent = p.Agent.Kind, p.Agent.Name
				reported.state, reported.reason, reported.notes = string(p.Status.State), string(p.Status.Reason),
					core.Join(p.Status.Notes, ", ")
			} else if p.Status.State == core.Exited {
				reported.state = string(core.Exited) // of a user's own pane, only the end is reported
			}
			e.panes[p.ID] = reported
		}
	}
	return e
}

// apply does to an essence what an event says; panes that open, move or hold
// something else are looked up in the snapshot that came of it.
func (e *essence) apply(event core.Event, renames map[string]string, after essence) {
	pane, now := e.panes[event.PaneID], after.panes[event.PaneID]
	switch event.Type {
	case core.EngineLost:
		e.up = false
		return
	case core.EngineBack:
		e.up = true
		return
	case core.SessionCreated:
		e.sessions[event.Session] = true
		return
	case core.SessionClosed:
		delete(e.sessions, event.Session)
		return
	case core.SessionRenamed:
		renames[event.From] = event.To
		return
	case core.PaneClosed:
		delete(e.panes, event.PaneID)
		return
	case core.PaneOpened:
		pane = now
	case core.PaneMoved:
		pane.address, pane.window = event.To, now.window
	case core.PaneRetitled:
		pane.title = event.To
	case core.AgentFound:
		pane.kind, pane.agent = event.Kind, event.Agent
		pane.state, pane.reason, pane.notes = event.To, string(event.Reason), now.notes
	case core.StateChanged:
		pane.state, pane.reason, pane.notes = event.To, string(event.Reason), now.notes
		if now.kind == "" {
			pane.kind, pane.agent, pane.state, pane.reason = "", "", now.state, now.reason
		}
	}
	e.panes[event.PaneID] = pane
}

// follow gives sessions and their panes the names of one diff, all at once.
func (e *essence) follow(renames map[string]string) {
	renamed := func(name string) string {
		if to, found := renames[name]; found {
			return to
		}
		return name
	}
	names := map[string]bool{}
	for name := range e.sessions {
		names[renamed(name)] = true
	}
	e.sessions = names
	for id, pane := range e.panes {
		name, ordinal, _ := strings.Cut(pane.address, ".")
		pane.address = renamed(name) + "." + ordinal
		e.panes[id] = pane
	}
}

func snapshots(t *rapid.T, label string) *core.Snapshot {
	s := fleettest.Snapshot()
	if !rapid.Bool().Draw(t, label+" up") {
		s.EngineUp = false
		return s
	}
	names := rapid.Permutation([]string{"a", "b", "c", "d"}).Draw(t, label+" names")
	panes := rapid.Permutation([]int{1, 2, 3, 4, 5, 6, 7}).Draw(t, label+" panes")
	for i := range rapid.IntRange(0, 4).Draw(t, label+" sessions") {
		session := fleettest.Session(fmt.Sprintf("$%d", i+1), names[i])
		for j := range min(len(panes), rapid.IntRange(0, 3).Draw(t, label+" count")) {
			session.Panes = append(session.Panes, fleettest.Pane(j, fmt.Sprintf("%%%d", panes[j]), func(p *core.Pane) {
				p.Session = names[i]
				p.Window.ID = core.WindowID(rapid.SampledFrom([]string{"@1", "@2"}).Draw(t, label+" window"))
				p.Title = rapid.SampledFrom([]string{"", "⠂ x", "⠐ x", "✳ y", "y"}).Draw(t, label+" title")
				p.Status.State = rapid.SampledFrom(core.States).Draw(t, label+" state")
				if rapid.Bool().Draw(t, label+" agent") {
					p.Agent.Kind = rapid.SampledFrom([]core.Kind{"claude", "codex"}).Draw(t, label+" kind")
					p.Agent.Name = rapid.SampledFrom([]string{"cc_1", "cc_2"}).Draw(t, label+" name")
				}
				if rapid.Bool().Draw(t, label+" noted") {
					p.Status.Notes = []core.Note{core.NoteDraft}
				}
			}))
		}
		panes = panes[len(session.Panes):]
		s.Sessions = append(s.Sessions, session)
	}
	return s
}

func TestDiffAccountsForEveryDifferenceAndNothingElse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before, after := snapshots(t, "before"), snapshots(t, "after")
		got, want := essenceOf(before), essenceOf(after)
		events := Diff(before, after, fleettest.Dawn)
		renames := map[string]string{}
		for _, e := range events {
			if len(renames) > 0 && e.Type != core.SessionRenamed {
				got.follow(renames)
				clear(renames)
			}
			got.apply(e, renames, want)
		}
		got.follow(renames)
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(essence{}, paneEssence{})); diff != "" {
			t.Fatalf("%s\nafter %q", diff, fleettest.EventLines(events))
		}
		if again := Diff(before, after, fleettest.Dawn); !cmp.Equal(events, again) {
			t.Fatal("a second diff tells something else")
		}
		if none := Diff(after, after, fleettest.Dawn); len(none) > 0 {
			t.Fatalf("equal snapshots differ: %q", fleettest.EventLines(none))
		}
		if (len(events) == 0) != cmp.Equal(essenceOf(before), want, cmp.AllowUnexported(essence{}, paneEssence{})) {
			t.Fatalf("%d events", len(events))
		}
	})
}

func TestDiffIsBlindToTheWayThroughJSON(t *testing.T) {
	before := ofAPI(fleettest.Pane(0, "%1", titled("caf\xff\xfe")))
	if got := Diff(throughJSON(t, before), before, fleettest.Dawn); len(got) > 0 {
		t.Errorf("%q", fleettest.EventLines(got))
	}
}

// throughJSON returns a snapshot after encoding and decoding, as another process gets it.
func throughJSON(t testing.TB, snapshot *core.Snapshot) *core.Snapshot {
	t.Helper()
	line, err := json.Marshal(snapshot)
	if err != nil {
		t.Fatal(err)
	}
	var other core.Snapshot
	if err := json.Unmarshal(line, &other); err != nil {
		t.Fatal(err)
	}
	return &other
}
