package rundir

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/system/plainfile"
	"cupola/core/system/textfile"
)

// lookedAt is the file of the agents that servers held when they were last looked at.
type lookedAt struct {
	At time.Time `json:"at"`
	// Engines are the names of agents by engine and session.
	Engines map[string]map[string][]string `json:"engines"`
}

// tagged is how an agent is recognised that Cupola started or adopted.
const tagged = "tag"

// NoteAgents records which agents a snapshot holds, so that LostAgents can tell what was lost with a server. Agents of
// an engine without sessions stay as they were recorded.
func (d *Dir) NoteAgents(ctx context.Context, snapshot *core.Snapshot) {
	files := d.Found(ctx)
	if files.None() || !snapshot.EngineUp {
		return
	}
	before := readLooked(files.Agents)
	now := map[string]map[string][]string{}
	maps.Copy(now, before.Engines)
	for i := range snapshot.Sessions {
		delete(now, snapshot.Sessions[i].Engine)
	}
	for i := range snapshot.Sessions {
		session := &snapshot.Sessions[i]
		for j := range session.Panes {
			pane := &session.Panes[j]
			if !pane.IsAgent() || pane.Agent.Recognised != tagged || pane.Process.Dead {
				continue
			}
			if now[session.Engine] == nil {
				now[session.Engine] = map[string][]string{}
			}
			now[session.Engine][session.Name] = append(now[session.Engine][session.Name], pane.Agent.Name)
		}
	}
	d.saveLooked(files, before, lookedAt{snapshot.Taken, now})
}

// ForgetSession removes a session that is ended on purpose from what was recorded.
func (d *Dir) ForgetSession(ctx context.Context, session *core.Session) {
	files := d.Found(ctx)
	if files.None() {
		return
	}
	before := readLooked(files.Agents)
	after := lookedAt{before.At, maps.Clone(before.Engines)}
	if of := after.Engines[session.Engine]; of[session.Name] != nil {
		after.Engines[session.Engine] = maps.Clone(of)
		delete(after.Engines[session.Engine], session.Name)
		d.saveLooked(files, before, after)
	}
}

func (d *Dir) saveLooked(files Files, before, after lookedAt) {
	same := func(a, b map[string][]string) bool { return maps.EqualFunc(a, b, slices.Equal[[]string]) }
	if maps.EqualFunc(before.Engines, after.Engines, same) {
		return
	}
	err := files.Prepare()
	if err == nil {
		err = textfile.WriteJSON(files.Agents, after)
	}
	if err != nil {
		d.log.Debug("which agents run cannot be kept for the next call", "error", err)
	}
}

// LostAgents says which agents were recorded of an engine that has no session in a snapshot, and when they were last
// seen; empty if none are lost.
func (d *Dir) LostAgents(ctx context.Context, snapshot *core.Snapshot) (lost string, seen time.Time) {
	files := d.Found(ctx)
	if files.None() || !snapshot.SilentSince.IsZero() {
		return "", time.Time{}
	}
	looked := readLooked(files.Agents)
	for i := range snapshot.Sessions {
		delete(looked.Engines, snapshot.Sessions[i].Engine)
	}
	count := 0
	var sessions []string
	for _, engine := range slices.Sorted(maps.Keys(looked.Engines)) {
		for _, name := range slices.Sorted(maps.Keys(looked.Engines[engine])) {
			agents := looked.Engines[engine][name]
			count += len(agents)
			sessions = append(sessions, fmt.Sprintf("%s (%s)", name, strings.Join(agents, ", ")))
		}
	}
	switch count {
	case 0:
		return "", time.Time{}
	case 1:
		return "the terminal server is gone, and with it an agent: " + sessions[0], looked.At
	}
	return fmt.Sprintf("the terminal server is gone, and with it %d agents: %s", count, strings.Join(sessions, ", ")),
		looked.At
}

// readLooked reads what was recorded; nothing if that cannot be read.
func readLooked(path string) (looked lookedAt) {
	text, err := plainfile.Read(path, plainfile.Text)
	if err == nil {
		err = json.Unmarshal(text, &looked)
	}
	if err != nil {
		return lookedAt{}
	}
	return looked
}
