package core

import (
	"slices"
	"time"
)

// Severity orders alerts.
type Severity string

// The severities, most severe first.
const (
	SeverityCritical Severity = "critical"
	SeverityError    Severity = "error"
	SeverityWarning  Severity = "warning"
	SeverityInfo     Severity = "info"
)

var severities = []Severity{SeverityCritical, SeverityError, SeverityWarning, SeverityInfo}

// Compare orders severities, the most severe first.
func (s Severity) Compare(other Severity) int {
	return slices.Index(severities, s) - slices.Index(severities, other)
}

// AlertType is the subject of an alert.
type AlertType string

// The alert types.
const (
	AlertApproval     AlertType = "waiting_approval"
	AlertQuestion     AlertType = "waiting_question"
	AlertPlan         AlertType = "waiting_plan"
	AlertLogin        AlertType = "waiting_login"
	AlertTrust        AlertType = "waiting_trust"
	AlertUnreadable   AlertType = "unreadable"
	AlertAgentError   AlertType = "agent_error"
	AlertAuth         AlertType = "auth_failed"
	AlertBilling      AlertType = "billing"
	AlertRateLimited  AlertType = "rate_limited"
	AlertExited       AlertType = "agent_exited"
	AlertStalled      AlertType = "stalled"
	AlertIdle         AlertType = "idle_too_long"
	AlertContextLow   AlertType = "context_low"
	AlertNotified     AlertType = "notified"
	AlertDelivery     AlertType = "delivery_failed"
	AlertFileConflict AlertType = "file_conflict"
	AlertBudget       AlertType = "budget"
	AlertRelay        AlertType = "relay_failed"
	AlertCrew         AlertType = "crew_failed"
	AlertCrewStalled  AlertType = "crew_stalled"
	AlertCrewGuard    AlertType = "crew_guardrail"
	AlertCrewEnded    AlertType = "crew_ended"
	AlertStory        AlertType = "story_failed"
	AlertStoryEnded   AlertType = "story_ended"
	AlertPipeline     AlertType = "pipeline_failed"
	AlertPipelineDone AlertType = "pipeline_ended"
	AlertEngineLost   AlertType = "engine_lost"
	AlertEngineBack   AlertType = "engine_back"
	AlertEngineSilent AlertType = "engine_silent"
	AlertDiskLow      AlertType = "disk_low"
	AlertHostDown     AlertType = "host_down"
	AlertHostSlow     AlertType = "host_slow"
	AlertVersionSkew  AlertType = "version_skew"
)

// AlertKind describes a type of alert.
type AlertKind struct {
	Type AlertType
	// Group is a name for several types at once; empty for none.
	Group string
	// Watched is true if only who watches the fleet can detect it, as a single snapshot cannot.
	Watched bool
	// Undecided reports whether a single snapshot cannot decide if the alert still holds, by the pane that it is about
	// where it has one; nil if it always can.
	Undecided func(snapshot *Snapshot, pane *Pane) bool
}

