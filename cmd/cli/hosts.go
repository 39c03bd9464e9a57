package cli

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"cupola/core"
	"cupola/core/host"
	"cupola/core/shell"
	"cupola/robot/registry"
	"cupola/robot/remote"
)

// chosenHosts returns the hosts that a command line asks, nil for this one, and the input without their names. It reads
// no settings where none can be named.
func (p *program) chosenHosts(ctx context.Context, verb *registry.Verb, input any) ([]*host.Host, any, error) {
	named := false
	_, _ = registry.Addressed(verb, input, func(address string) (string, string, bool) {
		named = named || strings.Contains(address, "/")
		return "", address, false
	})
	if !named && len(p.globals.Host) == 0 {
		return nil, input, nil
	}
	hosts, err := p.deps.KnownHosts(ctx)
	if err != nil {
		return nil, nil, err
	}
	bare, addressed := registry.Addressed(verb, input, hosts.Split)
	switch {
	case len(addressed) > 1:
		return nil, nil, core.Errorf(core.Conflict, "one call is for one host, and this one names %s",
			strings.Join(addressed, ", "))
	case len(addressed) == 1 && len(p.globals.Host) > 0 && !slices.Equal(p.globals.Host, addressed):
		return nil, nil, registry.Conflict("--host", addressed[0]+"/...")
	case len(addressed) == 0:
		addressed = p.globals.Host
	}
	chosen, err := hosts.Select(addressed...)
	return chosen, bare, err
}

// elsewhere returns a verb as the hosts answer it that the command line names, and its input there.
func (p *program) elsewhere(ctx context.Context, verb *registry.Verb, input any) (*registry.Verb, any, error) {
	if slices.Equal(p.globals.Host, []string{host.Any}) {
		least, err := p.leastLoaded(ctx)
		if err != nil {
			return nil, nil, err
		}
		p.globals.Host = []string{least}
	}
	hosts, input, err := p.chosenHosts(ctx, verb, input)
	if err != nil || len(hosts) == 0 || len(hosts) == 1 && hosts[0] == nil {
		return verb, input, err
	}
	flowing := registry.As(verb, input)
	switch {
	case verb.Local:
		return nil, nil, core.Errorf(core.InvalidFlag, "%s is for this machine alone: run it over there", verb.Name)
	case len(hosts) > 1 && flowing.Streams:
		return nil, nil, core.Errorf(core.InvalidFlag, "%s answers line by line, of one host at a time", verb.Name)
	}
	client := &remote.Client{
		Open: p.deps.OpenHost, Form: p.form(flowing), Stdin: p.deps.Stdin, Confirm: p.deps.Confirm, Now: time.Now,
		Timeout: p.globals.HostTimeout,
		Attach: func(h *host.Host, argv []string) ([]string, error) {
			return p.network.terminalOn(h, shell.Line(argv...))
		},
	}
	if len(hosts) == 1 {
		return client.On(flowing, hosts[0]), input, nil
	}
	return client.OnAll(verb, hosts, func(ctx context.Context, in any) (*registry.Reply, error) {
		return verb.Call(ctx, p.deps, in, nil)
	}), input, nil
}

// load is how much runs on a host, as the verb that lists the fleet says it.
type load struct {
	Summary struct {
		Agents int `json:"agent_count"`
	}
}

// leastLoaded returns the name of the host with the fewest agents of those that answer, this one included; of two that
// have as many, the first by name, but this one before all.
func (p *program) leastLoaded(ctx context.Context) (string, error) {
	hosts, err := p.deps.KnownHosts(ctx)
	if err != nil {
		return "", err
	}
	all, err := hosts.Select(host.All)
	if err != nil {
		return "", err
	}
	verb := p.catalog.Find("status")
	client := &remote.Client{Open: p.deps.OpenHost, Form: host.Document, Now: time.Now}
	agents := make([]int, len(all))
	var asking sync.WaitGroup
	for i, h := range all {
		asking.Go(func() {
			ctx, stop := context.WithTimeout(ctx, cmp.Or(p.globals.HostTimeout, host.DefaultTimeout))
			defer stop()
			agents[i] = -1
			var of load
			if h == nil {
				if snapshot := p.deps.Brief(ctx); snapshot != nil {
					agents[i] = snapshot.Counts().Agents
				}
			} else if client.Read(ctx, verb, h, verb.Zero(), &of) == nil {
				agents[i] = of.Summary.Agents
			}
		})
	}
	asking.Wait()
	least := -1
	for i := range agents {
		if agents[i] >= 0 && (least < 0 || agents[i] < agents[least]) {
			least = i
		}
	}
	switch {
	case least < 0:
		return "", core.Errorf(core.NetworkError, "no host answers")
	case all[least] == nil:
		return host.Local, nil
	}
	return all[least].Name, nil
}

// form is what the answer of a verb is wanted for.
func (p *program) form(verb *registry.Verb) host.Form {
	if !p.robotic {
		return host.Report
	}
	switch p.face().Usual(verb) {
	case "terse":
		return host.Terse
	case "markdown":
		return host.Markdown
	}
	return host.Document
}

// dashboardOn opens the dashboard of another host in this terminal.
func (p *program) dashboardOn(ctx context.Context) error {
	hosts, err := p.deps.KnownHosts(ctx)
	if err != nil {
		return err
	}
	chosen, err := hosts.Select(p.globals.Host...)
	switch {
	case err != nil:
		return err
	case len(chosen) != 1 || chosen[0] == nil:
		return core.Errorf(core.InvalidFlag, "the dashboard is that of one other host: name it")
	}
	argv, err := p.network.terminalOn(chosen[0], chosen[0].Command())
	if err != nil {
		return err
	}
	return takeOver(argv)
}
