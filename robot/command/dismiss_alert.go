package command

import (
	"context"
	"time"

	"cupola/core"
	"cupola/core/alert"
	"cupola/core/shell"
	"cupola/robot/registry"
)

type dismissIn struct {
	Alert string `arg:"1" help:"Id of the alert, from 'cupola alerts'"`
	ID    string `help:"The same, as a flag"`
	registry.OfSession
	All bool `help:"Dismiss every open alert"`
}

type dismissOut struct {
	// Alerts are those that were dismissed.
	Alerts    []alertRow `json:"alerts" empty:"nothing is the matter"`
	Dismissed int        `json:"dismissed"`

	at time.Time
}

var dismissAlert = registry.Define(registry.Spec[dismissIn, dismissOut]{
	Name: "dismiss-alert", Group: groupSee, Short: "Dismiss an alert",
	Aliases: []string{"alert clear"},
	Long:    "It stays dismissed until its cause has gone and comes back, or becomes more severe.",
	Scope:   registry.Resource, Effect: registry.Writes, List: "alerts",
	Deprecated: registry.Prefixed{Prefix: "dismiss", Flags: []string{"all", "session"}},
	Examples:   []dismissIn{{OfSession: registry.OfSession{Session: "api"}}, {All: true}},
	Errors: []core.Code{
		core.SessionNotFound, core.NotFound, core.EngineUnavailable, core.PermissionDenied,
		core.StoreError, core.StoreLocked, core.IOError,
	},
	Run: runDismiss,
})

// Check sees that alerts are named, once.
func (in dismissIn) Check() error {
	switch {
	case in.Alert != "" && in.ID != "":
		return registry.Conflict("--id", shell.Quote(in.Alert))
	case in.Alert+in.ID == "" && in.Session == "" && !in.All:
		return &core.Error{
			Code: core.MissingRequired, Message: "dismiss-alert needs an id, --session or --all",
			Hint: "See 'cupola alerts' for the ids.", Details: map[string]any{"missing": []string{"ALERT"}},
		}
	}
	return nil
}

func runDismiss(ctx context.Context, deps *registry.Deps, in dismissIn) (dismissOut, error) {
	f, err := deps.Fleet()
	if err != nil {
		return dismissOut{}, err
	}
	if in.Session, err = onRecord(ctx, deps, in.Session); err != nil {
		return dismissOut{}, err
	}
	closed, err := f.Overview.DismissAlerts(ctx,
		alert.Selection{ID: in.Alert + in.ID, Session: in.Session, All: in.All})
	if err != nil {
		return dismissOut{}, err
	}
	return dismissOut{Alerts: alertRows(closed), Dismissed: len(closed), at: deps.Now()}, nil
}
