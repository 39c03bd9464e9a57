package hosts

import (
	"context"

	"cupola/core/config"
	"cupola/core/host"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

var remove = registry.Define(registry.Spec[*verb.Env, nameIn, hostOut]{
	Name: "hosts-remove", Of: "hosts-add --remove", Group: verb.GroupHosts,
	Short:   "Forget a host; its sessions keep running",
	Aliases: []string{"host remove"},
	Scope:   registry.Resource, Effect: registry.Writes, Local: true,
	Examples: []string{"gpu1 --dry-run"},
	Errors:   changing, Run: runRemove,
}).SeeAlso("hosts")

func runRemove(ctx context.Context, env *verb.Env, in nameIn) (hostOut, error) {
	known, err := env.Network.Known(ctx)
	if err != nil {
		return hostOut{}, err
	}
	chosen, err := known.Entries(in.Host)
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
