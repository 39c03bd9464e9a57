package hosts

import (
	"context"

	"cupola/core/config"
	"cupola/robot/command/verb"
	"cupola/robot/registry"
)

var remove = registry.Define(registry.Spec[*verb.Env, nameIn, hostOut]{
	Name: "hosts-remove", Group: verb.GroupHosts, Short: "Forget a host; what runs there goes on",
	Aliases: []string{"host remove"},
	Scope:   registry.Resource, Effect: registry.Writes, Local: true,
	Examples: []string{"gpu1 --dry-run"},
	Errors:   changing, Run: runRemove,
}).SeeAlso("hosts-disable")

func runRemove(ctx context.Context, env *verb.Env, in nameIn) (hostOut, error) {
	h, err := find(env, in.Host)
	if err != nil {
		return hostOut{}, err
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
