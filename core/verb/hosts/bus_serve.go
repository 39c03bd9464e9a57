package hosts

import (
	"context"
	"strings"

	"cupola/core"
	"cupola/core/record/server"
	"cupola/core/system/shell"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

type busServeIn struct {
	verb.Allowing `default:"allow=destroys"`
	Background    bool   `help:"Serve in a process of its own, and answer once it does"`
	Server        string `help:"Id of a server on record to take up: what --background starts"`
	registry.Preview
}

// Check sees that only one process takes it up.
func (in busServeIn) Check() error {
	if in.Background && in.Server != "" {
		return registry.Conflict("--background", "--server")
	}
	return nil
}

// busServeOut describes the service of this machine on the bus: at its start a line, at its end the last.
type busServeOut struct {
	Type   string       `json:"type,omitempty"`
	Server string       `json:"id,omitempty"`
	State  server.State `json:"state"`
	// Host is the name of this machine on the bus, URL the bus.
	Host   string `json:"host" names:"host"`
	URL    string `json:"url"`
	Allow  string `json:"allow"`
	DryRun bool   `json:"dry_run"`
}

var busServe = registry.Define(registry.Spec[*verb.Env, busServeIn, busServeOut]{
	Name: "bus-serve", Group: verb.GroupHosts, Short: "Serve this machine on the bus",
	Long: "The bus is the NATS server of the setting 'bus.url'. What changes here is published there, and other " +
		"hosts with credentials call the verbs of this machine. 'serve-stop' ends it.",
	Aliases: []string{"bus serve"},
	Scope:   registry.Global, Effect: registry.Writes, Local: true,
	Examples: []string{"--dry-run", "--allow=reads --dry-run"},
	Errors: []core.Code{
		core.Conflict, core.NotReady, core.NetworkError, core.AuthFailed, core.ConfigInvalid, core.IOError,
		core.PermissionDenied, core.NotFound, core.Timeout,
	},
	Run:    runBusServe,
	Stream: registry.Stream[*verb.Env, busServeIn, busServeOut]{Line: busServeOut{}, Run: streamBusServe},
}).SeeAlso("hosts", "serve-stop")

// Streaming reports whether it serves in this process.
func (in busServeIn) Streaming() bool { return !in.Background && !in.DryRun }

// planned describes the service that would start.
func (in busServeIn) planned(env *verb.Env) (busServeOut, error) {
	settings := env.Settings()
	if err := settings.Need("bus"); err != nil {
		return busServeOut{}, err
	}
	name, err := settings.Bus.HostName()
	if settings.Bus.URL == "" {
		err = noBusError()
	}
	return busServeOut{
		State: server.Starting, Host: name, URL: busAddress(settings.Bus.URL), Allow: in.Allow, DryRun: in.DryRun,
	}, err
}

// runBusServe begins to serve in the background.
func runBusServe(ctx context.Context, env *verb.Env, in busServeIn) (busServeOut, error) {
	out, err := in.planned(env)
	if err != nil || in.DryRun {
		return out, err
	}
	if err := free(ctx, env); err != nil {
		return out, err
	}
	if _, err := env.Network.Bus(ctx); err != nil { // which says more than the end of a process
		return out, err
	}
	b := verb.Servers(env.Paths)
	record, err := b.New(in.Allow, nil, env.Now())
	if err != nil {
		return out, err
	}
	own := in
	own.Background, own.Server = false, record.ID
	words, err := shell.Words(env.Catalog.Find("bus-serve").Command(own))
	if err != nil {
		return out, err
	}
	argv := append([]string{env.Self, "--robot-format=ndjson"}, words[1:]...)
	if record, err = b.Detach(ctx, record.ID, env.Dir, argv...); err != nil {
		return out, err
	}
	out.Server, out.State = record.ID, record.State
	return out, nil
}

// streamBusServe serves until ctx ends or it is stopped.
func streamBusServe(ctx context.Context, env *verb.Env, in busServeIn, emit func(any) error) (busServeOut, error) {
	out, err := in.planned(env)
	if err != nil {
		return out, err
	}
	b := verb.Servers(env.Paths)
	if in.Server == "" {
		if err := free(ctx, env); err != nil {
			return out, err
		}
		record, err := b.New(in.Allow, nil, env.Now())
		if err != nil {
			return out, err
		}
		in.Server = record.ID
	}
	record, release, err := b.Claim(ctx, in.Server)
	if err != nil {
		return out, err
	}
	defer release()
	serving, end := b.Cancellable(ctx, record.ID)
	defer end()
	err = env.Network.ServeBus(serving, in.Border(nil), func(name string) error {
		if err := b.Listening(record, out.URL+"/"+name); err != nil {
			return err
		}
		line := out
		line.Type, line.Server, line.State = "serving", record.ID, record.State
		return emit(line)
	})
	if saved := b.End(record, env.Now()); err == nil {
		err = saved
	}
	out.Server, out.State = record.ID, record.State
	return out, err
}

// noBusError is the error where there is no bus.
func noBusError() error {
	return &core.Error{
		Code: core.NotReady, Message: "the settings name no bus",
		Hint: "Set bus.url to the address of a NATS server, such as nats://bus.example.com:4222, with 'cupola " +
			"config-set'.",
		Actions: []string{"cupola config-get bus.url", "cupola capabilities config-set"},
	}
}

// busAddress is the address of the bus, without what gives access to it.
func busAddress(url string) string {
	scheme, rest, is := strings.Cut(url, "://")
	if !is {
		scheme, rest = "nats", url
	}
	return scheme + "://" + rest[strings.LastIndexByte(rest, '@')+1:]
}

// free returns Conflict if this machine is served on the bus already.
func free(ctx context.Context, env *verb.Env) error {
	running, err := verb.Servers(env.Paths).Running(ctx)
	if err != nil {
		return err
	}
	for i := range running {
		if running[i].OnBus() {
			e := core.Errorf(core.Conflict, "this machine is on the bus already: %s", running[i].ID)
			e.Actions = []string{"cupola serve-stop " + running[i].ID}
			return e
		}
	}
	return nil
}

// Report shows people how it is served.
func (o busServeOut) Report() *report.Report {
	name, at := report.Toned(report.Strong, o.Host), report.Text(" on the bus at "+o.URL)
	switch {
	case o.DryRun:
		return report.Say(report.Text("Would show this machine as "), name, at, report.Text(" and allow "+o.Allow+"."))
	case o.State != server.Running:
		return report.Say(report.Text("This machine is on the bus no more."))
	}
	r := report.Say(report.Text("This machine is "), name, at, report.Text("."))
	r.Next = []report.Tip{verb.Tip("end it", "serve-stop", o.Server)}
	return r
}

// Next says how to end it.
func (o busServeOut) Next() []registry.Action {
	if o.DryRun || o.State != server.Running {
		return nil
	}
	return verb.NextOnly("stop", "End it", "serve-stop", o.Server)
}
