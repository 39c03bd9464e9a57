package checkpoints

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/config/recipe"
	"cupola/core/fleet"
	"cupola/core/fleet/lifecycle"
	"cupola/core/git/worktree"
	"cupola/core/record/checkpoint"
	"cupola/core/run"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
	"cupola/core/verb/sessions"
)

// RestoreIn is the input of the verb restore.
type RestoreIn struct {
	Checkpoint  string        `arg:"1" lister:"checkpoint-list" names:"record" help:"Name of the checkpoint (default: what ran until its terminal server ended)"`
	Only        []string      `names:"record" help:"Without a checkpoint: start only these sessions again"`
	Dir         []string      `placeholder:"OLD=NEW" help:"Where a recorded folder is now"`
	SkipMissing bool          `help:"Leave out panes whose folder is gone"`
	Forget      bool          `help:"Without a checkpoint: start nothing, and take the sessions off the record"`
	As          string        `names:"new-session" help:"Name of the new session (default: the recorded session's name)"`
	Fresh       bool          `help:"Start new agent sessions instead of resuming the recorded ones; without a checkpoint only where those are not known"`
	Yes         bool          `help:"Without a checkpoint: start it without a question"`
	Apply       bool          `help:"Also apply the recorded changes to the git trees, which must be clean"`
	WaitReady   bool          `help:"Wait until every agent shows its prompt"`
	Timeout     time.Duration `help:"How long to wait (default: the agent kind's own)"`
	registry.Preview
}

// Check refuses what belongs to a checkpoint, or to none.
func (in RestoreIn) Check() error {
	if _, err := in.moved(); err != nil {
		return err
	}
	ran := len(in.Only) > 0 || in.Forget
	switch {
	case in.Checkpoint != "" && ran:
		return core.Errorf(core.InvalidInput, "--only and --forget are for what ran, without a checkpoint")
	case in.Checkpoint == "" && (in.As != "" || in.Apply):
		return core.Errorf(core.MissingRequired, "--as and --apply need the name of a checkpoint")
	}
	return nil
}

// moved returns where recorded folders are now.
func (in RestoreIn) moved() ([]lifecycle.Moved, error) {
	var all []lifecycle.Moved
	for _, word := range in.Dir {
		from, to, is := strings.Cut(word, "=")
		if !is || !filepath.IsAbs(from) || !filepath.IsAbs(to) {
			return nil, core.Errorf(core.InvalidInput, "%q is not OLD=NEW, two absolute folders", word)
		}
		all = append(all, lifecycle.Moved{From: filepath.Clean(from), To: filepath.Clean(to)})
	}
	return all, nil
}

// RestoreOut is the answer of the verb restore.
type RestoreOut struct {
	// Checkpoint is absent in an answer about all that ran, and so are Path and Session.
	Checkpoint string `json:"checkpoint,omitempty"`
	// Path is the checkpoint's folder; its files hold the screens of the panes.
	Path string `json:"path,omitempty"`
	// At is the time of the checkpoint, or the last time at which the sessions were seen.
	At      time.Time `json:"at,omitzero"`
	Session string    `json:"session,omitempty" names:"session"`
	// ID is the engine's id of the new session; absent in a dry run.
	ID     core.SessionID `json:"id,omitempty"`
	Dir    string         `json:"dir,omitempty"`
	DryRun bool           `json:"dry_run"`
	// Panes are the panes that were made, or would be; Trees the recorded git trees.
	Panes []restoredPane `json:"panes"`
	Trees []restoredTree `json:"trees"`
	// Left are panes that were not made, each with the reason; absent for none.
	Left []leftPane `json:"not_started,omitempty"`
	// Interrupted are runs that can be resumed; absent for none, and with a checkpoint.
	Interrupted []interruptedRun `json:"interrupted_runs,omitempty"`
	// Unanswered are prompts that agents had accepted and not answered, the oldest of each first; absent for none, and
	// with a checkpoint. None is sent again.
	Unanswered []unansweredRow `json:"unanswered_prompts,omitempty"`
}

// unansweredRow is a prompt that an agent had not answered when it was lost.
type unansweredRow struct {
	_ struct{} `minimal:"session,agent,prompt_id" standard:"session,ordinal,agent,prompt_id,text,began"`
	_ struct{} `table:"PANE,AGENT,NOT ANSWERED,ID"`
	verb.PaneRow
	ID     string    `json:"prompt_id" table:"ID,dim"`
	SentAt time.Time `json:"sent_at"`
	Text   string    `json:"text" table:"NOT ANSWERED,oneline,flex"`
	// Began is true if its turn was cut off, false if the prompt waited behind another one.
	Began bool `json:"began"`
}

