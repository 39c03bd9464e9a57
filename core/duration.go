package core

import (
	"context"
	"errors"
	"math"
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

// ParseDuration reads a duration as flags and settings take it: 90s, 1h30m, 7d, 2w, or bare
// seconds.
func ParseDuration(text string) (time.Duration, error) {
	text = strings.TrimSpace(text)
	if _, err := strconv.Atoi(text); err == nil {
		text += "s"
	}
	return ParseTimeSpan(text)
}

var errDuration = errors.New("not a duration")

// ParseTimeSpan reads a duration with its unit, which may also be whole days or weeks.
func ParseTimeSpan(text string) (time.Duration, error) {
	for suffix, unit := range map[string]time.Duration{"d": 24 * time.Hour, "w": 7 * 24 * time.Hour} {
		number, ok := strings.CutSuffix(text, suffix)
		if !ok {
			continue
		}
		n, err := strconv.ParseUint(number, 10, 64)
		if err != nil || n > uint64(math.MaxInt64/unit) {
			return 0, errDuration
		}
		return time.Duration(n) * unit, nil
	}
	ago, err := time.ParseDuration(text)
	if err == nil && ago < 0 {
		err = errDuration
	}
	return ago, err
}
