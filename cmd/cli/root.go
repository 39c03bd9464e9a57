package cli

import (
	"context"

	"github.com/spf13/cobra"

	"cupola/cmd/scripted"
	"cupola/core"
	"cupola/core/config"
	"cupola/robot/registry"
)

// tree is the program as a tree of commands.
type tree struct{ *program }

// root builds the command tree, which help, completion and all that is no verb
// need. What a command does is handed to run; the status it returns is the
// program's.
func (p tree) root() *cobra.Command {
	root := &cobra.Command{
		Use: "cupola", Short: "Run several coding agents at once, and know what each is doing",
		SilenceErrors: true, SilenceUsage: true, Args: cobra.ArbitraryArgs, Version: p.Version,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownCommand(p.catalog, args[0], args[1:])
			}
			return p.bare(cmd.Context())
		},
	}
	root.SetOut(p.Stdout)
	root.SetErr(p.Stderr)
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return flagError(p.catalog, nil, err) })
	root.SetHelpCommand(&cobra.Command{Use: "help [command]", Short: "Explain a command", RunE: func(_ *cobra.Command, args []string) error {
		return p.explain(root, args)
	}})
	for _, field := range registry.GlobalFields() {
		registerGlobal(root, field)
	}
	for _, group := range p.catalog.Groups() {
		root.AddGroup(&cobra.Group{ID: group, Title: group + ":"})
	}
	for _, verb := range p.catalog.Verbs {
		root.AddCommand(p.command(verb))
	}
	for _, plan := range p.catalog.Planned {
		root.AddCommand(&cobra.Command{
			Use: plan.Name, Short: plan.Short, Hidden: true, DisableFlagParsing: true,
			RunE: func(*cobra.Command, []string) error { return notImplemented(plan) },
		})
	}
	root.AddCommand(scripted.Command(), demoCommand(p.program), hookCommand())
	dress(root)
	return root
}

// registerGlobal makes a global flag known to help and completion. Its value
// was taken from the arguments before.
func registerGlobal(root *cobra.Command, field *registry.Field) {
	flags := root.PersistentFlags()
	if field.Type == "bool" {
		flags.BoolP(field.Name, field.Short, false, field.Help)
	} else {
		flags.StringP(field.Name, field.Short, "", field.Help)
		_ = root.RegisterFlagCompletionFunc(field.Name, cobra.FixedCompletions(field.Enum, cobra.ShellCompDirectiveNoFileComp))
	}
}

// command makes the subcommand of a verb.
func (p tree) command(verb *registry.Verb) *cobra.Command {
	cmd := &cobra.Command{
		Use: verb.Usage()[len("cupola "):], Aliases: verb.Aliases, Short: verb.Short, Long: verb.Long, GroupID: verb.Group, Example: examples(verb.Examples()),
		Args: cobra.ArbitraryArgs, DisableFlagsInUseLine: true,
	}
	bound := verb.Bind(cmd.Flags())
	for _, field := range verb.Fields() {
		if len(field.Enum) > 0 && field.Flag() {
			_ = cmd.RegisterFlagCompletionFunc(field.Name, cobra.FixedCompletions(field.Enum, cobra.ShellCompDirectiveNoFileComp))
		}
	}
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return flagError(p.catalog, verb, err) })
	cmd.ValidArgsFunction = p.completeArgs(verb)
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return p.answer(cmd.Context(), verb, bound, args) }
	return cmd
}

// completeArgs completes session names, and settings with their values.
func (p tree) completeArgs(verb *registry.Verb) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if verb.Name == "config-get" || verb.Name == "config-set" {
			return completeSetting(args), cobra.ShellCompDirectiveNoFileComp
		}
		if len(args) > 0 || verb.Scope != registry.Session || verb.Name == "spawn" {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return p.sessionNames(cmd.Context()), cobra.ShellCompDirectiveNoFileComp
	}
}

// completeSetting completes a setting's name, and behind it the values it allows.
func completeSetting(args []string) []string {
	if len(args) == 0 {
		return config.Names()
	}
	key, err := config.KeyNamed(args[0])
	switch {
	case err != nil || len(args) > 1:
		return nil
	case key.Type == "bool":
		return []string{"true", "false"}
	}
	return key.Enum
}

func (p tree) sessionNames(ctx context.Context) []string {
	if ctx == nil {
		ctx = context.Background()
	}
	status := p.catalog.Find("status")
	reply, err := status.Call(ctx, p.deps, status.Zero(), nil)
	if err != nil {
		return nil
	}
	named, ok := reply.Value.(interface{ SessionNames() []string })
	if !ok {
		return nil
	}
	return named.SessionNames()
}

// explain shows the help of a command.
func (p tree) explain(root *cobra.Command, args []string) error {
	if len(args) > 1 && p.catalog.Find(args[0]) == nil && p.catalog.Find(args[0]+"-"+args[1]) != nil {
		args = append([]string{args[0] + "-" + args[1]}, args[2:]...)
	}
	cmd, rest, err := root.Find(args)
	if err != nil || len(rest) > 0 {
		return unknownCommand(p.catalog, args[0], nil)
	}
	if err := cmd.Help(); err != nil {
		return &core.Error{Code: core.IOError, Err: err}
	}
	return nil
}
