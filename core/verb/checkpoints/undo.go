package checkpoints

import (
	"cmp"
	"context"
	"time"

	"cupola/core"
	"cupola/core/fleet/lifecycle"
	"cupola/core/fleet/resolve"
	"cupola/core/git/changes"
	"cupola/core/record/undo"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
	"cupola/core/verb/sessions"
)

// UndoIn is the input of the verb undo.
type UndoIn struct {
	Act  string `arg:"1" names:"record" help:"Its id, from --list (default: the last one)"`
	List bool   `help:"List the last acts, and undo none"`
	registry.Consent
	registry.Preview
}

// Check sees that one act is undone, or all are listed.
func (in UndoIn) Check() error {
	if in.List && in.Act != "" {
		return registry.Conflict("--list", in.Act)
	}
	return nil
}

// OnlyShows reports whether the call lists the acts.
func (in UndoIn) OnlyShows() bool { return in.List }

// UndoOut is the answer of the verb undo.
type UndoOut struct {
	DryRun bool `json:"dry_run"`
	// Acts is the act that was undone, or all of the list.
	Acts []ActRow `json:"acts" empty:"Nothing can be undone."`

	listed bool
	// started names the session in which panes were started again; empty for none.
	started string
}

// ActRow is an act that can be undone.
type ActRow struct {
	_  struct{}  `minimal:"id,did" standard:"id,at,did,back" table:"ACT,AGE,DID,UNDOING IT"`
	ID string    `json:"id" names:"record" table:"ACT,strong"`
	At time.Time `json:"at" table:"AGE,dim,ago"`
	// Origin is the face that it came from; absent for the command line.
	Origin string `json:"origin,omitempty"`
	Did    string `json:"did" table:"DID"`
	// Back says what undoing it does.
	Back string `json:"back" table:"UNDOING IT,flex"`
	// UndoneAt is when it was undone; absent if it was not.
	UndoneAt time.Time `json:"undone_at,omitzero"`
	// Asks is true where undoing it needs consent.
	Asks bool `json:"needs_consent"`
}

// Cell says of an act that was undone that it was.
func (r *ActRow) Cell(title string) (report.Cell, bool) {
	if title == "UNDOING IT" && !r.UndoneAt.IsZero() {
		return report.Toned(report.Dim, "undone"), true
	}
	return report.Cell{}, false
}

func rowOfAct(act *undo.Act) ActRow {
	return ActRow{
		ID: act.ID, At: act.At, Origin: act.Origin, Did: act.Did, Back: act.Back, UndoneAt: act.Undone, Asks: act.Asks,
	}
}

var undoLast = registry.Define(registry.Spec[*verb.Env, UndoIn, UndoOut]{
	Name: "undo", Group: verb.GroupKeep, Doing: "undoing", Short: "Undo the last act",
	Long: "Starts again what was ended, each agent with its conversation; takes back merges, and commits, stages and " +
		"discards of the dashboard; gives back labels and names; opens dismissed alerts. It fails with CONFLICT, and " +
		"changes nothing, where something else happened there since. Without an id it undoes the last act of the " +
		"same face: command line or dashboard. What was said to an agent, or answered, is not taken back.",
	Scope: registry.Resource, Effect: registry.Writes, List: "acts",
	Examples: []string{"--list"},
	Errors: []core.Code{
		core.NotFound, core.Conflict, core.SessionNotFound, core.PaneNotFound, core.AgentNotFound, core.AlreadyExists,
		core.ToolNotFound, core.Timeout, core.NotReady, core.PermissionDenied, core.IOError,
		core.StoreError, core.StoreLocked, core.ConfigInvalid, core.CheckpointFailed, core.MissingRequired,
	},
	Run: runUndo,
}).SeeAlso("history")

