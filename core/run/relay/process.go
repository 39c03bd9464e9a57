package relay

import (
	"context"
	"strings"

	"cupola/core/agent"
	"cupola/core/agent/sandbox"
	"cupola/core/run/relay/stream"
	"cupola/core/system/process/child"
)

// held returns the command line and the environment of the plan's program, in the sandbox that the plan names. The kind
// is the program's; it may be nil.
func (p *Plan) held(ctx context.Context, kind *agent.Kind) (argv, env []string, err error) {
	inherited, set := p.environment()
	variables, err := p.trees.VariablesIn(ctx, p.Dir)
	if err != nil {
		return nil, nil, err
	}
	set = append(set, variables...)
	_, name := p.Sandbox.Parts()
	request := sandbox.Request{
		Name: name, Kind: kind, Dir: p.Dir, Argv: append([]string{p.Program}, p.Argv...),
		Environ: inherited, Given: set,
	}
	if p.SchemaPath != "" {
		request.Sees = []string{p.SchemaPath}
	}
	argv, inherited, err = p.sandboxes.Hold(&request)
	return argv, append(inherited, set...), err
}

// process runs the plan's program with the prompt on its standard input, and passes what it prints
// to feed; nil if that is on standard error.
func (p *Plan) process(ctx context.Context, feed func([]byte)) (stream.End, error) {
	argv, env, err := p.held(ctx, p.backend.program.kind)
	if err != nil {
		return stream.End{}, err
	}
	command := child.Command{
		Program: argv[0], Args: argv[1:], Dir: p.Dir, Env: env, Stdin: strings.NewReader(p.Prompt),
	}
	end, err := command.Run(ctx, feed)
	said := stream.End{Exit: end.Exit, Signal: end.Signal, Stderr: end.Stderr}
	for _, left := range end.Left {
		said.Left = append(said.Left, left.String())
	}
	return said, err
}
