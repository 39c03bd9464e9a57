package cli

import (
	"context"

	"github.com/spf13/cobra"

	"cupola/core/verb"
	"cupola/core/verb/registry"
	"cupola/robot/acp"
)

// agentIn are the flags of the agent for editors.
type agentIn struct {
	servingIn
	To string `help:"Who gets the prompts of a new session: SESSION, SESSION.N or crew:ID (default: an agent of the editor's folder that is free)"`
}

// agentFlags binds the flags of the agent and makes its usage errors.
var agentFlags = registry.Define(registry.Spec[*verb.Env, agentIn, struct{}]{Name: registry.AgentWord})

// agentCommand makes the subcommand that offers the fleet to an editor as one agent.
func agentCommand(w *wiring, out *faces) *cobra.Command {
	return subcommand(&cobra.Command{
		Use: registry.AgentWord, Short: "Offer the fleet to an editor, as one agent of the Agent Client Protocol",
		Long: "Speaks the Agent Client Protocol on standard input and output, for an editor that starts it.\n" +
			"The mode says who gets a prompt: an agent that is free, one agent, a session or a crew.\n" +
			"What agents ask comes up as requests for permission, and verbs are slash commands.\n" +
			"Clients may write but not destroy, unless --allow says otherwise; --session confines them.",
		Example: examples([]string{"cupola acp-agent", "cupola acp-agent --to=api.1 --allow=answers"}),
	}, agentFlags, func(ctx context.Context, in agentIn) error {
		out.line.globals.Errors = "stderr" // the editor reads standard output
		if err := agentFlags.Check(in); err != nil {
			return err
		}
		s := servers{wiring: w, client: true}
		return acp.New(acp.Options{
			Service: s.service(&in.servingIn), Version: w.opts.Version, Watch: w.watch, To: in.To,
		}).Serve(ctx, out.opts.Stdin, out.opts.Stdout)
	})
}
