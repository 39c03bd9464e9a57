package sessions

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/config/recipe"
	"cupola/core/fleet/lifecycle"
	"cupola/core/system/shell"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

// launch holds the inputs that spawn and add share: which agents to start, and how.
type launch struct {
	SpawnCC  int               `min:"0" max:"50" help:"Claude Code agents to start"`
	SpawnCod int               `min:"0" max:"50" help:"Codex agents to start"`
	SpawnGmi int               `min:"0" max:"50" help:"Gemini agents to start"`
	SpawnOC  int               `flag:"spawn-oc" min:"0" max:"50" help:"OpenCode agents to start"`
	Agents   []string          `help:"Agents of any kind, as KIND=N or KIND:MODEL=N"`
	Cmd      registry.Programs `whole:"true" help:"Command line to run in a shell, in a pane of its own; repeat for more panes"`
	Dir      registry.ReadPath `help:"Working directory (default: this one)"`
	Layout   string            `default:"windows" enum:"windows,tiled" help:"One window for each pane, or all panes tiled in one window"`
	Prompt   string            `help:"Prompt to send to every agent once it is ready"`
	Worktree bool              `help:"Give each agent its own git worktree and branch"`
	origin
	Record bool `help:"Record what panes show, for replay-pane"`
	agentOptions
	surroundings
	registry.OverBudget
	WaitReady bool          `help:"Wait until every agent shows its prompt"`
	Timeout   time.Duration `help:"How long to wait (default: the agent kind's own)"`
}

// request returns the request to the fleet.
func (l launch) request(env *verb.Env) (lifecycle.LaunchRequest, error) {
	counts, err := l.counts()
	record := ""
	if l.Record && err == nil {
		record = env.Paths.Recordings()
		err = os.MkdirAll(record, 0o700)
	}
	options, wrong := l.options()
	err = cmp.Or(err, wrong, recipe.CheckEnv(l.Env))
	if len(counts)+len(l.Cmd) == 0 && options.Profile != "" && err == nil {
		if kind := env.Settings().Profiles[options.Profile].Kind; kind != "" {
			counts = []lifecycle.AgentCount{{Kind: kind, Count: 1}}
		}
	}
	return lifecycle.LaunchRequest{
		Record: record,
		Agents: counts, Commands: l.Cmd, Dir: string(l.Dir), Layout: lifecycle.Layout(l.Layout), Prompt: l.Prompt,
		Worktree: l.Worktree || l.inTree(), Start: l.start(),
		WaitReady: l.WaitReady, Timeout: l.Timeout, OverrideBudget: l.OverrideBudget,
		Progress: env.Progress, Environment: l.environment(),
		Options: options, Profiles: env.Settings().Profiles, OnLimit: core.OnLimit(env.Settings().Sessions.OnLimit),
	}, err
}

func (l launch) counts() ([]lifecycle.AgentCount, error) {
	var counts []lifecycle.AgentCount
	for _, counted := range []struct {
		kind  string
		count int
	}{{"cc", l.SpawnCC}, {"cod", l.SpawnCod}, {"gmi", l.SpawnGmi}, {"oc", l.SpawnOC}} {
		if counted.count > 0 {
			counts = append(counts, lifecycle.AgentCount{Kind: counted.kind, Count: counted.count})
		}
	}
	named, err := lifecycle.ParseAgentCounts(l.Agents)
	return append(counts, named...), err
}

// LaunchOut is the answer of spawn and add.
type LaunchOut struct {
	Session string `json:"session" names:"session"`
	// ID is the engine's id of the session; absent in a dry run.
	ID     core.SessionID `json:"id,omitempty"`
	Dir    string         `json:"dir,omitempty"`
	DryRun bool           `json:"dry_run"`
	// Panes are the panes that were made, or would be.
	Panes []launchedRow `json:"panes"`

	// Copied are the files and folders that git does not track and each new worktree got.
	Copied []string `json:"copied,omitempty"`

	// did says for people what was done to the session.
	did string
}

// StartedRow is a pane in which something was started.
type StartedRow struct {
	verb.PaneRow
	lifecycle.Start
}

// Cell shows an agent that is ready for a prompt as that.
func (r *StartedRow) Cell(title string) (report.Cell, bool) {
	if title == "STATE" && r.Ready {
		return report.Toned(report.Good, "ready"), true
	}
	return r.PaneRow.Cell(title)
}

// launchedRow is a pane that was made.
type launchedRow struct {
	_ struct{} `minimal:"session,ordinal,agent,state" standard:"session,ordinal,agent,command,dir,state,ready"`
	_ struct{} `table:"PANE,AGENT,KIND,STATE,COMMAND"`
	StartedRow
	// Branch is the branch of the agent's worktree; absent without one. Joined is true if the worktree was there.
	Branch string `json:"branch,omitempty"`
	Joined bool   `json:"joined,omitempty"`
	// Delivery is the outcome of the first prompt; absent without one.
	Delivery core.Outcome `json:"delivery,omitempty"`
}

func launched(did string, launches *lifecycle.Launches, dry bool) LaunchOut {
	if launches == nil {
		return LaunchOut{}
	}
	out := LaunchOut{
		Session: launches.Session, ID: launches.ID, Dir: launches.Dir, DryRun: dry, did: did,
		Copied: launches.Trees.Copied,
	}
	for _, l := range launches.Panes {
		row := launchedRow{
			StartedRow: StartedRow{verb.RowAt(l.PaneRef, &l.Status), l.Start}, Branch: l.Branch, Joined: l.Joined,
		}
		if l.Delivery != nil {
			row.Delivery = l.Delivery.Outcome
		}
		out.Panes = append(out.Panes, row)
	}
	return out
}

