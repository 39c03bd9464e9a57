package cli

import (
	"context"
	"time"

	"cupola/core"
	"cupola/core/config/palette"
	"cupola/core/fleet/keeper"
	"cupola/core/verb"
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
	wiring *wiring
	// client is true for one client that started the server: its own pane is no target of its calls.
	client bool
}

// service answers the clients of a server, each call in an environment of its own, as a command line would.
func (s servers) service(in *servingIn) *service.Service {
	return &service.Service{
		Catalog: s.wiring.catalog, Hosts: s.wiring.network.Route(in.Hosts),
		Border: verb.BorderAt(s.wiring.env.Location, in.Border(in.Session)),
		Open: func(progress core.ProgressFunc) (*robot.Face, func()) {
			one := s.wiring.forCall(progress)
			if s.client {
				one.env.OwnPane, one.env.OwnShell = one.ownPane, true
			}
			return faceOf(one.env, time.Now()), one.close
		},
	}
}

// watchAll returns what streams the fleet and those of the other hosts that clients may name. Clients that are
// confined to sessions see this machine alone.
func (s servers) watchAll(in *servingIn) func(context.Context) (keeper.Stream, error) {
	return func(ctx context.Context) (keeper.Stream, error) {
		live, err := s.wiring.watch(ctx)
		if err != nil {
			return keeper.Stream{}, err
		}
		others := s.wiring.network.Others(in.Hosts...)
		if others == nil || len(in.Session) > 0 {
			return live.Stream(), nil
		}
		return others.Join(ctx, live.Stream()), nil
	}
}

// savedPrompts returns the saved prompts as they are now.
func (s servers) savedPrompts() ([]palette.Prompt, error) { return palette.Load(s.wiring.env.Location) }
