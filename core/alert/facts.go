package alert

import (
	"slices"
	"time"

	"cupola/core"
	"cupola/core/disk"
)

// Facts is what rules judge. What is not known is zero, and then raises nothing.
type Facts struct {
	Now        time.Time
	Snapshot   *core.Snapshot
	Thresholds Thresholds
	// Was is the state in which each pane was before the one it is in; Moved is
	// when its screen last changed.
	Was   map[core.PaneID]core.State
	Moved map[core.PaneID]time.Time
	// Lost is true if a terminal server was there and is gone.
	Lost bool
	// Disks are the file systems on which sessions work.
	Disks []Disk
	// Conflicts are files that several agents changed.
	Conflicts []Conflict
	// Spends is what was spent under ceilings.
	Spends []Spend
	// Context is how much of its context window each agent has used, in percent, where
	// that is known.
	Context map[core.PaneID]int
}

// Spend is how much of a ceiling is used.
type Spend struct {
	// Subject names the ceiling, Session the session that it is of, if of one.
	Subject, Session string
	Percent          float64
	// Message says how much that is, Since when it came to that; zero is not known.
	Message string
	Since   time.Time
}

// Conflict is a file that several agents changed.
type Conflict struct {
	// Tree is the folder of its working tree, Path is relative to that.
	Tree, Path string
	// At is when it was last changed.
	At time.Time
	// Panes are those of the agents.
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

// Thresholds say from when on something is an alert. The zero value of a field
// turns its rule off.
type Thresholds struct {
	// WaitingCritical is how long an agent may wait for the user until its alert
	// becomes critical.
	WaitingCritical time.Duration
	// Stalled is how long a working agent's screen may stay unchanged.
	Stalled time.Duration
	// Idle is how long an agent may have nothing to do.
	Idle time.Duration
	// DiskPercent and DiskBytes are how much of a disk should be free.
	DiskPercent int
	DiskBytes   uint64
}

// Full reports whether less of a file system is free than should be. One of unknown
// size is not full.
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

// ID is the id of an alert: the same for the same type and subject.
func ID(what core.AlertType, subject string) string { return string(what) + ":" + subject }

// Groups are names for several types at once.
var Groups = map[string][]core.AlertType{
	"waiting": {
		core.AlertApproval, core.AlertQuestion, core.AlertPlan, core.AlertLogin, core.AlertTrust,
		core.AlertUnreadable,
	},
	"error":    {core.AlertAgentError, core.AlertAuth, core.AlertBilling, core.AlertExited},
	"limit":    {core.AlertRateLimited, core.AlertContextLow, core.AlertBudget},
	"delivery": {core.AlertDelivery, core.AlertFileConflict},
	"engine":   {core.AlertEngineLost, core.AlertEngineBack},
	"resource": {core.AlertDiskLow, core.AlertStalled, core.AlertIdle},
}
