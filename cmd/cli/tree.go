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

// tree is the program as a tree of commands; each line grows only the commands that it names.
type tree struct {
	program runner
	line    *line
	out     *faces
	ask     prompter
	words   completer
	// allHelp is true if help lists all commands rather than those of every day.
	allHelp bool
	// failed is the error of help, which cobra does not pass on.
	failed error
}

// runner does what the commands say.
type runner interface {
	// settle reads the global flags, begin prepares a command, bare runs a line without a command.
	settle() error
	begin(cmd *cobra.Command) error
	bare(ctx context.Context) error
	// run answers with a verb, and runNamed with one without input.
	run(ctx context.Context, verb *registry.Verb, input any) error
	runNamed(ctx context.Context, name string) error
	// own returns the command of a name that is no verb, and what declares its flags; nil for none.
	own(name string) (*cobra.Command, *registry.Verb)
}

// errAnswered ends a command line that was answered before its command ran.
var errAnswered = errors.New("answered")

func (t *tree) execute(ctx context.Context) error {
	return cmp.Or(t.commands().ExecuteContext(ctx), t.failed)
}

// commands returns the root with the command that the line names, or with all for what describes
// them.
func (t *tree) commands() *cobra.Command {
	root := t.root()
	switch name := t.line.read.Command; name {
	case "":
	case "help", "completion", cobra.ShellCompRequestCmd, cobra.ShellCompNoDescRequestCmd:
		t.grow(root)
	default:
		root.AddCommand(t.child(name))
	}
	root.SetArgs(append([]string{}, t.line.read.Words...))
	return root
}

// root makes the command above all others. Commands call run; its status is the program's.
func (t *tree) root() *cobra.Command {
	root := &cobra.Command{
		Use: "cupola", Short: "Run several coding agents at once, and know what each is doing",
		SilenceErrors: true, SilenceUsage: true, Args: cobra.ArbitraryArgs,
		ValidArgsFunction: offer(t.words.completeWords),
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return t.program.begin(cmd) },
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(t.line.read.Stray) > 0:
				if of, is := groupOf(t.line.catalog, t.line.read.Stray); is && !t.line.robotic {
					return t.out.print(of.Text())
				}
				return t.unknown()
			case len(args) > 0:
				return suggest.AfterDashes(args)
			}
			return t.program.bare(cmd.Context())
		},
	}
	root.SetOut(t.out.opts.Stdout)
	root.SetErr(t.out.opts.Stderr)
	root.PersistentFlags().AddFlagSet(t.line.flags.Set)
	root.SetFlagErrorFunc(t.flagError(nil, nil))
	page := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		if t.failed = t.help(cmd); t.failed == nil {
			var text strings.Builder
			cmd.SetOut(&text)
			page(cmd, args)
			t.failed = t.out.print(text.String())
		}
	})
	t.setHelp(root)
	return root
}

// child makes the command of a name.
func (t *tree) child(name string) *cobra.Command {
	if verb := t.line.catalog.Find(name); verb != nil {
		return t.command(verb)
	}
	cmd, flags := t.program.own(name)
	if flags != nil {
		cmd.SetFlagErrorFunc(t.flagError(flags, nil))
	}
	return cmd
}

// grow adds all commands, and what completion needs.
func (t *tree) grow(root *cobra.Command) {
	catalog := t.line.catalog
	if strings.HasPrefix(t.line.read.Command, cobra.ShellCompRequestCmd) {
		t.words.registerVerbFlags(root)
	}
	for _, group := range catalog.Groups() {
		root.AddGroup(&cobra.Group{ID: group, Title: group + ":"})
	}
	for _, name := range slices.Concat(catalog.Names(), registry.Others, []string{"scripted", hookWord, protocolWord}) {
		cmd := t.child(name)
		if verb := catalog.Find(name); verb != nil {
			t.describe(cmd, verb)
			cmd.Hidden = !catalog.Usable(verb)
		}
		root.AddCommand(cmd)
	}
	root.SetHelpCommand(&cobra.Command{
		Use: "help [command or topic]", Short: "Explain a command or a topic",
		ValidArgsFunction: offer(t.words.completeHelp),
		RunE: func(cmd *cobra.Command, args []string) error {
			return t.explain(cmd.Context(), root, args)
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
			_ = root.RegisterFlagCompletionFunc(field.Name, t.words.completeGlobal(field))
		}
	}
}

// command makes the subcommand of a verb.
func (t *tree) command(verb *registry.Verb) *cobra.Command {
	cmd := &cobra.Command{Use: verb.Name, Aliases: verb.Aliases, Args: cobra.ArbitraryArgs, DisableFlagsInUseLine: true}
	bound := verb.Bind(cmd.Flags())
	cmd.SetFlagErrorFunc(t.flagError(verb, bound))
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return t.answer(cmd.Context(), verb, bound, args) }
	return cmd
}