// interruptedRun is a run that no process carries on.
type interruptedRun struct {
	_ struct{} `minimal:"id,kind,state" standard:"id,kind,name,title,dir,state"`
	run.Head
}

// leftPane is a pane that was not started again.
type leftPane struct {
	_ struct{} `minimal:"session,ordinal,why" standard:"session,ordinal,agent,kind,dir,why"`
	_ struct{} `table:"PANE,AGENT,LEFT BECAUSE"`
	verb.PaneRow
	Dir string `json:"dir,omitempty"`
	Why string `json:"why" table:"LEFT BECAUSE,flex"`
}

// restoredPane is a pane that was made.
type restoredPane struct {
	_ struct{} `minimal:"ordinal,agent,state" standard:"session,ordinal,agent,command,dir,session_id,ready"`
	_ struct{} `table:"PANE,AGENT,STATE,TAKES UP,COMMAND"`
	sessions.StartedRow
	// SessionID is the agent's own session that is taken up; absent for a new one.
	SessionID string `json:"session_id,omitempty" table:"TAKES UP,dim,empty=-"`
	// Lost is the reason why a new session is started although the agent had one; absent otherwise.
	Lost string `json:"lost,omitempty"`
}

// restoredTree is a recorded git tree and the outcome of its changes.
type restoredTree struct {
	_       struct{} `minimal:"top,changed,applied"`
	Top     string   `json:"top"`
	Head    string   `json:"head,omitempty"`
	Changed int      `json:"changed"`
	// Patch is the file that holds the changes; absent without any.
	Patch string `json:"patch,omitempty"`
	// Applied is true if the changes were put into the tree; Moved if another
	// commit is checked out there now.
	Applied bool `json:"applied"`
	Moved   bool `json:"moved"`
}

var restore = registry.Define(registry.Spec[verb.OnFleet, RestoreIn, RestoreOut]{
	Name: "restore", Group: verb.GroupKeep, Short: "Restore a recorded session, or all that ran",
	Aliases: []string{"checkpoint restore", "session restore"},
	Long: "Starts what ran in the recorded session, in the same folders, windows and order, under a free name. " +
		"Agents resume their own sessions if those are known. No git tree is touched without --apply, which needs " +
		"clean trees to which the changes apply. If anything fails before all panes are made, everything is undone. " +
		"Without a name it starts again what ran until its terminal server ended: each agent in its folder with its " +
		"own session. What cannot be started is listed with the reason, and stays on record for the next call.",
	Scope: registry.Resource, Effect: registry.Writes, List: "panes",
	Examples: []string{"monday --as=api-again", "monday --as=api-next --apply --dry-run", "--dry-run"},
	Errors: []core.Code{
		core.NotFound, core.DecodeFailed, core.CheckpointFailed, core.AlreadyExists, core.AgentNotFound,
		core.ToolNotFound, core.EngineUnavailable, core.Timeout, core.NotReady, core.Conflict, core.PermissionDenied,
		core.IOError, core.ConfigInvalid, core.SessionNotFound, core.MissingRequired,
	},
	Run: runRestore,
})

func runRestore(ctx context.Context, deps verb.OnFleet, in RestoreIn) (RestoreOut, error) {
	if err := deps.Env.Settings().Need("engine.socket"); err != nil {
		return RestoreOut{}, err // the session would begin on another terminal server
	}
	if in.Checkpoint == "" {
		return restoreRan(ctx, deps, in)
	}
	c, dir, err := checkpoint.Load(deps.Env.Paths.Checkpoints(), in.Checkpoint)
	if err != nil {
		return RestoreOut{}, err
	}
	out := RestoreOut{
		Checkpoint: c.Name, Path: dir, At: c.At, DryRun: in.DryRun, Session: cmp.Or(in.As, c.Session),
		Trees: restoredTrees(ctx, c),
	}
	if err := findFolders(ctx, verb.Trees(&deps.Env.Local), c, &in, &out); err != nil {
		return out, err
	}
	request := restoreRequest(c, &in, deps.Env.Progress)
	err = sessions.Admit(deps.Env, "the checkpoint "+c.Name, request.Session, request.Launch.Panes, in.DryRun)
	if err != nil {
		return RestoreOut{}, err
	}
	if !in.Fresh {
		if err := deps.Fleet.Launcher.CheckSessions(ctx, request.Launch.Panes); err != nil {
			return out, err
		}
	}
	planned := request
	planned.DryRun = true
	made, err := deps.Fleet.Launcher.Spawn(ctx, planned)
	if err != nil {
		return out, underAnotherName(deps.Env, in, err)
	}
	if in.Apply {
		if err := c.Check(ctx, dir); err != nil {
			return out, err
		}
	}
	if !in.DryRun {
		made, err = restored(ctx, deps.Fleet, c, dir, request, in.Apply)
	}
	if made == nil {
		return out, err
	}
	out.fill(made, in.Apply && !in.DryRun)
	out.lose(c)
	if len(made.Unset) > 0 {
		deps.Env.Warn("the panes had variables that are not set here: " + strings.Join(made.Unset, ", "))
	}
	if known := new(core.Error); errors.As(err, &known) {
		known.Details = out
	}
	return out, err
}

