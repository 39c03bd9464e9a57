package lifecycle

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"time"

	"cupola/core"
	"cupola/core/agent/transcript"
	"cupola/core/config/recipe"
	"cupola/core/engine"
	"cupola/core/fleet/conversation"
	"cupola/core/fleet/fault"
	"cupola/core/fleet/observe"
	"cupola/core/fleet/rundir"
	"cupola/core/git/worktree"
	"cupola/core/system/process"
	"cupola/core/system/process/job"
	"cupola/core/text/near"
)

// ReviveRequest asks to start again what ran until its terminal server ended.
type ReviveRequest struct {
	// Only are the names of the sessions to start; empty is all.
	Only []string
	// Moved says where folders are now.
	Moved []Moved
	// Fresh starts agents with a new session where theirs is not known for sure.
	Fresh bool
	// WaitReady, Timeout and Progress are as in LaunchRequest.
	WaitReady bool
	Timeout   time.Duration
	DryRun    bool
	Progress  core.ProgressFunc
	// Admit returns an error if panes may not be started in a session; nil admits all.
	Admit func(session string, panes []recipe.Pane) error
}

// CheckSessions returns Conflict if an agent of a recipe would resume a session in which an agent runs, or that another
// pane of the recipe resumes.
func (l *Launcher) CheckSessions(ctx context.Context, panes []recipe.Pane) (err error) {
	defer func() { err = fault.Wrap("restore", err) }()
	seen, err := l.opts.Observer.Outline(ctx, observe.View{Dirs: true})
	if err != nil {
		return err
	}
	v := revival{launcher: l, snapshot: seen.Snapshot, running: map[string]string{}}
	v.findRunning(ctx, seen)
	for i := range panes {
		pane := &panes[i]
		kind, known := l.opts.Kinds.Find(pane.Kind)
		if !known || pane.Resume == "" {
			continue
		}
		key := keyOf(kind.ID, pane.Resume)
		if by, taken := v.running[key]; taken {
			return inSessionError(pane.Name, by)
		}
		v.running[key] = pane.Name
	}
	return nil
}

// inSessionError makes the Conflict of a session that another agent is in.
func inSessionError(name, by string) error {
	err := core.Errorf(core.Conflict, "%s cannot be started: %s is in its session, and two in one would mix up both",
		name, by)
	err.Remedies = []core.Remedy{core.RemedyStartFresh}
	return err
}

// Moved is a folder that has another path than when it was recorded.
type Moved struct{ From, To string }

// Revived is the result for one session.
type Revived struct {
	rundir.RanSession
	// Launches are the started panes; nil if there are none. Lost says, by the names of agents, why they have a new
	// session although they had one.
	Launches *Launches
	Lost     map[string]string
	// Left are the panes that were not started.
	Left []LeftPane
	// Unanswered are prompts that agents of the started panes had not answered; nothing is sent again.
	Unanswered []UnansweredPrompt
}

// UnansweredPrompt is a prompt that the agent of a pane had not answered when it was lost.
type UnansweredPrompt struct {
	core.PaneRef
	conversation.Unanswered
}

// LeftPane is a pane that was not started again, and why.
type LeftPane struct {
	core.PaneRef
	Dir string
	Why string
}

// Revive starts sessions again that ran until their terminal server ended, each agent with its own session. What
// cannot be started is left, with the reason, and stays on record for another call. A session that runs again gets the
// panes that it lacks. It returns SessionNotFound for a name in Only that is not on record.
func (l *Launcher) Revive(ctx context.Context, request ReviveRequest) (_ []Revived, err error) {
	defer func() { err = fault.Wrap("restore", err) }()
	if !request.DryRun {
		release, err := l.opts.Dir.LockRestore(ctx)
		if err != nil {
			return nil, err
		}
		defer release()
	}
	seen, err := l.Jobs.settled(ctx)
	if err != nil {
		return nil, err
	}
	ran, err := ChosenOf(l.opts.Dir.Ran(ctx, seen.Snapshot), request.Only)
	if err != nil {
		return nil, err
	}
	v := revival{
		launcher: l, request: &request, snapshot: seen.Snapshot, running: map[string]string{},
		folders: Folders{Moved: request.Moved, DryRun: request.DryRun, Trees: l.opts.Trees},
	}
	v.findRunning(ctx, seen)
	if err := v.findLeftovers(ctx, ran); err != nil {
		return nil, err
	}
	places := l.opts.Conversations.RanPlaces(ctx, ran)
	revived := make([]Revived, len(ran))
	for i := range ran {
		request.Progress.Report("restore", i*100/len(ran), "%s", ran[i].Name)
		if ran[i].There {
			revived[i] = v.inPanes(ctx, &ran[i], places[i])
		} else {
			revived[i] = v.session(ctx, &ran[i], places[i])
		}
		if ctx.Err() != nil {
			return revived[:i+1], ctx.Err()
		}
	}
	return revived, nil
}

