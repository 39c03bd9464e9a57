package registry

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/system/shell"
	"cupola/core/text/near"
)

// Since is a point in the past as --since takes it: a revision (rev:N), a time
// (RFC 3339 or a date), a day (today, yesterday) or a duration before now (30m,
// 12h, 7d, 2w). The zero value is "not given".
type Since struct {
	Revision core.Revision
	At       time.Time
	Ago      time.Duration
	// Midnight is true where Ago counts from the beginning of today, UTC.
	Midnight bool

	text string
}

// Given reports whether anything was given, also where that is no time ago.
func (s Since) Given() bool { return s != Since{} }

// String returns the text that was given or, for a value that was made without
// one, a text that gives it.
func (s Since) String() string {
	switch {
	case s.text != "":
		return s.text
	case !s.At.IsZero():
		return s.At.UTC().Format(time.RFC3339Nano)
	case s.Midnight && s.Ago == day:
		return "yesterday"
	case s.Midnight:
		return "today"
	case s.Ago != 0:
		return core.ShortDuration(s.Ago)
	case s.Revision != 0:
		return fmt.Sprintf("rev:%d", s.Revision)
	}
	return ""
}

// MarshalText returns what String does, so that an answer echoes what was asked for.
func (s Since) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

const day = 24 * time.Hour

// The points that a field of this type takes, as its tag "since" names them;
// without one it takes both.
const (
	sinceTime     = "time"
	sinceRevision = "revision"
)

// sinceHelp ends the help of such fields, sinceWant says what was wanted where
// they got something else.
var (
	sinceHelp = map[string]string{
		sinceTime: " (30m, 7d, today, yesterday, 2026-01-31; days are UTC)", sinceRevision: " (rev:42)",
		"": " (30m, 7d, today, yesterday, 2026-01-31, rev:42; days are UTC)",
	}
	sinceWant = map[string]string{
		sinceTime:     "a duration (30m, 7d), a day (today, yesterday) or a date (2026-01-31)",
		sinceRevision: "a revision (rev:42)",
		"":            "a duration (30m, 7d), a day (today, yesterday), a date (2026-01-31) or a revision (rev:42)",
	}
)

// IsRevision reports whether a revision was given, also the zeroth.
func (s Since) IsRevision() bool { return s.Revision != 0 || strings.HasPrefix(s.text, "rev:") }

// parseSince reads what a field takes.
func parseSince(field *Field, target *Since, text string) error {
	var since Since
	err := since.UnmarshalText([]byte(text))
	switch {
	case err != nil || field.Since == sinceTime && since.IsRevision():
		_, why := core.ParseTimeSpan(text)
		return nearDay(core.AsError(unread(field, text, sinceWant[field.Since], why)), field, text)
	case field.Since == sinceRevision && !since.IsRevision():
		return suggestHistory(core.AsError(badValue(field, text, sinceWant[field.Since])), text)
	}
	*target = since
	return nil
}

// nearDay suggests a day for a mistyped one.
func nearDay(e *core.Error, field *Field, text string) error {
	if e.Suggestions = near.Words(text, []string{"today", "yesterday"}); len(e.Suggestions) > 0 {
		e.Slip, e.Hint = core.Slip{Word: text, Input: field.Name}, "Did you mean "+e.Suggestions[0]+"?"
	}
	return e
}

// suggestHistory names the verbs about a time, for verbs that continue after a revision only.
func suggestHistory(e *core.Error, text string) error {
	e.Hint += " For what happened since a time, use summary or diff."
	e.Actions = []string{
		shell.Line("cupola", "summary", "--since="+text),
		shell.Line("cupola", "diff", "--since="+text),
	}
	return e
}

// UnmarshalText reads what the type's comment lists. Times without a zone are
// in UTC.
func (s *Since) UnmarshalText(data []byte) error {
	text := strings.TrimSpace(string(data))
	*s = Since{text: text}
	switch text {
	case "today":
		s.Midnight = true
		return nil
	case "yesterday":
		s.Midnight, s.Ago = true, day
		return nil
	}
	if number, ok := strings.CutPrefix(text, "rev:"); ok {
		n, err := strconv.ParseUint(number, 10, 63) // the store counts in int64
		if err != nil {
			return errors.New("a revision such as rev:42")
		}
		s.Revision = core.Revision(n)
		return nil
	}
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05", time.DateOnly} {
		if at, err := time.ParseInLocation(layout, text, time.UTC); err == nil {
			s.At = at
			return nil
		}
	}
	ago, err := core.ParseTimeSpan(text)
	if err != nil {
		return errors.New(sinceWant[""])
	}
	s.Ago = ago
	return nil
}

// AsTime returns the time, relative to now; the zero time for a revision, and where
// nothing was given.
func (s Since) AsTime(now time.Time) time.Time {
	switch {
	case s.Midnight:
		return now.UTC().Truncate(day).Add(-s.Ago)
	case s.At.IsZero() && s.Given() && !s.IsRevision():
		return now.Add(-s.Ago)
	}
	return s.At
}