// underAnotherName is the error of a name that is taken, with the command that
// restores under one that is free.
func underAnotherName(env *verb.Env, in RestoreIn, err error) error {
	e := core.AsError(err)
	if !e.HasCode(core.AlreadyExists) || len(e.Suggestions) == 0 {
		return err
	}
	taken := *e
	in.As, taken.Slip = e.Suggestions[0], core.Slip{}
	taken.Actions = append([]string{env.Catalog.Find("restore").Command(in)}, e.Actions...)
	return &taken
}

func restoreRequest(c *checkpoint.Checkpoint, in *RestoreIn, progress core.ProgressFunc) lifecycle.SpawnRequest {
	return lifecycle.SpawnRequest{Session: cmp.Or(in.As, c.Session), NoUserPane: true, Launch: lifecycle.LaunchRequest{
		Panes: c.Recipe.Panes, Resume: !in.Fresh, Recorded: c.At, Dir: c.Recipe.Dir, WaitReady: in.WaitReady,
		Timeout: in.Timeout, Progress: progress,
	}}
}

// restored applies the changes, if they are wanted, and makes the session. Where
// no pane is left of it, no change is either.
func restored(ctx context.Context, f *fleet.Fleet, c *checkpoint.Checkpoint, dir string, request lifecycle.SpawnRequest,
	apply bool,
) (*lifecycle.Launches, error) {
	undo := func(context.Context) error { return nil }
	if apply {
		var err error
		if undo, err = c.Apply(ctx, dir); err != nil {
			return nil, err
		}
	}
	made, err := f.Launcher.Spawn(ctx, request)
	if err != nil && made == nil {
		return nil, errors.Join(err, undo(context.WithoutCancel(ctx)))
	}
	return made, err
}

// findFolders sets the folders of the panes to where they are now. Panes whose folder is gone are left out if that is
// asked for; else it returns CheckpointFailed.
func findFolders(
	ctx context.Context, trees worktree.Options, c *checkpoint.Checkpoint, in *RestoreIn, out *RestoreOut,
) error {
	moved, err := in.moved()
	if err != nil {
		return err
	}
	folders := lifecycle.Folders{Moved: moved, Heads: map[string]string{}, DryRun: in.DryRun, Trees: trees}
	for i := range c.Trees {
		folders.Heads[c.Trees[i].Top] = c.Trees[i].Head
	}
	var gone []string
	var panes []recipe.Pane
	dir, lost := folders.Find(ctx, c.Recipe.Dir)
	for i := range c.Recipe.Panes {
		pane := c.Recipe.Panes[i]
		was := cmp.Or(pane.Dir, c.Recipe.Dir)
		found, err := folders.Find(ctx, was)
		if err != nil {
			gone = append(gone, was)
			of := &c.Panes[i]
			ref := core.PaneRef{Session: out.Session, Ordinal: of.Ordinal, Agent: of.Agent, Kind: of.Kind}
			out.Left = append(out.Left, leftPane{PaneRow: rowLeft(ref), Dir: was, Why: core.AsError(err).Message})
			continue
		}
		pane.Dir = found
		panes = append(panes, pane)
		if lost != nil {
			dir, lost = found, nil
		}
	}
	c.Recipe.Dir, c.Recipe.Panes = dir, panes
	if len(gone) == 0 || in.SkipMissing && len(panes) > 0 {
		return nil
	}
	return &core.Error{
		Code: core.CheckpointFailed,
		Message: "panes were in folders that are gone: " +
			strings.Join(slices.Compact(slices.Sorted(slices.Values(gone))), ", "),
		Hint:    "Say where they are now with --dir=OLD=NEW, or leave these panes out with --skip-missing.",
		Details: map[string][]string{"missing": gone},
	}
}

