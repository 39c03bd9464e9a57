package report

import (
	"fmt"
	"strconv"
	"time"
)

// words are the tones of words that say how something is or went.
var words = map[string]Tone{
	"yes": Good, "no": Dim, "not yet": Warn,
	// Alerts and ceilings.
	"critical": Bad, "error": Bad, "warning": Warn, "info": Dim,
	"near": Warn, "reached": Bad, "exceeded": Bad, "over": Dim,
	// Agents and what the machine has.
	"ok": Good, "ready": Good, "waiting": Warn, "degraded": Warn, "warn": Warn, "bad": Bad, "gone": Bad, "unknown": Dim,
	"responsive": Good, "unresponsive": Bad, "unproven": Dim,
	"signed in": Good, "expired": Bad, "signed out": Dim,
	"installed": Good, "mended": Good, "drifted": Warn, "unreadable": Bad, "missing": Dim,
	// Prompts, steps and other things that were done.
	"delivered": Good, "queued": Good, "steered": Good, "typed": Good, "refused": Bad, "unconfirmed": Bad,
	"mixed": Warn, "resolved": Good, "asked again": Warn,
	"planned": Warn, "open": Warn, "done": Good, "failed": Bad, "cancelled": Bad, "interrupted": Warn, "running": Warn,
	"pending": Dim, "skipped": Dim, "optional": Dim, "restarted": Good,
}

// ToneOf is the tone of a word that says how something is or went; Plain for any other.
func ToneOf(word string) Tone { return words[word] }

// Until says until when something waits, in local time, with the day if that is not today. It is empty for the zero
// time.
func Until(at, now time.Time) string {
	if at.IsZero() {
		return ""
	}
	at, now = at.Local(), now.Local()
	if at.YearDay() == now.YearDay() && at.Year() == now.Year() {
		return "waits until " + at.Format("15:04")
	}
	return "waits until " + at.Format("2 Jan 15:04")
}

// Age is how long ago something was, in the largest unit that fits: 42s, 5m, 3h, 2d.
// It is empty for the zero time.
func Age(since, now time.Time) string {
	if since.IsZero() {
		return ""
	}
	d := max(0, now.Sub(since))
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%ds", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%dm", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh", int(d.Hours()))
	}
	return fmt.Sprintf("%dd", int(d.Hours()/24))
}

// Grouped writes a number with blanks between thousands.
func Grouped(n int64) string {
	text := strconv.FormatInt(n, 10)
	for at := len(text) - 3; at > 0 && text[at-1] != '-'; at -= 3 {
		text = text[:at] + " " + text[at:]
	}
	return text
}