// settled returns the panes once their server has noticed which of their programs have ended: one that has just taken
// the place of another one may not have.
func (j *Jobs) settled(ctx context.Context) (seen *observe.Observation, err error) {
	processes := j.engine.Processes()
	unnoticed := func(pane *core.Pane) bool {
		if pane.Process.Dead || pane.Process.PID == 0 || !processes.Local() {
			return false
		}
		found, err := processes.Find(pane.Process.PID)
		return err != nil || found.Zombie
	}
	for until := time.Now().Add(lingersFor); ; {
		if seen, err = j.observer.Outline(ctx, observe.View{Dirs: true}); err != nil ||
			!slices.ContainsFunc(seen.Snapshot.Panes(), unnoticed) || !time.Now().Before(until) {
			return seen, err
		}
		if err := core.Sleep(ctx, lingersAgain); err != nil {
			return seen, err
		}
	}
}

// ChosenOf returns the sessions of the names given; all without any. It returns SessionNotFound for another name.
func ChosenOf(ran []rundir.RanSession, only []string) ([]rundir.RanSession, error) {
	if len(only) == 0 {
		return ran, nil
	}
	var chosen []rundir.RanSession
	for _, name := range only {
		at := slices.IndexFunc(ran, func(s rundir.RanSession) bool { return s.Name == name })
		if at < 0 {
			err := core.Errorf(core.SessionNotFound, "no session %q is on record as one that ran", name)
			names := core.Map(ran, func(r rundir.RanSession) string { return r.Name })
			err.Suggestions = near.Words(name, names)
			return nil, err
		}
		chosen = append(chosen, ran[at])
	}
	return chosen, nil
}

// revival starts sessions again.
type revival struct {
	launcher *Launcher
	request  *ReviveRequest
	folders  Folders
	snapshot *core.Snapshot
	// running are the agents that run in a session of their own, by that.
	running   map[string]string
	leftovers []Leftover
}

// keyOf identifies an agent's own session.
func keyOf(kind core.Kind, session string) string { return string(kind) + " " + session }

// findRunning finds the sessions that must not be resumed, because agents run in them.
func (v *revival) findRunning(ctx context.Context, seen *observe.Observation) {
	places := v.launcher.opts.Conversations.Places(ctx, seen)
	for _, pane := range seen.Snapshot.Panes() {
		place := places.Of(pane)
		if place.Kind == "" || pane.Process.Dead {
			continue
		}
		if own, err := transcript.Identify(ctx, place); err == nil && own.Certain && own.Session != "" {
			v.running[keyOf(place.Kind, own.Session)] = pane.Address()
		}
	}
}

// A process that lost its terminal is seen to have none some moments later.
const lingersFor, lingersAgain = 3 * time.Second, 100 * time.Millisecond

// findLeftovers finds the processes that agents left behind, once each process on record either is one or has ended.
func (v *revival) findLeftovers(ctx context.Context, ran []rundir.RanSession) (err error) {
	for until := time.Now().Add(lingersFor); ; {
		if v.leftovers, err = v.launcher.Jobs.Leftovers(ctx, ""); err != nil {
			return err
		}
		if !v.lingers(ran) || !time.Now().Before(until) {
			return nil
		}
		if err := core.Sleep(ctx, lingersAgain); err != nil {
			return err
		}
	}
}

// lingers reports whether the process of an agent that ran is alive, in no pane, and not yet a leftover.
func (v *revival) lingers(ran []rundir.RanSession) bool {
	processes := v.launcher.opts.Engine.Processes()
	if !processes.Local() {
		return false
	}
	for i := range ran {
		for j := range ran[i].Panes {
			pane := &ran[i].Panes[j]
			held := func(p *core.Pane) bool { return p.Process.PID == pane.PID }
			left := func(l Leftover) bool { return l.PID == pane.PID }
			if !pane.Agent.Kind.IsAgent() || slices.ContainsFunc(v.snapshot.Panes(), held) ||
				slices.ContainsFunc(v.leftovers, left) {
				continue
			}
			environ := processes.Environ(pane.PID)
			if found, err := processes.Find(pane.PID); err == nil && !found.Zombie &&
				process.Variable(environ, engine.SessionVariable) == ran[i].Name &&
				process.Variable(environ, engine.NameVariable) == pane.Agent.Name {
				return true
			}
		}
	}
	return false
}

