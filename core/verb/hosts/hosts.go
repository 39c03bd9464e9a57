package hosts

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"

	"cupola/core"
	"cupola/core/host"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
	"cupola/core/verb/remote"
)

// ListIn is the input of the verb hosts.
type ListIn struct {
	Host          string `arg:"1" help:"Only this host; it fails if the host cannot be asked (default: all)"`
	registry.Page `default:"limit=100"`
	Bus           bool `help:"Also whether the bus works, and what this machine may do there"`
	Offline       bool `help:"Do not ask the hosts how they are"`
}

// ListOut is the answer of the verb hosts.
type ListOut struct {
	// Hosts are the hosts of the settings, by name.
	Hosts []HostRow `json:"hosts" empty:"no other host is known; 'cupola hosts-add NAME' adds one"`
	verb.Paged
	// Bus is the result of the check of the bus, with --bus.
	Bus *busDoctorOut `json:"bus,omitempty"`
}

// HostRow is a host, and how it is.
type HostRow struct {
	_    struct{} `minimal:"host,state" standard:"host,state,round_trip_ms,version,agent_count,needs_you,cores,load,ssh,reason"`
	_    struct{} `table:"HOST,STATE,LINK,VERSION,AGENTS,NEEDS YOU,CORES,LOAD,MEMORY FREE,DISK FREE,BY,"`
	Host string   `json:"host" names:"host" table:"HOST,strong"`
	// SSH is the destination that ssh is given; empty for a host of the bus.
	SSH string `json:"ssh,omitempty"`
	// By is how it is reached: "ssh", "bus" or, by ssh to a host without Cupola, "tmux".
	By    string     `json:"by" table:"BY,dim,drop=7"`
	State host.State `json:"state,omitempty" table:"STATE,word"`
	// Labels say what the host is for.
	Labels []string `json:"labels,omitempty"`
	// Reason is the reason why the host cannot be asked.
	Reason string `json:"reason,omitempty" table:",dim,flex"`
	// RoundTrip is how long it took to reach its Cupola, whose version is Version.
	RoundTrip verb.MaybeNumber `json:"round_trip_ms,omitzero" table:"LINK,dim,format=%.0f ms,empty=-"`
	Version   string           `json:"version,omitempty" table:"VERSION,dim"`
	Hostname  string           `json:"hostname,omitempty"`
	// Sessions and Agents count what is there, Needs the agents that need the user.
	Sessions int `json:"session_count"`
	Agents   int `json:"agent_count" table:"AGENTS"`
	Needs    int `json:"needs_you" table:"NEEDS YOU"`
	// Cores and Load describe its processors, Load over the last minute; MemoryFree and DiskFree are available to its
	// programs, in megabytes.
	Cores      verb.MaybeNumber `json:"cores,omitzero" table:"CORES,dim,drop=3,empty=-"`
	Load       verb.MaybeNumber `json:"load,omitzero" table:"LOAD,dim,drop=4,format=%.1f,empty=-"`
	MemoryFree verb.MaybeNumber `json:"memory_free_mb,omitzero" table:"MEMORY FREE,dim,drop=6,format=%.0f MB,empty=-"`
	DiskFree   verb.MaybeNumber `json:"disk_free_mb,omitzero" table:"DISK FREE,dim,drop=5,format=%.0f MB,empty=-"`

	// fleet is the word of its fleet, and local the version of this program.
	fleet, local string
}

// Cell shows a version that is another one than this program's with an arrow.
func (r *HostRow) Cell(title string) (report.Cell, bool) {
	if title == "VERSION" && r.Version != "" && r.local != "" && r.Version != r.local {
		return report.Toned(report.Warn, r.Version+" → "+r.local), true
	}
	return report.Cell{}, false
}

// sameMachines says of hosts that are machines which have another name too, of this machine the fleet's word.
func sameMachines(rows []HostRow, local string) {
	names := map[string]string{}
	if local != "" {
		names[local] = "this one"
	}
	for i := range rows {
		row := &rows[i]
		if row.fleet == "" {
			continue
		}
		if same, is := names[row.fleet]; is {
			row.Reason = remote.SameMachine(same)
			continue
		}
		names[row.fleet] = row.Host
	}
}

// byTmux is the By of a host without Cupola.
const byTmux = "tmux"

var list = registry.Define(registry.Spec[*verb.Env, ListIn, ListOut]{
	Name: "hosts", Group: verb.GroupHosts, Short: "List other hosts, and how they are",
	Long: "A host is up, slow (its link takes more than a second), down, older (its Cupola speaks another protocol), " +
		"refused (it does not let you in, or its key has changed), missing (it has neither Cupola nor tmux) or " +
		"disabled. A host without Cupola is shown and driven by its tmux.",
	Aliases: []string{"hosts list", "host list", "hosts status"},
	Scope:   registry.Resource, Effect: registry.Reads, List: "hosts",
	Examples: []string{"", "--offline"},
	Errors:   check.Errors, Run: runList,
}).SeeAlso("hosts-add", "status")

