package cli

import (
	"cmp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"cupola/cmd/scripted"
	"cupola/robot/registry"
)

// tree is the program as a tree of commands.
type tree struct{ program *program }

// root builds the command tree, which help, completion and commands that are no verbs need.
// Commands call run; its status is the program's.
func (p tree) root() *cobra.Command {
	root := &cobra.Command{
		Use: "cupola", Short: "Run several coding agents at once, and know what each is doing",
		SilenceErrors: true, SilenceUsage: true, Args: cobra.ArbitraryArgs, Version: p.program.Version,
		ValidArgsFunction: p.completeWords,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownCommandError(p.program.catalog, args[0], args[1:])
			}
			return p.program.bare(cmd.Context())
		},
	}
	root.SetOut(p.program.Stdout)
	root.SetErr(p.program.Stderr)
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return flagError(p.program.catalog, nil, err) })
	root.SetHelpCommand(&cobra.Command{
		Use: "help [command or topic]", Short: "Explain a command or a topic", ValidArgsFunction: p.completeHelp,
		RunE: func(cmd *cobra.Command, args []string) error { return p.explain(cmd.Context(), root, args) },
	})
	for _, field := range registry.GlobalFields() {
		p.registerGlobal(root, field)
	}
	for _, group := range p.program.catalog.Groups() {
		root.AddGroup(&cobra.Group{ID: group, Title: group + ":"})
	}
	for _, verb := range p.program.catalog.Verbs {
		root.AddCommand(p.command(verb))
	}
	for _, plan := range p.program.catalog.Planned {
		root.AddCommand(&cobra.Command{
			Use: plan.Name, Short: plan.Short, Long: "It is planned and does not exist yet.", Hidden: true,
			DisableFlagParsing: true,
			RunE:               func(*cobra.Command, []string) error { return plan.Missing() },
		})
	}
	root.AddCommand(scripted.Command(), demoCommand(p.program), hookCommand(), manCommand(p.program))
	p.registerVerbFlags(root)
	setHelp(root)
	return root
}

// registerGlobal makes a global flag known to help and completion. Its value
// was taken from the arguments before.
func (p tree) registerGlobal(root *cobra.Command, field *registry.Field) {
	flags := root.PersistentFlags()
	if field.Type == "bool" {
		flags.BoolP(field.Name, field.Short, false, field.Usage())
	} else {
		flags.StringP(field.Name, field.Short, "", field.Usage())
		_ = root.RegisterFlagCompletionFunc(field.Name, p.completeGlobal(field))
	}
}

// seeAlso returns the long help of a verb, and the verbs related to it.
func seeAlso(verb *registry.Verb) string {
	if len(verb.Related) == 0 {
		return verb.Long
	}
	return strings.TrimSpace(cmp.Or(verb.Long, verb.Short+".") + "\n\nSee also: " + strings.Join(verb.Related, ", "))
}

// command makes the subcommand of a verb.
func (p tree) command(verb *registry.Verb) *cobra.Command {
	cmd := &cobra.Command{
		Use: verb.Usage()[len("cupola "):], Aliases: verb.Aliases, Short: verb.Short, Long: seeAlso(verb),
		GroupID: verb.Group, Example: examples(verb.Examples()), Args: cobra.ArbitraryArgs, DisableFlagsInUseLine: true,
	}
	if also := slices.Concat(verb.Aliases, p.program.catalog.Phrases(verb)); len(also) > 0 {
		cmd.Annotations = map[string]string{alsoCalled: strings.Join(also, ", ")}
	}
	bound := verb.Bind(cmd.Flags())
	for _, field := range verb.Fields() {
		if complete := p.completeFlag(verb, field); complete != nil && field.Flag() &&
			registry.GlobalField(field.Name) == nil {
			_ = cmd.RegisterFlagCompletionFunc(field.Name, complete)
		}
	}
	cmd.InitDefaultHelpFlag()
	cmd.Flags().Lookup("help").Usage = "Show this help"
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return flagError(p.program.catalog, verb, err) })
	cmd.ValidArgsFunction = p.completeArgs(verb)
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return p.answer(cmd.Context(), verb, bound, args) }
	return cmd
}
