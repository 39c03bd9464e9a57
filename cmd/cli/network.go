package cli

import (
	"context"
	"fmt"
	"os"
	"sync"

	"cupola/core"
	"cupola/core/bus"
	"cupola/core/host"
	"cupola/robot"
	"cupola/robot/registry"
	"cupola/robot/remote"
	"cupola/robot/service"
)

// network reaches other hosts: those of the settings by ssh, others over the bus.
type network struct {
	program *program
	// pool keeps links for calls, of a program that makes many.
	pool host.Pool

	mu   sync.Mutex
	conn *bus.Conn
}

// bus connects to the bus, once; nil if the settings name none.
func (n *network) bus(ctx context.Context) (*bus.Conn, error) {
	settings, err := n.program.deps.Settings()
	if err != nil || settings.Bus.URL == "" {
		return nil, err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.conn == nil {
		if n.conn, err = bus.Connect(ctx, &settings.Bus, n.program.deps.Log); err != nil {
			e := *core.AsError(err)
			e.Actions = []string{"cupola bus-doctor"}
			err = &e
		}
	}
	return n.conn, err
}

// close ends the connection to the bus.
func (n *network) close() {
	n.pool.Close()
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.conn != nil {
		n.conn.Close()
	}
}

// known returns the hosts of the settings and those of the bus. If that does not answer, they say why.
func (n *network) known(ctx context.Context) (host.Hosts, error) {
	p := n.program
	settings, err := p.deps.Settings()
	if err != nil {
		return host.Hosts{}, err
	}
	hosts := host.Of(settings.Hosts)
	hosts.Timeout = p.globals.HostTimeout
	if settings.Bus.URL == "" {
		return hosts, nil
	}
	conn, err := n.bus(ctx)
	if err != nil {
		hosts.Missing = err
		return hosts, nil //nolint:nilerr // the others are known
	}
	heartbeats, _, err := conn.Hosts(ctx)
	if err != nil {
		hosts.Missing = err
		return hosts, nil //nolint:nilerr // the others are known
	}
	own, _ := settings.Bus.HostName() // without a name it is not there
	var names []string
	for name := range heartbeats {
		if name != own {
			names = append(names, name)
		}
	}
	return hosts.WithBus(names...), nil
}

// open connects to a host.
func (n *network) open(ctx context.Context, h *host.Host, access host.Access) (*host.Link, error) {
	if !h.OnBus {
		return n.program.deps.Hosts.Open(ctx, h, access)
	}
	conn, err := n.bus(ctx)
	switch {
	case err != nil:
		return nil, &host.Fault{Host: h.Name, State: host.Down, Reason: core.AsError(err).Error()}
	case conn == nil:
		return nil, &host.Fault{Host: h.Name, State: host.Down, Reason: "the settings name no bus"}
	}
	return conn.Open(ctx, h, access)
}

// terminalOn returns the command that runs a line of the shell on a host, in the user's terminal.
func (n *network) terminalOn(h *host.Host, line string) ([]string, error) {
	if h.OnBus {
		return nil, &core.Error{
			Code:    core.NotReady,
			Message: fmt.Sprintf("host %s is known from the bus alone, which carries no terminal", h.Name),
			Hint:    "Add it with its destination for ssh.",
			Actions: []string{"cupola hosts-add " + h.Name + " USER@ADDRESS"},
		}
	}
	return n.program.deps.Hosts.Argv(h, true, line)
}

// serve answers on the bus, and publishes what changes here, until ctx ends.
func (n *network) serve(ctx context.Context, allow string, serving func(name string) error) error {
	p := n.program
	settings, err := p.deps.Settings()
	if err != nil {
		return err
	}
	name, err := settings.Bus.HostName()
	if err != nil {
		return err
	}
	conn, err := n.bus(ctx)
	switch {
	case err != nil:
		return err
	case conn == nil:
		return core.Errorf(core.NotReady, "the settings name no bus")
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	live, err := p.watch(ctx)
	if err != nil {
		return err
	}
	var parts sync.WaitGroup
	defer parts.Wait()
	defer stop()
	parts.Go(func() {
		defer stop()
		conn.Publish(ctx, name, p.hello, live.Frames)
	})
	servers := map[host.Access]*remote.Server{
		host.Reads: p.remoteServer(registry.Reads, nil), host.Acts: p.remoteServer(registry.Effect(allow), nil),
	}
	if err := serving(name); err != nil {
		return err
	}
	err = conn.Serve(ctx, name, p.Version, func(ctx context.Context, access host.Access, session bus.Session) error {
		return servers[access].Serve(ctx, session, session)
	})
	stop()
	parts.Wait()
	if err == nil {
		err = live.Err()
	}
	return err
}

// hello is the first line of this program for other hosts.
func (p *program) hello() host.Hello {
	name, err := os.Hostname()
	if err != nil {
		p.deps.Log.Warn("the host's name is not known", "error", err)
	}
	return host.NewHello(p.Version, name)
}

// remoteServer answers the calls of other hosts, confined to sessions; none is all.
func (p *program) remoteServer(allow registry.Effect, sessions []string) *remote.Server {
	terminalsOf := ""
	if p.proxied != nil {
		terminalsOf = p.proxied.Name
	}
	server := &remote.Server{
		Service: &service.Service{
			Catalog: p.catalog, Allow: allow, Sessions: sessions, TerminalsOf: terminalsOf,
			Open: func(progress core.ProgressFunc) (*robot.Face, func()) {
				one := p.forCall(progress)
				return one.face(), one.close
			},
		},
		Records: remote.Records{Dir: p.deps.Paths.Calls()}, Hello: p.hello,
	}
	if len(sessions) == 0 { // it shows all of them
		server.Watch = p.watch
	}
	return server
}

// hostNames are the names of the hosts of the settings.
func (p *program) hostNames() []string {
	settings, err := p.deps.Settings()
	if err != nil {
		return nil
	}
	return host.Of(settings.Hosts).Names()
}
