package rundir

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/config/recipe"
	"cupola/core/engine"
	"cupola/core/system/plainfile"
	"cupola/core/system/private"
	"cupola/core/system/textfile"
)

// Recording are the settings of the record of running sessions. The zero value records all of them, without texts.
type Recording struct {
	// Off records nothing.
	Off bool
	// Lines is how many lines of the text of each shell are recorded.
	Lines int
}

// RanSession is a session as it was seen last: what is needed to start it again.
type RanSession struct {
	// Name is the name in its engine, Engine the name of that.
	Name    string         `json:"name"`
	Engine  string         `json:"engine"`
	ID      core.SessionID `json:"id"`
	Created time.Time      `json:"created_at"`
	Dir     string         `json:"dir"`
	// Seen is when its server was seen last.
	Seen  time.Time `json:"seen_at"`
	Panes []RanPane `json:"panes"`
	// There is true if the session is there, with its panes, whose programs were killed together with their server.
	There bool `json:"-"`
}

// RanPane is a pane of a RanSession.
type RanPane struct {
	ID      core.PaneID `json:"id"`
	Ordinal int         `json:"ordinal"`
	Window  core.Window `json:"window"`
	// Layout is as in engine.Pane.
	Layout string     `json:"layout,omitempty"`
	Agent  core.Agent `json:"agent"`
	PID    int        `json:"pid"`
	Dir    string     `json:"dir"`
	// Launched is the id of the session that the agent was started with, Named the one that it named last, at
	// NamedAt; empty if unknown.
	Launched string    `json:"launched,omitempty"`
	Named    string    `json:"named,omitempty"`
	NamedAt  time.Time `json:"named_at,omitzero"`
	// Home holds the variables that say where the agent's files are, as a tag has them.
	Home string `json:"home,omitempty"`
	// Environment is the environment that it was started with, without the values of credentials.
	Environment recipe.Environment `json:"environment,omitzero"`
	// Settled is true once Home and Environment need not be determined again.
	Settled bool `json:"settled,omitempty"`
}

// Agents counts the agents of a session.
func (s *RanSession) Agents() (n int) {
	for i := range s.Panes {
		if s.Panes[i].Agent.Kind.IsAgent() {
			n++
		}
	}
	return n
}

// AgentsUntil counts the agents of sessions that ran, and returns when the last of the sessions was seen.
func AgentsUntil(ran []RanSession) (agents int, until time.Time) {
	for i := range ran {
		if agents += ran[i].Agents(); ran[i].Seen.After(until) {
			until = ran[i].Seen
		}
	}
	return agents, until
}

// same reports whether both are one session of one server.
func (s *RanSession) same(id core.SessionID, created time.Time) bool {
	return s.ID == id && s.Created.Equal(created)
}

// held are the facts by which a terminal server is known again.
type held struct {
	// Process identifies the server's process; empty if it is not known, or can change while the server stays.
	Process string `json:"process,omitempty"`
	// Sessions identify its sessions, also those that are not recorded.
	Sessions []string `json:"sessions"`
}

// add adds a session.
func (h *held) add(session *core.Session) {
	h.Sessions = append(h.Sessions, fmt.Sprintf("%s %d", session.ID, session.Created.UnixNano()))
}

// same reports whether both are of one server.
func (h *held) same(other held) bool {
	if h.Process != "" && other.Process != "" {
		return h.Process == other.Process
	}
	return slices.ContainsFunc(h.Sessions, func(s string) bool { return slices.Contains(other.Sessions, s) })
}

// lostMost bounds how many lost sessions are kept, and lostFor how long.
const (
	lostMost = 100
	lostFor  = 30 * 24 * time.Hour
)

// lookedAt is the file of what servers held when they were last looked at.
type lookedAt struct {
	At time.Time `json:"at"`
	// Engines are the sessions by engine and name.
	Engines map[string]map[string]RanSession `json:"engines"`
	// Servers are the servers by engine.
	Servers map[string]held `json:"servers,omitempty"`
	// Lost are sessions of servers that others replaced, and that were not ended on purpose.
	Lost []RanSession `json:"lost,omitempty"`
	// Missed is true once agents of a tmux were found lost.
	Missed bool `json:"missed,omitempty"`
}

// tagged is the Recognised of an agent that Cupola started or adopted.
const tagged = "tag"

// Records reports whether a session is recorded: Cupola made it, or started something in it.
func Records(session *core.Session) bool {
	return !session.NoRecord && (!session.Foreign || slices.ContainsFunc(session.Panes,
		func(p core.Pane) bool { return p.Agent.Recognised == tagged }))
}

