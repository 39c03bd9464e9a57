package sessions

import (
	"context"

	"cupola/core"
	"cupola/core/system/shell"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

type attachIn struct {
	registry.InSession
}

type attachOut struct {
	Session string `json:"session,omitempty" names:"session"`
	// Command is the command that shows the session on a person's terminal.
	Command string   `json:"command" names:"command-line"`
	Argv    []string `json:"argv"`
	// Inside is true within a terminal of the same server, which is switched
	// rather than attached.
	Inside bool `json:"inside"`
}

var attach = registry.Define(registry.Spec[verb.OnFleet, attachIn, attachOut]{
	Name: "attach", Group: verb.GroupFleet, Short: "Open a session in this terminal",
	Aliases: []string{"session attach"},
	Long: "On a terminal it opens the session; detach with tmux's own keys (Ctrl-b d by default). In robot mode " +
		"it returns the command to run.",
	Scope: registry.Session, Effect: registry.Reads, OnTerminals: true,
	Examples: []string{"api"},
	Errors:   []core.Code{core.SessionNotFound, core.PaneNotFound, core.AttachFailed, core.EngineUnavailable},
	Run:      runAttach,
}).SeeAlso("tail", "status")

func (o attachOut) Plan() []string {
	return o.Argv
}

func (o attachOut) Report() *report.Report {
	return report.Say(report.Text("Run: "), report.Toned(report.Code, o.Command))
}

func runAttach(ctx context.Context, deps verb.OnFleet, in attachIn) (attachOut, error) {
	argv, inside, err := deps.Fleet.Launcher.Attach(ctx, in.Session)
	if err != nil {
		return attachOut{}, err
	}
	return attachOut{Session: in.Session, Command: shell.Line(argv...), Argv: argv, Inside: inside}, nil
}
