package cli

import (
	"context"
	"errors"
	"slices"

	"github.com/spf13/pflag"

	"cupola/core"
	"cupola/core/agent"
	"cupola/robot/command/verb"
	"cupola/robot/registry"
	"cupola/robot/suggest"
)

// corrector finds what a command line was meant to be.
type corrector struct{ program *program }

// suggestions returns what corrects the command line.
func (c corrector) suggestions() *suggest.Line {
	p := c.program
	return &suggest.Line{
		Args: p.Args, Catalog: p.catalog, Verb: p.catalog.Find(p.line.command), Others: others, Robotic: p.robotic,
		Parse: c.parse, Snapshot: func() *core.Snapshot { return completer(c).snapshot(context.Background()) },
		Kinds: func() (*agent.Kinds, error) { return verb.Kinds(c.program.deps.Paths) },
	}
}

// parse parses other arguments, without running them, and reports whether they are right. The
// verb is nil if none would run.
func (c corrector) parse(args []string) (verb *registry.Verb, ok bool) {
	verb, input, ok := c.parsed(args)
	if input == nil {
		return nil, ok
	}
	return registry.As(verb, input), ok
}

// parsed is parse with the input of the verb; it is nil where the arguments are wrong.
func (c corrector) parsed(args []string) (verb *registry.Verb, input any, ok bool) {
	l, flags := rewriter{c.program.catalog}.line(args), newGlobalFlags()
	if verb = c.program.catalog.Find(l.command); verb == nil {
		return nil, nil, slices.Contains(others, l.command)
	}
	bound := verb.Bind(flags.set)
	if err := flags.set.Parse(l.words[1:]); err != nil {
		return nil, nil, errors.Is(err, pflag.ErrHelp)
	}
	if _, err := flags.read(l.robot); err != nil {
		return nil, nil, false
	}
	_, err := l.fill(verb, bound, flags.set.Args())
	return verb, bound.Input(), err == nil && len(bound.Missing()) == 0
}
