package registry

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"cupola/core"
)

// Since is a point in the past as --since takes it: a revision (rev:N), a time
// (RFC 3339 or a date) or a duration before now (30m, 12h, 7d, 2w). The zero
// value is "not given".
type Since struct {
	Revision core.Revision
	At       time.Time
	Ago      time.Duration

	text string
}

// String returns the text that was given or, for a value that was made without
// one, a text that gives it.
func (s Since) String() string {
	switch {
	case s.text != "":
		return s.text
	case !s.At.IsZero():
		return s.At.UTC().Format(time.RFC3339Nano)
	case s.Ago != 0:
		return s.Ago.String()
	case s.Revision != 0:
		return fmt.Sprintf("rev:%d", s.Revision)
	}
	return ""
}

// errSince says what a Since looks like.
var errSince = errors.New("a duration (30m, 7d), a date (2026-01-31) or a revision (rev:42)")

// UnmarshalText reads what the type's comment lists. Times without a zone are
// in UTC.
func (s *Since) UnmarshalText(data []byte) error {
	text := strings.TrimSpace(string(data))
	*s = Since{text: text}
	if number, ok := strings.CutPrefix(text, "rev:"); ok {
		n, err := strconv.ParseUint(number, 10, 64)
		if err != nil {
			return errors.New("a revision such as rev:42")
		}
		s.Revision = core.Revision(n)
		return nil
	}
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05", time.DateOnly} {
		if at, err := time.ParseInLocation(layout, text, time.UTC); err == nil {
			s.At = at
			return nil
		}
	}
	ago, err := parseAgo(text)
	if err != nil {
		return errSince
	}
	s.Ago = ago
	return nil
}

// parseAgo reads a duration, which may also be whole days or weeks.
func parseAgo(text string) (time.Duration, error) {
	const day = 24 * time.Hour
	for suffix, unit := range map[string]time.Duration{"d": day, "w": 7 * day} {
		number, ok := strings.CutSuffix(text, suffix)
		if !ok {
			continue
		}
		n, err := strconv.ParseUint(number, 10, 64)
		if err != nil || n > uint64(math.MaxInt64/unit) {
			return 0, errSince
		}
		return time.Duration(n) * unit, nil
	}
	ago, err := time.ParseDuration(text)
	if err == nil && ago < 0 {
		err = errSince
	}
	return ago, err
}

// AsRevision returns the revision, for verbs whose history has no times.
func (s Since) AsRevision() (core.Revision, error) {
	if !s.At.IsZero() || s.Ago != 0 {
		return 0, &core.Error{Code: core.InvalidInput, Message: "--since: this verb takes a revision, such as rev:42"}
	}
	return s.Revision, nil
}

// AsTime returns the moment that is meant, seen from now; the zero time where none
// was given. It returns InvalidInput for a revision.
func (s Since) AsTime(now time.Time) (time.Time, error) {
	switch {
	case s.Revision != 0:
		return time.Time{}, &core.Error{Code: core.InvalidInput, Message: "--since: this verb takes a time, such as 30m or 2026-01-31"}
	case s.Ago != 0:
		return now.Add(-s.Ago), nil
	}
	return s.At, nil
}
