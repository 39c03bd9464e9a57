package verb

import (
	"fmt"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/text/report"
)

// Counted is a number of something.
type Counted struct {
	N    int
	What string
}

// Listed names what there is at all: "2 bad, 14 ok".
func Listed(all ...Counted) string {
	var parts []string
	for _, part := range all {
		if part.N > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", part.N, part.What))
		}
	}
	return strings.Join(parts, ", ")
}

// Plural counts things in words: "1 agent", "3 agents", "2 processes".
func Plural(n int, what string) string {
	switch {
	case n == 1:
		return "1 " + what
	case strings.HasSuffix(what, "s"):
		what += "e"
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// RanUntil says how many agents, or sessions without any, ran until a time: "9 agents ran until 14:02", with the day
// if it was another one than that of now.
func RanUntil(agents, sessions int, until, now time.Time) string {
	what := Plural(agents, "agent")
	if agents == 0 {
		what = Plural(sessions, "session")
	}
	layout := "15:04"
	if until, now := until.Local(), now.Local(); until.YearDay() != now.YearDay() || until.Year() != now.Year() {
		layout = time.DateOnly + " 15:04"
	}
	return what + " ran until " + until.Local().Format(layout)
}

// SomeOf lists the first of some names.
func SomeOf(names []string) string {
	if len(names) > namedInWarning {
		return strings.Join(names[:namedInWarning], ", ") + ", ..."
	}
	return strings.Join(names, ", ")
}

// namedInWarning is how many files a warning names.
const namedInWarning = 3

// Addresses returns the addresses of panes.
func Addresses(refs []core.PaneRef) []string {
	return core.Map(refs, core.PaneRef.Address)
}

// Short is the part of a commit's hash that people use.
func Short(hash string) string {
	const enough = 9
	return hash[:min(enough, len(hash))]
}

// CodeLines are the lines of a text that is shown as it is.
func CodeLines(text string) []report.Line {
	var lines []report.Line
	for line := range strings.Lines(text) {
		lines = append(lines, report.Line{report.Toned(report.Code, strings.TrimSuffix(line, "\n"))})
	}
	return lines
}
