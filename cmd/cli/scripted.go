package cli

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"cupola/core"
	"cupola/core/agent/scripted"
	"cupola/core/git/worktree"
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
