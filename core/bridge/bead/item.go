package bead

import (
	"slices"
	"time"
)

// Status is the status of an item. Files may contain other statuses.
type Status string

// The statuses that this package knows. A Tombstone is a deleted item, which Read omits.
const (
	Open       Status = "open"
	InProgress Status = "in_progress"
	Blocked    Status = "blocked"
	Deferred   Status = "deferred"
	Hooked     Status = "hooked"
	Closed     Status = "closed"
	Tombstone  Status = "tombstone"
)

// Statuses are the statuses by which callers can select items.
var Statuses = []string{
	string(Open), string(InProgress), string(Blocked), string(Deferred), string(Hooked),
	string(Closed),
}

// Kind is the meaning of a link between two items.
type Kind string

// The kinds of links. Others exist and never block.
const (
	Blocks            Kind = "blocks"
	ConditionalBlocks Kind = "conditional-blocks"
	WaitsFor          Kind = "waits-for"
	ParentChild       Kind = "parent-child"
	Related           Kind = "related"
	DiscoveredFrom    Kind = "discovered-from"
)

// Blocks reports whether an item with such a link has to wait for the other end.
func (k Kind) Blocks() bool { return k == Blocks || k == ConditionalBlocks || k == WaitsFor }

// Link is a link from the item that contains it to another, such as its blocker or its
// parent, as Kind says.
type Link struct {
	To   string
	Kind Kind
}

// LeastUrgent is the lowest priority, which has the highest number; 0 is the most urgent.
const LeastUrgent = 4

// usualPriority is the priority of an item that names none.
const usualPriority = 2

// Item is one work item.
type Item struct {
	Brief
	Details
	Labels []string
	Links  []Link
	// Times are zero where the file has none.
	Created time.Time
	Updated time.Time
	Started time.Time
	Closed  time.Time
	// Until is when a deferred item may be started again.
	Until time.Time
}

// Brief is the part of an item that lists show.
type Brief struct {
	ID     string `json:"id" table:"ID,strong"`
	Title  string `json:"title" table:"TITLE,flex"`
	Status Status `json:"status" table:"STATE"`
	// Priority is 0, the most urgent, to 4.
	Priority int `json:"priority" table:"PRIORITY,format=P%d"`
	// Type is task, bug, feature, epic, chore, or whatever the file says.
	Type     string `json:"type"`
	Assignee string `json:"assignee,omitempty" table:"WHO,empty=-"`
}

// Details are the longer texts of an item. Most items have few of them.
type Details struct {
	Description string `json:"description,omitempty"`
	Design      string `json:"design,omitempty"`
	Acceptance  string `json:"acceptance_criteria,omitempty"`
	Notes       string `json:"notes_text,omitempty"`
	CloseReason string `json:"close_reason,omitempty"`
}

// Done reports whether nothing is left to do.
func (i *Item) Done() bool { return i.Status == Closed || i.Status == Tombstone }

// records are types of items that tools keep for themselves and that are no work.
var records = []string{
	"agent", "convoy", "event", "gate", "merge-request", "message", "molecule", "rig", "role",
	"slot",
}

// Work reports whether items of this type are work to do, rather than records of a tool.
func (i *Item) Work() bool { return !slices.Contains(records, i.Type) }

// Texts returns all texts of the item.
func (i *Item) Texts() []string {
	return []string{i.Title, i.Description, i.Design, i.Acceptance, i.Notes}
}

// Parent returns the id of the item that this one is a part of; empty if none.
func (i *Item) Parent() string {
	for _, link := range i.Links {
		if link.Kind == ParentChild {
			return link.To
		}
	}
	return ""
}
