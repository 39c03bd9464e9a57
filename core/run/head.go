package run

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/text/report"
)

// Head summarises a run of any kind without its details. It is derived from the record of the run, which is the
// truth.
type Head struct {
	ID   string `json:"id" table:"RUN,strong"`
	Kind Kind   `json:"kind" table:"KIND"`
	// Name is a user's name for it besides its id, such as a label or a change; empty for none.
	Name string `json:"name,omitempty" table:"NAME"`
	// Title is its subject, on one line, in at most titleBytes.
	Title string `json:"title,omitempty" table:"ABOUT,oneline,flex"`
	// Dir is the folder of the project.
	Dir   string `json:"dir"`
	State State  `json:"state" table:"STATE,word,with=Reason"`
	// Reason is why it ended, in a word of its kind; empty while it has not.
	Reason string `json:"reason,omitempty"`
	// Needs is the decision that the user has to make; empty in all states but NeedsYou.
	Needs string `json:"needs_text,omitempty" table:"NEEDS,until,or=Until"`
	// Until is when the usage limit resets that it waits for; zero while it waits for none, and once it has ended.
	Until time.Time `json:"waits_until,omitzero"`
	// Backend works on it, and Session holds its panes; empty where there is not exactly one.
	Backend string `json:"backend,omitempty"`
	Session string `json:"session,omitempty" names:"session"`
	// Done and Total count its parts: stories, steps, turns; both are 0 where it has none.
	Done  int `json:"done_count"`
	Total int `json:"total_count"`
	// PID is the process that runs it, or did last; 0 before the first.
	PID     int       `json:"pid,omitempty"`
	Started time.Time `json:"started_at" table:"AGE,dim,ago"`
	// Ended is zero while it has not.
	Ended time.Time `json:"ended_at,omitzero"`
	// CostUSD is its cost as far as that is known; CostKnown is false if some of it is not.
	CostUSD   float64 `json:"cost_usd" table:"COST,dim,format=$%.4f,empty=-"`
	CostKnown bool    `json:"cost_known"`
	// Error is the reason why it failed, with its code and what helps; empty where it did not.
	Error     string    `json:"error,omitempty"`
	ErrorCode core.Code `json:"error_code,omitempty"`
	Hint      string    `json:"hint,omitempty"`
}

// titleBytes is the length of the longest title.
const titleBytes = 200

// Title returns the beginning of a text as the title of a run.
func Title(text string) string {
	if len(text) > 4*titleBytes {
		text = text[:4*titleBytes]
	}
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > titleBytes {
		text = text[:titleBytes]
	}
	return strings.ToValidUTF8(text, "")
}

// Awaits says in words what it needs, or until when it waits; empty if neither.
func (h *Head) Awaits(now time.Time) string { return cmp.Or(h.Needs, report.Until(h.Until, now)) }

// started reports whether a process runs it, according to the record. A run that no process took up for beginWithin has
// none either, though it is still pending on record.
func (h *Head) started() bool {
	return h.State == Running || h.State == Paused || h.State == Pending && !Begins(0, h.Started)
}

// over is when it ended or, where that is not known, when it began.
func (h *Head) over() time.Time {
	if h.Ended.IsZero() {
		return h.Started
	}
	return h.Ended
}

// Begins reports whether a run that no process took up yet may still begin: its pid is 0, and it is young.
func Begins(pid int, started time.Time) bool { return pid == 0 && time.Since(started) < beginWithin }

// beginWithin is how long a run in the background may take to begin.
const beginWithin = 2 * time.Minute

// millis is a time in a column of the index: 0 for the zero time.
func millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

// ms is a duration as a number of milliseconds.
func ms(d time.Duration) string { return decimal(int(d.Milliseconds())) }

func decimal(n int) string { return strconv.Itoa(n) }
