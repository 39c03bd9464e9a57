package hosts

import (
	"context"

	"cupola/core"
	"cupola/core/config"
	"cupola/core/host"
	"cupola/core/textfile"
	"cupola/robot/command/verb"
	"cupola/robot/registry"
)

// changing are the codes of verbs that change the list.
var changing = []core.Code{
	core.NotFound, core.AlreadyExists, core.ConfigInvalid, core.IOError, core.PermissionDenied, core.Conflict,
	core.ToolNotFound, core.NetworkError, core.AuthFailed, core.MissingRequired,
}

type nameIn struct {
	Host string `arg:"1" required:"true" lister:"hosts" help:"Name of the host"`
	registry.Preview
}

// changed applies a change of the settings, and tells of the host.
func changed(ctx context.Context, env *verb.Env, h *host.Host, change *textfile.Change, dry bool, did string) (hostOut,
	error,
) {
	out := hostOut{hostRow: rowOf(h), DryRun: dry, Diff: change.Diff(), did: did}
	if dry {
		out.did = ""
		return out, nil
	}
	if err := change.Apply(); err != nil {
		return hostOut{}, err
	}
	if !h.Disabled {
		out.ask(ctx, env, h)
	}
	return out, nil
}

// able enables or disables a host.
func able(ctx context.Context, env *verb.Env, in nameIn, disabled bool, did string) (hostOut, error) {
	h, err := find(ctx, env, in.Host)
	if err != nil {
		return hostOut{}, err
	}
	h.SSH, h.Disabled = h.Destination(), disabled
	change, err := config.SetHost(env.Files(), h.Name, h.Settings)
	if err != nil {
		return hostOut{}, err
	}
	if disabled && !in.DryRun {
		_ = env.Hosts.Forget(ctx, h) // there may be none
	}
	return changed(ctx, env, h, change, in.DryRun, did)
}
