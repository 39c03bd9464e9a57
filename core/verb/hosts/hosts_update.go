package hosts

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"cupola/core"
	"cupola/core/host"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

type updateIn struct {
	Hosts []string          `arg:"rest" lister:"hosts" help:"Names of hosts, or patterns such as gpu*"`
	All   bool              `help:"All hosts that are enabled and reached by ssh"`
	From  registry.ReadPath `help:"Folder of released programs, for machines of another kind than this one"`
	registry.Consent
	registry.Preview
}

type updateOut struct {
	DryRun bool `json:"dry_run"`
	// Hosts are the hosts that were meant, by name.
	Hosts []updateRow `json:"hosts" empty:"no host is to be updated"`
}

// updateRow is a host whose program was to be replaced.
type updateRow struct {
	_ struct{} `minimal:"host,updated,reason" table:"HOST,UPDATED,BEFORE,NOW,"`
	// Host is its name, and Updated is true if its program was replaced, or would be.
	Host    string `json:"host" names:"host" table:"HOST,strong"`
	Updated bool   `json:"updated" table:"UPDATED"`
	// Before is the version that it had, and Version the one that it has now; absent if not known.
	Before  string `json:"version_before,omitempty" table:"BEFORE,dim"`
	Version string `json:"version,omitempty" table:"NOW"`
	// Reason is the reason why it was not replaced, or why replacing it failed; Code is the code of the failure.
	Reason string    `json:"reason,omitempty" table:",dim,flex"`
	Code   core.Code `json:"error_code,omitempty"`

	err error
}

var update = registry.Define(registry.Spec[*verb.Env, updateIn, updateOut]{
	Name: "hosts-update", Of: "hosts-add --install", Group: verb.GroupHosts,
	Short: "Copy this program over the ones of other hosts",
	Long: "Hosts that have this version already are left as they are. With --from, each host gets the program for " +
		"its kind of machine from a folder of released ones.",
	Aliases: []string{"hosts update", "host update"},
	Scope:   registry.Resource, Effect: registry.Writes, Local: true, List: "hosts",
	Examples: []string{"--all --dry-run", "gpu1 --dry-run"},
	Errors:   changing, Run: runUpdate,
}).SeeAlso("hosts-add", "hosts")

// Check sees that hosts are named.
func (in updateIn) Check() error {
	switch {
	case in.All && len(in.Hosts) > 0:
		return core.Errorf(core.InvalidFlag, "--all means every host: name none beside it")
	case !in.All && len(in.Hosts) == 0:
		return registry.Missing("no host is named", "Name hosts, or give --all.", "HOSTS")
	}
	return nil
}

func runUpdate(ctx context.Context, env *verb.Env, in updateIn) (updateOut, error) {
	known, err := env.Network.Known(ctx)
	if err != nil {
		return updateOut{}, err
	}
	words := in.Hosts
	if in.All {
		if words = []string{"*"}; len(known.Names()) == 0 {
			return updateOut{DryRun: in.DryRun}, nil
		}
	}
	chosen, err := known.Select(words...)
	if err != nil {
		return updateOut{}, err
	}
	out := updateOut{DryRun: in.DryRun, Hosts: make([]updateRow, len(chosen))}
	if err := in.ask(env, chosen); err != nil {
		return updateOut{}, err
	}
	var all sync.WaitGroup
	for i, h := range chosen {
		all.Go(func() { out.Hosts[i] = in.one(ctx, env, h) })
	}
	all.Wait()
	for i := range out.Hosts {
		if err := out.Hosts[i].err; err != nil && !in.DryRun {
			failed := *core.AsError(err)
			failed.Details = map[string]any{"hosts": out.Hosts}
			return out, &failed
		}
	}
	return out, nil
}

// ask asks before programs are copied.
func (in updateIn) ask(env *verb.Env, chosen []*host.Host) error {
	if in.DryRun || len(chosen) == 0 {
		return nil
	}
	var names []string
	for _, h := range chosen {
		if h == nil {
			return core.Errorf(core.InvalidInput, "%s is this machine, which has this program", host.Local)
		}
		names = append(names, h.Name)
	}
	question := fmt.Sprintf("Copy this program to ~/%s on %s?", host.InstalledIn, strings.Join(names, ", "))
	return verb.Permission{Verb: "hosts-update", In: in, Given: in.Given()}.Ask(env.Who(), question)
}

// one replaces the program of one host.
func (in updateIn) one(ctx context.Context, env *verb.Env, h *host.Host) updateRow {
	row := updateRow{Host: h.Name}
	if h.OnBus {
		row.Reason = "it is known from the bus alone, and copied to by ssh"
		return row
	}
	before := rowOf(h)
	if fault := env.Network.Lost().Fault(h); fault != nil {
		return row.failed(fault.AsError())
	}
	if err := before.ask(ctx, env, h); err != nil && before.State != host.Missing && before.State != host.Older {
		return row.failed(err)
	}
	row.Before, row.Version = before.Version, before.Version
	switch {
	case in.From == "" && before.Version == env.Version && before.By != byTmux && !strings.Contains(env.Version, "dev"):
		row.Reason = "it has this version"
		return row
	case h.Program != "" && h.Program != "~/"+host.InstalledIn:
		row.Reason = "its program is " + h.Program + " by its entry, which a copy to ~/" + host.InstalledIn + " leaves"
		return row
	}
	if row.Updated = true; in.DryRun {
		row.Version = ""
		return row
	}
	if err := env.Hosts.Install(ctx, h, env.Self, string(in.From)); err != nil {
		return row.failed(err)
	}
	after := rowOf(h)
	if err := after.ask(ctx, env, h); err != nil {
		return row.failed(err)
	}
	row.Version = after.Version
	return row
}

// failed is the row with the error of its host.
func (r updateRow) failed(err error) updateRow {
	e := core.AsError(err)
	r.err, r.Updated, r.Reason, r.Code = err, false, e.Error(), e.Code
	return r
}

// Report shows the hosts as a table.
func (o updateOut) Report() *report.Report {
	r := report.Say(verb.Done(o.DryRun, "Updated", "Would update"), report.Text(" hosts."))
	return r.AddTable("", report.TableOf(o.Hosts, time.Time{}, "no host is to be updated"))
}
