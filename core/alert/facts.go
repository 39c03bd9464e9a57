package alert

import (
	"slices"
	"time"

	"cupola/core"
	"cupola/core/system/disk"
)

// Facts is the input of the rules. A zero field means unknown, and raises no alert.
type Facts struct {
	Now        time.Time
	Snapshot   *core.Snapshot
	Thresholds Thresholds
	// Was is the previous state of each pane. Moved is when its screen last changed.
	Was   map[core.PaneID]core.State
	Moved map[core.PaneID]time.Time
	// Lost is true if the terminal server has ended.
	Lost bool
	// Disks are the file systems on which sessions work.
	Disks []Disk
	// Conflicts are files that several agents changed.
	Conflicts []Conflict
	// Spends is the money spent under each ceiling.
	Spends []Spend
	// Notices are events of work without panes: relays and crews.
	Notices []Notice
	// Context is how much of its context window each agent has used, in percent, where
	// that is known.
	Context map[core.PaneID]int
}

// Spend is how much of a ceiling is used.
type Spend struct {
	// Subject names the ceiling; Session is set for the ceiling of a session.
	Subject, Session string
	Percent          float64
	// Message is the amount that was spent, in words. Since is when the spending reached the last share
	// that alerts report; zero if unknown.
	Message string
	Since   time.Time
}

// Notice is something to know about work without panes.
type Notice struct {
	Type     core.AlertType
	Severity core.Severity
	// Subject names the backend, the relay or the crew.
	Subject, Message string
	// Since is when it happened.
	Since time.Time
}

// Conflict is a file that several agents changed.
type Conflict struct {
	// Tree is the root of the working tree, Path the file's path relative to it.
	Tree, Path string
	// At is when it was last changed.
	At time.Time
	// Panes are the panes of these agents.
	Panes []core.PaneID
}

// Equal reports whether two conflicts are the same.
func (c Conflict) Equal(o Conflict) bool {
	return c.Tree == o.Tree && c.Path == o.Path && c.At.Equal(o.At) && slices.Equal(c.Panes, o.Panes)
}

// Disk is how full a file system is.
type Disk struct {
	// Path is a folder on it.
	Path string
	disk.Space
}

// Thresholds are the limits above which the rules raise alerts. A zero field turns its rule
// off.
type Thresholds struct {
	// WaitingCritical is how long an agent may wait for the user until its alert
	// becomes critical.
	WaitingCritical time.Duration
	// Stalled is how long a working agent's screen may stay unchanged.
	Stalled time.Duration
	// Idle is how long an agent may be idle.
	Idle time.Duration
	// DiskPercent and DiskBytes are how much of a disk should be free.
	DiskPercent int
	DiskBytes   uint64
}

// Full reports whether less space is free on a file system than the thresholds require. A
// file system of unknown size is never full.
func (t *Thresholds) Full(space disk.Space) bool {
	return space.Total > 0 && (space.Percent() < t.DiskPercent || space.Free < t.DiskBytes)
}

// Defaults are the thresholds where the user sets none.
func Defaults() Thresholds {
	return Thresholds{
		WaitingCritical: 10 * time.Minute, Stalled: 5 * time.Minute, Idle: 30 * time.Minute, DiskPercent: 5,
		DiskBytes: 1 << 30,
	}
}

// ID returns the id of an alert, which depends only on its type and subject.
func ID(what core.AlertType, subject string) string { return string(what) + ":" + subject }
