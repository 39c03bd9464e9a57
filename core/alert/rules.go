package alert

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"cupola/core"
)

// Rules returns the alerts that the facts call for, in the order of the panes.
func Rules(f Facts) []core.Alert {
	var alerts []core.Alert
	if f.Snapshot == nil {
		return alerts
	}
	said := func(o Notice) bool { return o.Type == core.AlertEngineLost }
	if f.Lost && !f.Snapshot.EngineUp && !slices.ContainsFunc(f.Notices, said) {
		alerts = append(alerts, core.Alert{
			Type: core.AlertEngineLost, Severity: core.SeverityCritical, Subject: "engine",
			Message: "the terminal server is gone, and its sessions with it",
		})
	}
	for _, pane := range f.Snapshot.Panes() {
		if !pane.IsUser() && !pane.IsSnoozed() {
			alerts = append(alerts, f.about(pane)...)
		}
	}
	alerts = append(alerts, f.disks()...)
	alerts = append(alerts, f.conflicts()...)
	alerts = append(alerts, f.spends()...)
	alerts = append(alerts, f.notices()...)
	for i := range alerts {
		a := &alerts[i]
		a.ID = ID(a.Type, a.Subject)
		a.LastSeen, a.Count = f.Now, 1
		if a.FirstSeen.IsZero() {
			a.FirstSeen = f.Now
		}
	}
	return alerts
}

// about judges one agent or command. A command may run without output, or wait, for as long as it likes.
func (f *Facts) about(pane *core.Pane) []core.Alert {
	s := pane.Status
	var alerts []core.Alert
	raise := func(what core.AlertType, severity core.Severity, message string) {
		alerts = append(alerts, core.Alert{
			Type: what, Severity: severity, Subject: pane.Address(), Session: pane.Session, Pane: pane.ID,
			State: s.State, Reason: s.Reason, Message: message, FirstSeen: s.Since,
		})
	}
	name := cmp.Or(pane.Agent.Name, string(pane.Agent.Kind))
	switch s.State {
	case core.Waiting:
		what, severity := waitingType(s.Reason), core.SeverityWarning
		if f.lasts(s.Since, f.Thresholds.WaitingCritical) && what != core.AlertLogin && what != core.AlertTrust {
			severity = core.SeverityCritical
		}
		raise(what, severity, name+" waits for "+s.Reason.Awaited()+shown(s))
	case core.Unknown:
		if s.Has(core.NoteUnreadable) {
			raise(core.AlertUnreadable, core.SeverityWarning,
				name+" shows what cannot be read, and may wait for the user")
		}
	case core.Errored:
		raise(errorType(s.Reason), core.SeverityError, name+" has failed"+shown(s)+goesOn(pane))
	case core.Limited:
		message := name + " has reached a limit" + shown(s)
		if !s.ResetsAt.IsZero() {
			message += "; it ends at " + s.ResetsAt.UTC().Format(time.RFC3339)
		}
		severity := core.SeverityWarning
		if pane.Agent.Continues.GaveUp() {
			severity = core.SeverityError
		}
		raise(core.AlertRateLimited, severity, message+goesOn(pane))
	case core.Exited:
		severity := core.SeverityInfo
		if f.Was[pane.ID] == core.Working || s.Reason == core.ReasonFailed || s.Reason == core.ReasonKilled ||
			s.Reason == core.ReasonSetup {
			severity = core.SeverityError
		}
		raise(core.AlertExited, severity, name+" has ended"+ending(pane))
	case core.Working:
		moved, least := f.Moved[pane.ID], f.Thresholds.Stalled
		if pane.IsAgent() && f.lasts(moved, least) && f.lasts(s.Since, least) {
			raise(core.AlertStalled, core.SeverityWarning,
				fmt.Sprintf("%s works, but its screen has not changed for %s", name,
					core.ShortDuration(f.Now.Sub(moved).Round(time.Second))))
			alerts[len(alerts)-1].FirstSeen = moved.Add(f.Thresholds.Stalled)
		}
	case core.Idle:
		if pane.IsAgent() && f.lasts(s.Since, f.Thresholds.Idle) {
			raise(core.AlertIdle, core.SeverityInfo,
				name+" has had nothing to do for "+core.ShortDuration(f.Thresholds.Idle))
			alerts[len(alerts)-1].FirstSeen = s.Since.Add(f.Thresholds.Idle)
		}
	}
	if at := pane.Heard.NotifiedAt; !at.IsZero() && f.Now.Sub(at) < notifiedFor && s.State != core.Waiting {
		raise(core.AlertNotified, core.SeverityInfo, name+" says: "+pane.Heard.Notification)
		alerts[len(alerts)-1].FirstSeen = at
	}
	if severity, left := f.contextLow(pane); severity != "" {
		raise(core.AlertContextLow, severity, name+left)
		alerts[len(alerts)-1].FirstSeen = f.Now
	}
	return alerts
}

