package cli

import (
	"context"
	"time"

	"cupola/core"
	"cupola/core/config/palette"
	"cupola/core/fleet/keeper"
	"cupola/core/system/shell"
	"cupola/core/verb"
	"cupola/core/verb/registry"
	"cupola/robot"
	"cupola/robot/service"
)

// servingIn are the flags of all servers: what clients may do.
type servingIn struct {
	verb.Allowing `default:"allow=writes"`
	Session       []string `help:"Confine clients to these sessions (default: all)"`
	Hosts         []string `help:"Other hosts that clients may name; local for none (default: all)"`
}

// servers serve other programs, and the page.
type servers struct {
	program *program
	// client is true for one client that started the server: its own pane is no target of its calls.
	client bool
}

// service answers the clients of a server, each call in an environment of its own, as a command line would.
func (s servers) service(in *servingIn) *service.Service {
	return &service.Service{
		Catalog: s.program.catalog, Border: s.program.deps.Bordered(in.Border(in.Session)),
		Hosts: s.program.network.Route(in.Hosts),
		Open: func(progress core.ProgressFunc) (*robot.Face, func()) {
			one := s.program.forCall(progress)
			if s.client {
				one.deps.OwnPane, one.deps.OwnShell = wiring{one}.ownPane, true
			}
			face := one.face()
			face.Correct = nil // there is no command line to correct
			return face, one.close
		},
	}
}

// forCall makes a program that answers one call for a server.
func (p *program) forCall(progress core.ProgressFunc) *program {
	one := &program{
		Options: p.Options, bridges: p.bridges, catalog: p.catalog, flags: registry.NewGlobalFlags(),
		started: time.Now(), robotic: true, proxied: p.proxied, globals: registry.Globals{Progress: "off"},
		interrupted: p.interrupted,
	}
	one.deps = one.wire()
	one.deps.Progress, one.deps.OwnPane = progress, nil // who asks is elsewhere
	one.deps.Stdin = func() (string, error) {
		return "", core.Errorf(core.InvalidInput, "a server has no standard input: give the text itself")
	}
	return one
}

// watch streams the fleet, which stays open while the server runs, so that the server is the keeper if none is there.
func (p *program) watch(ctx context.Context) (*keeper.Live, error) {
	f, err := p.deps.Fleet()
	if err != nil {
		return nil, err
	}
	return f.Streams.Live(ctx, false)
}

// watchAll returns what streams the fleet and those of the other hosts that clients may name. Clients that are
// confined to sessions see this machine alone.
func (s servers) watchAll(in *servingIn) func(context.Context) (keeper.Stream, error) {
	return func(ctx context.Context) (keeper.Stream, error) {
		live, err := s.program.watch(ctx)
		if err != nil {
			return keeper.Stream{}, err
		}
		others := s.program.network.Others(in.Hosts...)
		if others == nil || len(in.Session) > 0 {
			return live.Stream(), nil
		}
		return others.Join(ctx, live.Stream()), nil
	}
}

// savedPrompts returns the saved prompts as they are now.
func (s servers) savedPrompts() ([]palette.Prompt, error) { return palette.Load(s.program.deps.Place) }

// parseCommand parses a command line that an answer suggests.
func (s servers) parseCommand(command string) (*registry.Verb, any, bool) {
	words, err := shell.Words(command)
	if err != nil || len(words) < 2 || words[0] != "cupola" {
		return nil, nil, false
	}
	read := s.program.catalog.Read(words[1:])
	return read.Verb, read.Input, read.OK
}
