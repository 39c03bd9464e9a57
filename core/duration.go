package core

import (
	"context"
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