// goesOn says when an agent is continued, or that it no longer is; empty for one that waits for the user.
func goesOn(pane *core.Pane) string {
	if pane.Agent.Continues.GaveUp() {
		return fmt.Sprintf("; it was continued %d times in a row, and waits for you now", pane.Agent.Continues.Tries)
	}
	if at := pane.ContinuesAt(); !at.IsZero() {
		return "; it continues at " + at.UTC().Format(time.RFC3339)
	}
	return ""
}

// notifiedFor is how long what an agent notified of stays an alert. That it waits is one already.
const notifiedFor = 5 * time.Minute

// ending says how an agent's program ended, or what shows that it did.
func ending(pane *core.Pane) string {
	p := &pane.Process
	switch {
	case !p.Dead:
		return shown(pane.Status)
	case p.ExitStatus < 0:
		return "; how is not known, because the terminal server had been killed"
	case p.Signal != 0:
		return fmt.Sprintf(" by signal %d", p.Signal)
	}
	return fmt.Sprintf(" with status %d", p.ExitStatus)
}

// Below lowContext percent of a context window the alert is a warning, below noContext
// an error.
const (
	lowContext = 20
	noContext  = 5
)

// contextLow says how severe it is that little of an agent's context window is
// left, and how much that is; empty where it is not little.
func (f *Facts) contextLow(pane *core.Pane) (severity core.Severity, left string) {
	if pane.Status.State == core.Exited {
		return "", ""
	}
	used, known := f.Context[pane.ID]
	switch rest := 100 - used; {
	case !known && pane.Status.Has(core.NoteContextLow):
		return core.SeverityWarning, "'s context window is nearly full"
	case !known:
		return "", ""
	case rest < noContext:
		return core.SeverityError, fmt.Sprintf(" has %d %% of its context window left", rest)
	case rest < lowContext || pane.Status.Has(core.NoteContextLow):
		return core.SeverityWarning, fmt.Sprintf(" has %d %% of its context window left", rest)
	}
	return "", ""
}

// lasts reports whether something has been so for a time; false where its
// beginning is not known or the rule is off.
func (f *Facts) lasts(since time.Time, least time.Duration) bool {
	return least > 0 && !since.IsZero() && f.Now.Sub(since) >= least
}

func waitingType(reason core.Reason) core.AlertType {
	switch reason {
	case core.ReasonApproval:
		return core.AlertApproval
	case core.ReasonPlan:
		return core.AlertPlan
	case core.ReasonLogin:
		return core.AlertLogin
	case core.ReasonTrust:
		return core.AlertTrust
	}
	return core.AlertQuestion
}

func errorType(reason core.Reason) core.AlertType {
	switch reason {
	case core.ReasonAuth:
		return core.AlertAuth
	case core.ReasonBilling:
		return core.AlertBilling
	}
	return core.AlertAgentError
}

