package cli

import (
	"context"
	"net"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/config/palette"
	"cupola/core/fleet/keeper"
	"cupola/core/record/server"
	"cupola/core/verb"
	"cupola/robot"
	"cupola/robot/http"
	"cupola/robot/mcp"
	"cupola/robot/service"
	"cupola/theme/page"
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

// serve serves HTTP until ctx ends.
func (s servers) serve(ctx context.Context, request *verb.ServeRequest, listening func(url string) error) error {
	address := http.Address{Listen: request.Address, Next: request.Next, Cert: request.Cert, Key: request.Key}
	listener, err := address.Open(ctx)
	if err != nil {
		return err
	}
	in := &servingIn{
		Allowing: verb.Allowing{Allow: string(request.Border.Level), Commands: request.Border.Commands},
		Session:  request.Border.Sessions, Hosts: request.Hosts,
	}
	host, _, _ := net.SplitHostPort(request.Address) // it listens there
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	secure, scheme := request.Cert != "", "http://"
	if secure {
		scheme = "https://"
	}
	url := scheme + net.JoinHostPort(host, port)
	access, err := request.Access(url)
	if err != nil {
		_ = listener.Close()
		return err
	}
	names := append(address.Names(), strings.ToLower(host))
	for _, name := range request.Names {
		if bare, _, err := net.SplitHostPort(name); err == nil {
			name = bare
		}
		names = append(names, strings.ToLower(name))
	}
	passes := &server.Passes{Token: access.Token, Now: time.Now}
	pages := s.service(in)
	pages.Escapes = true
	pageServer := http.New(http.Options{
		Service: pages, Version: s.wiring.opts.Version, Watch: s.watchAll(in),
		Runs: func(ctx context.Context) (keeper.Stream, error) {
			live, err := s.wiring.watch(ctx)
			if err != nil {
				return keeper.Stream{}, err
			}
			return live.Stream(), nil
		}, MCP: s.mcpServer(in, mcp.Choice{}).Handler(ctx),
		Pusher: verb.Servers(s.wiring.env.Paths).Pusher,
		Style:  page.CSS(), Icon: page.Icon,
		Screen: func(captured *core.Screen) any { return page.ScreenOf(captured) },
		Log:    s.wiring.env.Log,
		Guard: &http.Guard{
			Token: access.Token, Admit: passes.Admit, Hosts: names,
			Browsers: access.Browsers, Cookie: "cupola_" + port, Secure: secure, Proxied: request.Proxied,
			Open: http.Open(),
		},
	})
	go pageServer.Follow(ctx)
	if err := listening(url); err != nil {
		_ = listener.Close()
		return err
	}
	return http.Serve(ctx, listener, pageServer.Handler())
}

// openPage opens an address in the user's browser.
func openPage(url string) error {
	program := "xdg-open"
	if runtime.GOOS == "darwin" {
		program = "open"
	}
	path, err := exec.LookPath(program)
	if err != nil {
		return core.Errorf(core.ToolNotFound, "no browser can be opened: %w", err)
	}
	//nolint:noctx // the browser outlives this process
	if err := exec.Command(path, url).Start(); err != nil {
		return core.Errorf(core.IOError, "open a browser: %w", err)
	}
	return nil
}