// over reports whether what ran in a pane has ended by itself or as its user wished.
func over(pane *core.Pane) bool {
	return (pane.Process.Dead || pane.Status.State == core.Exited) && pane.Process.Signal == 0 && !pane.Process.Lost
}

// Describe returns the facts of a pane beside those of a snapshot.
type Describe func(pane *core.Pane, former *RanPane) RanPane

// Note records what a snapshot holds, so that it can be started again after its server is lost. Sessions of an engine
// without any stay as they were recorded. describe returns a pane's facts, and gets those of its former record, nil
// without one, from which zero facts are taken. processes identify the servers' processes, by engine, where these are
// known and do not change.
func (d *Dir) Note(ctx context.Context, snapshot *core.Snapshot, processes map[string]string, describe Describe) {
	files := d.Found(ctx)
	if files.None() || !snapshot.EngineUp || !snapshot.SilentSince.IsZero() {
		return
	}
	d.change(ctx, files, func(before *lookedAt) *lookedAt { return before.next(snapshot, processes, describe) })
}

// change replaces the record with what next makes of it, which is called again once other processes are kept from
// changing it; nil leaves it as it is.
func (d *Dir) change(ctx context.Context, files Files, next func(before *lookedAt) *lookedAt) {
	before := files.looked()
	if next(&before) == nil {
		return
	}
	release, err := d.lockAll(ctx, filepath.Base(files.Running)+".lock", "recording what runs", recordHeldWait)
	if err != nil {
		d.log.Debug("what runs is not recorded", "error", err)
		return
	}
	defer release()
	before = files.looked()
	if after := next(&before); after != nil {
		d.write(files, after)
	}
}

// recordHeldWait is how long another process is waited for that changes the record of what runs.
const recordHeldWait = 5 * time.Second

// next returns the record after a snapshot; nil if the one before can stay.
func (l *lookedAt) next(
	snapshot *core.Snapshot, processes map[string]string, describe Describe,
) *lookedAt {
	if snapshot.Taken.Before(l.At) {
		return nil // another process has seen more since
	}
	before := *l
	after := lookedAt{
		At: snapshot.Taken, Engines: map[string]map[string]RanSession{}, Servers: map[string]held{}, Lost: before.Lost,
	}
	maps.Copy(after.Engines, before.Engines)
	maps.Copy(after.Servers, before.Servers)
	for i := range snapshot.Sessions {
		delete(after.Engines, snapshot.Sessions[i].Engine)
		delete(after.Servers, snapshot.Sessions[i].Engine)
	}
	for i := range snapshot.Sessions {
		session := &snapshot.Sessions[i]
		server := after.Servers[session.Engine]
		server.Process = processes[session.Engine]
		server.add(session)
		after.Servers[session.Engine] = server
		if !Records(session) {
			continue
		}
		former := before.Engines[session.Engine][session.Bare()]
		if after.Engines[session.Engine] == nil {
			after.Engines[session.Engine] = map[string]RanSession{}
		}
		after.Engines[session.Engine][session.Bare()] = ranOf(session, &former, snapshot.Taken, describe)
	}
	after.lose(l)
	ofTmux := func(s core.Session) bool { return s.Engine == core.TmuxEngine }
	if !slices.ContainsFunc(snapshot.Sessions, ofTmux) && len(after.Engines[core.TmuxEngine]) > 0 {
		after.At, after.Missed = before.At, before.Missed // those that are lost were not seen
	} else if before.Missed || slices.ContainsFunc(snapshot.Sessions,
		func(s core.Session) bool { return s.Created.After(before.At) }) {
		before.Engines = nil // another server may hold the same names
	}
	if after.differs(&before) {
		return &after
	}
	return nil
}

// ranOf records a session.
func ranOf(session *core.Session, former *RanSession, taken time.Time, describe Describe) RanSession {
	ran := RanSession{
		Name: session.Bare(), Engine: session.Engine, ID: session.ID, Created: session.Created, Dir: session.Dir,
		Seen: taken,
	}
	for i := range session.Panes {
		pane := &session.Panes[i]
		if over(pane) {
			continue
		}
		before := former.pane(session, pane)
		now := describe(pane, before)
		now.ID, now.Ordinal, now.Window, now.Agent = pane.ID, pane.Ordinal, pane.Window, pane.Agent
		if before != nil && now.Window.ID == "" { // brief snapshots leave it out
			now.Window, now.Layout = before.Window, before.Layout
		}
		now.PID, now.Agent.Missed, now.Agent.Signs, now.Agent.Confidence = pane.Process.PID, time.Time{}, nil, 0
		if before != nil {
			now.keep(before)
		}
		ran.Panes = append(ran.Panes, now)
	}
	return ran
}

