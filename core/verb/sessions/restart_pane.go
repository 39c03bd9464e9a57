package sessions

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/fleet/lifecycle"
	"cupola/core/fleet/observe"
	"cupola/core/fleet/resolve"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

// restartHow is how agents are restarted.
type restartHow struct {
	All     bool          `help:"Restart every agent of the session, where none is named"`
	Fresh   bool          `help:"Start a new agent session instead of resuming the previous one"`
	Resume  string        `help:"Take up this session of the agent's own, by its id, where several may be its own"`
	NoWait  bool          `help:"Do not wait until the agents are ready"`
	Timeout time.Duration `help:"How long to wait (default: the agent kind's own)"`
}

// RestartOut is the answer of the verbs restart-pane and smart-restart.
type RestartOut struct {
	Filters verb.Filters `json:"filters,omitzero"`
	DryRun  bool         `json:"dry_run"`
	// Panes has one row per agent that was restarted, would be, or was left
	// alone.
	Panes   []restartedRow `json:"panes" empty:"no agent to restart"`
	Summary restartSummary `json:"summary"`
	// Details has one row per pane with --verbose, as status has.
	Details []verb.PaneDetail `json:"pane_details,omitempty"`
}

// restartSummary counts agents. Resumed ones are among those restarted or planned.
type restartSummary struct {
	Restarted int `json:"restarted"`
	Planned   int `json:"planned"`
	Skipped   int `json:"skipped"`
	Resumed   int `json:"resumed"`
}

// restartedRow is the outcome of one agent.
type restartedRow struct {
	_ struct{} `minimal:"session,ordinal,outcome" table:"PANE,AGENT,OUTCOME,STATE,SESSION,COMMAND"`
	_ struct{} `standard:"session,ordinal,agent,outcome,why,session_id,ready,state"`
	verb.PaneRow
	// Outcome is restarted, planned or skipped.
	Outcome string `json:"outcome" table:"OUTCOME,word,with=Why"`
	// Why is idle, stuck, gone, forced or, where it was skipped, what the agent is
	// doing; absent without --safe.
	Why string `json:"why,omitempty"`
	lifecycle.Start
	// SessionID is the agent's own session that is taken up; absent for a new one,
	// and Fresh says why.
	SessionID string     `json:"session_id,omitempty" table:"SESSION"`
	Fresh     string     `json:"fresh,omitempty"`
	Before    core.State `json:"before"`
	// Reaped counts processes of the old agent that had to be ended.
	Reaped int `json:"reaped"`
	// Left are processes of the old agent that keep running, each with the reason.
	Left     []leftRow `json:"leftovers,omitempty" minimal:"pid,name"`
	Evidence []string  `json:"evidence"`
}

var restartErrors = []core.Code{
	core.SessionNotFound, core.PaneNotFound, core.AgentNotFound, core.Conflict, core.NotReady, core.Timeout,
	core.ToolNotFound, core.EngineUnavailable, core.PermissionDenied,
}

// fits sees that the agents are named in one way.
func (h restartHow) fits(panes []string) error {
	if h.All && len(panes) > 0 {
		return registry.Conflict("--all", "--panes")
	}
	if h.Fresh && h.Resume != "" {
		return registry.Conflict("--fresh", "--resume")
	}
	if strings.HasPrefix(h.Resume, "-") {
		return core.Errorf(core.InvalidInput, "%q is no id of a session", h.Resume)
	}
	return nil
}

func (h restartHow) request(target resolve.Target, dry bool) lifecycle.RestartRequest {
	return lifecycle.RestartRequest{
		Target: target, Fresh: h.Fresh, Session: h.Resume, NoWait: h.NoWait, Timeout: h.Timeout, DryRun: dry,
		Every: h.All,
	}
}

func restartWith(ctx context.Context, deps verb.OnFleet, request lifecycle.RestartRequest, may verb.Permission,
	verbose bool,
) (RestartOut, error) {
	out, err := restarted(ctx, deps, request, may)
	if err != nil || !verbose {
		return out, err
	}
	_, panes, err := deps.Fleet.Overview.Chosen(ctx, request.Target, observe.View{Dirs: true})
	if err != nil {
		deps.Env.Warn("the panes cannot be observed again: " + err.Error())
	}
	out.Details = core.Map(panes, verb.DetailOf)
	return out, nil
}

// restarted plans the restarts, asks, and carries them out.
func restarted(ctx context.Context, deps verb.OnFleet, request lifecycle.RestartRequest, may verb.Permission) (
	RestartOut, error,
) {
	request.Progress = deps.Env.Progress
	dry := request.DryRun
	request.DryRun = true
	planned, err := deps.Fleet.Launcher.Restart(ctx, request)
	if err != nil {
		return RestartOut{}, err
	}
	out := restartOutOf(planned, request)
	if dry || out.Summary.Planned == 0 {
		out.DryRun = dry
		return out, nil
	}
	if err := may.Ask(deps.Env.Who(), "Restart "+verb.Plural(out.Summary.Planned, "agent")+"?"); err != nil {
		return RestartOut{}, err
	}
	request.DryRun = false
	done, err := deps.Fleet.Launcher.Restart(ctx, request)
	out = restartOutOf(done, request)
	if failed := new(core.Error); errors.As(err, &failed) && len(done) > 0 {
		failed.Details = out
	}
	return out, err
}

