package cli

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"cupola/robot/registry"
)

// follow runs a command line.
func (p tree) follow(ctx context.Context, words []string) error {
	switch {
	case p.program.inv.help:
	case len(words) == 0:
		return p.program.bare(ctx)
	case p.program.catalog.Find(words[0]) != nil:
		return p.call(ctx, p.program.catalog.Find(words[0]), words[1:])
	}
	if err := unknownShellError(words); err != nil {
		return err
	}
	root := p.root()
	if err := p.strayError(root); err != nil {
		return err
	}
	root.SetArgs(words)
	return root.ExecuteContext(ctx)
}

// call runs a verb with the words behind its name. It does what the command tree would do,
// which takes longer to build than most verbs to run.
func (p tree) call(ctx context.Context, verb *registry.Verb, words []string) error {
	flags := newFlags(verb.Name)
	bound := verb.Bind(flags)
	err := flags.Parse(words)
	p.program.inv.warnings = bound.Warnings()
	if err != nil {
		return corrector(p).positional(verb, corrector(p).countFlag(verb, flagError(p.program.catalog, verb, err)))
	}
	return p.answer(ctx, verb, bound, flags.Args())
}

// answer runs a verb with its bound flags and its arguments.
func (p tree) answer(ctx context.Context, verb *registry.Verb, bound *registry.Bound, args []string) error {
	p.program.inv.warnings = bound.Warnings()
	if legacy, use := verb.ValueForm(); legacy != "" && p.program.inv.value != nil {
		p.program.inv.warnings = append(p.program.inv.warnings, legacy+" is deprecated; use "+use)
	}
	if p.program.inv.value != nil {
		args = append([]string{*p.program.inv.value}, args...)
	}
	if err := bound.Args(args); err != nil {
		return corrector(p).quoteText(verb, args, err)
	}
	if err := p.program.inv.globals.Apply(bound); err != nil {
		return err
	}
	if p.asks() {
		return p.answerPerson(ctx, verb, bound, p.program.inv.warnings)
	}
	return p.program.run(ctx, verb, bound.Input(), p.program.inv.warnings)
}

// newFlags are the flags of a command that are read without a word of their own.
func newFlags(name string) *pflag.FlagSet {
	flags := pflag.NewFlagSet(name, pflag.ContinueOnError)
	flags.Usage = func() {}
	return flags
}

// strayError returns the error of a first word that is neither a verb nor another command;
// nil if there is none.
func (p tree) strayError(root *cobra.Command) error {
	stray := p.program.inv.stray
	if p.program.inv.verb != nil || len(stray) == 0 {
		return nil
	}
	root.InitDefaultHelpCmd()
	if cmd, _, err := root.Find(stray[:1]); err == nil && cmd != root {
		return nil
	}
	return unknownCommandError(p.program.catalog, stray[0], stray[1:])
}