func runUndo(ctx context.Context, env *verb.Env, in UndoIn) (UndoOut, error) {
	acts, err := verb.UndoLog(&env.Local).All()
	if err != nil {
		return UndoOut{}, err
	}
	out := UndoOut{DryRun: in.DryRun, listed: in.List}
	if in.List {
		for i := range acts[:min(undo.Shown, len(acts))] {
			out.Acts = append(out.Acts, rowOfAct(&acts[i]))
		}
		return out, nil
	}
	act, err := chosenAct(acts, in.Act, env.Origin)
	if err != nil {
		return UndoOut{}, err
	}
	out.Acts = []ActRow{rowOfAct(act)}
	if in.DryRun {
		return out, nil
	}
	if act.Asks {
		may := verb.Permission{Verb: "undo", In: in, Given: in.Given()}
		if err := may.Ask(env.Who(), "Undo: "+act.Did+"? It "+act.Back+"."); err != nil {
			return UndoOut{}, err
		}
	}
	if err := verb.UndoLog(&env.Local).Take(ctx, act.ID, env.Now()); err != nil {
		return UndoOut{}, err
	}
	if out.started, err = takeBack(ctx, env, act); err != nil {
		if released := verb.UndoLog(&env.Local).Release(context.WithoutCancel(ctx), act.ID); released != nil {
			env.Log.Warn("an act that was not undone counts as undone", "act", act.Did, "error", released)
		}
		return UndoOut{}, err
	}
	out.Acts[0].UndoneAt = env.Now()
	return out, nil
}

// chosenAct returns the act of an id or, without one, the last of a face that was not undone.
func chosenAct(acts []undo.Act, id, origin string) (*undo.Act, error) {
	for i := range acts {
		act := &acts[i]
		if id == act.ID || id == "" && act.Origin == origin && act.Undone.IsZero() {
			return act, nil
		}
	}
	err := core.Errorf(core.NotFound, "there is nothing to undo")
	if id != "" {
		err.Message = "no act has the id " + core.Cut(id)
	}
	err.Actions = []string{"cupola undo --list"}
	return nil, err
}

// Said says what was undone.
func (o UndoOut) Said() string {
	switch {
	case o.listed || len(o.Acts) == 0:
		return ""
	case o.DryRun:
		return "would undo: " + o.Acts[0].Did
	}
	return "undone: " + o.Acts[0].Did
}

// Next leads to the session in which panes were started again.
func (o UndoOut) Next() []registry.Action {
	if o.started == "" {
		return nil
	}
	return verb.NextOnly("tail", "Read what it shows", "tail", o.started)
}

// Report shows the acts, or the one that was undone.
func (o UndoOut) Report() *report.Report {
	if o.listed || len(o.Acts) == 0 {
		return nil // the table of the acts
	}
	did := verb.Done(o.DryRun, "Undone: ", "Would undo: ")
	return report.Say(did, report.Text(o.Acts[0].Did), report.Toned(report.Dim, "; it "+o.Acts[0].Back))
}

// takeBack takes an act back, and names the session in which it started panes.
func takeBack(ctx context.Context, env *verb.Env, act *undo.Act) (started string, err error) {
	if act.Tree != nil {
		return "", conflictOf(changes.Revert(ctx, act.Tree, env.Environ))
	}
	deps, err := verb.OnFleet{}.Open(ctx, env)
	if err != nil {
		return "", err
	}
	server, _, err := deps.Fleet.Dir.Kept(ctx)
	switch {
	case err != nil:
	case server != act.Server:
		err = core.Errorf(core.Conflict, "that was on another terminal server: %s", act.Server)
	case act.Ended != nil:
		started, err = startAgain(ctx, deps, act)
	case act.Renamed != nil:
		_, err = deps.Fleet.Launcher.Rename(ctx, string(act.Renamed.ID), act.Renamed.From)
	case len(act.Queued) > 0:
		var dropped []core.QueuedPrompt
		for _, one := range act.Queued {
			one.Prompt.Owner = one.Owner
			dropped = append(dropped, one.Prompt)
		}
		err = deps.Fleet.Queue.Restore(ctx, dropped)
	case len(act.Alerts) > 0:
		err = openAgain(ctx, deps, act.Alerts)
	default:
		err = giveLabelsBack(ctx, deps, act.Labels)
	}
	return started, err
}

// conflictOf is the error of an act on a working tree, where it may be one of git.
func conflictOf(err error) error {
	if core.AsError(err).HasCode(core.InternalError) {
		return core.Errorf(core.Conflict, "it was not undone: %w", err)
	}
	return err
}

