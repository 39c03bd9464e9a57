package overview

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"cupola/core"
	"cupola/core/record/store"
	"cupola/core/text/near"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

// alertFilters choose alerts.
type alertFilters struct {
	Severity []string `json:"severity,omitempty" enum:"critical,error,warning,info" help:"Only these severities, separated by commas"`
	Type     []string `json:"type,omitempty" help:"Only these types, or groups: waiting, error, limit, delivery, crew, story, engine, resource"`
	registry.OfSession
	Since registry.Since `json:"since,omitzero" since:"time" help:"Only alerts first seen since this time"`
	All   bool           `json:"all,omitempty" help:"Include resolved and dismissed alerts"`
}

type alertsIn struct {
	alertFilters
	registry.Page `default:"limit=100"`
}

type alertsOut struct {
	Filters alertFilters `json:"filters,omitzero"`
	// Alerts has one row per alert: open ones first, the most severe first.
	Alerts []alertRow       `json:"alerts" empty:"no open alert" filtered:"nothing fits the filters"`
	Counts core.AlertCounts `json:"counts"`
	verb.Paged
}

// alertRow is one alert. What does not apply is absent.
type alertRow struct {
	_ struct{} `minimal:"severity,subject,message" standard:"id,type,severity,subject,message,count,first_seen"`
	_ struct{} `table:"SEVERITY,WHERE,WHAT,SINCE,TIMES,STATE"`
	core.Alert
}

func alertRows(alerts []core.Alert) []alertRow {
	return core.Map(alerts, func(a core.Alert) alertRow { return alertRow{Alert: a} })
}

var alerts = registry.Define(registry.Spec[verb.OnFleet, alertsIn, alertsOut]{
	Name: "alerts", Group: verb.GroupSee, Short: "List open alerts",
	Aliases: []string{"alert list", "alerts list", "alert show", "list alerts"},
	Scope:   registry.Global, Effect: registry.Reads, OnTerminals: true, List: "alerts",
	Deprecated: registry.Prefixed{Prefix: "alerts", Flags: []string{"session", "severity", "type"}},
	Examples:   []string{"", "--type=waiting"},
	Errors: []core.Code{
		core.SessionNotFound, core.EngineUnavailable, core.PermissionDenied, core.StoreError,
		core.StoreLocked,
	},
	Run: runAlerts,
}).SeeAlso("attention", "status")

func runAlerts(ctx context.Context, deps verb.OnFleet, in alertsIn) (alertsOut, error) {
	types, err := alertTypes(in.Type)
	if err != nil {
		return alertsOut{}, err
	}
	if in.Session, err = verb.SessionOnRecord(ctx, deps.Env, in.Session); err != nil {
		return alertsOut{}, err
	}
	since := in.Since.AsTime(deps.Env.Now())
	found, err := deps.Fleet.Overview.Alerts(ctx, in.All)
	if err != nil {
		return alertsOut{}, err
	}
	if in.All {
		if err := warnOfGaps(ctx, deps); err != nil {
			return alertsOut{}, err
		}
	}
	hidden, err := verb.HiddenEver(ctx, deps.Env, in.Session)
	if err != nil {
		return alertsOut{}, err
	}
	found = slices.DeleteFunc(found, func(a core.Alert) bool {
		return hidden.Hides(a.Session) || len(in.Severity) > 0 && !slices.Contains(in.Severity, string(a.Severity)) ||
			len(types) > 0 && !slices.Contains(types, a.Type) ||
			in.Session != "" && a.Session != in.Session || a.FirstSeen.Before(since)
	})
	shown, page := verb.Cut(found, in.Page)
	return alertsOut{
		Filters: in.alertFilters, Alerts: alertRows(shown), Counts: core.CountAlerts(found), Paged: page,
	}, nil
}

// warnOfGaps says that alerts are recorded only while a keeper runs,
// where none runs or ever ran.
func warnOfGaps(ctx context.Context, deps verb.OnFleet) error {
	on, err := verb.OnRecords{}.Open(ctx, deps.Env)
	if err != nil || on.Kept {
		return err
	}
	events, err := store.EventsIn(on.Records).Find(ctx, store.EventQuery{Server: on.Server})
	if err != nil {
		return err
	}
	const only = "resolved alerts are recorded only while a keeper runs"
	if len(events) == 0 {
		deps.Env.Warn(only + ", and none has run here; start 'cupola watch' or a dashboard")
		return nil
	}
	deps.Env.Warn(fmt.Sprintf("%s: between %s and %s, and none runs now; start 'cupola watch' or a dashboard", only,
		core.Stamp(events[0].At), core.Stamp(events[len(events)-1].At)))
	return nil
}

