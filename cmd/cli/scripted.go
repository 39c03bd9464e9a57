package cli

import (
	"os"

	"github.com/spf13/cobra"

	"cupola/core/agent/scripted"
)

// scriptedCommand is the hidden subcommand that plays a coding agent. It needs a terminal, and ends the process
// itself when the agent ends with a status other than zero.
func scriptedCommand() *cobra.Command {
	var o scripted.Options
	cmd := &cobra.Command{
		Use: "scripted", Short: "Play a coding agent in this terminal", Hidden: true,
		Args: noArguments,
		Long: "Play a coding agent in this terminal. Words in a prompt say what its turn does:\n\n" + scripted.Words(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			status, err := scripted.Play(cmd.Context(), o)
			if err == nil && status != 0 {
				os.Exit(status)
			}
			return err
		},
	}
	o.Flags(cmd.Flags())
	return cmd
}
