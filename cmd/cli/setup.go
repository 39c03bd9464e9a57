package cli

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"cupola/core"
	"cupola/core/verb"
)

// setupCommand is the hidden subcommand that sets the worktree of the current folder up in this terminal, and then
// becomes the program that its words name. If the set-up fails, the exit status is core.SetupFailed.
func setupCommand(w *wiring) *cobra.Command {
	return &cobra.Command{
		Use: core.SetupWord + " PROGRAM [ARG...]", Hidden: true, DisableFlagParsing: true,
		DisableFlagsInUseLine: true, Short: "Set a worktree up, and then start a program in it",
		Long: "Panes of agents with a new worktree start with this. It runs the commands of the setting\n" +
			"worktree.setup, and starts the agent if they succeed.",
		RunE: func(cmd *cobra.Command, argv []string) error {
			if len(argv) == 0 {
				return core.Errorf(core.MissingRequired, "there is no program to start")
			}
			ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
			options := verb.Trees(&w.env.Local)
			err := options.SetUp(ctx, w.env.Dir, func(text []byte) { _, _ = os.Stdout.Write(text) })
			stop()
			if err != nil {
				failed := core.AsError(err)
				fmt.Fprintf(os.Stdout, "\r\nThe worktree could not be set up, so %s was not started:\r\n%s\r\n",
					argv[0], failed.Message)
				os.Exit(core.SetupFailed)
			}
			path, err := exec.LookPath(argv[0])
			if err != nil {
				return core.Errorf(core.ToolNotFound, "%w", err)
			}
			return syscall.Exec(path, argv, os.Environ())
		},
	}
}