// pane returns the former record of a pane; nil if there is none, or if it is of another program.
func (s *RanSession) pane(session *core.Session, pane *core.Pane) *RanPane {
	at := slices.IndexFunc(s.Panes, func(p RanPane) bool { return p.ID == pane.ID && p.PID == pane.Process.PID })
	if at < 0 || !s.same(session.ID, session.Created) {
		return nil
	}
	return &s.Panes[at]
}

// keep takes from a former record what is not known now.
func (p *RanPane) keep(former *RanPane) {
	p.Dir, p.Home = cmp.Or(p.Dir, former.Dir), cmp.Or(p.Home, former.Home)
	p.Launched = cmp.Or(p.Launched, former.Launched)
	if p.Named == "" {
		p.Named, p.NamedAt = former.Named, former.NamedAt
	}
	if p.Settled && former.Settled {
		p.Environment = former.Environment
	}
}

// Environment is the part of a pane's environment file that records on disk may hold.
type Environment struct {
	// PID is the process that the pane was started with.
	PID int `json:"pid"`
	// Record is the environment without the values of credentials.
	Record recipe.Environment `json:"record"`
}

// EnvironmentPath returns the environment file of a pane; empty if there is no directory for it.
func (s Files) EnvironmentPath(pane core.PaneID) string {
	if s.Environs == "" || pane == "" {
		return ""
	}
	return filepath.Join(s.Environs, strings.TrimPrefix(string(pane), "%"))
}

// StartedWith returns the environment that Cupola started the process of a pane with, without the values of
// credentials; known is false if Cupola did not start it, or no longer knows.
func (d *Dir) StartedWith(ctx context.Context, pane core.PaneID, pid int) (started recipe.Environment, known bool) {
	path := d.Found(ctx).EnvironmentPath(pane)
	if path == "" {
		return started, false
	}
	var kept Environment
	text, err := plainfile.Read(path, plainfile.Text)
	if err != nil || json.Unmarshal(text, &kept) != nil || kept.PID != pid {
		return started, false
	}
	return kept.Record, true
}

// lose adds the sessions of servers that were replaced since they were recorded. Where the same server has other
// sessions, those that are gone were ended on purpose.
func (l *lookedAt) lose(before *lookedAt) {
	l.Lost = slices.DeleteFunc(slices.Clone(l.Lost),
		func(s RanSession) bool { return l.At.Sub(s.Seen) > lostFor })
	for engine, sessions := range before.Engines {
		server := before.Servers[engine]
		if server.same(l.Servers[engine]) {
			continue // it still runs, or nothing was seen of its engine
		}
		for _, name := range slices.Sorted(maps.Keys(sessions)) {
			gone := sessions[name]
			l.Lost = slices.DeleteFunc(l.Lost,
				func(s RanSession) bool { return s.Name == gone.Name && s.Engine == gone.Engine })
			l.Lost = append(l.Lost, gone)
		}
	}
	l.Lost = l.Lost[max(0, len(l.Lost)-lostMost):]
}

// present reports whether an engine has a session in a snapshot.
func present(snapshot *core.Snapshot, engine string) bool {
	return slices.ContainsFunc(snapshot.Sessions, func(s core.Session) bool { return s.Engine == engine })
}

// killedWithServer returns the panes of a snapshot whose programs were killed together with their server.
func (l *lookedAt) killedWithServer(snapshot *core.Snapshot) (sessions []RanSession) {
	for i := range snapshot.Sessions {
		session := &snapshot.Sessions[i]
		ran := RanSession{
			Name: session.Bare(), Engine: session.Engine, ID: session.ID, Created: session.Created, Dir: session.Dir,
			There: true,
		}
		for j := range session.Panes {
			pane := &session.Panes[j]
			if !pane.Process.Lost {
				continue
			}
			if pane.Process.DiedAt.After(ran.Seen) {
				ran.Seen = pane.Process.DiedAt
			}
			was := RanPane{Agent: pane.Agent, Dir: pane.Process.Dir}
			former := l.Engines[session.Engine][session.Bare()]
			if recorded := former.pane(session, pane); recorded != nil {
				was = *recorded
			}
			was.ID, was.Ordinal, was.Window, was.PID = pane.ID, pane.Ordinal, pane.Window, pane.Process.PID
			ran.Panes = append(ran.Panes, was)
		}
		if len(ran.Panes) > 0 && Records(session) {
			sessions = append(sessions, ran)
		}
	}
	return sessions
}