// session starts one session again.
func (v *revival) session(ctx context.Context, ran *rundir.RanSession, places conversation.Places) Revived {
	revived := Revived{RanSession: *ran, Lost: map[string]string{}}
	dir, err := v.folders.Find(ctx, ran.Dir)
	if err != nil && len(ran.Panes) > 0 {
		if dir, err = v.folders.Find(ctx, ran.Panes[0].Dir); err != nil {
			dir = string(filepath.Separator)
		}
	}
	shape := &Shape{}
	var ids []core.PaneID
	panes := slices.Clone(ran.Panes)
	slices.SortStableFunc(panes, func(a, b rundir.RanPane) int {
		return slices.Compare([]int{a.Window.Index, a.Window.PaneIndex}, []int{b.Window.Index, b.Window.PaneIndex})
	})
	for i := range panes {
		pane := &panes[i]
		of := core.Pane{
			ID: pane.ID, Session: ran.Name, Ordinal: pane.Ordinal, Window: pane.Window, Agent: pane.Agent,
			Process: core.Process{Dir: pane.Dir},
		}
		planned, lost, err := v.pane(ctx, &revived, pane, &of, places)
		if err != nil {
			revived.Left = append(revived.Left, LeftPane{of.Ref(), pane.Dir, core.AsError(err).Message})
			continue
		}
		if lost != "" {
			revived.Lost[pane.Agent.Name] = lost
		}
		shape.Panes, shape.Recipe, ids = append(shape.Panes, of), append(shape.Recipe, planned), append(ids, pane.ID)
	}
	if len(shape.Panes) == 0 {
		return revived
	}
	shape.shareWindows()
	shape.arrange(panes)
	if revived.Launches, err = v.launch(ctx, ran, dir, shape.Recipe); revived.Launches == nil {
		for i := range shape.Panes {
			pane := &shape.Panes[i]
			revived.Left = append(revived.Left, LeftPane{pane.Ref(), pane.Process.Dir, core.AsError(err).Message})
		}
		return revived
	}
	if !v.request.DryRun {
		v.launcher.opts.Dir.Restored(ctx, ran, ids...)
	}
	return revived
}

// arrange gives the windows of panes that ran their names and layouts. A window that lacks a pane has no layout.
func (s *Shape) arrange(ran []rundir.RanPane) {
	held, last, words := map[core.WindowID]int{}, map[core.WindowID]int{}, map[string]int{}
	for i := range ran {
		held[ran[i].Window.ID]++
	}
	for i := range s.Panes {
		w := &s.Panes[i].Window
		held[w.ID]--
		last[w.ID] = i
		words[w.Name]++
	}
	for i := range s.Panes {
		w, pane := &s.Panes[i].Window, &s.Recipe[i]
		if pane.Window == "" && words[w.Name] == 1 {
			pane.Window = w.Name
		}
		if last[w.ID] != i || held[w.ID] != 0 {
			continue
		}
		at := slices.IndexFunc(ran, func(p rundir.RanPane) bool { return p.ID == s.Panes[i].ID })
		pane.Layout = ran[at].Layout
	}
}

// pane plans one pane of a session. lost says what an agent's new session lacks.
func (v *revival) pane(ctx context.Context, ran *Revived, pane *rundir.RanPane, of *core.Pane,
	places conversation.Places,
) (planned recipe.Pane, lost string, err error) {
	planned = v.launcher.describer.recipeOf(ctx, of)
	planned.Environment = pane.Environment
	if planned.Dir, err = v.folders.Find(ctx, pane.Dir); err != nil {
		return planned, "", err
	}
	if session := v.snapshot.Session(ran.Name); session != nil && session.Engine == ran.Engine && !ran.There {
		if of.Agent.Name != "" && agentNames(session)[of.Agent.Name] {
			return planned, "", core.Errorf(core.Conflict, "%s has an agent of this name", ran.Name)
		}
		planned.Ordinal = nil
	}
	if of.IsUser() {
		planned.Shown = v.launcher.opts.Dir.Shown(ctx, pane)
	}
	if !of.IsAgent() {
		return planned, "", nil
	}
	kind, known := v.launcher.opts.Kinds.Find(string(of.Agent.Kind))
	if !known {
		return planned, "", core.Errorf(core.NotFound, "the kind %s is not known", of.Agent.Kind)
	}
	if len(kind.Launch.Resume) == 0 {
		return planned, "its kind cannot take up a session", nil
	}
	if err := v.endLeftovers(ctx, ran.Name, of.Agent.Name); err != nil {
		return planned, "", err
	}
	found := conversation.ResumableOf(ctx, places.Of(of), kind, func() *core.Screen { return nil })
	switch {
	case found.Session == "" && found.Lost != "" && !v.request.Fresh:
		return planned, "", core.Errorf(core.Conflict, "%s", found.Lost)
	case found.Session == "":
		return planned, found.Lost, nil
	}
	key := keyOf(of.Agent.Kind, found.Session)
	if by, taken := v.running[key]; taken {
		return planned, "", inSessionError(of.Agent.Name, by)
	}
	v.running[key] = of.Address()
	planned.Resume = found.Session
	for _, prompt := range found.Unanswered {
		ran.Unanswered = append(ran.Unanswered, UnansweredPrompt{of.Ref(), prompt})
	}
	return planned, "", nil
}

