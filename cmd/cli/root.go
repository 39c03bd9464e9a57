package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"cupola/core"
	"cupola/core/verb/registry"
	"cupola/core/verb/suggest"
)

// tree is the program as a tree of commands.
type tree struct{ program *program }

// errAnswered ends a command line that was answered before its command ran.
var errAnswered = errors.New("answered")

// commands returns the root with the command that the line names, or with all for what describes
// them.
func (p tree) commands() *cobra.Command {
	root := p.root()
	switch name := p.program.line.Command; name {
	case "":
	case "help", "completion", cobra.ShellCompRequestCmd, cobra.ShellCompNoDescRequestCmd:
		p.grow(root)
	default:
		root.AddCommand(p.child(name))
	}
	root.SetArgs(append([]string{}, p.program.line.Words...))
	return root
}

// root makes the command above all others. Commands call run; its status is the program's.
func (p tree) root() *cobra.Command {
	root := &cobra.Command{
		Use: "cupola", Short: "Run several coding agents at once, and know what each is doing",
		SilenceErrors: true, SilenceUsage: true, Args: cobra.ArbitraryArgs,
		ValidArgsFunction: completer(p).completeWords,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return p.program.begin(cmd) },
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(p.program.line.Stray) > 0:
				if of, is := groupOf(p.program.catalog, p.program.line.Stray); is && !p.program.robotic {
					return p.program.print(of.Text())
				}
				return p.unknown()
			case len(args) > 0:
				return suggest.AfterDashes(args)
			}
			return p.program.bare(cmd.Context())
		},
	}
	root.SetOut(p.program.Stdout)
	root.SetErr(p.program.Stderr)
	root.PersistentFlags().AddFlagSet(p.program.flags.Set)
	root.SetFlagErrorFunc(p.flagError(nil, nil))
	page := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		if p.program.failed = p.help(cmd); p.program.failed == nil {
			var text strings.Builder
			cmd.SetOut(&text)
			page(cmd, args)
			p.program.failed = p.program.print(text.String())
		}
	})
	p.setHelp(root)
	return root
}

// child makes the command of a name.
func (p tree) child(name string) *cobra.Command {
	if verb := p.program.catalog.Find(name); verb != nil {
		return p.command(verb)
	}
	switch name {
	case "demo":
		return demoCommand(p.program)
	case "man":
		return manCommand(p.program)
	case "mcp":
		return mcpCommand(p.program)
	case remoteWord:
		return remoteCommand(p.program)
	case hookWord:
		return hookCommand()
	case "scripted":
		return scriptedCommand()
	}
	plan := p.program.catalog.Plan(name)
	return &cobra.Command{
		Use: plan.Name, Short: plan.Short, Long: "It is planned and does not exist yet.", Hidden: true,
		Args: cobra.ArbitraryArgs, FParseErrWhitelist: cobra.FParseErrWhitelist{UnknownFlags: true},
		RunE: func(*cobra.Command, []string) error { return plan.Missing() },
	}
}

// grow adds all commands, and what completion needs.
func (p tree) grow(root *cobra.Command) {
	catalog := p.program.catalog
	completer(p).registerVerbFlags(root)
	for _, group := range catalog.Groups() {
		root.AddGroup(&cobra.Group{ID: group, Title: group + ":"})
	}
	for _, name := range slices.Concat(catalog.Names(), registry.Others, []string{"scripted", hookWord}) {
		cmd := p.child(name)
		if verb := catalog.Find(name); verb != nil {
			p.describe(cmd, verb)
		}
		root.AddCommand(cmd)
	}
	root.SetHelpCommand(&cobra.Command{
		Use: "help [command or topic]", Short: "Explain a command or a topic",
		ValidArgsFunction: completer(p).completeHelp,
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.explain(cmd.Context(), root, args)
		},
	})
	root.InitDefaultHelpCmd()
	root.CompletionOptions.DisableDefaultCmd = false
	root.InitDefaultCompletionCmd()
	completion, _, _ := root.Find([]string{"completion"}) // it was just added
	completion.Args = cobra.ArbitraryArgs
	completion.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return unknownShellError(args[0])
		}
		return cmd.Help()
	}
	for _, field := range registry.GlobalFields() {
		if field.Type != "bool" {
			_ = root.RegisterFlagCompletionFunc(field.Name, completer(p).completeGlobal(field))
		}
	}
}

// command makes the subcommand of a verb.
func (p tree) command(verb *registry.Verb) *cobra.Command {
	cmd := &cobra.Command{Use: verb.Name, Aliases: verb.Aliases, Args: cobra.ArbitraryArgs, DisableFlagsInUseLine: true}
	bound := verb.Bind(cmd.Flags())
	cmd.SetFlagErrorFunc(p.flagError(verb, bound))
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return p.answer(cmd.Context(), verb, bound, args) }
	return cmd
}

// noArguments returns what refuses the arguments of a command that is no verb and takes none.
func noArguments(name string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		return core.Errorf(core.TooManyValues, "%s takes no argument %q", name, args[0])
	}
}

