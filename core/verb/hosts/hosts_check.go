package hosts

import (
	"context"
	"slices"

	"cupola/core"
	"cupola/core/host"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

type checkIn struct {
	Host string `arg:"1" required:"true" lister:"hosts" help:"Name of the host"`
}

// hostOut is one host.
type hostOut struct {
	HostRow
	DryRun bool `json:"dry_run"`
	// Diff shows what changed, or would, in the file of settings; absent if nothing did.
	Diff string `json:"diff,omitempty"`
	// Others are the other hosts of a pattern, by name, to which the same was done; absent if it named one host.
	Others []HostRow `json:"others,omitempty"`
	// Installed is the path on the host that this program was copied to, or would be; absent if it was not.
	Installed string `json:"program_copied,omitempty"`

	did string
}

var check = registry.Define(registry.Spec[*verb.Env, checkIn, hostOut]{
	Name: "hosts-check", Of: "hosts", Group: verb.GroupHosts, Short: "Say whether a host can be reached",
	Aliases: []string{"hosts-test", "hosts test", "host test"},
	Scope:   registry.Resource, Effect: registry.Reads,
	Examples: []string{"gpu1"},
	Long:     "It fails for one that cannot be asked, with the reason that ssh gives.",
	Errors: []core.Code{
		core.NotFound, core.ConfigInvalid, core.NotReady, core.NetworkError, core.AuthFailed, core.Conflict,
		core.ToolNotFound, core.PermissionDenied, core.DecodeFailed, core.Timeout,
	},
	Run: runCheck,
}).SeeAlso("hosts")

func runCheck(ctx context.Context, env *verb.Env, in checkIn) (hostOut, error) {
	h, err := find(ctx, env, in.Host)
	if err != nil {
		return hostOut{}, err
	}
	out := hostOut{HostRow: rowOf(h)}
	if err := out.ask(ctx, env, h); err != nil {
		e := *core.AsError(err)
		e.Remedies = slices.DeleteFunc(slices.Clone(e.Remedies), func(r core.Remedy) bool {
			return r == core.RemedyTestHost // it was done
		})
		return hostOut{}, &e
	}
	return out, nil
}

// find returns a host by its name.
func find(ctx context.Context, env *verb.Env, name string) (*host.Host, error) {
	known, err := env.Network.Known(ctx)
	if err != nil {
		return nil, err
	}
	if h, is := known.Find(name); is {
		return h, nil
	}
	return nil, known.UnknownError(name)
}

// Report says how the host is, and what was done to it.
func (o hostOut) Report() *report.Report {
	r := &report.Report{}
	if o.did != "" {
		r.AddLine(report.Text(o.did))
	}
	if o.Installed != "" {
		r.AddLine(verb.Done(o.DryRun, "Copied", "Would copy"), report.Text(" this program to "+o.Installed+" there."))
	}
	if o.Diff != "" {
		r.Add(report.Block{Quote: o.Diff})
	}
	o.tell(r)
	for i := range o.Others {
		o.Others[i].tell(r)
	}
	return r
}

// tell adds how a host is; nothing of one whose state is not known.
func (r *HostRow) tell(to *report.Report) {
	line := report.Line{report.Toned(report.Strong, r.Host), report.Text(" " + string(r.State))}
	switch {
	case r.State == "":
		return
	case r.State == host.Up:
		with := "Cupola " + r.Version
		if r.By == byTmux {
			with = "without Cupola, by its tmux"
		}
		line = append(line, report.Toned(report.Dim, ", "+with+", "+
			verb.Plural(r.Agents, "agent")+" in "+verb.Plural(r.Sessions, "session")))
	case r.Reason != "":
		line = append(line, report.Toned(report.Bad, ": "+r.Reason))
	}
	to.AddLine(line...)
}

// Next says what to do with the host. Of several there is nothing to say that their list does not.
func (o hostOut) Next() (next []registry.Action) {
	if len(o.Others) > 0 {
		return nil
	}
	switch o.State {
	case host.Up, host.Slow:
		next = append(next, verb.NextAction("status", "List its sessions and agents", "status", "--host="+o.Host))
	case host.Disabled:
		if !o.DryRun {
			next = append(next, verb.NextAction("enable", "Ask it again", "hosts-enable", o.Host))
		}
	case "":
	default:
		next = append(next, verb.NextAction("check", "Ask again how it is", "hosts-check", o.Host))
	}
	if o.State == host.Missing || o.By == byTmux {
		next = append(next,
			verb.NextAction("install", "Copy this program there", "hosts-add", o.Host, "--install", "--yes"))
	}
	return next
}
