package overview

import (
	"context"

	"cupola/core"
	"cupola/core/agent/background"
	"cupola/core/system/shell"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

type backgroundAttachIn struct {
	ID string `arg:"1" required:"true" lister:"background" help:"The session's id, as 'background' lists it"`
}

type backgroundAttachOut struct {
	// Command is the command that shows the session on a person's terminal.
	Command string   `json:"command" names:"command-line"`
	Argv    []string `json:"argv"`
}

var attachBackground = registry.Define(registry.Spec[*verb.Env, backgroundAttachIn, backgroundAttachOut]{
	Name: "background-attach", Of: "background", Group: verb.GroupSee,
	Short: "Open a background session in this terminal, or print the command that does",
	Long:  "Uses the agent's own command, such as 'claude attach'. In robot mode it returns the command to run.",
	Scope: registry.Global, Effect: registry.Reads, Sessionless: true,
	Examples: []string{"7f3a91c2"},
	Errors: []core.Code{
		core.NotFound, core.BackendFailed, core.Timeout, core.IOError, core.ToolNotFound, core.PermissionDenied,
	},
	Run: runBackgroundAttach,
}).SeeAlso("background")

func (o backgroundAttachOut) Plan() []string { return o.Argv }

func (o backgroundAttachOut) Report() *report.Report {
	return report.Say(report.Text("Run: "), report.Toned(report.Code, o.Command))
}

func runBackgroundAttach(ctx context.Context, env *verb.Env, in backgroundAttachIn) (backgroundAttachOut, error) {
	sessions, err := backgroundSessions(ctx, env)
	if err != nil {
		return backgroundAttachOut{}, err
	}
	return attachCommand(env, sessions, in.ID)
}

// attachCommand is the command that opens one of some sessions.
func attachCommand(env *verb.Env, sessions []background.Session, id string) (backgroundAttachOut, error) {
	missing := core.Errorf(core.NotFound, "no background session has the id %q", id)
	for i := range sessions {
		if s := &sessions[i]; s.ID == id {
			kind, _ := env.Kinds().Find(string(s.Kind))
			if argv, ok := background.Attach(kind, s.ID); ok {
				return backgroundAttachOut{Command: shell.Line(argv...), Argv: argv}, nil
			}
		}
		missing.Suggestions = append(missing.Suggestions, sessions[i].ID)
	}
	return backgroundAttachOut{}, missing
}
