package servers

import (
	"context"
	"time"

	"cupola/core"
	"cupola/core/report"
	"cupola/core/server"
	"cupola/robot/command/verb"
	"cupola/robot/registry"
)

type serveStopIn struct {
	Server  string        `arg:"1" lister:"serve-status" help:"Id of a server (default: the only one)"`
	Timeout time.Duration `default:"10s" help:"How long to wait for it to end"`
}

type serveStopOut struct {
	// Stopped are the servers that were ended: one, or none if none ran.
	Stopped []serverRow `json:"stopped"`
}

var serveStop = registry.Define(registry.Spec[*verb.Env, serveStopIn, serveStopOut]{
	Name: "serve-stop", Group: verb.GroupServe, Short: "End a server",
	Scope: registry.Global, Effect: registry.Writes, Local: true,
	Examples: []string{"", "--timeout=5s"},
	Errors: []core.Code{
		core.NotFound, core.Ambiguous, core.Conflict, core.Timeout, core.IOError, core.PermissionDenied,
	},
	Run: runServeStop,
}).SeeAlso("serve-status")

func runServeStop(ctx context.Context, env *verb.Env, in serveStopIn) (serveStopOut, error) {
	out := serveStopOut{Stopped: []serverRow{}}
	b := verb.Servers(env)
	running, err := b.Running(ctx)
	if err != nil || len(running) == 0 && in.Server == "" {
		return out, err
	}
	chosen, err := chosen(running, in.Server)
	if err != nil {
		return out, err
	}
	ctx, stop := verb.Within(ctx, in.Timeout)
	defer stop()
	record, err := b.Stop(ctx, chosen.ID)
	if err != nil {
		return out, err
	}
	out.Stopped = append(out.Stopped, rowOf(record))
	return out, nil
}

// chosen is the server of an id, or the only one.
func chosen(running []server.Record, id string) (*server.Record, error) {
	var ids []string
	for i := range running {
		ids = append(ids, running[i].ID)
		if running[i].ID == id {
			return &running[i], nil
		}
	}
	switch {
	case id != "":
		e := core.Errorf(core.NotFound, "no server %s runs", core.Cut(id))
		e.Suggestions, e.Actions = ids, []string{"cupola serve-status"}
		return nil, e
	case len(running) > 1:
		e := core.Errorf(core.Ambiguous, "%d servers run", len(running))
		e.Suggestions, e.Actions = ids, []string{"cupola serve-status"}
		return nil, e
	}
	return &running[0], nil
}

// Report tells people that it has ended.
func (o serveStopOut) Report() *report.Report {
	if len(o.Stopped) == 0 {
		return report.Say(report.Text("No server runs."))
	}
	return report.Say(report.Text("The server at " + o.Stopped[0].URL + " has ended."))
}
