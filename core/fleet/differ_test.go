package fleet

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"cupola/core"
)

var dawn = time.Date(2026, 1, 2, 6, 0, 0, 0, time.UTC)

// aPane makes a pane from ordinal, id and what a test changes in it.
func aPane(ordinal int, id string, change func(*core.Pane)) core.Pane {
	p := core.Pane{ID: core.PaneID(id), Ordinal: ordinal, Window: core.Window{ID: core.WindowID("@" + id[1:])}, Status: core.Status{State: core.Unknown}}
	if change != nil {
		change(&p)
	}
	return p
}

func aSession(id, name string, panes ...core.Pane) core.Session {
	for i := range panes {
		panes[i].Session = name
	}
	return core.Session{ID: core.SessionID(id), Name: name, Created: dawn, Panes: panes}
}

func aPicture(sessions ...core.Session) *core.Snapshot {
	return &core.Snapshot{EngineUp: true, Sessions: sessions, Alerts: []core.Alert{}}
}

func claude(state core.State) func(*core.Pane) {
	return func(p *core.Pane) {
		p.Agent = core.Agent{Name: "cc_1", Kind: "claude"}
		p.Status.State = state
	}
}

func titled(title string) func(*core.Pane) { return func(p *core.Pane) { p.Title = title } }

// told writes events as short as they can be compared.
func told(events []core.Event) []string {
	lines := []string{}
	for _, e := range events {
		line := string(e.Type)
		for _, field := range []string{e.Session, e.Pane, e.Agent, e.From, e.To, string(e.Reason), e.Message} {
			line += "|" + field
		}
		lines = append(lines, line)
	}
	return lines
}

// asks makes a pane one whose agent waits for an approval.
func asks(what string) func(*core.Pane) {
	return func(p *core.Pane) {
		claude(core.Waiting)(p)
		p.Status.Reason, p.Status.Asks = core.ReasonApproval, what
	}
}

func TestDiffTellsWhatChanged(t *testing.T) {
	later := aSession("$1", "api", aPane(0, "%1", nil))
	later.Created = dawn.Add(time.Hour)
	for name, c := range map[string]struct {
		before, after *core.Snapshot
		want          []string
	}{
		"nothing known, nothing there": {nil, &core.Snapshot{}, []string{}},
		"a server appears": {nil, aPicture(aSession("$1", "api", aPane(0, "%1", nil), aPane(1, "%2", claude(core.Starting)))), []string{
			"engine_back|||||||",
			"session_created|api||||||",
			"pane_opened|api|api.0|||unknown||",
			"pane_opened|api|api.1|cc_1||starting||",
			"agent_found|api|api.1|cc_1||starting||",
		}},
		"a server goes": {aPicture(aSession("$1", "api", aPane(0, "%1", nil))), &core.Snapshot{}, []string{
			"engine_lost|||||||", "pane_closed|api|api.0|||||", "session_closed|api||||||",
		}},
		"another server under the same ids": {aPicture(aSession("$1", "api", aPane(0, "%1", nil))), aPicture(later), []string{
			"engine_lost|||||||another server took its place",
			"pane_closed|api|api.0|||||", "session_closed|api||||||", "engine_back|||||||",
			"session_created|api||||||", "pane_opened|api|api.0|||unknown||",
		}},
		"a session renamed is not a session closed": {
			aPicture(aSession("$1", "api", aPane(0, "%1", nil))), aPicture(aSession("$1", "web", aPane(0, "%1", nil))),
			[]string{"session_renamed|web|||api|web||"},
		},
		"two sessions swap their names": {
			aPicture(aSession("$1", "api"), aSession("$2", "web")), aPicture(aSession("$2", "api"), aSession("$1", "web")),
			[]string{"session_renamed|api|||web|api||", "session_renamed|web|||api|web||"},
		},
		"a pane moves to another session": {
			aPicture(aSession("$1", "api", aPane(0, "%1", nil), aPane(1, "%2", nil)), aSession("$2", "web")),
			aPicture(aSession("$1", "api", aPane(0, "%1", nil)), aSession("$2", "web", aPane(0, "%2", nil))),
			[]string{"pane_moved|web|web.0||api.1|web.0||"},
		},
		"a spinner turns": {
			aPicture(aSession("$1", "api", aPane(0, "%1", titled("⠂ write tests")))),
			aPicture(aSession("$1", "api", aPane(0, "%1", titled("✳ write tests")))),
			[]string{},
		},
		"a title changes behind its spinner": {
			aPicture(aSession("$1", "api", aPane(0, "%1", titled("⠂ write tests")))),
			aPicture(aSession("$1", "api", aPane(0, "%1", titled("⠐ read code")))),
			[]string{"pane_retitled|api|api.0||write tests|read code||"},
		},
		"a state changes": {
			aPicture(aSession("$1", "api", aPane(0, "%1", claude(core.Working)))),
			aPicture(aSession("$1", "api", aPane(0, "%1", func(p *core.Pane) {
				claude(core.Waiting)(p)
				p.Status.Reason = core.ReasonApproval
			}))),
			[]string{"state_changed|api|api.0|cc_1|working|waiting|approval|"},
		},
		"a dialog follows another": {
			aPicture(aSession("$1", "api", aPane(0, "%1", asks("ls")))), aPicture(aSession("$1", "api", aPane(0, "%1", asks("rm x")))),
			[]string{"state_changed|api|api.0|cc_1|waiting|waiting|approval|asks: rm x"},
		},
		"a dialog is drawn that was told of": {
			aPicture(aSession("$1", "api", aPane(0, "%1", asks("")))), aPicture(aSession("$1", "api", aPane(0, "%1", asks("rm x")))), []string{},
		},
		"only a note comes": {
			aPicture(aSession("$1", "api", aPane(0, "%1", claude(core.Idle)))),
			aPicture(aSession("$1", "api", aPane(0, "%1", func(p *core.Pane) {
				claude(core.Idle)(p)
				p.Status.Notes = []core.Note{core.NoteDraft, core.NoteQueued}
			}))),
			[]string{"state_changed|api|api.0|cc_1|idle|idle||notes: draft, queued"},
		},
		"an agent of somebody else's ends": {
			aPicture(aSession("$1", "api", aPane(0, "%1", claude(core.Idle)))), aPicture(aSession("$1", "api", aPane(0, "%1", nil))),
			[]string{"state_changed|api|api.0|cc_1|idle|exited||the pane holds no agent any more"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := Diff(c.before, c.after, dawn)
			if diff := cmp.Diff(c.want, told(got)); diff != "" {
				t.Error(diff)
			}
			for _, e := range got {
				if !e.At.Equal(dawn) || e.Revision != 0 {
					t.Errorf("%s at %v with revision %d", e.Type, e.At, e.Revision)
				}
			}
		})
	}
}