// describe adds to the subcommand of a verb what help and completion show.
func (p tree) describe(cmd *cobra.Command, verb *registry.Verb) {
	cmd.Use, cmd.Short, cmd.Long = verb.Usage()[len("cupola "):], verb.Short, verb.Long
	if len(verb.Related) > 0 {
		cmd.Long = cmp.Or(verb.Long, verb.Short+".") + "\n\nSee also: " + strings.Join(verb.Related, ", ")
	}
	cmd.GroupID, cmd.Example = verb.Group, examples(verb.Examples())
	if also := slices.Concat(verb.Aliases, p.program.catalog.Phrases(verb)); len(also) > 0 {
		cmd.Annotations = map[string]string{alsoCalled: strings.Join(also, ", ")}
	}
	for _, field := range verb.Fields() {
		if complete := completer(p).completeFlag(verb, field); complete != nil && field.Flag() &&
			registry.GlobalField(field.Name) == nil {
			_ = cmd.RegisterFlagCompletionFunc(field.Name, complete)
		}
	}
	cmd.ValidArgsFunction = completer(p).completeArgs(verb)
	cmd.InitDefaultHelpFlag()
	cmd.Flags().Lookup("help").Usage = "Show this help"
}

// answer runs a verb with its bound flags and its arguments.
func (p tree) answer(ctx context.Context, verb *registry.Verb, bound *registry.Bound, args []string) error {
	p.program.warnings = bound.Warnings()
	if legacy, use := verb.ValueForm(); legacy != "" && p.program.line.Value != nil {
		p.program.warnings = append(p.program.warnings, legacy+" is deprecated; use "+use)
	}
	args, err := p.program.line.Fill(verb, bound, args)
	if err != nil {
		return corrector(p).suggestions().BadArguments(args, core.AsError(err))
	}
	if err := p.program.globals.Apply(bound); err != nil {
		return err
	}
	if p.asks() && len(p.program.globals.Host) == 0 {
		return p.answerPerson(ctx, verb, bound, p.program.warnings)
	}
	return p.program.run(ctx, verb, bound.Input(), p.program.warnings)
}

// unknown returns the error of a line that names no command.
func (p tree) unknown() error {
	return suggest.Command(p.program.catalog, p.program.line.Stray, registry.Others)
}

// flagError returns how an error of a command's flags is explained. Verb is nil for the root.
func (p tree) flagError(verb *registry.Verb, bound *registry.Bound) func(*cobra.Command, error) error {
	return func(cmd *cobra.Command, err error) error {
		if bound != nil {
			p.program.warnings = bound.Warnings()
		}
		p.readOn(cmd)
		if verb == nil && len(p.program.line.Stray) > 0 {
			return p.unknown()
		}
		e := p.badFlag(cmd, verb, err)
		if line := corrector(p).suggestions(); line.Verb != nil {
			return line.BadFlag(e)
		}
		return e
	}
}

// readOn sets the flags behind a wrong one, too: the form of the answer follows them all.
func (p tree) readOn(cmd *cobra.Command) {
	flags, args := cmd.Flags(), p.program.line.Words
	if cmd.HasParent() {
		args = args[1:]
	}
	args = slices.DeleteFunc(slices.Clone(args), // they would end it
		func(arg string) bool { return strings.HasPrefix(arg, "---") || strings.HasPrefix(arg, "--=") })
	flags.ParseErrorsAllowlist.UnknownFlags = true
	_ = flags.ParseAll(args, func(flag *pflag.Flag, value string) error {
		_ = flags.Set(flag.Name, value)
		return nil
	})
}

// badFlag turns an error of pflag into one with the near miss.
func (p tree) badFlag(cmd *cobra.Command, verb *registry.Verb, err error) *core.Error {
	var unknown *pflag.NotExistError
	var noValue *pflag.ValueRequiredError
	var badValue *pflag.InvalidValueError
	var own *core.Error
	name, letters := "", ""
	switch {
	case errors.As(err, &own):
		return own
	case errors.As(err, &noValue):
		return &core.Error{Code: core.TooFewValues, Message: "--" + noValue.GetFlag().Name + " needs a value", Err: err}
	case errors.As(err, &badValue):
		name = badValue.GetFlag().Name
	case errors.As(err, &unknown):
		name = unknown.GetSpecifiedName()
		letters, _, _ = strings.Cut(unknown.GetSpecifiedShortnames(), "=")
	}
	other, _ := p.program.catalog.RobotFlag("--" + name)
	switch {
	case cmd.HasParent() && letters == "" && other != "":
		p.program.line.Robot = true
		return &core.Error{
			Code: core.InvalidFlag, Message: fmt.Sprintf("more than one verb: %s, %s", cmd.Name(), other),
			Hint:    "Give one verb at a time.",
			Details: map[string]any{"verbs": []string{cmd.Name(), other}, "parse_code": registry.ArgumentConflict},
		}
	case unknown == nil:
		return &core.Error{
			Code: core.InvalidInput, Message: err.Error(), Err: err,
			Details: map[string]any{"parse_code": registry.ParseError},
		}
	case verb != nil && len(letters) > 1 && (verb.Field(letters) != nil || registry.GlobalField(letters) != nil):
		return suggest.OneDash(letters)
	}
	return suggest.Flag(p.program.catalog, verb, name, letters != "")
}
