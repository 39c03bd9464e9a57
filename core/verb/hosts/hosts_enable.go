package hosts

import (
	"context"

	"cupola/core/verb"
	"cupola/core/verb/registry"
)

var enable = registry.Define(registry.Spec[*verb.Env, nameIn, hostOut]{
	Name: "hosts-enable", Of: "hosts-add --enable", Group: verb.GroupHosts, Short: "Ask a host again that was disabled",
	Aliases: []string{"host enable"},
	Scope:   registry.Resource, Effect: registry.Writes, Local: true,
	Examples: []string{"gpu1 --dry-run"},
	Errors:   changing,
	Run: func(ctx context.Context, env *verb.Env, in nameIn) (hostOut, error) {
		return able(ctx, env, in, false)
	},
})