// essence is what events account for of a picture.
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
			told := paneEssence{address: p.Address(), window: string(session.ID) + string(p.Window.ID), title: bareTitle(p.Title)}
			if p.IsAgent() {
				told.kind, told.agent = p.Agent.Kind, p.Agent.Name
				told.state, told.reason, told.notes = string(p.Status.State), string(p.Status.Reason), joinNotes(p.Status.Notes)
			} else if p.Status.State == core.Exited {
				told.state = string(core.Exited) // of a user's own pane, only its end is told
			}
			e.panes[p.ID] = told
		}
	}
	return e
}

// apply does to an essence what an event says; panes that open, move or hold
// something else are looked up in the picture that came of it.
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
		pane.kind, pane.agent, pane.state, pane.reason, pane.notes = event.Kind, event.Agent, event.To, string(event.Reason), now.notes
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

func pictures(t *rapid.T, label string) *core.Snapshot {
	s := aPicture()
	if !rapid.Bool().Draw(t, label+" up") {
		s.EngineUp = false
		return s
	}
	names := rapid.Permutation([]string{"a", "b", "c", "d"}).Draw(t, label+" names")
	panes := rapid.Permutation([]int{1, 2, 3, 4, 5, 6, 7}).Draw(t, label+" panes")
	for i := range rapid.IntRange(0, 4).Draw(t, label+" sessions") {
		session := aSession(fmt.Sprintf("$%d", i+1), names[i])
		for j := range min(len(panes), rapid.IntRange(0, 3).Draw(t, label+" count")) {
			session.Panes = append(session.Panes, aPane(j, fmt.Sprintf("%%%d", panes[j]), func(p *core.Pane) {
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
		before, after := pictures(t, "before"), pictures(t, "after")
		got, want := essenceOf(before), essenceOf(after)
		events := Diff(before, after, dawn)
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
			t.Fatalf("%s\nafter %q", diff, told(events))
		}
		if again := Diff(before, after, dawn); !cmp.Equal(events, again) {
			t.Fatal("a second diff tells something else")
		}
		if none := Diff(after, after, dawn); len(none) > 0 {
			t.Fatalf("equal pictures differ: %q", told(none))
		}
		if (len(events) == 0) != cmp.Equal(essenceOf(before), want, cmp.AllowUnexported(essence{}, paneEssence{})) {
			t.Fatalf("%d events", len(events))
		}
	})
}

func TestDiffIsBlindToTheWayThroughJSON(t *testing.T) {
	before := aPicture(aSession("$1", "api", aPane(0, "%1", titled("caf\xff\xfe"))))
	if got := Diff(throughJSON(t, before), before, dawn); len(got) > 0 {
		t.Errorf("%q", told(got))
	}
}
