package core

import (
	"strings"
	"time"
)

// ShortDuration writes a duration as time.ParseDuration reads it, without the
// parts that are nothing: 10m, not 10m0s.
func ShortDuration(d time.Duration) string {
	text := d.String()
	for _, tail := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(text, tail) {
			text = text[:len(text)-2]
		}
	}
	return text
}

// Stamp writes a time as answers do: RFC 3339 UTC in whole seconds. The zero time is empty.
func Stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}