func runList(ctx context.Context, env *verb.Env, in ListIn) (ListOut, error) {
	var bus *busDoctorOut
	known, err := env.Network.Known(ctx)
	if err != nil {
		return ListOut{}, err
	}
	if known.Missing != nil {
		env.Warn("hosts of the bus are missing: " + core.AsError(known.Missing).Error())
	}
	if in.Bus {
		found, err := runBusDoctor(ctx, env, busDoctorIn{})
		if err != nil {
			return ListOut{}, err
		}
		bus = &found
	}
	if in.Host != "" {
		found, err := runCheck(ctx, env, checkIn{Host: in.Host})
		if err != nil {
			return ListOut{}, err
		}
		rows, page := verb.Cut([]HostRow{found.HostRow}, registry.Page{})
		return ListOut{Hosts: rows, Paged: page, Bus: bus}, nil
	}
	names, page := verb.Cut(known.Names(), in.Page)
	out := ListOut{Hosts: make([]HostRow, len(names)), Paged: page, Bus: bus}
	var asking sync.WaitGroup
	for i, name := range names {
		h, _ := known.Find(name)
		out.Hosts[i] = rowOf(h)
		if !in.Offline && !h.Disabled {
			asking.Go(func() { out.Hosts[i].look(ctx, env, h) })
		}
	}
	asking.Wait()
	sameMachines(out.Hosts, host.FleetOf(env.Paths.Runtime))
	return out, nil
}

// rowOf is a host that was not asked.
func rowOf(h *host.Host) HostRow {
	row := HostRow{
		Host: h.Name, SSH: h.Destination(), By: "ssh", Labels: h.Labels, RoundTrip: -1, Cores: -1, Load: -1,
		MemoryFree: -1, DiskFree: -1,
	}
	if h.OnBus {
		row.SSH, row.By = "", "bus"
	}
	if h.Disabled {
		row.State = host.Disabled
	}
	return row
}

// look fills in how a host of a list is. One that did not answer a while ago is not waited for.
func (r *HostRow) look(ctx context.Context, env *verb.Env, h *host.Host) {
	if fault := env.Network.Lost().Fault(h); fault != nil {
		r.State, r.Reason = fault.State, fault.Reason
		return
	}
	_ = r.ask(ctx, env, h) // the row says it
}

// ask fills in how a host is, and returns why it does not answer.
func (r *HostRow) ask(ctx context.Context, env *verb.Env, h *host.Host) error {
	ctx, stop := context.WithTimeout(ctx, cmp.Or(h.Timeout, host.DefaultTimeout))
	defer stop()
	link, err := env.Network.Open(ctx, h, host.Reads)
	if err != nil {
		return r.missing(h, err)
	}
	defer link.Close()
	r.State, r.RoundTrip = host.Up, verb.MaybeNumber(link.RoundTrip.Milliseconds())
	r.Version, r.Hostname, r.fleet, r.local = link.Hello.Version, link.Hello.Hostname, link.Hello.Fleet, env.Version
	if with := link.Hello.Tmux; with != "" {
		r.By, r.Reason = byTmux, "it has no Cupola: terminals of its "+with+" alone are shown and driven"
	}
	r.setMachine(link.Hello.Machine)
	if skew := link.Hello.Skew(env.Now()); skew > 0 {
		r.Reason = "its clock is " + core.ShortDuration(skew) + " ahead"
	} else if skew < 0 {
		r.Reason = "its clock is " + core.ShortDuration(-skew) + " behind"
	}
	tally, err := remote.TallyOf(ctx, link)
	if err != nil {
		return r.missing(h, err)
	}
	if r.State = link.State(); r.State == host.Slow {
		r.Reason = host.SlowReason
	}
	r.Sessions, r.Agents, r.Needs = tally.Sessions, tally.Agents, tally.Needs
	return nil
}

// setMachine takes in how busy a machine is; nil if that is not known.
func (r *HostRow) setMachine(m *host.Machine) {
	if m == nil {
		return
	}
	r.Cores, r.Load = verb.MaybeNumber(m.Cores), verb.MaybeNumber(m.Load)
	if m.MemoryFree > 0 {
		r.MemoryFree = verb.MaybeNumber(m.MemoryFree >> 20)
	}
	if m.DiskFree > 0 {
		r.DiskFree = verb.MaybeNumber(m.DiskFree >> 20)
	}
}

// missing notes why a host did not answer, and returns it as an error.
func (r *HostRow) missing(h *host.Host, err error) error {
	fault := (*host.Fault)(nil)
	switch {
	case errors.As(err, &fault):
	case errors.Is(err, context.DeadlineExceeded):
		fault = host.Late(h)
	default:
		r.Reason = core.AsError(err).Error()
		return core.AsError(err)
	}
	r.State, r.Reason = fault.State, fault.Reason
	return fault.AsError()
}

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