// subcommand completes a command that is no verb: it takes the flags of a declaration and no arguments, and runs with
// its input.
func subcommand[In any](cmd *cobra.Command, flags *registry.Verb, run func(context.Context, In) error) *cobra.Command {
	cmd.DisableFlagsInUseLine, cmd.Args = true, noArguments
	bound := flags.Bind(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		in, _ := bound.Input().(In) // as it was bound
		return run(cmd.Context(), in)
	}
	return cmd
}

// noArguments refuses the arguments of a command that is no verb.
func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return core.Errorf(core.TooManyValues, "%s takes no argument %q", cmd.Name(), args[0])
}

// describe adds to the subcommand of a verb what help and completion show.
func (t *tree) describe(cmd *cobra.Command, verb *registry.Verb) {
	cmd.Use, cmd.Short, cmd.Long = verb.Usage()[len("cupola "):], verb.Short, verb.Long
	if verb.Of != "" {
		cmd.Long = strings.TrimSpace("It is another name of: cupola " + verb.Of + "\n\n" + verb.Long)
	}
	if len(verb.Related) > 0 {
		cmd.Long = cmp.Or(cmd.Long, verb.Short+".") + "\n\nSee also: " + strings.Join(verb.Related, ", ")
	}
	cmd.GroupID, cmd.Example = verb.Group, examples(verb.Examples())
	if also := slices.Concat(verb.Aliases, t.line.catalog.Phrases(verb)); len(also) > 0 {
		cmd.Annotations = map[string]string{alsoCalled: strings.Join(also, ", ")}
	}
	for _, field := range verb.Fields() {
		if complete := t.words.completeFlag(verb, field); complete != nil && field.Flag() &&
			registry.GlobalField(field.Name) == nil {
			_ = cmd.RegisterFlagCompletionFunc(field.Name, complete)
		}
	}
	cmd.ValidArgsFunction = t.words.completeArgs(verb)
	cmd.InitDefaultHelpFlag()
	cmd.Flags().Lookup("help").Usage = "Show this help"
}

// answer runs a verb with its bound flags and its arguments. A person is asked for missing values.
func (t *tree) answer(ctx context.Context, verb *registry.Verb, bound *registry.Bound, args []string) error {
	t.line.warnings = bound.Warnings()
	if legacy, use := verb.ValueForm(); legacy != "" && t.line.read.Value != nil {
		t.line.warnings = append(t.line.warnings, legacy+" is deprecated; use "+use)
	}
	args, err := t.line.read.Fill(verb, bound, args)
	if err != nil {
		return t.line.suggestions().BadArguments(args, core.AsError(err))
	}
	if err := t.line.globals.Apply(bound); err != nil {
		return err
	}
	asks := t.ask.can() && !t.line.robotic && len(t.line.globals.Host) == 0
	if asks {
		if err := t.askFor(ctx, verb, bound, bound.Missing()); err != nil {
			return err
		}
	}
	err = t.program.run(ctx, verb, bound.Input())
	field := askedFor(verb, err)
	if field == nil || !asks {
		return err
	}
	warn(t.out.opts.Stderr, core.AsError(err).Error())
	if err := t.askFor(ctx, verb, bound, []*registry.Field{field}); err != nil {
		return err
	}
	t.line.warnings = nil // they were shown
	return t.program.run(ctx, verb, bound.Input())
}

// unknown returns the error of a line that names no command.
func (t *tree) unknown() error {
	return suggest.Command(t.line.catalog, t.line.read.Stray, registry.Others)
}

// flagError returns how an error of a command's flags is explained. Verb is nil for the root.
func (t *tree) flagError(verb *registry.Verb, bound *registry.Bound) func(*cobra.Command, error) error {
	return func(cmd *cobra.Command, err error) error {
		if bound != nil {
			t.line.warnings = bound.Warnings()
		}
		t.readOn(cmd)
		if verb == nil && len(t.line.read.Stray) > 0 {
			return t.unknown()
		}
		e := t.badFlag(cmd, verb, err)
		if line := t.line.suggestions(); line.Verb != nil {
			return line.BadFlag(e)
		}
		return e
	}
}

// readOn sets the flags behind a wrong one, too: the form of the answer follows them all.
func (t *tree) readOn(cmd *cobra.Command) {
	flags, args := cmd.Flags(), t.line.read.Words
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
func (t *tree) badFlag(cmd *cobra.Command, verb *registry.Verb, err error) *core.Error {
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
	other, _ := t.line.catalog.RobotFlag("--" + name)
	switch {
	case cmd.HasParent() && letters == "" && other != "":
		t.line.read.Robot = true
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
	return suggest.Flag(t.line.catalog, verb, name, letters != "")
}
