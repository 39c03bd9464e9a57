package core

import (
	"fmt"
	"strings"
	"time"
)

// SnoozeLongest is how long an agent may be snoozed at once.
const SnoozeLongest = 30 * 24 * time.Hour

// SnoozeOff is the word that ends a snooze, and SnoozeTomorrow the one for snoozeMorning o'clock of the next day.
const (
	SnoozeOff      = "off"
	SnoozeTomorrow = "tomorrow"
	snoozeMorning  = 9
)

// ParseSnooze returns until when a text says that an agent is snoozed: a duration (30m, 2h, 1d), a time of the day
// (15:04, its next one), SnoozeTomorrow, or a moment in RFC 3339. SnoozeOff is the zero time. Times without a zone are
// in the zone of now. It returns InvalidInput for anything else, a time that has passed, and one after SnoozeLongest.
func ParseSnooze(text string, now time.Time) (time.Time, error) {
	text = strings.TrimSpace(text)
	if text == SnoozeOff {
		return time.Time{}, nil
	}
	until, ok := snoozeEnd(text, now)
	problem := ""
	switch {
	case !ok:
		problem = fmt.Sprintf("%q is no time until which to snooze", Cut(text))
	case !until.After(now):
		problem = fmt.Sprintf("%q has passed", Cut(text))
	case until.Sub(now) > SnoozeLongest:
		problem = "an agent is snoozed for at most 30 days"
	default:
		return until.UTC().Truncate(time.Second), nil
	}
	return time.Time{}, &Error{
		Code: InvalidInput, Message: problem,
		Hint: "Give a duration (30m, 2h, 1d), a time of the day (15:04), tomorrow (9:00), or off.",
	}
}

// snoozeEnd returns the moment that a text names; false for none.
func snoozeEnd(text string, now time.Time) (time.Time, bool) {
	year, month, date := now.Date()
	if text == SnoozeTomorrow {
		return time.Date(year, month, date+1, snoozeMorning, 0, 0, 0, now.Location()), true
	}
	if clock, err := time.Parse("15:04", text); err == nil {
		at := time.Date(year, month, date, clock.Hour(), clock.Minute(), 0, 0, now.Location())
		if !at.After(now) {
			at = time.Date(year, month, date+1, clock.Hour(), clock.Minute(), 0, 0, now.Location())
		}
		return at, true
	}
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return at, true
	}
	long, err := ParseTimeSpan(text)
	return now.Add(long), err == nil
}

// IsSnoozed reports whether the pane's agent neither needs its user nor notifies them until a time.
func (p *Pane) IsSnoozed() bool { return !p.Agent.Snoozed.IsZero() }

// IsDone reports whether the pane's agent ended a turn that was not looked at yet, and is not snoozed.
func (p *Pane) IsDone() bool { return p.IsAgent() && p.Status.Shown() == Done && !p.IsSnoozed() }

// SnoozedWords say until when an agent is snoozed; empty for one that is not.
func SnoozedWords(until, now time.Time) string {
	if until.IsZero() {
		return ""
	}
	return "snoozed until " + clock(until, now)
}
