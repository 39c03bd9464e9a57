package cli

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"cupola/core"
	"cupola/core/git/worktree"
)

// setupCommand is the hidden subcommand that sets the worktree of the current folder up in this terminal, and then
// becomes the program that its words name. If the set-up fails, the exit status is core.SetupFailed.
func setupCommand() *cobra.Command {
	return &cobra.Command{
		Use: core.SetupWord + " LIMIT COUNT COMMAND... PROGRAM [ARG...]", Hidden: true, DisableFlagParsing: true,
		DisableFlagsInUseLine: true, Short: "Set a worktree up, and then start a program in it",
		Long: "Panes of agents with a new worktree start with this. It runs commands within a\n" +
			"time limit, and starts the agent if they succeed.",
		RunE: func(cmd *cobra.Command, words []string) error {
			options, argv, err := worktree.ReadSetupWords(words)
			if err != nil {
				return err
			}
			dir, err := os.Getwd()
			if err != nil {
				return err
			}
			ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
			err = options.SetUp(ctx, dir, func(text []byte) { _, _ = os.Stdout.Write(text) })
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