// shown returns the question of an agent or, where it asks nothing, the text that proves its status, after a colon;
// empty if there is none.
func shown(s core.Status) string {
	if s.Asks != "" {
		return ": " + s.Asks
	}
	if line := s.Shows(); line != "" {
		return ": " + line
	}
	return ""
}

func (f *Facts) disks() []core.Alert {
	var alerts []core.Alert
	for _, disk := range f.Disks {
		if f.Thresholds.Full(disk.Space) {
			alerts = append(alerts, core.Alert{
				Type: core.AlertDiskLow, Severity: core.SeverityWarning, Subject: disk.Path,
				Message: fmt.Sprintf("%d %% of the disk, %d MB, are free", disk.Percent(), disk.Free>>20),
			})
		}
	}
	return alerts
}

// conflicts raises one alert per file, at the agent that is last in its session and not snoozed. The
// subject is the file.
func (f *Facts) conflicts() []core.Alert {
	var alerts []core.Alert
	for _, conflict := range f.Conflicts {
		a := core.Alert{
			Type: core.AlertFileConflict, Severity: core.SeverityWarning,
			Subject: filepath.Join(conflict.Tree, conflict.Path), FirstSeen: conflict.At,
		}
		var names []string
		for _, id := range conflict.Panes {
			if pane := f.Snapshot.Pane(id); pane != nil {
				names = append(names, pane.Address())
				if !pane.IsSnoozed() {
					a.Session, a.Pane = pane.Session, id
				}
			}
		}
		if len(names) > 1 && a.Pane != "" {
			last := len(names) - 1
			a.Message = fmt.Sprintf("%s and %s changed %s", strings.Join(names[:last], ", "), names[last],
				conflict.Path)
			alerts = append(alerts, a)
		}
	}
	return alerts
}

// The alert of a ceiling is a warning from SpentWarns percent on, and an error from
// SpentAll percent on.
const (
	SpentWarns = 80
	SpentAll   = 100
)

func (f *Facts) spends() []core.Alert {
	var alerts []core.Alert
	for _, spend := range f.Spends {
		if spend.Percent < SpentWarns {
			continue
		}
		a := core.Alert{
			Type: core.AlertBudget, Severity: core.SeverityWarning, Subject: spend.Subject, Session: spend.Session,
			Message: fmt.Sprintf("%s (%.0f %%)", spend.Message, spend.Percent), FirstSeen: spend.Since,
		}
		if spend.Percent >= SpentAll {
			a.Severity = core.SeverityError
		}
		alerts = append(alerts, a)
	}
	return alerts
}

func (f *Facts) notices() []core.Alert {
	return core.Map(f.Notices, func(notice Notice) core.Alert {
		return core.Alert{
			Type: notice.Type, Severity: notice.Severity, Subject: notice.Subject, Message: notice.Message,
			FirstSeen: notice.Since,
		}
	})
}

// Due returns the first time after Now at which the result of Rules may change although no
// fact does; zero if there is none.
func Due(f Facts) time.Time {
	var first time.Time
	sooner := func(since time.Time, least time.Duration) {
		if since.IsZero() || least <= 0 {
			return
		}
		if at := since.Add(least); at.After(f.Now) && (first.IsZero() || at.Before(first)) {
			first = at
		}
	}
	if f.Snapshot == nil {
		return first
	}
	for _, pane := range f.Snapshot.Panes() {
		first = core.Earlier(first, pane.Agent.Snoozed)
		if !pane.IsAgent() || pane.IsSnoozed() {
			continue
		}
		switch pane.Status.State {
		case core.Waiting:
			sooner(pane.Status.Since, f.Thresholds.WaitingCritical)
		case core.Idle:
			sooner(pane.Status.Since, f.Thresholds.Idle)
		case core.Working:
			sooner(f.Moved[pane.ID], f.Thresholds.Stalled)
			sooner(pane.Status.Since, f.Thresholds.Stalled)
		}
	}
	return first
}
