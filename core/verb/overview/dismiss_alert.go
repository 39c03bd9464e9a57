package overview

import (
	"context"

	"cupola/core"
	"cupola/core/alert"
	"cupola/core/record/undo"
	"cupola/core/system/shell"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

// DismissIn is the input of the verb dismiss-alert.
type DismissIn struct {
	Alert string `arg:"1" names:"alert" help:"Id of the alert, from 'cupola alerts'"`
	ID    string `names:"record" help:"The same, as a flag"`
	registry.OfSession
	All bool `help:"Dismiss every open alert"`
}

// DismissOut is the answer of the verb dismiss-alert.
type DismissOut struct {
	// Alerts are the alerts that were dismissed.
	Alerts    []alertRow `json:"alerts" empty:"no open alert"`
	Dismissed int        `json:"dismissed"`
}

var dismissAlert = registry.Define(registry.Spec[verb.OnFleet, DismissIn, DismissOut]{
	Name: "dismiss-alert", Group: verb.GroupSee, Doing: "dismissing", Short: "Dismiss an alert",
	Aliases: []string{"dismiss", "alert clear"},
	Long:    "It stays dismissed until its cause has gone and comes back, or becomes more severe.",
	Scope:   registry.Resource, Effect: registry.Answers, OnTerminals: true, List: "alerts",
	Deprecated: registry.Prefixed{Prefix: "dismiss", Flags: []string{"all", "session"}},
	Examples:   []string{"--session=api", "--all"},
	Errors: []core.Code{
		core.SessionNotFound, core.NotFound, core.EngineUnavailable, core.PermissionDenied,
		core.StoreError, core.StoreLocked, core.IOError,
	},
	Run: runDismiss,
})

// Check sees that alerts are named, once.
func (in DismissIn) Check() error {
	switch {
	case in.Alert != "" && in.ID != "":
		return registry.Conflict("--id", shell.Quote(in.Alert))
	case in.Alert+in.ID == "" && in.Session == "" && !in.All:
		return registry.Missing("dismiss-alert needs an id, --session or --all", "See 'cupola alerts' for the ids.",
			"ALERT")
	}
	return nil
}

// Said counts the alerts.
func (o DismissOut) Said() string { return "dismissed " + verb.Plural(o.Dismissed, "alert") }

func runDismiss(ctx context.Context, deps verb.OnFleet, in DismissIn) (DismissOut, error) {
	var err error
	if in.Session, err = verb.SessionOnRecord(ctx, deps.Env, in.Session); err != nil {
		return DismissOut{}, err
	}
	closed, err := deps.Fleet.Overview.DismissAlerts(ctx,
		alert.Selection{ID: in.Alert + in.ID, Session: in.Session, All: in.All})
	if err != nil {
		return DismissOut{}, err
	}
	act := undo.Act{Did: "dismissed " + verb.Plural(len(closed), "alert"), Back: "puts it on the list again"}
	act.Alerts = core.Map(closed, func(a core.Alert) string { return a.ID })
	if act.Server, _, err = deps.Fleet.Dir.Kept(ctx); err == nil && len(closed) > 0 {
		verb.Acted(ctx, &deps.Env.Local, act)
	}
	return DismissOut{Alerts: alertRows(closed), Dismissed: len(closed)}, nil
}
