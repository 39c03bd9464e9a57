package report

import (
	"fmt"
	"time"
)

// words are the tones of words that say how something is or went.
var words = map[string]Tone{
	"yes": Good, "no": Dim, "not yet": Warn,
	// A process, an agent or a run.
	"ok": Good, "ready": Good, "waiting": Warn, "degraded": Warn, "bad": Bad, "gone": Bad, "unknown": Dim,
	"responsive": Good, "unresponsive": Bad, "unproven": Dim,
	"succeeded": Good, "failed": Bad, "cancelled": Bad, "interrupted": Warn, "running": Warn,
}

// ToneOf is the tone of a word that says how something is or went; Plain for any other.
func ToneOf(word string) Tone { return words[word] }

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