// openAgain opens dismissed alerts.
func openAgain(ctx context.Context, deps verb.OnFleet, ids []string) error {
	opened, err := deps.Fleet.Overview.ReopenAlerts(ctx, ids)
	if err == nil && len(opened) == 0 {
		return core.Errorf(core.Conflict, "its cause is gone, so there is no alert to open")
	}
	return err
}

// giveLabelsBack gives agents their former labels, pins and snoozes, where all still have those of the act.
func giveLabelsBack(ctx context.Context, deps verb.OnFleet, labels []undo.Label) error {
	for _, dry := range []bool{true, false} {
		for _, one := range labels {
			request := lifecycle.LabelRequest{Target: resolve.Target{Session: string(one.Pane)}, DryRun: dry}
			if one.Was != one.Now {
				request.Label = &one.Was
			}
			if one.WasPinned != one.NowPinned {
				request.Pin = &one.WasPinned
			}
			if !one.WasSnoozed.Equal(one.NowSnoozed) {
				request.Snooze = &one.WasSnoozed
			}
			seen, err := deps.Fleet.Labels.Set(ctx, request)
			if err != nil {
				return err
			}
			if len(seen) != 1 || seen[0].Agent != one.Agent || changedSince(&request, &one, seen[0].Before) {
				return core.Errorf(core.Conflict, "%s got another label since, or its snooze ended", one.Agent)
			}
		}
	}
	return nil
}

// changedSince reports whether what a request is to take back is no longer as its act left it.
func changedSince(request *lifecycle.LabelRequest, act *undo.Label, now lifecycle.Labelling) bool {
	return request.Label != nil && now.Label != act.Now || request.Pin != nil && now.Pinned != act.NowPinned ||
		request.Snooze != nil && !now.Snoozed.Equal(act.NowSnoozed)
}

// startAgain starts what was ended: a session, or panes of one.
func startAgain(ctx context.Context, deps verb.OnFleet, act *undo.Act) (string, error) {
	ended := act.Ended
	folders := lifecycle.Folders{Heads: ended.Heads, Trees: verb.Trees(&deps.Env.Local)}
	panes := ended.Panes
	for i := range panes {
		var err error
		if panes[i].Dir, err = folders.Find(ctx, cmp.Or(panes[i].Dir, ended.Dir)); err != nil {
			return "", err
		}
	}
	launch := lifecycle.LaunchRequest{
		Panes: panes, Resume: true, Recorded: act.At, Dir: ended.Dir, Progress: deps.Env.Progress,
	}
	if _, err := folders.Find(ctx, ended.Dir); err != nil {
		launch.Dir = panes[0].Dir
	}
	if err := sessions.Admit(deps.Env, "what was ended", ended.Session, panes, false); err != nil {
		return "", err
	}
	if err := deps.Fleet.Launcher.CheckSessions(ctx, panes); err != nil {
		return "", err
	}
	made, err := launchEnded(ctx, deps, ended, launch)
	if err != nil {
		return "", err
	}
	for i := range made.Panes {
		if lost := ended.Lost[made.Panes[i].Agent]; lost != "" {
			deps.Env.Warn(made.Panes[i].Address() + " began a new conversation: " + lost)
		}
	}
	if len(made.Unset) > 0 {
		deps.Env.Warn("the panes had variables that are not set here: " + verb.SomeOf(made.Unset))
	}
	return made.Session, nil
}

// launchEnded starts panes in the session that they were in, which is made again if it ended.
func launchEnded(ctx context.Context, deps verb.OnFleet, ended *undo.Ended, launch lifecycle.LaunchRequest,
) (*lifecycle.Launches, error) {
	if !ended.Whole {
		made, err := deps.Fleet.Launcher.Add(ctx, lifecycle.AddRequest{Session: ended.Session, Launch: launch})
		if !core.AsError(err).HasCode(core.SessionNotFound) {
			return made, err
		}
	}
	return deps.Fleet.Launcher.Spawn(ctx,
		lifecycle.SpawnRequest{Session: ended.Session, NoUserPane: true, Launch: launch})
}
