package relay

import (
	"context"
	"strings"

	"cupola/core/run/relay/stream"
	"cupola/core/system/process/child"
)

// process runs the plan's program with the prompt on its standard input, and passes what it prints
// to feed; nil if that is on standard error.
func (p *Plan) process(ctx context.Context, feed func([]byte)) (stream.End, error) {
	command := child.Command{
		Program: p.Program, Args: p.Argv, Dir: p.Dir, Env: p.environment(), Stdin: strings.NewReader(p.Prompt),
	}
	end, err := command.Run(ctx, feed)
	said := stream.End{Exit: end.Exit, Signal: end.Signal, Stderr: end.Stderr}
	for _, left := range end.Left {
		said.Left = append(said.Left, left.String())
	}
	return said, err
}