func restoredTrees(ctx context.Context, c *checkpoint.Checkpoint) []restoredTree {
	return core.Map(c.Trees, func(t checkpoint.Tree) restoredTree {
		return restoredTree{
			Top: t.Top, Head: t.Head, Changed: t.Changed, Patch: t.Patch,
			Moved: t.Moved(ctx),
		}
	})
}

// fill adds what was made.
func (o *RestoreOut) fill(made *lifecycle.Launches, applied bool) {
	o.Session, o.ID, o.Dir = made.Session, made.ID, made.Dir
	for i := range o.Trees {
		o.Trees[i].Applied = applied && o.Trees[i].Patch != ""
	}
	for i := range made.Panes {
		l := &made.Panes[i]
		o.Panes = append(
			o.Panes,
			restoredPane{
				StartedRow: sessions.StartedRow{PaneRow: verb.RowAt(l.PaneRef, &l.Status), Start: l.Start},
				SessionID:  l.Resumed,
			},
		)
	}
}

// lose says which agents begin a new session although they had one.
func (o *RestoreOut) lose(c *checkpoint.Checkpoint) {
	for i := range o.Panes {
		row := &o.Panes[i]
		at := slices.IndexFunc(c.Panes, func(p checkpoint.Pane) bool { return p.Agent != "" && p.Agent == row.Agent })
		if at >= 0 && row.SessionID == "" {
			row.Lost = c.Panes[at].Lost
		}
	}
}

// Hints say what was started, what was left, and what was lost.
func (o RestoreOut) Hints() *registry.Hints {
	did := verb.Done(o.DryRun, "Started", "Would start").Text
	if o.Checkpoint == "" {
		return o.hintsOfRan(did)
	}
	h := &registry.Hints{Summary: fmt.Sprintf("%s %s in %s from %s", did, verb.Plural(len(o.Panes), "pane"), o.Session,
		o.Checkpoint)}
	for i := range o.Panes {
		if p := &o.Panes[i]; p.Lost != "" {
			h.Warnings = append(h.Warnings, fmt.Sprintf("%s begins a new session: %s", p.Address(), p.Lost))
		}
	}
	for _, t := range o.Trees {
		if t.Patch != "" && !t.Applied && !o.DryRun {
			h.Warnings = append(h.Warnings,
				fmt.Sprintf("%s had changed in %s; the changes stay in the checkpoint without --apply",
					verb.Plural(t.Changed, "file"), t.Top))
		}
		if t.Moved {
			h.Warnings = append(h.Warnings, t.Top+" has another commit checked out than it had")
		}
	}
	return h
}

// Next leads to what was started.
func (o RestoreOut) Next() []registry.Action {
	if o.DryRun {
		return nil
	}
	var actions []registry.Action
	if len(o.Panes) > 0 {
		actions = append(actions, verb.NextAction("status", "See what its agents do", "status"))
	}
	if o.Session != "" {
		actions = append(actions, verb.NextAction("tail", "Read what they show", "tail", o.Session))
	}
	for i := range o.Interrupted {
		actions = append(actions, verb.NextAction("resume", "Continue an interrupted "+string(o.Interrupted[i].Kind),
			"run-resume", o.Interrupted[i].ID))
	}
	for i := range o.Unanswered {
		if row := &o.Unanswered[i]; row.ID != "" && !o.DryRun {
			actions = append(actions, verb.NextAction("replay", "Send a prompt again that "+row.Agent+" did not answer",
				"replay", row.Address(), "--id="+row.ID))
		}
	}
	return actions
}

// Report shows what was made, also with a failure.
func (o RestoreOut) Report() *report.Report {
	if o.Checkpoint == "" {
		return o.reportOfRan()
	}
	did := verb.Done(o.DryRun, "Restored ", "Would restore ")
	r := report.Say(did, report.Text(o.Checkpoint+" as "), report.Toned(report.Strong, o.Session))
	r.AddTable("", report.TableOf(o.Panes, time.Time{}, "no panes"))
	for _, t := range o.Trees {
		if t.Patch == "" {
			continue
		}
		said := report.Toned(report.Warn, "left in the checkpoint")
		if t.Applied {
			said = report.Toned(report.Good, "applied")
		}
		r.AddLine(report.Text(t.Top+": "+verb.Plural(t.Changed, "changed file")+" "),
			said)
	}
	return r
}
