package core

import (
	"context"
	"errors"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Milliseconds is a duration whose JSON is its number of whole milliseconds.
type Milliseconds time.Duration

// MarshalJSON writes the whole milliseconds.
func (m Milliseconds) MarshalJSON() ([]byte, error) {
	return strconv.AppendInt(nil, time.Duration(m).Milliseconds(), 10), nil
}

// ShortDuration formats a duration for time.ParseDuration, without trailing zero units:
// 10m, not 10m0s.
func ShortDuration(d time.Duration) string {
	text := d.String()
	for _, tail := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(text, tail) {
			text = text[:len(text)-2]
		}
	}
	return text
}

// Stamp formats a time as answers do: RFC 3339 in UTC, in whole seconds. It returns an
// empty string for the zero time.
func Stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// Earlier returns the earlier of two times. The zero time means never, so it is later than
// any other.
func Earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// Sleep waits for a duration. If ctx ends first, it returns the cause of that.
func Sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// bareNumber matches a whole number of seconds.
var bareNumber = regexp.MustCompile(`^[-+]?\d+$`)

// ParseDuration reads a duration as flags and settings take it: 90s, 1h30m, 7d, 2w, or bare
// seconds.
func ParseDuration(text string) (time.Duration, error) {
	text = strings.TrimSpace(text)
	if bareNumber.MatchString(text) {
		text += "s"
	}
	return ParseTimeSpan(text)
}

// The reasons why a text is no duration that ParseDuration and ParseTimeSpan return.
var (
	ErrNotDuration      = errors.New("not a duration")
	ErrNegativeDuration = errors.New("a negative duration")
	ErrLongDuration     = errors.New("a longer duration than 292 years")
)

// ParseTimeSpan reads a duration with its unit, which may also be whole days or weeks.
func ParseTimeSpan(text string) (time.Duration, error) {
	if above, negative := strings.CutPrefix(text, "-"); negative {
		length, err := ParseTimeSpan(above)
		if errors.Is(err, ErrNegativeDuration) {
			err = ErrNotDuration
		} else if err == nil && length > 0 {
			err = ErrNegativeDuration
		}
		return 0, err
	}
	for suffix, unit := range map[string]time.Duration{"d": 24 * time.Hour, "w": 7 * 24 * time.Hour} {
		number, ok := strings.CutSuffix(text, suffix)
		if !ok {
			continue
		}
		n, err := strconv.ParseUint(number, 10, 64)
		if errors.Is(err, strconv.ErrRange) || err == nil && n > uint64(math.MaxInt64/unit) {
			return 0, ErrLongDuration
		}
		if err != nil {
			return 0, ErrNotDuration
		}
		return time.Duration(n) * unit, nil
	}
	length, err := time.ParseDuration(text)
	switch {
	case err == nil:
		return length, nil
	case clockUnits.MatchString(text):
		return 0, ErrLongDuration
	}
	return 0, ErrNotDuration
}

// clockUnits matches what time.ParseDuration reads, also what is too long for it.
var clockUnits = regexp.MustCompile(`^(\d+(\.\d*)?(ns|us|µs|ms|s|m|h))+$`)