// endLeftovers ends the processes of an agent that outlived its terminal: they may be in its session. It returns
// Conflict if one does not end.
func (v *revival) endLeftovers(ctx context.Context, session, agent string) error {
	var found job.Found
	for i := range v.leftovers {
		if p := &v.leftovers[i]; p.Session == session && p.Agent == agent {
			found.Members = append(found.Members, p.Proc)
		}
	}
	if len(found.Members) == 0 || v.request.DryRun {
		return nil
	}
	_, left, err := found.End(ctx, 0, killAfter)
	if err == nil && len(left) > 0 {
		err = core.Errorf(core.Conflict, "%s of it does not end, and may be in its session", left[0])
	}
	return err
}

// Folders finds recorded folders where they are now.
type Folders struct {
	// Moved says where folders are now. Heads are commits from which the branches of worktrees are made again that are
	// gone, by the worktree's path.
	Moved []Moved
	Heads map[string]string
	// DryRun makes no worktree.
	DryRun bool
	// Trees are the settings of new worktrees.
	Trees worktree.Options
}

// Find returns where a folder is now. A worktree of an agent that is gone is made again. It returns NotFound if the
// folder is gone for good.
func (f *Folders) Find(ctx context.Context, dir string) (string, error) {
	for _, moved := range f.Moved {
		if below, err := filepath.Rel(moved.From, dir); err == nil && filepath.IsLocal(below) {
			dir = filepath.Join(moved.To, below)
			break
		}
	}
	info, err := os.Stat(dir)
	switch {
	case err == nil && info.IsDir():
		return dir, nil
	case dir == "":
		return "", core.Errorf(core.NotFound, "its folder is not known")
	case !worktree.Within(dir):
		return "", core.Errorf(core.NotFound, "the folder %s is gone", dir)
	}
	again, err := worktree.Again(ctx, dir, f.Heads, f.DryRun, f.Trees)
	if err != nil {
		return "", core.Errorf(core.NotFound, "the worktree %s is gone, and cannot be made again: %s", dir,
			core.AsError(err).Message)
	}
	if f.DryRun {
		return again, nil
	}
	info, gone := os.Stat(dir)
	if gone == nil && info.IsDir() {
		return dir, nil
	}
	return again, nil // the agent was in a folder that its branch does not have
}

// launch starts the panes of a session, also beside those that run.
func (v *revival) launch(ctx context.Context, ran *rundir.RanSession, dir string, panes []recipe.Pane) (*Launches,
	error,
) {
	if v.request.Admit != nil {
		if err := v.request.Admit(ran.Name, panes); err != nil {
			return nil, err
		}
	}
	launch := LaunchRequest{
		Panes: panes, Resume: true, Recorded: ran.Seen, Dir: dir, WaitReady: v.request.WaitReady,
		Timeout: v.request.Timeout,
	}
	var made *Launches
	var err error
	if session := v.snapshot.Session(ran.Name); session != nil && session.Engine == ran.Engine {
		made, err = v.launcher.Add(ctx, AddRequest{Session: ran.Name, Launch: launch, DryRun: v.request.DryRun})
	} else {
		made, err = v.launcher.Spawn(ctx, SpawnRequest{
			Session: ran.Name, Engine: ran.Engine, Launch: launch, NoUserPane: true, DryRun: v.request.DryRun,
		})
	}
	if made == nil && err == nil {
		err = errors.New("nothing was started")
	}
	if made != nil && err != nil {
		v.launcher.opts.Log.Warn("restore", "session", ran.Name, "error", err)
	}
	return made, err
}
