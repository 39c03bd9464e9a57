package hosts

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"cupola/core"
	"cupola/core/config"
	"cupola/core/host"
	"cupola/core/system/shell"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

type addIn struct {
	Host        string            `arg:"1" required:"true" help:"Name of the host, as addresses begin with it"`
	Destination string            `arg:"2" help:"What ssh is given, such as USER@HOST (default: the name)"`
	Option      registry.Programs `whole:"true" help:"Another argument of ssh; repeat it: --option=-p --option=2222"`
	Program     registry.Program  `help:"Cupola there (default: on the PATH, or in ~/.local/bin)"`
	Label       []string          `help:"What the host is for, such as gpu: --host=any:gpu chooses among those; replaces the labels it has"`
	Install     bool              `help:"Copy this program to ~/.local/bin there, if the machine is of the same kind"`
	From        registry.ReadPath `help:"With --install: copy the program for that kind of machine from this folder of released ones"`
	Disable     bool              `help:"Keep a host that is there without asking it"`
	Enable      bool              `help:"Ask a host again that was disabled"`
	Remove      bool              `help:"Forget a host; its sessions keep running"`
	Yes         bool              `help:"Do not ask before the program is copied"`
	Force       bool              `help:"Reach a host that is there by another destination, other options or another program"`
	registry.Preview
}

var add = registry.Define(registry.Spec[*verb.Env, addIn, hostOut]{
	Name: "hosts-add", Group: verb.GroupHosts, Short: "Add, change or remove a host",
	Long: "It is reached by your own ssh, with its configuration, keys and jump hosts; no password is asked for. " +
		"Cupola must be installed on the host: --install copies this program. A host that is there is tested again, " +
		"and gets other labels; to reach it in another way takes --force. Your agent, windows and ports are not " +
		"forwarded there unless an option says so, such as --option=-A.",
	Aliases: []string{"host add"},
	Scope:   registry.Resource, Effect: registry.Writes, Local: true,
	Examples: []string{
		"gpu1 --dry-run", "gpu1 --disable --dry-run", "gpu1 dev@10.0.0.7 --option=-p --option=2222 --dry-run",
		"gpu1 --label=gpu --dry-run",
	},
	Errors: changing, Run: runAdd,
}).SeeAlso("hosts")

// Check sees that the host is to become one thing only.
func (in addIn) Check() error {
	switch {
	case in.Enable && in.Disable:
		return registry.Conflict("--enable", "--disable")
	case in.Remove && in.Enable:
		return registry.Conflict("--remove", "--enable")
	case in.Remove && in.Disable:
		return registry.Conflict("--remove", "--disable")
	case in.From != "" && !in.Install:
		return registry.Missing("--from is of --install", "Give --install too.", "--install")
	}
	return nil
}

func runAdd(ctx context.Context, env *verb.Env, in addIn) (hostOut, error) {
	named := nameIn{Host: in.Host, Preview: in.Preview}
	switch {
	case in.Enable || in.Disable:
		return able(ctx, env, named, in.Disable)
	case in.Remove:
		return runRemove(ctx, env, named)
	}
	if err := host.CheckName(in.Host); err != nil {
		return hostOut{}, err
	}
	for _, label := range in.Label {
		if err := host.CheckLabel(label); err != nil {
			return hostOut{}, err
		}
	}
	h := &host.Host{Name: in.Host, Settings: host.Settings{
		SSH: cmp.Or(in.Destination, in.Host), Options: in.Option, Program: string(in.Program), Labels: in.Label,
	}}
	did := "Added"
	if before, err := find(ctx, env, in.Host); err == nil {
		did = "Changed"
		h.SSH = cmp.Or(in.Destination, before.Destination())
		if len(in.Option) == 0 {
			h.Options = before.Options
		}
		if len(in.Label) == 0 {
			h.Labels = before.Labels
		}
		h.Program = cmp.Or(string(in.Program), before.Program)
		switch {
		case before.OnBus:
			did = "Added"
		case !in.Force:
			if err := differs(before, h); err != nil {
				return hostOut{}, err
			}
		case !in.DryRun:
			_ = env.Hosts.Forget(ctx, before) // there may be none
		}
	}
	if _, err := env.Hosts.Argv(h, false, ""); err != nil {
		return hostOut{}, core.Errorf(core.InvalidInput, "%w", err)
	}
	if in.Install && !in.DryRun {
		question := fmt.Sprintf("Copy this program to ~/%s on %s?", host.InstalledIn, h.Name)
		if err := (verb.Permission{Verb: "hosts-add", In: in, Given: in.Yes}).Ask(env.Who(), question); err != nil {
			return hostOut{}, err
		}
		if err := env.Hosts.Install(ctx, h, env.Self, string(in.From)); err != nil {
			return hostOut{}, err
		}
	}
	change, err := config.SetHosts(env.Files(), map[string]*host.Settings{h.Name: &h.Settings})
	if err != nil {
		return hostOut{}, err
	}
	out, err := changed(ctx, env, []*host.Host{h}, change, in.DryRun, did)
	if in.Install && err == nil {
		out.Installed = "~/" + host.InstalledIn
	}
	return out, err
}

// differs returns AlreadyExists if a host would be reached in another way than the one of that name that is there.
func differs(before, after *host.Host) error {
	changes := map[string]any{}
	var what []string
	for _, part := range []struct{ name, before, after string }{
		{"ssh", before.Destination(), after.Destination()},
		{"options", shell.Line(before.Options...), shell.Line(after.Options...)},
		{"program", before.Program, after.Program},
	} {
		if part.before != part.after {
			changes[part.name] = map[string]string{"is": part.before, "would_be": part.after}
			what = append(what, fmt.Sprintf("%s is %q and would be %q", part.name, part.before, part.after))
		}
	}
	if len(changes) == 0 {
		return nil
	}
	return &core.Error{
		Code:     core.AlreadyExists,
		Message:  fmt.Sprintf("there is a host %s: its %s", after.Name, strings.Join(what, ", ")),
		Hint:     "Take another name, or change it with --force.",
		Details:  map[string]any{"host": after.Name, "changes": changes},
		Remedies: []core.Remedy{core.RemedyListHosts}, Subject: core.Subject{Host: after.Name},
	}
}
