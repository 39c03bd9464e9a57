package network

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"cupola/core"
	"cupola/core/host"
	"cupola/core/system/shell"
	"cupola/core/text/near"
	"cupola/core/verb"
	"cupola/core/verb/registry"
	"cupola/core/verb/remote"
	"cupola/robot/service"
)

// OnHosts returns a verb as the hosts with names answer it, or the hosts of its addresses, and its input there.
// Form is the format of the answer; env is the caller's.
func (n *Network) OnHosts(
	ctx context.Context, env *verb.Env, verb *registry.Verb, input any, names []string, form host.Form,
) (*registry.Verb, any, error) {
	call := &remoteCall{network: n, env: env, names: names, client: remote.Client{
		Form: form, Stdin: env.Stdin, Confirm: env.Confirm,
		Attach: func(h *host.Host, argv []string) ([]string, error) {
			return n.TerminalOn(h, shell.Line(argv...))
		},
	}}
	return call.route(ctx, verb, input)
}

// Route returns what sends the calls of a server's clients to the hosts that they name, of those that words allow;
// nil if there are none.
func (n *Network) Route(words []string) service.Route {
	settings := n.Env.Settings()
	if len(settings.Hosts) == 0 && settings.Bus.URL == "" || slices.Equal(words, []string{host.Local}) {
		return nil
	}
	return func(ctx context.Context, env registry.Env, names []string, verb *registry.Verb, input any) (*registry.Verb,
		any, error,
	) {
		call := &remoteCall{
			network: n, env: env, names: names, allowed: words, client: remote.Client{Form: host.Document},
		}
		return call.route(ctx, verb, input)
	}
}

// remoteCall is a call that may be for other hosts.
type remoteCall struct {
	network *Network
	// env is the environment of the verb on this machine.
	env registry.Env
	// names are the hosts that are asked; empty for the hosts of the addresses, else this machine.
	names []string
	// allowed are the hosts that may be asked; empty is all.
	allowed []string
	client  remote.Client
}

// route returns the verb as the hosts answer it, and its input there.
func (r *remoteCall) route(ctx context.Context, verb *registry.Verb, input any) (*registry.Verb, any, error) {
	n := r.network
	for i, name := range r.names {
		all, is := host.AnyOf(name)
		if !is {
			continue
		}
		least, err := n.leastLoaded(ctx, all)
		if err != nil {
			return nil, nil, err
		}
		r.names[i] = least
	}
	address := r.address(verb, input)
	if address.Host == "" && len(r.names) == 0 {
		return verb, input, nil // no settings are read where no host can be named
	}
	known, err := n.Known(ctx)
	if err != nil {
		return nil, nil, err
	}
	hosts, bare, err := r.chosen(known, verb, input)
	if err != nil {
		return nil, nil, r.leftOut(err, r.names...)
	}
	if len(hosts) == 0 {
		verb, err := r.unaddressed(ctx, known, verb, address)
		return verb, input, err
	}
	if slices.Contains(r.names, host.All) {
		r.client.Missing, r.client.Disabled = known.Missing, known.Disabled()
	}
	several, flowing := len(hosts) > 1 || r.client.Missing != nil, registry.As(verb, bare)
	switch {
	case !several && hosts[0] == nil:
		return verb, bare, nil
	case verb.Local:
		return nil, nil, core.Errorf(core.InvalidFlag, "%s is for this machine alone: run it on the other "+
			"one", verb.Name)
	case several && flowing.Streams:
		return nil, nil, core.Errorf(core.InvalidFlag, "%s answers line by line, of one host at a time", verb.Name)
	}
	r.client.Open, r.client.Now, r.client.Timeout, r.client.Catalog = n.pool.Get, time.Now, n.Timeout, n.Env.Catalog
	r.client.Lost, r.client.Version = &n.lost, n.Env.Version
	if slices.Contains(hosts, nil) {
		r.client.Fleet = host.FleetOf(n.Env.Paths.Runtime)
	}
	if bare, err = r.departing(ctx, bare, hosts); err != nil {
		return nil, nil, err
	}
	if !several {
		return r.client.On(flowing, hosts[0]), bare, nil
	}
	return r.client.OnAll(verb, hosts, func(ctx context.Context, in any) (*registry.Reply, error) {
		return verb.Call(ctx, r.env, in, nil)
	}), bare, nil
}

// departing returns an input with what it takes along to other hosts. The commands of its error name the host.
func (r *remoteCall) departing(ctx context.Context, input any, hosts []*host.Host) (any, error) {
	own, is := input.(registry.Departing)
	if !is {
		return input, nil
	}
	departed, err := own.Depart(ctx, r.env)
	if err == nil || len(hosts) != 1 {
		return departed, err
	}
	e := *core.AsError(err)
	e.Actions = slices.Clone(e.Actions)
	for i := range e.Actions {
		e.Actions[i] = registry.CommandOn(hosts[0].Name, e.Actions[i])
	}
	return nil, &e
}

// leftOut returns why the settings of a host are not used, where it is one of some names, and else an error.
func (r *remoteCall) leftOut(err error, names ...string) error {
	for _, name := range names {
		if fault := r.network.Env.Settings().Need("hosts." + name); fault != nil {
			return fault
		}
	}
	return err
}

// address is the first address of an input that may name a host; nowhere if none does.
func (r *remoteCall) address(verb *registry.Verb, input any) (found core.Address) {
	registry.Addresses(verb, input, func(address string) {
		at := core.ParseAddress(address)
		if found.Host == "" && at.Host != "" && !strings.Contains(at.Host, ":") { // ids of alerts may have a slash
			found = at
		}
	})
	return found
}