// AlertKinds lists every type of alert.
var AlertKinds = []AlertKind{
	{Type: AlertApproval, Group: "waiting"},
	{Type: AlertQuestion, Group: "waiting"},
	{Type: AlertPlan, Group: "waiting"},
	{Type: AlertLogin, Group: "waiting"},
	{Type: AlertTrust, Group: "waiting"},
	{Type: AlertUnreadable, Group: "waiting"},
	{Type: AlertAgentError, Group: "error"},
	{Type: AlertAuth, Group: "error"},
	{Type: AlertBilling, Group: "error"},
	{Type: AlertRateLimited, Group: "limit"},
	{Type: AlertExited, Group: "error"},
	{
		Type: AlertStalled, Group: "resource", Watched: true,
		Undecided: func(_ *Snapshot, pane *Pane) bool { return pane != nil && pane.Status.State == Working },
	},
	{Type: AlertIdle, Group: "resource"},
	{
		Type: AlertContextLow, Group: "limit", Watched: true,
		Undecided: func(_ *Snapshot, pane *Pane) bool { return pane != nil && pane.Status.State != Exited },
	},
	{Type: AlertNotified},
	{
		Type: AlertDelivery, Group: "delivery",
		Undecided: func(_ *Snapshot, pane *Pane) bool { return pane != nil && !pane.Agent.Missed.IsZero() },
	},
	{
		Type: AlertFileConflict, Group: "delivery", Watched: true,
		Undecided: func(_ *Snapshot, pane *Pane) bool { return pane != nil },
	},
	{Type: AlertBudget, Group: "limit"},
	{Type: AlertRelay, Group: "delivery"},
	{Type: AlertCrew, Group: "crew"},
	{Type: AlertCrewStalled, Group: "crew"},
	{Type: AlertCrewGuard, Group: "crew"},
	{Type: AlertCrewEnded, Group: "crew"},
	{Type: AlertStory, Group: "story"},
	{Type: AlertStoryEnded, Group: "story"},
	{Type: AlertPipeline, Group: "pipeline"},
	{Type: AlertPipelineDone, Group: "pipeline"},
	{
		Type: AlertEngineLost, Group: "engine", Watched: true,
		Undecided: func(snapshot *Snapshot, _ *Pane) bool { return !snapshot.EngineUp },
	},
	{Type: AlertEngineBack, Group: "engine", Watched: true},
	{Type: AlertEngineSilent, Group: "engine"},
	{Type: AlertDiskLow, Group: "resource"},
	{Type: AlertHostDown},
	{Type: AlertHostSlow},
	{Type: AlertVersionSkew},
}

// Kind returns the description of the type; the zero AlertKind for an unknown one.
func (t AlertType) Kind() AlertKind {
	for _, kind := range AlertKinds {
		if kind.Type == t {
			return kind
		}
	}
	return AlertKind{}
}

// Alert is a condition that the user or a supervising agent must know about.
type Alert struct {
	// ID is derived from type and subject, so the same condition always has the same id.
	ID       string    `json:"id" names:"session"`
	Type     AlertType `json:"type"`
	Severity Severity  `json:"severity" table:"SEVERITY,word"`
	// Subject is the address of a pane, the name of a session, of a backend, a crew or a run of stories, or
	// "engine".
	Subject string `json:"subject" names:"session" table:"WHERE,strong"`
	// Session and Pane belong to the subject, where it has them.
	Session string `json:"session,omitempty" names:"session"`
	Pane    PaneID `json:"pane,omitempty"`
	// State and Reason are the agent's when the alert was raised; empty if the alert is not
	// about an agent.
	State   State  `json:"state,omitempty"`
	Reason  Reason `json:"reason,omitempty"`
	Message string `json:"message" table:"WHAT,flex"`
	// Count is how often it was raised, from 1.
	Count     int       `json:"count" table:"TIMES"`
	FirstSeen time.Time `json:"first_seen" table:"SINCE,dim,ago"`
	LastSeen  time.Time `json:"last_seen"`
	// ResolvedAt is when its cause went away, DismissedAt when the user or a program
	// dismissed it; zero while open.
	ResolvedAt  time.Time `json:"resolved_at,omitzero"`
	DismissedAt time.Time `json:"dismissed_at,omitzero"`
}

// Open reports whether the alert is neither resolved nor dismissed.
func (a *Alert) Open() bool { return a.ResolvedAt.IsZero() && a.DismissedAt.IsZero() }

// AlertCounts counts open alerts by severity.
type AlertCounts struct {
	Critical int `json:"critical"`
	Error    int `json:"error"`
	Warning  int `json:"warning"`
	Info     int `json:"info"`
}

// CountAlerts counts open alerts by severity. It ignores the others.
func CountAlerts(alerts []Alert) AlertCounts {
	var counts AlertCounts
	for i := range alerts {
		if !alerts[i].Open() {
			continue
		}
		switch alerts[i].Severity {
		case SeverityCritical:
			counts.Critical++
		case SeverityError:
			counts.Error++
		case SeverityWarning:
			counts.Warning++
		case SeverityInfo:
			counts.Info++
		}
	}
	return counts
}