// Ran returns the sessions that ran until their terminal server ended, and were not ended on purpose: those that are
// not in a snapshot, and what was killed of those that are.
func (d *Dir) Ran(ctx context.Context, snapshot *core.Snapshot) []RanSession {
	files := d.Found(ctx)
	if files.None() || !snapshot.SilentSince.IsZero() {
		return nil
	}
	looked := files.looked()
	ran := slices.Clone(looked.Lost)
	for _, engine := range slices.Sorted(maps.Keys(looked.Engines)) {
		if present(snapshot, engine) || engine == core.TmuxEngine && !looked.Missed && files.waitEnded(ctx, looked.At) {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(looked.Engines[engine])) {
			gone := looked.Engines[engine][name]
			ran = slices.DeleteFunc(ran,
				func(s RanSession) bool { return s.Name == gone.Name && s.Engine == gone.Engine })
			ran = append(ran, gone)
		}
	}
	ran = slices.DeleteFunc(ran, func(s RanSession) bool { return len(s.Panes) == 0 })
	return append(ran, looked.killedWithServer(snapshot)...)
}

// Restored removes panes from the record of a session that ran, since they run again, or all of it without panes.
func (d *Dir) Restored(ctx context.Context, session *RanSession, panes ...core.PaneID) {
	files := d.Found(ctx)
	if files.None() {
		return
	}
	d.change(ctx, files, func(looked *lookedAt) *lookedAt {
		looked.remove(session, panes)
		return looked
	})
}

// remove removes panes from the record of a session that ran, or all of it without panes.
func (l *lookedAt) remove(session *RanSession, panes []core.PaneID) {
	prune := func(s *RanSession) bool {
		if s.Name != session.Name || s.Engine != session.Engine || !s.same(session.ID, session.Created) {
			return false
		}
		s.Panes = slices.DeleteFunc(s.Panes,
			func(p RanPane) bool { return len(panes) == 0 || slices.Contains(panes, p.ID) })
		return len(s.Panes) == 0
	}
	for i := range l.Lost {
		prune(&l.Lost[i])
	}
	l.Lost = slices.DeleteFunc(l.Lost, func(s RanSession) bool { return len(s.Panes) == 0 })
	for _, sessions := range l.Engines {
		for name, s := range sessions {
			if prune(&s) {
				delete(sessions, name)
			} else {
				sessions[name] = s
			}
		}
	}
}

// ForgetSession removes a session that is ended on purpose from what was recorded.
func (d *Dir) ForgetSession(ctx context.Context, session *core.Session) {
	files := d.Found(ctx)
	if files.None() {
		return
	}
	d.change(ctx, files, func(looked *lookedAt) *lookedAt {
		of := looked.Engines[session.Engine]
		if recorded, is := of[session.Bare()]; !is || !recorded.same(session.ID, session.Created) {
			return nil // the one of that name was lost with another server
		}
		delete(of, session.Bare())
		return looked
	})
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

// seenEvery is how old the record of what runs may be.
const seenEvery = time.Minute

// differs reports whether a record is to be replaced.
func (l *lookedAt) differs(before *lookedAt) bool {
	old := len(l.Engines) > 0 && l.At.Sub(before.At) > seenEvery
	return old || before.content() != l.content()
}

// content returns what is recorded, without the times at which it was.
func (l *lookedAt) content() string {
	engines := map[string]map[string]RanSession{}
	for engine, sessions := range l.Engines {
		engines[engine] = map[string]RanSession{}
		for name, session := range sessions {
			session.Seen = time.Time{}
			engines[engine][name] = session
		}
	}
	text, err := json.Marshal(lookedAt{Engines: engines, Servers: l.Servers, Lost: l.Lost})
	if err != nil {
		return ""
	}
	return string(text)
}

func (d *Dir) write(files Files, looked *lookedAt) {
	err := files.Prepare()
	if err == nil {
		err = private.MakeFolder(filepath.Dir(files.Running))
	}
	if err == nil {
		err = textfile.WriteJSON(files.Running, looked)
	}
	if err != nil {
		d.log.Debug("what runs cannot be kept for the next call", "error", err)
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
		} else if ctx.Err() == nil {
			d.change(ctx, files, func(missed *lookedAt) *lookedAt {
				if missed.Missed || !missed.At.Equal(looked.At) {
					return nil
				}
				missed.Missed = true
				return missed
			})
		}
	}
	count := 0
	var sessions []string
	for _, engine := range slices.Sorted(maps.Keys(looked.Engines)) {
		for _, name := range slices.Sorted(maps.Keys(looked.Engines[engine])) {
			session := looked.Engines[engine][name]
			var agents []string
			for i := range session.Panes {
				if pane := &session.Panes[i]; pane.Agent.Kind.IsAgent() && pane.Agent.Recognised == tagged {
					agents = append(agents, pane.Agent.Name)
				}
			}
			if count += len(agents); len(agents) > 0 {
				sessions = append(sessions, fmt.Sprintf("%s (%s)", name, strings.Join(agents, ", ")))
			}
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
	text, err := plainfile.Read(s.Running, plainfile.Text)
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
