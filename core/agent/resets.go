package agent

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// resetForms are the ways in which agents say when a limit ends.
var resetForms = sync.OnceValue(func() []resetForm {
	return []resetForm{
		{regexp.MustCompile(`(?i)\blimit reached\|(\d{10})\b`), atSecond},
		{regexp.MustCompile(`(\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?)`), atInstant},
		{regexp.MustCompile(`(?i)\b(?:in|after|within|for) ` +
			`((?:\d+(?:\.\d+)? ?(?:days?|hours?|hrs?|minutes?|mins?|seconds?|secs?|ms|d|h|m|s)` +
			`(?:,? ?(?:and )?)?)+)\b`), afterDuration},
		{regexp.MustCompile(`(?i)\b(?:resets?|resetting|restored|available(?: again)?|try again|until)` +
			`(?: (?:at|on|around|by))* ?((?:[a-z]{3,9} \d{1,2}(?:st|nd|rd|th)?,? (?:at )?)?` +
			`\d{1,2}(?::\d\d(?::\d\d)?)? ?(?:[ap]\.?m\b\.?)?(?: ?\([a-z_+/ -]+\))?)`), atClock},
	}
})

type resetForm struct {
	form *regexp.Regexp
	read func(text string, now time.Time) time.Time
}

// ResetsAt returns when a usage limit ends, by the agent's message; the zero time if the message has no time. Times of
// day are in the named time zone, or else the local one, and lie ahead.
func ResetsAt(line string, now time.Time) time.Time {
	if line == "" {
		return time.Time{}
	}
	for _, try := range resetForms() {
		if m := try.form.FindStringSubmatch(line); m != nil {
			if at := try.read(strings.TrimSpace(m[1]), now); !at.IsZero() {
				return at.UTC()
			}
		}
	}
	return time.Time{}
}

// atSecond reads a time as seconds since 1970.
func atSecond(text string, _ time.Time) time.Time {
	seconds, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return time.Time{}
	}
	return time.Unix(seconds, 0)
}

func atInstant(text string, now time.Time) time.Time {
	text = strings.Replace(text, " ", "T", 1)
	for _, layout := range []string{
		time.RFC3339Nano, "2006-01-02T15:04:05Z0700", "2006-01-02T15:04Z07:00", "2006-01-02T15:04:05",
		"2006-01-02T15:04",
	} {
		if at, err := time.ParseInLocation(layout, text, now.Location()); err == nil {
			return at
		}
	}
	return time.Time{}
}

var units = map[string]time.Duration{
	"d": 24 * time.Hour, "h": time.Hour, "m": time.Minute, "s": time.Second, "ms": time.Millisecond,
}

var amounts = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)(\d+(?:\.\d+)?) ?(ms|[dhms])`) })

func afterDuration(text string, now time.Time) time.Time {
	var total time.Duration
	for _, part := range amounts().FindAllStringSubmatch(text, -1) {
		n, err := strconv.ParseFloat(part[1], 64)
		if err != nil {
			return time.Time{}
		}
		total += time.Duration(n * float64(units[strings.ToLower(part[2])]))
	}
	if total <= 0 {
		return time.Time{}
	}
	return now.Add(total)
}

// atClock reads a time of day, perhaps with a day and a place.
func atClock(text string, now time.Time) time.Time {
	zone := now.Location()
	if open := strings.IndexByte(text, '('); open >= 0 {
		if named, err := time.LoadLocation(strings.Trim(text[open:], "() ")); err == nil {
			zone = named
		}
		text = strings.TrimSpace(text[:open])
	}
	day, text := dayOf(text)
	clock, ok := clockOf(text)
	if !ok {
		return time.Time{}
	}
	here := now.In(zone)
	if day.IsZero() {
		at := time.Date(here.Year(), here.Month(), here.Day(), 0, 0, 0, 0, zone).Add(clock)
		if !at.After(now) {
			at = at.AddDate(0, 0, 1)
		}
		return at
	}
	at := time.Date(here.Year(), day.Month(), day.Day(), 0, 0, 0, 0, zone).Add(clock)
	if at.Before(now.AddDate(0, -1, 0)) {
		at = at.AddDate(1, 0, 0)
	}
	return at
}

// dayOf takes a month and a day off the front of a text.
func dayOf(text string) (time.Time, string) {
	words := strings.Fields(strings.ReplaceAll(text, ",", " "))
	if len(words) < 3 || len(words[0]) < 3 {
		return time.Time{}, text
	}
	day := strings.TrimRight(words[1], "stndrh")
	at, err := time.Parse("Jan 2", strings.ToUpper(words[0][:1])+strings.ToLower(words[0][1:3])+" "+day)
	if err != nil {
		return time.Time{}, text
	}
	rest := words[2:]
	if rest[0] == "at" {
		rest = rest[1:]
	}
	return at, strings.Join(rest, " ")
}

// clockOf reads a time of day as the time since midnight. A bare number is no
// time of day.
func clockOf(text string) (time.Duration, bool) {
	text = strings.ToUpper(strings.NewReplacer(" ", "", ".", "").Replace(text))
	for _, layout := range []string{"3PM", "3:04PM", "3:04:05PM", "15:04", "15:04:05"} {
		if at, err := time.Parse(layout, text); err == nil {
			return at.Sub(at.Truncate(24 * time.Hour)), true
		}
	}
	return 0, false
}
