package core

import "time"

// Severity orders alerts.
type Severity string

// The severities, most severe first.
const (
	SeverityCritical Severity = "critical"
	SeverityError    Severity = "error"
	SeverityWarning  Severity = "warning"
	SeverityInfo     Severity = "info"
)

// Alert is something that a human or a supervising agent must know.
type Alert struct {
	// ID is stable: it derives from type and subject.
	ID       string   `json:"id"`
	Type     string   `json:"type"`
	Severity Severity `json:"severity"`
	// Subject is what it is about: a pane's or a session's address, or "engine".
	Subject   string    `json:"subject"`
	Message   string    `json:"message"`
	FirstSeen time.Time `json:"first_seen"`
	LastSeen  time.Time `json:"last_seen"`
	// Count is how often it was raised, from 1.
	Count int `json:"count"`
}

// AlertCounts counts open alerts by severity.
type AlertCounts struct {
	Critical int `json:"critical"`
	Error    int `json:"error"`
	Warning  int `json:"warning"`
	Info     int `json:"info"`
}

// CountAlerts counts by severity.
func CountAlerts(alerts []Alert) AlertCounts {
	var counts AlertCounts
	for _, alert := range alerts {
		switch alert.Severity {
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
