package hosts

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"cupola/core"
	"cupola/core/host"
	"cupola/core/host/bus"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

type busDoctorIn struct{}

type busDoctorOut struct {
	// URL is the bus, Host the name of this machine there.
	URL    string     `json:"url"`
	Host   string     `json:"host" names:"host"`
	Checks []busCheck `json:"checks"`
	// Works is true if no check failed.
	Works bool `json:"works"`
}

// busCheck is something that was tried.
type busCheck struct {
	_ struct{} `minimal:"check,state" standard:"check,state,message"`
	// Check is its name.
	Check string `json:"check" table:"CHECK,strong"`
	// State is "ok" or "failed".
	State string `json:"state" table:"STATE,word"`
	// Message is the finding in words.
	Message string `json:"message" table:"FOUND,flex"`
}

var busDoctor = registry.Define(registry.Spec[*verb.Env, busDoctorIn, busDoctorOut]{
	Name: "bus-doctor", Of: "hosts --bus", Group: verb.GroupHosts,
	Short: "Say whether the bus works, and what this machine may do there",
	Long: "It connects, looks for the stream of events and the bucket of pictures, asks who serves, and tries " +
		"whether this machine may act on hosts, without acting.",
	Aliases: []string{"bus doctor", "bus-check", "bus status"},
	Scope:   registry.Global, Effect: registry.Reads, Local: true, List: "checks",
	Examples: []string{""},
	Errors:   []core.Code{core.ConfigInvalid, core.NotReady, core.PermissionDenied}, Run: runBusDoctor,
}).SeeAlso("bus-serve", "hosts")

func runBusDoctor(ctx context.Context, env *verb.Env, _ busDoctorIn) (busDoctorOut, error) {
	settings := env.Settings()
	if err := settings.Need("bus"); err != nil {
		return busDoctorOut{}, err
	}
	if settings.Bus.URL == "" {
		return busDoctorOut{}, noBusError()
	}
	name, err := settings.Bus.HostName()
	out := busDoctorOut{URL: busAddress(settings.Bus.URL), Host: name, Works: true}
	out.note("name", err, name)
	started := env.Now()
	conn, err := env.Network.Bus(ctx)
	out.note("connect", err, "it answers after "+took(env.Now().Sub(started)))
	if err != nil {
		return out, nil //nolint:nilerr // it is the result
	}
	for _, check := range conn.Check(ctx) {
		out.note(check.Name, check.Err, check.Found)
	}
	out.hosts(ctx, conn)
	return out, nil
}

// took is how long something took, for people.
func took(d time.Duration) string { return fmt.Sprintf("%.1f ms", float64(d.Microseconds())/1000) }

// The states of a check.
const (
	fine   = "ok"
	failed = "failed"
)

// note adds a check.
func (o *busDoctorOut) note(check string, err error, found string) {
	row := busCheck{Check: check, State: fine, Message: found}
	if err != nil {
		row.State, row.Message = failed, core.AsError(err).Error()
		o.Works = false
	}
	o.Checks = append(o.Checks, row)
}

// hosts looks who serves, and whether this machine may act there.
func (o *busDoctorOut) hosts(ctx context.Context, conn *bus.Conn) {
	answering, first, err := conn.Answering(ctx)
	found := "no host answers"
	if len(answering) > 0 {
		found = fmt.Sprintf("%d of the hosts answer, the first after %s", len(answering), took(first))
	}
	o.note("service", err, found)
	heartbeats, ages, err := conn.Hosts(ctx)
	o.note("hosts", err, verb.Plural(len(heartbeats), "host")+" known")
	for _, name := range slices.Sorted(maps.Keys(heartbeats)) {
		age := core.ShortDuration(ages[name].Round(time.Second))
		found = fmt.Sprintf("Cupola %s, %s, heard %s ago", heartbeats[name].Hello.Version,
			verb.Plural(heartbeats[name].Counts.Agents, "agent"), age)
		var err error
		switch {
		case answering[name] == 0:
			err = core.Errorf(core.NetworkError, "it has said nothing for %s", age)
		case answering[name] > 1:
			err = core.Errorf(core.Conflict, "%d machines have this name: one needs another bus.host", answering[name])
		}
		o.note("host "+name, err, found)
	}
	if len(answering) > 0 {
		o.act(ctx, conn, slices.Sorted(maps.Keys(answering))[0])
	}
}

// act tries whether this machine may act on a host, without acting. That it may not is no fault.
func (o *busDoctorOut) act(ctx context.Context, conn *bus.Conn, name string) {
	link, err := conn.Open(ctx, &host.Host{Name: name, OnBus: true}, host.Acts)
	if err == nil {
		link.Close()
	}
	found := "this machine may act on hosts"
	if fault := (*host.Fault)(nil); errors.As(err, &fault) && fault.State == host.Refused {
		found, err = "this machine may only look: "+fault.Reason, nil
	}
	o.note("act", err, found)
}
