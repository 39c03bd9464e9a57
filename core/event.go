package core

import "time"

// EventType is the kind of a change, in the past tense.
type EventType string

// The event types. A resync carries a whole snapshot, which replaces the reader's,
// because the reader missed the events between the two.
const (
	SessionCreated EventType = "session_created"
	SessionRenamed EventType = "session_renamed"
	SessionClosed  EventType = "session_closed"
	PaneOpened     EventType = "pane_opened"
	PaneClosed     EventType = "pane_closed"
	PaneMoved      EventType = "pane_moved"
	PaneRetitled   EventType = "pane_retitled"
	PaneLabelled   EventType = "pane_labelled"
	AgentNotified  EventType = "agent_notified"
	BellRang       EventType = "bell_rang"
	ProgressShown  EventType = "progress_shown"
	RuleApplied    EventType = "rule_applied"
	AgentFound     EventType = "agent_found"
	StateChanged   EventType = "state_changed"
	AlertRaised    EventType = "alert_raised"
	AlertResolved  EventType = "alert_resolved"
	AlertDismissed EventType = "alert_dismissed"
	EngineLost     EventType = "engine_lost"
	EngineBack     EventType = "engine_back"
	EngineSilent   EventType = "engine_silent"
	EngineAnswered EventType = "engine_answered"
	KeeperChanged  EventType = "keeper_changed"
	Resynced       EventType = "resync"
)

// EventTypes lists every event type.
var EventTypes = []EventType{
	SessionCreated,
	SessionRenamed,
	SessionClosed,
	PaneOpened,
	PaneClosed,
	PaneMoved,
	PaneRetitled,
	PaneLabelled,
	AgentNotified,
	BellRang,
	ProgressShown,
	RuleApplied,
	AgentFound,
	StateChanged,
	AlertRaised,
	AlertResolved,
	AlertDismissed,
	EngineLost,
	EngineBack,
	EngineSilent,
	EngineAnswered,
	KeeperChanged,
	Resynced,
}

// Event is one change, with the revision it led to. Fields that its type does
// not use are zero and absent in JSON.
type Event struct {
	Type     EventType `json:"type"`
	Revision Revision  `json:"revision"`
	At       time.Time `json:"at"`
	// Late is true if no keeper ran when it happened. At is then the time at which it was
	// detected.
	Late    bool   `json:"late,omitempty"`
	Session string `json:"session,omitempty" names:"session"`
	// Foreign is true for a session that holds nothing that Cupola made or adopted.
	Foreign bool `json:"foreign,omitempty"`
	// Pane is the pane's address at that moment, PaneID its engine id.
	Pane   string `json:"address,omitempty" names:"session"`
	PaneID PaneID `json:"pane,omitempty"`
	Agent  string `json:"agent,omitempty"`
	Kind   Kind   `json:"kind,omitempty"`
	// From and To are the states of a state_changed, the names of a session_renamed, the
	// titles of a pane_retitled, the labels of a pane_labelled, the percents of a progress_shown, or the addresses of a
	// pane_moved. From is the folder
	// of a pane_closed, if known, or the folder in which a session_closed had been created.
	From   string `json:"from,omitempty"`
	To     string `json:"to,omitempty"`
	Reason Reason `json:"reason,omitempty"`
	// Message says what the other fields do not, such as the words of an agent_notified, or the command that a
	// rule_applied approved; empty if they say all.
	Message string `json:"message,omitempty"`
	// Alert is the alert that was raised, resolved or dismissed.
	Alert *Alert `json:"alert,omitempty"`
	// Snapshot is set for resync only.
	Snapshot *Snapshot `json:"snapshot,omitempty"`
}
