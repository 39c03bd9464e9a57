// Package network reaches other hosts, by ssh and over the bus: it finds which a call is for, sends it there, joins
// their pictures with this machine's, and answers the calls that they make. It closes the links that it opened.
package network

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"cupola/core"
	"cupola/core/fleet/keeper"
	"cupola/core/host"
	"cupola/core/host/bus"
	"cupola/core/verb"
	"cupola/core/verb/registry"
	"cupola/robot"
	"cupola/robot/frames"
	"cupola/robot/service"
)

// Network reaches other hosts: those of the settings by ssh, others over the bus.
type Network struct {
	// Env is the environment of verbs on this machine.
	Env *verb.Env
	// Timeout is how long a host may take; zero is the usual.
	Timeout time.Duration
	// Proxied is the host without Cupola that this program answers for; nil for none.
	Proxied *host.Host
	// Watch streams this machine's fleet.
	Watch func(context.Context) (*keeper.Live, error)
	// Answer opens a face for one call of another host; done closes it.
	Answer func(core.ProgressFunc) (face *robot.Face, done func())

	// pool keeps links for calls, of a program that makes many.
	pool host.Pool
	// lost remembers hosts that did not answer.
	lost host.Lost

	mu   sync.Mutex
	conn *bus.Conn
}

// Wire lets the verbs reach other hosts.
func (n *Network) Wire() {
	n.pool.Open = n.Open
	n.lost.Dir, n.lost.Ask = n.Env.Paths.Runtime, n.askBeside
	n.Env.Network = n
}

// Bus connects to the bus, once; nil if the settings name none.
func (n *Network) Bus(ctx context.Context) (*bus.Conn, error) {
	settings := n.Env.Settings()
	if err := settings.Need("bus"); err != nil || settings.Bus.URL == "" {
		return nil, err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	var err error
	if n.conn == nil {
		if n.conn, err = bus.Connect(ctx, &settings.Bus, n.Env.Log); err != nil {
			e := *core.AsError(err)
			e.Actions = []string{"cupola bus-doctor"}
			err = &e
		}
	}
	return n.conn, err
}

// Close ends the links and the connection to the bus.
func (n *Network) Close() {
	n.pool.Close()
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.conn != nil {
		n.conn.Close()
	}
}

// Known returns the hosts of the settings and those of the bus. If that does not answer, they say why.
func (n *Network) Known(ctx context.Context) (host.Hosts, error) {
	settings := n.Env.Settings()
	hosts := host.Of(settings.Hosts)
	hosts.Timeout = n.Timeout
	conn, err := n.Bus(ctx)
	if err != nil {
		hosts.Missing = err
		return hosts, nil //nolint:nilerr // the others are known
	}
	if conn == nil {
		return hosts, nil
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

// Open connects to a host, by ssh or over the bus.
func (n *Network) Open(ctx context.Context, h *host.Host, access host.Access) (*host.Link, error) {
	started := time.Now()
	link, err := n.open(ctx, h, access)
	n.lost.Note(h, time.Since(started), err)
	return link, err
}

// Lost remembers hosts that did not answer.
func (n *Network) Lost() *host.Lost { return &n.lost }

// askBeside has another process ask how a host is, which notes the result for all.
func (n *Network) askBeside(h *host.Host) {
	argv := []string{"hosts-check", h.Name, "--robot"}
	if n.Timeout > 0 {
		argv = append(argv, "--host-timeout="+n.Timeout.String())
	}
	cmd := exec.Command(n.Env.Self, argv...) //nolint:noctx // it ends within the host's time
	cmd.Env, cmd.Dir = n.Env.Environ, "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		n.Env.Log.Warn("a host is not asked again", "host", h.Name, "error", err)
		return
	}
	go func() { _ = cmd.Wait() }() // the answer is on file
}

func (n *Network) open(ctx context.Context, h *host.Host, access host.Access) (*host.Link, error) {
	if !h.OnBus {
		return n.Env.Hosts.Open(ctx, h, access)
	}
	conn, err := n.Bus(ctx)
	switch {
	case err != nil:
		return nil, &host.Fault{Host: h.Name, State: host.Down, Reason: core.AsError(err).Error()}
	case conn == nil:
		return nil, &host.Fault{Host: h.Name, State: host.Down, Reason: "the settings name no bus"}
	}
	return conn.Open(ctx, h, access)
}

// TerminalOn returns the command that runs a line of the shell on a host, in the user's terminal.
func (n *Network) TerminalOn(h *host.Host, line string) ([]string, error) {
	if h.OnBus {
		return nil, &core.Error{
			Code:    core.NotReady,
			Message: fmt.Sprintf("host %s is known from the bus alone, which carries no terminal", h.Name),
			Hint:    "Add it with its destination for ssh: cupola hosts-add " + h.Name + " USER@ADDRESS",
			Actions: []string{"cupola hosts"},
		}
	}
	return n.Env.Hosts.Argv(h, true, line)
}

// ServeBus answers on the bus, and publishes what changes here, until ctx ends.
func (n *Network) ServeBus(ctx context.Context, allow registry.Border, serving func(name string) error) error {
	settings := n.Env.Settings()
	name, err := settings.Bus.HostName()
	if err != nil {
		return err
	}
	conn, err := n.Bus(ctx)
	switch {
	case err != nil:
		return err
	case conn == nil:
		return core.Errorf(core.NotReady, "the settings name no bus")
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	live, err := n.Watch(ctx)
	if err != nil {
		return err
	}
	var parts sync.WaitGroup
	defer parts.Wait()
	defer stop()
	parts.Go(func() {
		defer stop()
		conn.Publish(ctx, name, n.hello, live.Frames)
	})
	servers := map[host.Access]*frames.Server{
		host.Reads: n.Server(registry.Border{Level: registry.Reads}), host.Acts: n.Server(allow),
	}
	answer := func(ctx context.Context, access host.Access, session bus.Session) error {
		return servers[access].Serve(ctx, session, session)
	}
	err = conn.Serve(ctx, name, n.Env.Version, func() error { return serving(name) }, answer)
	stop()
	parts.Wait()
	if err == nil {
		err = live.Err()
	}
	return err
}

// hello is the first line of this program for other hosts.
func (n *Network) hello() host.Hello {
	name, err := os.Hostname()
	if err != nil {
		n.Env.Log.Warn("the host's name is not known", "error", err)
	}
	hello := host.NewHello(n.Env.Version, name)
	if n.Proxied == nil {
		hello.Fleet = host.FleetOf(n.Env.Paths.Runtime)
	}
	return hello
}

// Server answers the calls of other hosts, as far as they may.
func (n *Network) Server(allow registry.Border) *frames.Server {
	terminalsOf := ""
	if n.Proxied != nil {
		terminalsOf = n.Proxied.Name
	}
	server := &frames.Server{
		Service: &service.Service{
			Catalog: n.Env.Catalog, Border: verb.BorderAt(n.Env.Location, allow), TerminalsOf: terminalsOf,
			Open: n.Answer,
		},
		Records: frames.Records{Dir: n.Env.Paths.Calls()}, Hello: n.hello,
	}
	if len(allow.Sessions) == 0 { // it shows all of them
		server.Watch = n.Watch
	}
	return server
}
