package hosts

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"cupola/core"
	"cupola/core/config"
	"cupola/core/host"
	"cupola/core/system/textfile"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

// changing are the codes of verbs that change the list.
var changing = []core.Code{
	core.NotFound, core.AlreadyExists, core.ConfigInvalid, core.IOError, core.PermissionDenied, core.Conflict,
	core.ToolNotFound, core.NetworkError, core.AuthFailed, core.MissingRequired,
}

type nameIn struct {
	Host string `arg:"1" required:"true" lister:"hosts" help:"Name of the host, or a pattern such as gpu*"`
	registry.Preview
}

// changed applies a change of the settings, and describes the hosts, at least one. What was done is a word, such as
// "Added", which the names follow.
func changed(ctx context.Context, env *verb.Env, hosts []*host.Host, change *textfile.Change, dry bool, did string,
) (hostOut, error) {
	rows := make([]HostRow, len(hosts))
	names := make([]string, len(hosts))
	for i, h := range hosts {
		rows[i], names[i] = rowOf(h), h.Name
	}
	out := hostOut{DryRun: dry, Diff: change.Diff()}
	if !dry {
		out.did = did + " " + strings.Join(names, ", ") + "."
		if err := change.Apply(); err != nil {
			return hostOut{}, err
		}
		var asking sync.WaitGroup
		for i, h := range hosts {
			if !h.Disabled {
				asking.Go(func() { rows[i].askNew(ctx, env, h) })
			}
		}
		asking.Wait()
	}
	out.HostRow, out.Others = rows[0], rows[1:]
	return out, nil
}

// askNew fills in how a host is whose entry was written, and warns if it does not answer.
func (r *HostRow) askNew(ctx context.Context, env *verb.Env, h *host.Host) {
	if err := r.ask(ctx, env, h); err != nil {
		env.Warn(fmt.Sprintf("%s; its entry is saved, and 'cupola hosts-check %s' asks again", core.AsError(err),
			h.Name))
	}
}

// named returns all hosts, and those that the input names.
func named(ctx context.Context, env *verb.Env, in nameIn) (known host.Hosts, chosen []*host.Host, err error) {
	if known, err = env.Network.Known(ctx); err == nil {
		chosen, err = known.Entries(in.Host)
	}
	return known, chosen, err
}

// able enables or disables hosts. One of the bus is disabled by a section of its own, which goes when it is enabled.
func able(ctx context.Context, env *verb.Env, in nameIn, disabled bool) (hostOut, error) {
	did := "Enabled"
	if disabled {
		did = "Disabled"
	}
	known, chosen, err := named(ctx, env, in)
	if err != nil {
		return hostOut{}, err
	}
	settings := map[string]*host.Settings{}
	for _, h := range chosen {
		bySSH := h.SSH != "" || h.Program != "" || len(h.Options) > 0 || !known.OnBus(h.Name)
		if bySSH {
			h.SSH = h.Destination()
		}
		h.Disabled = disabled
		settings[h.Name] = &h.Settings
		if h.OnBus = !bySSH && !disabled; h.OnBus {
			settings[h.Name] = nil
		}
		if bySSH && disabled && !in.DryRun {
			_ = env.Hosts.Forget(ctx, h) // there may be none
		}
	}
	change, err := config.SetHosts(env.Files(), settings)
	if err != nil {
		return hostOut{}, err
	}
	return changed(ctx, env, chosen, change, in.DryRun, did)
}

var enable = changer("enable", "Ask a host again that was disabled",
	func(ctx context.Context, env *verb.Env, in nameIn) (hostOut, error) { return able(ctx, env, in, false) })

var disable = changer("disable", "Keep a host without asking it",
	func(ctx context.Context, env *verb.Env, in nameIn) (hostOut, error) { return able(ctx, env, in, true) })

var remove = changer("remove", "Forget a host; its sessions keep running", runRemove).SeeAlso("hosts")

// changer declares another name of what hosts-add does to hosts that are there, by the switch of that name.
func changer(
	does, short string, run func(ctx context.Context, env *verb.Env, in nameIn) (hostOut, error),
) *registry.Verb {
	return registry.Define(registry.Spec[*verb.Env, nameIn, hostOut]{
		Name: "hosts-" + does, Of: "hosts-add --" + does, Group: verb.GroupHosts, Short: short,
		Aliases: []string{"host " + does},
		Scope:   registry.Resource, Effect: registry.Writes, Local: true,
		Examples: []string{"gpu1 --dry-run"},
		Errors:   changing, Run: run,
	})
}

func runRemove(ctx context.Context, env *verb.Env, in nameIn) (hostOut, error) {
	_, chosen, err := named(ctx, env, in)
	if err != nil {
		return hostOut{}, err
	}
	settings := map[string]*host.Settings{}
	for _, h := range chosen {
		if !h.OnBus {
			settings[h.Name] = nil
		}
		if in.DryRun {
			continue
		}
		if err := forget(ctx, env, h); err != nil {
			return hostOut{}, err
		}
		h.Disabled = true // it is asked no more
	}
	change, err := config.SetHosts(env.Files(), settings)
	if err != nil {
		return hostOut{}, err
	}
	out, err := changed(ctx, env, chosen, change, in.DryRun, "Removed")
	out.State = ""
	for i := range out.Others {
		out.Others[i].State = ""
	}
	return out, err
}

// forget ends the connection to a host, or removes what the bus keeps of it. One that still serves comes back.
func forget(ctx context.Context, env *verb.Env, h *host.Host) error {
	if !h.OnBus {
		_ = env.Hosts.Forget(ctx, h) // there may be none
		return nil
	}
	conn, err := env.Network.Bus(ctx)
	if err != nil {
		return err
	}
	return conn.Forget(ctx, h.Name)
}
