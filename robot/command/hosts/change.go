package hosts

import (
	"cmp"
	"context"
	"fmt"

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

type addIn struct {
	Host        string   `arg:"1" required:"true" help:"Name of the host, as addresses begin with it"`
	Destination string   `arg:"2" help:"What ssh is given: a host of ~/.ssh/config, or USER@HOST (default: the name)"`
	Option      []string `whole:"true" help:"Another argument of ssh; repeat it: --option=-p --option=2222"`
	Program     string   `help:"Cupola over there (default: on the PATH, or in ~/.local/bin)"`
	Install     bool     `help:"Copy this program to ~/.local/bin there, if the machine is of the same kind"`
	Yes         bool     `help:"Do not ask before the program is copied"`
	registry.Preview
}

var add = registry.Define(registry.Spec[*verb.Env, addIn, hostOut]{
	Name: "hosts-add", Group: verb.GroupHosts, Short: "Add a host, or change one, and say whether it can be reached",
	Long: "It is reached by your own ssh, with its configuration, keys and jump hosts; no password is ever asked for. " +
		"Over there Cupola must be installed: --install copies this program.",
	Aliases: []string{"host add"},
	Scope:   registry.Resource, Effect: registry.Writes, Local: true,
	Examples: []string{"gpu1 --dry-run", "gpu1 dev@10.0.0.7 --option=-p --option=2222 --dry-run"},
	Errors:   changing, Run: runAdd,
}).SeeAlso("hosts", "hosts-test")

func runAdd(ctx context.Context, env *verb.Env, in addIn) (hostOut, error) {
	if err := host.CheckName(in.Host); err != nil {
		return hostOut{}, err
	}
	h := &host.Host{Name: in.Host, Settings: host.Settings{
		SSH: cmp.Or(in.Destination, in.Host), Options: in.Option, Program: in.Program,
	}}
	if before, err := find(env, in.Host); err == nil {
		h.SSH = cmp.Or(in.Destination, before.Destination())
		if len(in.Option) == 0 {
			h.Options = before.Options
		}
		h.Program = cmp.Or(in.Program, before.Program)
	}
	if _, err := env.Hosts.Argv(h, false, ""); err != nil {
		return hostOut{}, core.Errorf(core.InvalidInput, "%w", err)
	}
	if in.Install && !in.DryRun {
		question := fmt.Sprintf("Copy this program to ~/%s on %s?", host.InstalledIn, h.Name)
		if err := (verb.Permission{Verb: "hosts-add", In: in, Given: in.Yes}).Ask(env, question); err != nil {
			return hostOut{}, err
		}
		if err := env.Hosts.Install(ctx, h, env.Self); err != nil {
			return hostOut{}, err
		}
	}
	change, err := config.SetHost(env.Files(), h.Name, h.Settings)
	if err != nil {
		return hostOut{}, err
	}
	return changed(ctx, env, h, change, in.DryRun, "Added "+h.Name+".")
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

type nameIn struct {
	Host string `arg:"1" required:"true" lister:"hosts" help:"Name of the host"`
	registry.Preview
}

var enable = registry.Define(registry.Spec[*verb.Env, nameIn, hostOut]{
	Name: "hosts-enable", Group: verb.GroupHosts, Short: "Ask a host again that was disabled",
	Aliases: []string{"host enable"},
	Scope:   registry.Resource, Effect: registry.Writes, Local: true,
	Examples: []string{"gpu1 --dry-run"},
	Errors:   changing,
	Run: func(ctx context.Context, env *verb.Env, in nameIn) (hostOut, error) {
		return able(ctx, env, in, false, "Enabled "+in.Host+".")
	},
})

var disable = registry.Define(registry.Spec[*verb.Env, nameIn, hostOut]{
	Name: "hosts-disable", Group: verb.GroupHosts, Short: "Keep a host, but do not ask it",
	Aliases: []string{"host disable"},
	Scope:   registry.Resource, Effect: registry.Writes, Local: true,
	Examples: []string{"gpu1 --dry-run"},
	Errors:   changing,
	Run: func(ctx context.Context, env *verb.Env, in nameIn) (hostOut, error) {
		return able(ctx, env, in, true, "Disabled "+in.Host+".")
	},
})

// able enables or disables a host.
func able(ctx context.Context, env *verb.Env, in nameIn, disabled bool, did string) (hostOut, error) {
	h, err := find(env, in.Host)
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