// alertTypes are the types that names of types and groups mean.
func alertTypes(names []string) ([]core.AlertType, error) {
	var types []core.AlertType
	for _, name := range names {
		before := len(types)
		for _, kind := range core.AlertKinds {
			if name != "" && (kind.Group == name || string(kind.Type) == name) {
				types = append(types, kind.Type)
			}
		}
		if len(types) == before {
			return nil, noAlertType(name)
		}
	}
	return types, nil
}

func noAlertType(name string) error {
	var groups, names []string
	for _, kind := range core.AlertKinds {
		names = append(names, string(kind.Type))
		if kind.Group != "" && !slices.Contains(groups, kind.Group) {
			groups = append(groups, kind.Group)
		}
	}
	slices.Sort(groups)
	names = append(names, groups...)
	slices.Sort(names)
	return &core.Error{
		Code: core.InvalidInput, Message: fmt.Sprintf("--type: no alert type or group is named %q", name),
		Suggestions: near.Words(name, names), Slip: core.Slip{Word: name, Input: "type"},
		Hint:    "Give a type of alert, or a group: " + strings.Join(groups, ", ") + ".",
		Details: map[string]any{"flag": "--type", "valid": names},
	}
}

// moreAbout are the verbs that show more about alerts without an agent.
var moreAbout = map[core.AlertType]registry.Action{
	core.AlertBudget: {
		Action: "budget", Description: "See what was spent against ceilings",
		Command: "cupola budget",
	},
	core.AlertRelay: {
		Action: "relay-list", Description: "See which relays failed",
		Command: "cupola relay-list --state=failed,interrupted",
	},
	core.AlertCrew: {
		Action: "crew-list", Description: "See which crews failed",
		Command: "cupola crew-list --state=failed,interrupted",
	},
	core.AlertCrewStalled: {
		Action: "crew-list", Description: "See which crews work", Command: "cupola crew-list --state=running",
	},
	core.AlertCrewGuard: {Action: "crew-list", Description: "See how crews ended", Command: "cupola crew-list"},
	core.AlertCrewEnded: {Action: "crew-list", Description: "See how crews ended", Command: "cupola crew-list"},
	core.AlertStory: {
		Action: "story-runs", Description: "See which runs of stories need you",
		Command: "cupola story-runs --state=failed,interrupted",
	},
	core.AlertStoryEnded: {
		Action: "story-runs", Description: "See how runs of stories ended", Command: "cupola story-runs",
	},
	core.AlertPipeline: {
		Action: "run-list", Description: "See which runs of pipelines failed, or need you",
		Command: "cupola run-list --kind=pipeline --state=needs_you,failed,interrupted",
	},
	core.AlertPipelineDone: {
		Action: "run-list", Description: "See how runs of pipelines ended", Command: "cupola run-list --kind=pipeline",
	},
	core.AlertFileConflict: {Action: "files", Description: "See who changed which files", Command: "cupola files"},
	core.AlertHostDown:     {Action: "hosts", Description: "See how the other hosts are", Command: "cupola hosts"},
	core.AlertHostSlow:     {Action: "hosts", Description: "See how the other hosts are", Command: "cupola hosts"},
	core.AlertVersionSkew:  {Action: "hosts", Description: "See which versions hosts have", Command: "cupola hosts"},
	core.AlertDiskLow:      {Action: "doctor", Description: "See how full the disks are", Command: "cupola doctor"},
}

// Next suggests what shows how to resolve the open alerts. Those that
// only inform can be dismissed.
func (o alertsOut) Next() []registry.Action {
	var actions []registry.Action
	for i := range o.Alerts {
		row := &o.Alerts[i]
		if !row.Open() {
			continue
		}
		action, more := moreAbout[row.Type]
		switch {
		case more:
		case row.Pane != "" && row.Severity != core.SeverityInfo:
			action = verb.NextAction("attention", "See what would resolve each", "attention")
		default:
			action = verb.NextAction("dismiss-alert", "Dismiss it: "+row.Message, "dismiss-alert", row.ID)
		}
		if len(actions) < verb.MostPlaces && !slices.Contains(actions, action) {
			actions = append(actions, action)
		}
	}
	return actions
}

// Check sees that what was given can be read.
func (in alertsIn) Check() error {
	_, err := alertTypes(in.Type)
	return err
}

// Cell shows open and resolved alerts in different words.
func (r *alertRow) Cell(title string) (report.Cell, bool) {
	switch {
	case title != "STATE":
		return report.Cell{}, false
	case !r.DismissedAt.IsZero():
		return report.Toned(report.Dim, "dismissed"), true
	case !r.ResolvedAt.IsZero():
		return report.Toned(report.Good, "resolved"), true
	}
	return report.Toned(report.Warn, "open"), true
}
