package agent

import (
	"testing"
	"time"
)

func TestWhenALimitEnds(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Skip("no time zones here")
	}
	now := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	for line, want := range map[string]time.Time{
		"5-hour limit reached ∙ resets 3pm": time.Date(
			2026, 1, 31, 15, 0, 0, 0, time.UTC,
		),
		"You've hit your limit · resets 11am": time.Date(
			2026, 2, 1, 11, 0, 0, 0, time.UTC,
		),
		"You've hit your session limit · resets 9:35 PM (Europe/Berlin)": time.Date(
			2026, 1, 31, 21, 35, 0, 0, berlin,
		),
		"You've hit your weekly limit · resets Feb 3 at 10am": time.Date(
			2026, 2, 3, 10, 0, 0, 0, time.UTC,
		),
		"You've hit your usage limit. Try again at 18:05.": time.Date(
			2026, 1, 31, 18, 5, 0, 0, time.UTC,
		),
		"You've hit your usage limit. Try again in 2 days 3 hours 4 minutes": now.Add(51*time.Hour + 4*time.Minute),
		"Claude AI usage limit reached|1769861100": time.Date(
			2026, 1, 31, 12, 5, 0, 0, time.UTC,
		),
		"Please try again in 1.5s.": now.Add(1500 * time.Millisecond),
		"Your quota will reset after 2h5m10s.": now.Add(
			2*time.Hour + 5*time.Minute + 10*time.Second,
		),
		"quota is restored at 2026-02-01T00:00:00Z": time.Date(
			2026, 2, 1, 0, 0, 0, 0, time.UTC,
		),
		"Access resets at 1:30 AM, see /stats": time.Date(
			2026, 2, 1, 1, 30, 0, 0, time.UTC,
		),
		"429 Too Many Requests": {},
		"try again later":       {},
		"resets 99pm":           {},
		"":                      {},
	} {
		if got := ResetsAt(line, now); !got.Equal(want) {
			t.Errorf("%q: got %v, want %v", line, got, want)
		}
	}
}

func FuzzResets(f *testing.F) {
	f.Add("resets 3pm (Europe/Berlin)")
	f.Add("try again in 2h 5m")
	f.Add("until Jan 32 at 99:99")
	f.Fuzz(func(t *testing.T, line string) {
		now := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
		if at := ResetsAt(line, now); !at.IsZero() && at.Location() != time.UTC {
			t.Errorf("%q: %v is not in UTC", line, at)
		}
	})
}
