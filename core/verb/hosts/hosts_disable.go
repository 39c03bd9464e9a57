package hosts

import (
	"context"

	"cupola/core/verb"
	"cupola/core/verb/registry"
)

var disable = registry.Define(registry.Spec[*verb.Env, nameIn, hostOut]{
	Name: "hosts-disable", Of: "hosts-add --disable", Group: verb.GroupHosts, Short: "Keep a host without asking it",
	Aliases: []string{"host disable"},
	Scope:   registry.Resource, Effect: registry.Writes, Local: true,
	Examples: []string{"gpu1 --dry-run"},
	Errors:   changing,
	Run: func(ctx context.Context, env *verb.Env, in nameIn) (hostOut, error) {
		return able(ctx, env, in, true)
	},
})