// Hints returns advice for the caller.
func (o LaunchOut) Hints() *registry.Hints {
	did := verb.Done(o.DryRun, "Started", "Would start").Text
	return &registry.Hints{Summary: fmt.Sprintf("%s %s in %s", did, verb.Plural(len(o.Panes), "pane"), o.Session)}
}

// Next suggests what to do next.
func (o LaunchOut) Next() []registry.Action {
	if o.DryRun || len(o.Panes) == 0 {
		return nil
	}
	look := verb.NextAction("tail", "Read what they show", "tail", o.Session)
	follow := []registry.Action{
		look, verb.NextAction("status", "See what each does", "status", o.Session),
		verb.NextAction("attach", "Open the session in a terminal", "attach", o.Session),
	}
	at, agents := o.addressee()
	switch {
	case agents:
		return append(
			verb.NextOnly("send", "Send the prompt on standard input to its agents", "send", at, "-"), follow...)
	case at == "":
		return follow
	}
	if !slices.ContainsFunc(o.Panes, func(row launchedRow) bool { return row.Kind != "" }) {
		follow[0].Description, follow[0].Command = "Read what its shell shows", look.Command+" --all"
	}
	run := verb.NextAction("send", "Run a command in its shell", "send", at, "pwd")
	return append([]registry.Action{run}, follow...)
}

// addressee returns the target of a first prompt: the session where it has agents, else its shell; empty without
// either.
func (o *LaunchOut) addressee() (at string, agents bool) {
	for _, row := range o.Panes {
		switch {
		case row.Kind.IsAgent():
			return o.Session, true
		case row.Kind == "":
			at = row.Address()
		}
	}
	return at, false
}

// Said counts what was started.
func (o LaunchOut) Said() string {
	return "started " + verb.Plural(len(o.Panes), "pane") + " in " + o.Session
}

// Report shows the started panes, and the next steps.
func (o LaunchOut) Report() *report.Report {
	r := report.Say(verb.Done(o.DryRun, o.did+" ", "Would start "), report.Toned(report.Strong, o.Session),
		report.Text(" in "), report.Text(o.Dir))
	r.AddTable("", report.TableOf(o.Panes, time.Time{}, "no panes"))
	if len(o.Copied) > 0 {
		r.AddLine(report.Text("Copied into each worktree: " + strings.Join(o.Copied, ", ")))
	}
	if !o.DryRun {
		if at, agents := o.addressee(); agents {
			r.Next = []report.Tip{verb.Tip("send a prompt to its agents", "send", at, "your prompt")}
		}
		r.Next = append(r.Next, verb.Tip("open it in this terminal", "attach", o.Session))
	}
	return r
}

// surroundings are the variables that panes are started with, beside those of the caller.
type surroundings struct {
	Env          registry.Programs `whole:"true" help:"Variable for every new pane, as NAME=VALUE, or NAME for the caller's value; repeat for more"`
	EnvFile      registry.ReadPath `help:"File of variables for every new pane, a NAME=VALUE a line"`
	NoInheritEnv bool              `help:"Give new panes none of the caller's other variables but those that programs cannot do without"`
}

// agentOptions say how agents are started, beside their kind.
type agentOptions struct {
	Model   string            `help:"Model of the agents, as their program names it"`
	Mode    string            `enum:"plan,ask,accept-edits,auto" help:"What the agents may do unasked: nothing but read, nothing, edit files, or everything"`
	By      string            `enum:"screen,acp" help:"Show the agents' own screens, or talk to them by the Agent Client Protocol (default: as their kind says)"`
	Args    registry.Programs `whole:"true" help:"More arguments for the agents' program, as a shell reads them"`
	Profile string            `help:"Start agents as a profile of the settings says; alone, one agent of its kind"`
	Sandbox string            `help:"Hold agents and commands to a sandbox: project, offline, or one of the settings"`
	OnLimit string            `enum:"stop,continue" help:"What agents do when a usage limit ends their turn: wait for you, or continue once it resets; the settings say it without this"`
}

// options returns what is asked for. It returns InvalidInput for arguments that no shell could read.
func (o agentOptions) options() (lifecycle.AgentOptions, error) {
	options := lifecycle.AgentOptions{
		Model: o.Model, Mode: core.Mode(o.Mode), Profile: o.Profile, Sandbox: o.Sandbox,
		OnLimit: core.OnLimit(o.OnLimit), By: agent.By(o.By),
	}
	for _, line := range o.Args {
		words, err := shell.Words(line)
		if err != nil {
			return options, core.Errorf(core.InvalidInput, "--args %q: %w", line, err)
		}
		options.Args = append(options.Args, words...)
	}
	return options, nil
}

// environment returns what is asked for. A path begins at the caller's folder.
func (s surroundings) environment() recipe.Environment {
	e := recipe.Environment{Env: s.Env}
	if path, err := filepath.Abs(string(s.EnvFile)); s.EnvFile != "" && err == nil {
		e.EnvFile = []string{path}
	}
	if s.NoInheritEnv {
		e.InheritEnv = new(bool)
	}
	return e
}
