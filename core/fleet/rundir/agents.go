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
	"cupola/core/engine"
	"cupola/core/system/plainfile"
	"cupola/core/system/textfile"
)

// lookedAt is the file of the agents that servers held when they were last looked at.
type lookedAt struct {
	At time.Time `json:"at"`
	// Engines are the names of agents by engine and session.
	Engines map[string]map[string][]string `json:"engines"`
	// Missed is true once agents of a tmux were found lost.
	Missed bool `json:"missed,omitempty"`
}

// tagged is the Recognised of an agent that Cupola started or adopted.
const tagged = "tag"

// NoteAgents records which agents a snapshot holds, so that LostAgents can tell what was lost with a server. Agents of
// an engine without sessions stay as they were recorded.
func (d *Dir) NoteAgents(ctx context.Context, snapshot *core.Snapshot) {
	files := d.Found(ctx)
	if files.None() || !snapshot.EngineUp {
		return
	}
	before := files.looked()
	now := map[string]map[string][]string{}
	maps.Copy(now, before.Engines)
	for i := range snapshot.Sessions {
		delete(now, snapshot.Sessions[i].Engine)
	}
	for i := range snapshot.Sessions {
		session := &snapshot.Sessions[i]
		for j := range session.Panes {
			pane := &session.Panes[j]
			if !pane.IsAgent() || pane.Agent.Recognised != tagged || pane.Process.Dead ||
				pane.Status.State == core.Exited {
				continue
			}
			if now[session.Engine] == nil {
				now[session.Engine] = map[string][]string{}
			}
			now[session.Engine][session.Name] = append(now[session.Engine][session.Name], pane.Agent.Name)
		}
	}
	after := lookedAt{At: snapshot.Taken, Engines: now}
	ofTmux := func(s core.Session) bool { return s.Engine == core.TmuxEngine }
	if !slices.ContainsFunc(snapshot.Sessions, ofTmux) && len(now[core.TmuxEngine]) > 0 {
		after.At, after.Missed = before.At, before.Missed // those that are lost were not seen
	} else if before.Missed || slices.ContainsFunc(snapshot.Sessions,
		func(s core.Session) bool { return s.Created.After(before.At) }) {
		before.Engines = nil // another server may hold the same names
	}
	d.saveLooked(files, before, after)
}

// ForgetSession removes a session that is ended on purpose from what was recorded.
func (d *Dir) ForgetSession(ctx context.Context, session *core.Session) {
	files := d.Found(ctx)
	if files.None() {
		return
	}
	before := files.looked()
	after := lookedAt{At: before.At, Engines: maps.Clone(before.Engines), Missed: before.Missed}
	if of := after.Engines[session.Engine]; of[session.Name] != nil {
		after.Engines[session.Engine] = maps.Clone(of)
		delete(after.Engines[session.Engine], session.Name)
		d.saveLooked(files, before, after)
	}
}

// NoteEnds has the engine's server note that it ends because its last session did: then nothing is lost.
func (d *Dir) NoteEnds(ctx context.Context, server engine.Engine) {
	files := d.Found(ctx)
	noter, is := server.(engine.EndNoter)
	if !is || files.None() {
		return
	}
	err := files.Prepare()
	if err == nil {
		err = noter.NoteEnd(ctx, files.ended)
	}
	if err != nil {
		d.log.Debug("the end of the last session will not be noted", "error", err)
	}
}

func (d *Dir) saveLooked(files Files, before, after lookedAt) {
	same := func(a, b map[string][]string) bool { return maps.EqualFunc(a, b, slices.Equal[[]string]) }
	if maps.EqualFunc(before.Engines, after.Engines, same) {
		return
	}
	d.write(files, after)
}

func (d *Dir) write(files Files, looked lookedAt) {
	err := files.Prepare()
	if err == nil {
		err = textfile.WriteJSON(files.Agents, looked)
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
	looked := files.looked()
	for i := range snapshot.Sessions {
		delete(looked.Engines, snapshot.Sessions[i].Engine)
	}
	if len(looked.Engines[core.TmuxEngine]) > 0 && !looked.Missed {
		if files.waitEnded(ctx, looked.At) {
			delete(looked.Engines, core.TmuxEngine)
		} else if missed := files.looked(); ctx.Err() == nil && missed.At.Equal(looked.At) {
			missed.Missed = true
			d.write(files, missed)
		}
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

// looked reads what was recorded, without the agents of a tmux whose last session ended since; nothing if that cannot
// be read.
func (s Files) looked() (looked lookedAt) {
	text, err := plainfile.Read(s.Agents, plainfile.Text)
	if err == nil {
		err = json.Unmarshal(text, &looked)
	}
	if err != nil {
		return lookedAt{}
	}
	if s.endedSince(looked.At) {
		delete(looked.Engines, core.TmuxEngine)
	}
	return looked
}
