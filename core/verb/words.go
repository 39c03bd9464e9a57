package verb

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/engine"
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

// MaybeInt is a whole number that is not always known. Below 0 it is not, and absent where its field says omitzero.
type MaybeInt int

// IsZero reports whether the number is not known.
func (n MaybeInt) IsZero() bool { return n < 0 }

// MaybeNumber is as MaybeInt, with a fraction.
type MaybeNumber float64

// IsZero reports whether the number is not known.
func (n MaybeNumber) IsZero() bool { return n < 0 }

// Dollars reads an amount of USD above 0 that a flag was given: 20, 2.50, $3.
func Dollars(flag, text string) (float64, error) {
	usd, err := strconv.ParseFloat(strings.TrimPrefix(text, "$"), 64)
	if err != nil || !(usd > 0 && usd < 1e12) {
		return 0, &core.Error{
			Code:    core.InvalidInput,
			Message: fmt.Sprintf("%s: %q is not an amount of dollars above 0", flag, text),
			Hint:    "Give dollars such as 20 or 2.50.",
		}
	}
	return usd, nil
}

// CostText is a cost in USD as people read it; known is false if some of it is not known.
func CostText(usd float64, known bool) string {
	switch text := fmt.Sprintf("$%.4f", usd); {
	case known:
		return text
	case usd == 0:
		return "unknown"
	default:
		return text + " and more that is not known"
	}
}

// DescribeOtherServer says where a terminal server lives that this program does not look at, and how to look there.
func DescribeOtherServer(e engine.OtherServer) string {
	if e.User != "" {
		return fmt.Sprintf("%s, who became this user, has a tmux server at %s: 'sudo -u %s cupola status' lists what "+
			"runs there", e.User, e.Socket, e.User)
	}
	return fmt.Sprintf("another tmux server of yours lives at %s: '%s cupola status' lists what runs there", e.Socket,
		e.Env)
}