func restartOutOf(done []lifecycle.Restarted, request lifecycle.RestartRequest) RestartOut {
	out := RestartOut{Filters: verb.Echo(request.Target), DryRun: request.DryRun}
	for i := range done {
		d := &done[i]
		row := restartedRow{
			PaneRow: verb.RowAt(d.PaneRef, &d.After),
			Outcome: "restarted", Why: d.Why, Start: d.Start, SessionID: d.Session,
			Fresh: d.Fresh, Before: d.Before.State, Reaped: d.Reaped, Left: leftRows(d.Left),
			Evidence: d.Evidence,
		}
		switch {
		case d.Skipped:
			row.Outcome = "skipped"
			out.Summary.Skipped++
		case request.DryRun:
			row.Outcome = "planned"
			out.Summary.Planned++
		default:
			out.Summary.Restarted++
		}
		if !d.Skipped && d.Session != "" {
			out.Summary.Resumed++
		}
		out.Panes = append(out.Panes, row)
	}
	return out
}

// Said names the agents, which of them resumed their last sessions, and which of their processes keep running.
func (o RestartOut) Said() string {
	said := "restarted " + verb.PanesNamed(o.Panes)
	switch {
	case len(o.Panes) == 0:
		return "no agent to restart"
	case o.Summary.Resumed > 0 && len(o.Panes) == 1:
		said += " in its last session"
	case o.Summary.Resumed > 0:
		said += fmt.Sprintf(": %d of %s in their last sessions", o.Summary.Resumed,
			verb.Plural(o.Summary.Restarted, "agent"))
	case len(o.Panes) == 1 && o.Panes[0].Fresh != "":
		said += " in a new session: " + o.Panes[0].Fresh
	}
	for i := range o.Panes {
		for _, line := range leftLines(o.Panes[i].Left) {
			said += ";" + strings.TrimPrefix(line[0].Text, " ")
		}
	}
	return said
}

// Cell shows an agent that is ready for a prompt as that, and why a session is new.
func (r *restartedRow) Cell(title string) (report.Cell, bool) {
	if title == "STATE" && r.Ready {
		return report.Toned(report.Good, "ready"), true
	}
	if title == "SESSION" && r.SessionID == "" && r.Outcome != "skipped" {
		return report.Toned(report.Dim, "new: "+r.Fresh), true
	}
	return r.PaneRow.Cell(title)
}

// RestartIn is the input of the verb restart-pane.
type RestartIn struct {
	registry.InSession
	registry.OfPanes
	registry.Excluded
	restartHow
	By   string `enum:"screen,acp" help:"Show the agents in another way from then on: their own screens, or the conversation by the Agent Client Protocol"`
	Safe bool   `help:"Only agents that have nothing to lose: idle, stuck or gone; with --force also the others"`
	registry.Consent
	registry.Preview
	registry.Detail
}

var restartPane = registry.Define(registry.Spec[verb.OnFleet, RestartIn, RestartOut]{
	Name: "restart-pane", Group: verb.GroupFleet, Doing: "restarting", Short: "Restart agents in their panes",
	Aliases: []string{"restart", "agent restart"},
	Long: "Name the agents, or give --all. Ends an agent and its processes and starts it again in the same pane with " +
		"the same command line. It resumes the agent's own session if the agent can; where nothing proves " +
		"which one that is, it refuses, and lists those that may be, without --resume or --fresh. Pane, number, name " +
		"and labels stay. With --safe an agent that is working, waiting for an answer or holding a draft is left " +
		"alone; one is stuck if it shows an error, or seems to work while its screen does not change.",
	Scope: registry.Session, Effect: registry.Writes,
	Examples: []string{"api.1 --yes", "api.1 --dry-run", "api --safe --dry-run"},
	List:     "panes", Errors: restartErrors, Run: runRestart,
})

// Check sees that the agents are named in one way.
func (in RestartIn) Check() error { return in.fits(in.Panes) }

func runRestart(ctx context.Context, deps verb.OnFleet, in RestartIn) (RestartOut, error) {
	request := in.request(deps.Acting(ctx, verb.TargetOf(in.Session, in.OfPanes, false, in.Exclude), false), in.DryRun)
	request.By = agent.By(in.By)
	request.Smart, request.Force = in.Safe, in.Safe && in.Force
	return restartWith(ctx, deps, request, verb.Permission{Verb: "restart-pane", In: in, Given: in.Given()}, in.Verbose)
}

type smartRestartIn struct {
	registry.InSession
	registry.OfPanes
	registry.Excluded
	restartHow
	Yes   bool `flag:"yes,y" help:"Do it without asking"`
	Force bool `help:"Also restart agents that would lose something, without asking"`
	registry.Preview
	registry.Detail
}

var smartRestart = registry.Define(registry.Spec[verb.OnFleet, smartRestartIn, RestartOut]{
	Name: "smart-restart", Of: "restart-pane --safe", Group: verb.GroupFleet,
	Short: "Restart agents that have nothing to lose",
	Long: "Restarts agents that are idle, stuck or gone, and says which. An agent that is working, waiting for an " +
		"answer or holding a draft is left alone unless --force is given, which wants the agents named, or " +
		"--all. An agent is stuck if it shows an error, or seems to work while its screen does not change.",
	Scope: registry.Session, Effect: registry.Writes,
	Deprecated: registry.Prefixed{Prefix: "smart-restart", Flags: []string{"verbose"}},
	Examples:   []string{"api.1 --yes", "api --dry-run"},
	List:       "panes", Errors: restartErrors, Run: runSmartRestart,
})

// Check sees that the agents are named in one way.
func (in smartRestartIn) Check() error { return in.fits(in.Panes) }

func runSmartRestart(ctx context.Context, deps verb.OnFleet, in smartRestartIn) (RestartOut, error) {
	request := in.request(deps.Acting(ctx, verb.TargetOf(in.Session, in.OfPanes, false, in.Exclude), false), in.DryRun)
	request.Smart, request.Force = true, in.Force
	may := verb.Permission{Verb: "smart-restart", In: in, Given: in.Yes || in.Force}
	return restartWith(ctx, deps, request, may, in.Verbose)
}
