package cli

import (
	"context"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/verb"
	"cupola/core/verb/suggest"
)

// corrector finds what a command line was meant to be.
type corrector struct{ program *program }

// suggestions returns what corrects the command line.
func (c corrector) suggestions() *suggest.Line {
	p := c.program
	return &suggest.Line{
		Args: p.Args, Catalog: p.catalog, Verb: p.catalog.Find(p.line.Command), Robotic: p.robotic,
		Snapshot: func() *core.Snapshot { return completer(c).snapshot(context.Background()) },
		Kinds:    func() *agent.Kinds { return verb.Kinds(c.program.deps.Paths) },
	}
}
