package overview

import (
	"context"
	"slices"

	"cupola/core"
	"cupola/core/fleet/observe"
	"cupola/core/system/shell"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

type nextIn struct {
	registry.OfSession
	After core.PaneID `help:"The one after this pane, in turn (default: the caller's own)"`
}

type nextOut struct {
	// Address is the pane of the agent; absent where none needs the user and none is done.
	Address string      `json:"address,omitempty" names:"session"`
	State   core.State  `json:"state,omitempty"`
	Reason  core.Reason `json:"reason,omitempty"`
	// Command shows its pane on a person's terminal; absent without one.
	Command string   `json:"command,omitempty" names:"command-line"`
	Argv    []string `json:"argv"`
}

var next = registry.Define(registry.Spec[verb.OnFleet, nextIn, nextOut]{
	Name: "next", Of: "attention --limit=1", Group: verb.GroupSee,
	Short: "Go to the next agent that needs you, or is done",
	Long: "On a terminal it opens its pane; inside tmux it switches there. Called from the pane of one of them, it " +
		"goes to the one after that. For a key of tmux: bind-key N run-shell " +
		`'eval "$(cupola next --after=#{pane_id} --go-template={{.command}})"'.`,
	Scope: registry.Global, Effect: registry.Reads, OnTerminals: true,
	Examples: []string{"", "--session=api"},
	Errors: []core.Code{
		core.EngineUnavailable, core.SessionNotFound, core.PermissionDenied, core.AttachFailed, core.PaneNotFound,
	},
	Run: runNext,
}).SeeAlso("attention", "attach")

func (o nextOut) Plan() []string {
	if len(o.Argv) == 0 {
		return nil
	}
	return o.Argv
}

func (o nextOut) Report() *report.Report {
	if o.Address == "" {
		return report.Say(report.Text("Nothing needs you."))
	}
	return report.Say(report.Text(o.Address+" "+string(o.State)+": "), report.Toned(report.Code, o.Command))
}

func runNext(ctx context.Context, deps verb.OnFleet, in nextIn) (nextOut, error) {
	snap, err := deps.Fleet.Overview.Snapshot(ctx, observe.View{Session: in.Session, Brief: true})
	if err != nil {
		return nextOut{}, err
	}
	panes := snap.PanesNeedingUser()
	for _, pane := range snap.Panes() {
		if pane.IsDone() && !slices.Contains(panes, pane) {
			panes = append(panes, pane)
		}
	}
	after := in.After
	if after == "" && deps.Env.OwnPane != nil {
		after = deps.Env.OwnPane(ctx)
	}
	pane := afterPane(panes, after)
	if pane == nil {
		return nextOut{}, nil
	}
	argv, _, err := deps.Fleet.Launcher.Attach(ctx, string(pane.ID))
	if err != nil {
		return nextOut{}, err
	}
	return nextOut{
		Address: pane.Address(), State: pane.Status.Shown(), Reason: pane.Status.Reason,
		Command: shell.Line(argv...), Argv: argv,
	}, nil
}

// afterPane returns the pane behind another one in turn, the first where that is not among them, and nil for none.
func afterPane(panes []*core.Pane, after core.PaneID) *core.Pane {
	if len(panes) == 0 {
		return nil
	}
	at := slices.IndexFunc(panes, func(p *core.Pane) bool { return p.ID == after })
	return panes[(at+1)%len(panes)]
}
