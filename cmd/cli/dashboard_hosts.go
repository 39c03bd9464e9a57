package cli

import (
	"context"
	"time"

	"cupola/core"
	"cupola/core/host"
	"cupola/core/host/joined"
	"cupola/robot/registry"
	"cupola/robot/remote"
	"cupola/tui/effect"
)

// dashboardHosts are the other hosts of the dashboard.
type dashboardHosts struct {
	program *program
	hosts   host.Hosts
	chosen  []*host.Host
}

// otherHosts are the enabled hosts; nil if there are none.
func (p *program) otherHosts() effect.Hosts {
	hosts, err := p.hosts()
	if err != nil {
		return nil
	}
	chosen, err := hosts.Select("*")
	if err != nil || len(chosen) == 0 {
		return nil
	}
	return &dashboardHosts{program: p, hosts: hosts, chosen: chosen}
}

// Join adds what the hosts show.
func (d *dashboardHosts) Join(ctx context.Context, local effect.Frames) effect.Frames {
	all := joined.Join(ctx, joined.Source{Frames: local.Next, Look: local.Look, Err: local.Err}, d.chosen,
		d.program.deps.Hosts.Open, time.Now)
	return effect.Frames{Next: all.Frames, Look: all.Look, Err: all.Err}
}

// Split divides HOST/SESSION.
func (d *dashboardHosts) Split(address string) (name, rest string, is bool) {
	name, rest, is = d.hosts.Split(address)
	if !is || name == host.Local {
		return "", address, false
	}
	return name, rest, true
}

// Call calls a verb on a host.
func (d *dashboardHosts) Call(ctx context.Context, name, verb string, input map[string]any, into any) error {
	h, _ := d.hosts.Find(name) // Split has found it
	called := d.program.catalog.Find(verb)
	if called == nil {
		return core.Errorf(core.InternalError, "there is no verb %s", verb)
	}
	in, err := registry.Fill(called, input)
	if err != nil {
		return err
	}
	client := &remote.Client{Open: d.program.deps.Hosts.Open, Form: host.Document, Now: time.Now}
	return client.Read(ctx, called, h, in, into)
}

// Attach returns the command that opens a session or pane over there.
func (d *dashboardHosts) Attach(name, address string) ([]string, error) {
	h, _ := d.hosts.Find(name) // Split has found it
	return d.program.deps.Hosts.Argv(h, true, h.Command("attach", address, "--human"))
}
