package records

import (
	"context"
	"fmt"
	"time"

	"cupola/core"
	"cupola/core/alert"
	"cupola/core/config"
	"cupola/core/run/crew"
	"cupola/core/run/crew/orchestrator"
	"cupola/core/run/relay"
	"cupola/core/run/story"
	"cupola/core/run/story/loop"
)

// Outside returns a function that lists the results of relays, crews and runs of stories, for the alerts. It reads a few small
// files alone.
func Outside(paths config.Paths) func(context.Context) ([]alert.Notice, error) {
	relays, crews := relay.Book{Dir: paths.Relays()}, orchestrator.Book{Dir: paths.Crews()}
	runs := loop.Book{Dir: paths.Stories()}.Cache()
	return func(context.Context) ([]alert.Notice, error) {
		now := time.Now()
		var all []alert.Notice
		for _, f := range relays.Failing(now) {
			all = append(all, failedRelay(&f))
		}
		for _, n := range crews.Notes(now) {
			if n.State == crew.Running && now.Sub(n.At) > crewStalled {
				// An agent that writes one long answer is not stalled.
				if heard := (relay.Book{Dir: crews.Relays(n.ID)}).Heard(); heard.After(n.At) {
					n.At = heard
				}
			}
			if told, is := noted(&n, now); is {
				all = append(all, told)
			}
		}
		recent, err := runs.Since(now.Add(-ranRecently))
		if err != nil {
			return all, err
		}
		for i := range recent {
			if told, is := ranStories(&recent[i], now); is {
				all = append(all, told)
			}
		}
		return all, nil
	}
}

// ranRecently is how long a run of stories is reported after its record changed last.
const ranRecently = 24 * time.Hour

// endedFor is how long the end of a run of stories is reported that needs no action.
const endedFor = time.Hour

// ranStories returns the notice of a run of stories; false if there is none.
func ranStories(r *story.Run, now time.Time) (alert.Notice, bool) {
	told := alert.Notice{
		Type: core.AlertStory, Severity: core.SeverityError, Subject: "story/" + r.ID, Since: r.Ended,
	}
	done, all := r.Counts()
	switch {
	case r.State == story.Failed:
		told.Message = fmt.Sprintf("the run %s of %s needs you after %d of %d stories: %s", r.ID, r.Name, done,
			all, core.Excerpt(r.Error))
	case r.State == story.Interrupted && !r.Ended.IsZero(), r.State == story.Interrupted && r.PID == 0:
		return told, false
	case r.State == story.Interrupted:
		told.Since = r.Started
		told.Message = "the run " + r.ID + " of " + r.Name + " was cut off: its process ended before it did"
	case r.State == story.Completed && now.Sub(r.Ended) < endedFor:
		told.Type, told.Severity = core.AlertStoryEnded, core.SeverityInfo
		told.Message = fmt.Sprintf("all %d stories of %s are done: %s", all, r.Name, r.Branch)
	default:
		return told, false
	}
	return told, true
}

func failedRelay(f *relay.Failing) alert.Notice {
	told := alert.Notice{
		Type: core.AlertRelay, Severity: core.SeverityError, Subject: "relay/" + f.Backend, Since: f.At,
		Message: "a relay to " + f.Backend + " failed: " + f.Message,
	}
	if f.Count > 1 {
		told.Message += fmt.Sprintf(" (%d relays have failed)", f.Count)
	}
	if f.Interrupted {
		told.Subject = "relay/" + f.ID
		told.Message = "a relay to " + f.Backend + " was interrupted: " + f.Message
	}
	return told
}

// crewStalled is how long nothing may happen in a crew that works.
const crewStalled = 5 * time.Minute

// noted returns the notice of a crew; false if there is none.
func noted(n *orchestrator.Note, now time.Time) (alert.Notice, bool) {
	told := alert.Notice{Subject: "crew/" + n.ID, Since: n.At}
	switch {
	case n.State == crew.Running && now.Sub(n.At) > crewStalled:
		told.Type, told.Severity = core.AlertCrewStalled, core.SeverityWarning
		told.Message = fmt.Sprintf("the crew %s works, but nothing happened in it for %s", n.ID,
			core.ShortDuration(crewStalled))
	case n.State == crew.Interrupted:
		told.Type, told.Severity = core.AlertCrew, core.SeverityError
		told.Message = "the crew " + n.ID + " was cut off: its process ended before it did"
	case n.State == crew.Failed:
		told.Type, told.Severity = core.AlertCrew, core.SeverityError
		told.Message = "the crew " + n.ID + " failed: " + n.Error
	case n.State == crew.Completed && n.Reason == crew.Converged:
		told.Type, told.Severity = core.AlertCrewEnded, core.SeverityInfo
		told.Message = fmt.Sprintf("the crew %s has ended: %s", n.ID, n.Reason)
	case n.State == crew.Completed:
		told.Type, told.Severity = core.AlertCrewGuard, core.SeverityWarning
		told.Message = fmt.Sprintf("the guardrail %s ended the crew %s", n.Reason, n.ID)
	default:
		return told, false
	}
	return told, true
}
