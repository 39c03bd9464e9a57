package fleet_test

import (
	"strconv"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/fleet/fleettest"
	"cupola/core/fleet/observe"
	"cupola/core/fleet/panetag"
)

// agentPane is a pane of a scripted agent with some more tags.
func agentPane(command string, tags ...string) engine.Pane {
	return fleettest.Row("$1", "%1", command,
		append([]string{engine.TagKind, "scripted", engine.TagName, "scr_1"}, tags...)...)
}

// deadPane is a pane whose agent ended a minute before noon.
func deadPane(process core.Process) engine.Pane {
	pane := agentPane("")
	process.Dead, process.DiedAt = true, fleettest.Noon.Add(-time.Minute)
	pane.Process = process
	return pane
}

// startedAgo is the tag of an agent that started so long before noon.
func startedAgo(ago time.Duration) string {
	return strconv.FormatInt(fleettest.Noon.Add(-ago).UnixMilli(), 10)
}

// paneStatuses are panes with the states that they have.
var paneStatuses = map[string]struct {
	pane   engine.Pane
	screen []string
	state  core.State
	reason core.Reason
	since  time.Time
}{
	"ended with 0": {
		pane: deadPane(core.Process{}), state: core.Exited,
		reason: core.ReasonFinished, since: fleettest.Noon.Add(-time.Minute),
	},
	"ended with 3": {
		pane: deadPane(core.Process{ExitStatus: 3}), state: core.Exited,
		reason: core.ReasonFailed, since: fleettest.Noon.Add(-time.Minute),
	},
	"ended by a signal": {
		pane: deadPane(core.Process{Signal: 9}), state: core.Exited,
		reason: core.ReasonKilled, since: fleettest.Noon.Add(-time.Minute),
	},
	"ended, status not known yet": {pane: engine.Pane{
		ID: "%1", Session: "$1",
		Process: core.Process{Dead: true},
	}, state: core.Exited},
	"a shell is left": {pane: agentPane("bash"), state: core.Exited, reason: core.ReasonFinished},
	"a login shell is left": {
		pane:  agentPane("-zsh", engine.TagStarted, startedAgo(time.Second)),
		state: core.Exited, reason: core.ReasonFinished,
	},
	"no prompt yet": {
		pane:   agentPane("cupola", engine.TagStarted, startedAgo(2*time.Second)),
		screen: fleettest.BlankScreen, state: core.Starting, since: fleettest.Noon.Add(-2 * time.Second),
	},
	"the prompt is drawn": {
		pane:   agentPane("cupola", engine.TagStarted, startedAgo(2*time.Second)),
		screen: fleettest.ReadyScreen, state: core.Idle,
	},
	"no prompt long after the start": {
		pane:   agentPane("cupola", engine.TagStarted, startedAgo(time.Hour)),
		screen: fleettest.BlankScreen, state: core.Unknown,
	},
	"adopted, so never starting": {
		pane: agentPane("cupola"), screen: fleettest.BlankScreen,
		state: core.Unknown,
	},
	"gone between the questions": {
		pane:  agentPane("cupola", engine.TagStarted, startedAgo(time.Second)),
		state: core.Unknown,
	},
	"a user's shell": {
		pane:  fleettest.Row("$1", "%1", "bash", engine.TagRole, panetag.RoleUser),
		state: core.Idle,
	},
	"a user's editor": {
		pane:  fleettest.Row("$1", "%1", "vim", engine.TagRole, panetag.RoleUser),
		state: core.Working,
	},
	"a command that asks": {
		pane:   fleettest.Row("$1", "%1", "rsync", engine.TagKind, "command"),
		screen: []string{"Overwrite it? [y/N] ", "", ""}, state: core.Waiting, reason: core.ReasonQuestion,
	},
	"a command of which nothing tells": {
		pane:   fleettest.Row("$1", "%1", "make", engine.TagKind, "command"),
		screen: []string{"cc -c a.c", "", ""}, state: core.Unknown,
	},
	"an unknown kind at its prompt": {
		pane:   fleettest.Row("$1", "%1", "mine", engine.TagKind, "forgotten"),
		screen: []string{"mine> ", "", ""}, state: core.Idle,
	},
	"an adopted program with a choice": {
		pane:   fleettest.Row("$1", "%1", "node", engine.TagKind, "generic"),
		screen: []string{"Which one?", "❯ 1. This", "  2. That"}, state: core.Waiting, reason: core.ReasonQuestion,
	},
	"a command that is a shell": {pane: fleettest.Row("$1", "%1", "bash", engine.TagKind,
		string(core.KindCommand)), state: core.Unknown},
	"a kind that is no longer known": {
		pane:  fleettest.Row("$1", "%1", "bash", engine.TagKind, "forgotten"),
		state: core.Unknown,
	},
	"a user's shell that ended": {
		pane: engine.Pane{
			ID: "%1", Session: "$1",
			Process: core.Process{Dead: true, DiedAt: fleettest.Noon.Add(-time.Minute)},
		}, state: core.Exited, reason: core.ReasonFinished,
		since: fleettest.Noon.Add(-time.Minute),
	},
	"an agent in a user's shell": {pane: fleettest.Row("$1", "%1", "claude"), state: core.Unknown},
}

func TestStatusOfAPane(t *testing.T) {
	t.Parallel()
	for name, c := range paneStatuses {
		t.Run(name, func(t *testing.T) {
			p := &fleettest.Engine{Listing: engine.Listing{
				Taken:    fleettest.Noon,
				Sessions: []engine.Session{{ID: "$1", Name: "api"}}, Panes: []engine.Pane{c.pane},
			}}
			if c.screen != nil {
				p.Screens = map[core.PaneID][]string{"%1": c.screen}
			}
			snapshot, err := openFake(t, p).Overview.Snapshot(t.Context(), observe.View{})
			if err != nil {
				t.Fatal(err)
			}
			got := snapshot.Panes()[0].Status
			if got.State != c.state || got.Reason != c.reason || !got.Since.Equal(c.since) || len(got.Evidence) == 0 {
				t.Errorf("status = %+v, want %s/%s since %v with evidence", got, c.state, c.reason, c.since)
			}
		})
	}
}
