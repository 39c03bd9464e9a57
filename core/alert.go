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

// AlertType says what an alert is about.
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
	AlertEngineLost   AlertType = "engine_lost"
	AlertEngineBack   AlertType = "engine_back"
	AlertEngineSilent AlertType = "engine_silent"
	AlertDiskLow      AlertType = "disk_low"
	AlertHostDown     AlertType = "host_down"
	AlertHostSlow     AlertType = "host_slow"
	AlertVersionSkew  AlertType = "version_skew"
)

// AlertTypes lists every alert type.
var AlertTypes = []AlertType{
	AlertApproval, AlertQuestion, AlertPlan, AlertLogin, AlertTrust, AlertUnreadable, AlertAgentError, AlertAuth,
	AlertBilling, AlertRateLimited, AlertExited, AlertStalled, AlertIdle, AlertContextLow,
	AlertNotified, AlertDelivery,
	AlertFileConflict, AlertBudget, AlertRelay, AlertCrew, AlertCrewStalled, AlertCrewGuard, AlertCrewEnded,
	AlertStory, AlertStoryEnded,
	AlertEngineLost, AlertEngineBack, AlertEngineSilent, AlertDiskLow, AlertHostDown, AlertHostSlow, AlertVersionSkew,
}

// Alert is a condition that the user or a supervising agent must know about.
type Alert struct {
	// ID is derived from type and subject, so the same condition always has the same id.
	ID       string    `json:"id" names:"session"`
	Type     AlertType `json:"type"`
	Severity Severity  `json:"severity" table:"SEVERITY,word"`
	// Subject is the address of a pane, the name of a session, of a backend, a crew or a run of stories, or
	// "engine".
	Subject string `json:"subject" table:"WHERE,strong"`
	// Session and Pane are those of the subject, where it has them.
	Session string `json:"session,omitempty"`
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