// chosen returns the hosts that are asked, nil for this one, and the input without their names.
func (r *remoteCall) chosen(known host.Hosts, verb *registry.Verb, input any) ([]*host.Host, any, error) {
	var addressed []string
	bare := registry.Addressed(verb, input, func(address string) string {
		at := known.Address(address)
		if at.Host != "" && !slices.Contains(addressed, at.Host) {
			addressed = append(addressed, at.Host)
		}
		return at.There()
	})
	switch {
	case len(addressed) > 1:
		return nil, nil, core.Errorf(core.Conflict, "one call is for one host, and this one names %s",
			strings.Join(addressed, ", "))
	case len(addressed) == 1 && len(r.names) > 0 && !slices.Equal(r.names, addressed):
		return nil, nil, registry.Conflict("--host", addressed[0]+"/...")
	case len(addressed) == 0:
		addressed = r.names
	}
	hosts, err := known.Select(addressed...)
	if err != nil || len(r.allowed) == 0 || len(hosts) == 0 {
		return hosts, bare, err
	}
	refused := ""
	hosts = slices.DeleteFunc(hosts, func(h *host.Host) bool {
		denied := h != nil && !isNamed(r.allowed, h.Name)
		if denied && slices.Contains(addressed, h.Name) {
			refused = h.Name
		}
		return denied
	})
	if refused != "" || len(hosts) == 0 {
		return nil, nil, &core.Error{
			Code: core.PermissionDenied, Message: "this server is not for host " + cmp.Or(refused, addressed[0]),
			Actions: []string{},
		}
	}
	return hosts, bare, nil
}

// unaddressed returns a verb for an address whose first part names no host: it is for this machine. A session that
// does not exist is not started here under the name of a host that is not known, and its error names the host that
// was probably meant.
func (r *remoteCall) unaddressed(ctx context.Context, known host.Hosts, verb *registry.Verb, at core.Address) (
	*registry.Verb, error,
) {
	name, address := at.Host, at.String()
	existing := slices.ContainsFunc(r.env.Sessions(ctx), func(session string) bool {
		return address == session || strings.HasPrefix(address, session+".") || strings.HasPrefix(address, session+":")
	})
	others := known.Missing != nil || len(known.Names()) > 0 || r.leftOut(nil, name) != nil
	ours := known.Missing == nil && registry.OfExisting(verb) && !nearHost(known, name) // its own error says all
	if existing || !others || ours {
		return verb, nil
	}
	if err := r.leftOut(nil, name); err != nil {
		return nil, err
	}
	err := core.AsError(known.UnknownError(name))
	if known.Missing == nil {
		err.Message += ", and no session " + strconv.Quote(core.Cut(address))
		err.Slip.Word = address
		for i := range err.Suggestions {
			err.Suggestions[i] = core.OnHost(err.Suggestions[i], at.There())
		}
		if !registry.OfExisting(verb) {
			err.Hint = "A session of this machine with such a name is " + core.OnHost(host.Local, address) + "."
		}
	}
	return nil, err
}

// nearHost reports whether a name is like that of a host.
func nearHost(known host.Hosts, name string) bool { return len(near.Words(name, known.Names())) > 0 }

// load is how much runs on a host.
type load struct {
	machine *host.Machine
	// agents is below 0 for a host that does not answer.
	agents int
}

// leastLoaded returns the name of the host with most room for agents, of those of a word that answer and have Cupola;
// of two that have as much, the first by name, but this one before all.
func (n *Network) leastLoaded(ctx context.Context, word string) (string, error) {
	hosts, err := n.Known(ctx)
	if err != nil {
		return "", err
	}
	all, err := hosts.Select(word)
	if err != nil {
		return "", err
	}
	loads := make([]load, len(all))
	var asking sync.WaitGroup
	for i, h := range all {
		asking.Go(func() { loads[i] = n.loadOf(ctx, h) })
	}
	asking.Wait()
	least := -1
	for i := range loads {
		if loads[i].agents < 0 {
			continue
		}
		if least < 0 || host.Busier(loads[least].machine, loads[least].agents, loads[i].machine, loads[i].agents) {
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

// loadOf asks a host how much runs there; nil is this machine.
func (n *Network) loadOf(ctx context.Context, h *host.Host) load {
	if h == nil {
		own := load{machine: host.ThisMachine(), agents: -1}
		if snapshot := n.Env.Brief(ctx); snapshot != nil {
			own.agents = snapshot.Counts().Agents
		}
		return own
	}
	ctx, stop := context.WithTimeout(ctx, cmp.Or(n.Timeout, host.DefaultTimeout))
	defer stop()
	lost := load{agents: -1}
	if n.lost.Fault(h) != nil {
		return lost
	}
	link, err := n.Open(ctx, h, host.Reads)
	if err != nil {
		return lost
	}
	defer link.Close()
	tally, err := remote.TallyOf(ctx, link)
	if err != nil || link.Hello.Tmux != "" {
		return lost
	}
	return load{machine: link.Hello.Machine, agents: tally.Agents}
}

// Dashboard returns the command that opens the dashboard of the one host that names choose.
func (n *Network) Dashboard(ctx context.Context, names []string) ([]string, error) {
	hosts, err := n.Known(ctx)
	if err != nil {
		return nil, err
	}
	chosen, err := hosts.Select(names...)
	switch {
	case err != nil:
		return nil, err
	case len(chosen) != 1 || chosen[0] == nil:
		return nil, core.Errorf(core.InvalidFlag, "a dashboard shows one other host: name it")
	}
	return n.TerminalOn(chosen[0], chosen[0].Command())
}
