package records

import (
	"context"
	"fmt"
	"time"

	"cupola/core"
	"cupola/core/alert"
	"cupola/core/config"
	"cupola/core/run"
	"cupola/core/run/crew/orchestrator"
	"cupola/core/run/relay"
)

// runAlerts are the alerts of the runs of each kind. An end that is no alert has an empty type.
var runAlerts = map[run.Kind]struct {
	failed, needsYou, ended core.AlertType
	needs                   core.Severity
}{
	run.Relay:    {core.AlertRelay, core.AlertRelay, "", core.SeverityError},
	run.Crew:     {core.AlertCrew, core.AlertCrewGuard, core.AlertCrewEnded, core.SeverityWarning},
	run.Story:    {core.AlertStory, core.AlertStory, core.AlertStoryEnded, core.SeverityError},
	run.Pipeline: {core.AlertPipeline, core.AlertPipeline, core.AlertPipelineDone, core.SeverityError},
}

const (
	// needsFor is how long a run that failed or needs the user raises an alert, and endedFor one that is done, or a
	// relay that failed.
	needsFor = 24 * time.Hour
	endedFor = time.Hour
	// crewStalled is how long nothing may happen in a crew that works.
	crewStalled = 5 * time.Minute
)

// Runs returns the notices of the runs of all kinds, for the alerts: of runs that need the user, failed or were cut
// off, or are done. It asks the index alone, and for crews that work when their agents printed something last.
func Runs(paths config.Paths, index *run.Index) func(context.Context) ([]alert.Notice, error) {
	crews := orchestrator.Directory{Dir: paths.Crews()}
	return func(context.Context) ([]alert.Notice, error) {
		now := time.Now()
		rows, _, err := index.List(run.Filter{Lately: now.Add(-needsFor), Uncounted: true})
		if err != nil {
			return nil, err
		}
		rows, all := relaysFailed(rows, now)
		for i := range rows {
			h := &rows[i].Head
			if h.Kind == run.Crew && h.State == run.Running && now.Sub(rows[i].Changed) > crewStalled {
				rows[i].Changed = heardSince(crews, &rows[i])
			}
			if notice, is := noticeOf(&rows[i], now); is {
				all = append(all, notice)
			}
		}
		return all, nil
	}
}

// heardSince returns the time of the last event of a crew: an agent that writes one long answer is not stalled.
func heardSince(crews orchestrator.Directory, row *run.Row) time.Time {
	heard := relay.Directory{Dir: crews.Relays(row.ID)}.Heard()
	if heard.After(row.Changed) {
		return heard
	}
	return row.Changed
}

// relaysFailed takes the relays that failed out of a list, the newest first, and returns one notice for each backend
// that has failed since it answered last.
func relaysFailed(rows []run.Row, now time.Time) (others []run.Row, all []alert.Notice) {
	settled, at, failures := map[string]bool{}, map[string]int{}, map[string]int{}
	for i := range rows {
		h := &rows[i].Head
		switch {
		case h.Kind != run.Relay || h.State == run.Interrupted:
			others = append(others, rows[i])
		case h.State == run.Done:
			settled[h.Backend] = true
		case h.State == run.Failed && !settled[h.Backend] && now.Sub(h.Ended) <= endedFor:
			failures[h.Backend]++
			if failures[h.Backend] == 1 {
				at[h.Backend] = len(all)
				all = append(all, alert.Notice{
					Type: core.AlertRelay, Severity: core.SeverityError, Subject: "relay/" + h.Backend, Since: h.Ended,
					Message: "a relay to " + h.Backend + " failed: " + h.Error,
				})
			}
		}
	}
	for backend, n := range failures {
		if n > 1 {
			all[at[backend]].Message += fmt.Sprintf(" (%d relays have failed)", n)
		}
	}
	return others, all
}

// noticeOf returns the notice of a run; false if there is none.
func noticeOf(row *run.Row, now time.Time) (alert.Notice, bool) {
	h, types := &row.Head, runAlerts[row.Kind]
	notice := alert.Notice{
		Type: types.failed, Severity: core.SeverityError, Subject: string(h.Kind) + "/" + h.ID, Since: h.Ended,
	}
	name := "the " + string(h.Kind) + " " + h.ID
	if h.Name != "" {
		name += " of " + h.Name
	}
	switch {
	case h.State == run.Running && h.Kind == run.Crew && h.Until.IsZero() && now.Sub(row.Changed) > crewStalled:
		notice.Type, notice.Severity = core.AlertCrewStalled, core.SeverityWarning
		notice.Since = row.Changed
		notice.Message = fmt.Sprintf("%s works, but nothing happened in it for %s", name,
			core.ShortDuration(crewStalled))
	case h.State == run.Interrupted && h.Ended.IsZero() && (h.PID > 0 || h.Kind == run.Crew):
		notice.Since = h.Started
		notice.Message = name + " was cut off: its process ended before it did"
	case h.State == run.Failed:
		notice.Message = name + " failed: " + core.Excerpt(h.Error)
	case h.State == run.NeedsYou:
		notice.Type, notice.Severity = types.needsYou, types.needs
		notice.Message = name + " needs you"
		if h.Total > 0 && h.Kind != run.Crew {
			notice.Message += fmt.Sprintf(" after %d of %d", h.Done, h.Total)
		}
		notice.Message += ": " + h.Needs
		if h.Error != "" {
			notice.Message += " (" + core.Excerpt(h.Error) + ")"
		}
	case h.State == run.Done && types.ended != "" && now.Sub(h.Ended) <= endedFor:
		notice.Type, notice.Severity, notice.Message = types.ended, core.SeverityInfo, name+" is done"
		if h.Title != "" && h.Kind == run.Story {
			notice.Message += ": " + h.Title
		}
	default:
		return notice, false
	}
	return notice, true
}
