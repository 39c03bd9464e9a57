package servers

import (
	"context"
	"fmt"
	"time"

	"cupola/core"
	"cupola/core/record/server"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

type serveStopIn struct {
	Server  string        `arg:"1" lister:"serve-status" help:"Id of a server (default: the only one)"`
	Browser string        `empty:"none" help:"Sign this browser out instead, by its id in serve-status; all for every one"`
	Timeout time.Duration `default:"10s" help:"How long to wait for it to end"`
}

type serveStopOut struct {
	// Stopped are the servers that were ended: one, or none if none ran.
	Stopped []serverRow `json:"stopped"`
	// SignedOut are the browsers that were signed out instead.
	SignedOut []server.Browser `json:"signed_out"`

	browsers bool
}

var serveStop = registry.Define(registry.Spec[*verb.Local, serveStopIn, serveStopOut]{
	Name: "serve-stop", Group: verb.GroupServe, Short: "End a server, or sign a browser out",
	Scope: registry.Global, Effect: registry.Writes, Local: true,
	Examples: []string{"", "--timeout=5s", "--browser=all"},
	Errors: []core.Code{
		core.NotFound, core.Ambiguous, core.Conflict, core.Timeout, core.IOError, core.PermissionDenied,
	},
	Run: runServeStop,
}).SeeAlso("serve-status")

func runServeStop(ctx context.Context, env *verb.Local, in serveStopIn) (serveStopOut, error) {
	out := serveStopOut{Stopped: []serverRow{}, SignedOut: []server.Browser{}, browsers: in.Browser != ""}
	b := verb.Servers(env.Paths)
	running, err := b.Running(ctx)
	if err != nil || len(running) == 0 && in.Server == "" {
		return out, err
	}
	if in.Browser != "" {
		out.SignedOut, err = signOut(env, running, in)
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

// signOut signs browsers out of the servers that run, or of the one that is named.
func signOut(env *verb.Local, running []server.Record, in serveStopIn) ([]server.Browser, error) {
	if in.Server != "" {
		one, err := chosen(running, in.Server)
		if err != nil {
			return []server.Browser{}, err
		}
		running = []server.Record{*one}
	}
	id, out, known := in.Browser, []server.Browser{}, []string{}
	if id == everyBrowser {
		id = ""
	}
	for i := range running {
		browsers := verb.Servers(env.Paths).Browsers(&running[i], env.Now)
		signedIn, err := browsers.List()
		if err != nil {
			return out, err
		}
		for _, one := range signedIn {
			known = append(known, one.ID)
		}
		gone, err := browsers.SignOut(id)
		out = append(out, gone...)
		if err != nil {
			return out, err
		}
	}
	if len(out) == 0 && id != "" {
		e := core.Errorf(core.NotFound, "no browser %s is signed in", core.Cut(id))
		e.Suggestions, e.Actions = known, []string{"cupola serve-status"}
		return out, e
	}
	return out, nil
}

// everyBrowser is the word for all of them.
const everyBrowser = "all"

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

// Report shows people that it has ended.
func (o serveStopOut) Report() *report.Report {
	if o.browsers {
		return report.Say(report.Text(fmt.Sprintf("Signed out: %d.", len(o.SignedOut))))
	}
	if len(o.Stopped) == 0 {
		return report.Say(report.Text("No server runs."))
	}
	return report.Say(report.Text("The server at " + o.Stopped[0].URL + " has ended."))
}
