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
	h, err := find(ctx, env, in.Host)
	if err != nil {
		return hostOut{}, err
	}
	if h.OnBus {
		return forget(ctx, env, h, in.DryRun)
	}
	change, err := config.RemoveHost(env.Files(), h.Name)
	if err != nil {
		return hostOut{}, err
	}
	if !in.DryRun {
		_ = env.Hosts.Forget(ctx, h) // there may be none
	}
	h.Disabled = true
	out, err := changed(ctx, env, h, change, in.DryRun, "Removed "+h.Name+".")
	out.State = ""
	return out, err
}

// forget removes what the bus keeps of a host. One that still serves comes back.
func forget(ctx context.Context, env *verb.Env, h *host.Host, dry bool) (hostOut, error) {
	out := hostOut{HostRow: rowOf(h), DryRun: dry, did: "Removed " + h.Name + " from the bus."}
	if dry {
		out.did = ""
		return out, nil
	}
	conn, err := env.Network.Bus(ctx)
	if err != nil {
		return hostOut{}, err
	}
	return out, conn.Forget(ctx, h.Name)
}
