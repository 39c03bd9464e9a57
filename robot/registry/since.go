package registry

import (
	"fmt"
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

// String returns the text that was given.
func (s Since) String() string { return s.text }

// UnmarshalText reads what the type's comment lists.
func (s *Since) UnmarshalText(data []byte) error {
	text := strings.TrimSpace(string(data))
	*s = Since{text: text}
	if number, ok := strings.CutPrefix(text, "rev:"); ok {
		n, err := strconv.ParseUint(number, 10, 64)
		if err != nil {
			return fmt.Errorf("a revision such as rev:42")
		}
		s.Revision = core.Revision(n)
		return nil
	}
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02"} {
		if at, err := time.ParseInLocation(layout, text, time.UTC); err == nil {
			s.At = at
			return nil
		}
	}
	if n, err := strconv.Atoi(strings.TrimRight(text, "dw")); err == nil && n >= 0 && len(text) > 1 {
		switch text[len(text)-1] {
		case 'd':
			s.Ago = time.Duration(n) * 24 * time.Hour
			return nil
		case 'w':
			s.Ago = time.Duration(n) * 7 * 24 * time.Hour
			return nil
		}
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		return fmt.Errorf("a duration (30m, 7d), a date (2026-01-31) or a revision (rev:42)")
	}
	s.Ago = d
	return nil
}

// AsRevision returns the revision, for verbs whose history has no times.
func (s Since) AsRevision() (core.Revision, error) {
	if !s.At.IsZero() || s.Ago != 0 {
		return 0, &core.Error{Code: core.InvalidInput, Message: "--since: this verb takes a revision, such as rev:42"}
	}
	return s.Revision, nil
}
