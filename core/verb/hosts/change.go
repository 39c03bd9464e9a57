package hosts

import (
	"context"
	"fmt"

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
	Host string `arg:"1" required:"true" lister:"hosts" help:"Name of the host"`
	registry.Preview
}

// changed applies a change of the settings, and describes the host.
func changed(ctx context.Context, env *verb.Env, h *host.Host, change *textfile.Change, dry bool, did string) (hostOut,
	error,
) {
	out := hostOut{HostRow: rowOf(h), DryRun: dry, Diff: change.Diff(), did: did}
	if dry {
		out.did = ""
		return out, nil
	}
	if err := change.Apply(); err != nil {
		return hostOut{}, err
	}
	if !h.Disabled {
		if err := out.ask(ctx, env, h); err != nil {
			env.Warn(fmt.Sprintf("%s; its entry is saved, and 'cupola hosts-check %s' asks again", core.AsError(err), h.Name))
		}
	}
	return out, nil
}

// able enables or disables a host. One of the bus is disabled by a section of its own, which goes when it is enabled.
func able(ctx context.Context, env *verb.Env, in nameIn, disabled bool) (hostOut, error) {
	did := "Enabled " + in.Host + "."
	if disabled {
		did = "Disabled " + in.Host + "."
	}
	known, err := env.Network.Known(ctx)
	if err != nil {
		return hostOut{}, err
	}
	h, is := known.Find(in.Host)
	if !is {
		return hostOut{}, known.UnknownError(in.Host)
	}
	bySSH := h.SSH != "" || h.Program != "" || len(h.Options) > 0 || !known.OnBus(h.Name)
	if bySSH {
		h.SSH = h.Destination()
	}
	h.Disabled = disabled
	var change *textfile.Change
	if h.OnBus = !bySSH && !disabled; h.OnBus {
		change, err = config.RemoveHost(env.Files(), h.Name)
	} else {
		change, err = config.SetHost(env.Files(), h.Name, h.Settings)
	}
	if err != nil {
		return hostOut{}, err
	}
	if bySSH && disabled && !in.DryRun {
		_ = env.Hosts.Forget(ctx, h) // there may be none
	}
	return changed(ctx, env, h, change, in.DryRun, did)
}
