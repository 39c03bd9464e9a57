package registry_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/verb/registry"
)

func TestSinceReadsRevisionsTimesAndDurations(t *testing.T) {
	const day = 24 * time.Hour
	for text, want := range map[string]registry.Since{
		"rev:0":                     {},
		"rev:42":                    {Revision: 42},
		"30m":                       {Ago: 30 * time.Minute},
		"1h30m\n":                   {Ago: 90 * time.Minute},
		"7d":                        {Ago: 7 * day},
		"2w":                        {Ago: 14 * day},
		"today":                     {Midnight: true},
		"yesterday":                 {Midnight: true, Ago: day},
		"0d":                        {},
		"2026-01-31":                {At: time.Date(2026, 1, 31, 0, 0, 0, 0, time.UTC)},
		"2026-01-31T10:20:30":       {At: time.Date(2026, 1, 31, 10, 20, 30, 0, time.UTC)},
		"2026-01-31T10:20:30Z":      {At: time.Date(2026, 1, 31, 10, 20, 30, 0, time.UTC)},
		"2026-01-31T10:20:30+02:00": {At: time.Date(2026, 1, 31, 8, 20, 30, 0, time.UTC)},
	} {
		var got registry.Since
		if err := got.UnmarshalText([]byte(text)); err != nil {
			t.Errorf("%q: %v", text, err)
		}
		if got.Revision != want.Revision || got.Ago != want.Ago || got.Midnight != want.Midnight ||
			!got.At.Equal(want.At) {
			t.Errorf("%q is %+v, want %+v", text, got, want)
		}
	}
}

func TestSinceRefusesInvalidText(t *testing.T) {
	for _, text := range []string{
		"", "then", "rev:", "rev:-1", "rev:x", "-5m", "-1d", "d", "5dd", "5dw", "+3d", "99999999999999d",
		"99999999999999999999w", "2026-13-01", "31.01.2026",
	} {
		var since registry.Since
		if err := since.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q was read as %+v", text, since)
		}
	}
}

func FuzzSinceIsReadBackFromItsText(f *testing.F) {
	for _, text := range []string{
		"rev:42", "30m", "7d", "2026-01-31", "2026-01-31T10:20:30.5+02:00", "106751d",
		"15250w", "today", "yesterday",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var first, second registry.Since
		if first.UnmarshalText([]byte(text)) != nil {
			return
		}
		// Without the text that was given, a value still says what gives it.
		bare := registry.Since{Revision: first.Revision, At: first.At, Ago: first.Ago, Midnight: first.Midnight}
		if bare == (registry.Since{}) {
			return
		}
		if err := second.UnmarshalText([]byte(bare.String())); err != nil {
			t.Fatalf("%q says %q: %v", text, bare, err)
		}
		if second.Revision != first.Revision || second.Ago != first.Ago || second.Midnight != first.Midnight ||
			!second.At.Equal(first.At) {
			t.Errorf("%q says %q, which is %+v", text, bare, second)
		}
		if first.Ago < 0 {
			t.Errorf("%q is in the future", text)
		}
	})
}

func TestSinceIsAMomentSeenFromNow(t *testing.T) {
	now := time.Date(2026, 1, 31, 15, 0, 0, 0, time.FixedZone("", 3600))
	for text, want := range map[string]time.Time{
		"":           {},
		"0h":         now,
		"90m":        now.Add(-90 * time.Minute),
		"today":      time.Date(2026, 1, 31, 0, 0, 0, 0, time.UTC),
		"yesterday":  time.Date(2026, 1, 30, 0, 0, 0, 0, time.UTC),
		"2026-01-30": time.Date(2026, 1, 30, 0, 0, 0, 0, time.UTC),
	} {
		var since registry.Since
		if text != "" {
			if err := since.UnmarshalText([]byte(text)); err != nil {
				t.Fatal(err)
			}
		}
		if got := since.AsTime(now); !got.Equal(want) || since.Given() != (text != "") {
			t.Errorf("%q is %v, want %v", text, got, want)
		}
	}
	var revision registry.Since
	if err := revision.UnmarshalText([]byte("rev:0")); err != nil {
		t.Fatal(err)
	}
	if !revision.AsTime(now).IsZero() {
		t.Error("the zeroth revision is a time")
	}
}

type whenIn struct {
	From registry.Since `since:"time" help:"A time"`
	Rev  registry.Since `since:"revision" help:"A revision"`
	Any  registry.Since `help:"Either"`
}

func TestSinceFieldsTakeTheirForms(t *testing.T) {
	declared := spec(answer)
	verb := registry.Define(registry.Spec[*env, whenIn, struct{}]{
		Name: "when", Group: declared.Group, Short: declared.Short, Scope: registry.Global, Effect: registry.Reads,
		Examples: []string{""},
		Run:      func(context.Context, *env, whenIn) (struct{}, error) { return struct{}{}, nil },
	})
	for word, says := range map[string]string{
		"--from=1d": "", "--from=today": "", "--rev=rev:0": "", "--any=rev:1": "", "--any=2026-01-31": "",
		"--from=rev:1": `"rev:1" is not a duration (30m, 7d), a day (today, yesterday) or a date (2026-01-31)`,
		"--from=rev:0": `"rev:0" is not a duration`,
		"--from=soon":  `"soon" is not a duration (30m, 7d), a day (today, yesterday) or a date (2026-01-31)`,
		"--rev=1d":     `"1d" is not a revision (rev:42)`,
		"--any=soon":   `a date (2026-01-31) or a revision (rev:42)`,
	} {
		flags := newFlags()
		verb.Bind(flags)
		err := flags.Parse([]string{word})
		if says == "" != (err == nil) || err != nil && !strings.Contains(err.Error(), says) {
			t.Errorf("%s: got %v, want %q", word, err, says)
		}
	}
	for _, in := range []whenIn{{From: registry.Since{Revision: 1}}, {Rev: registry.Since{Ago: time.Hour}}} {
		if err := verb.Check(in); !core.AsError(err).HasCode(core.InvalidInput) {
			t.Errorf("%+v: got %v", in, err)
		}
	}
	for name, help := range map[string]string{
		"from": "A time (30m, 7d, today, yesterday, 2026-01-31; days are UTC)", "rev": "A revision (rev:42)",
		"any": "Either (30m, 7d, today, yesterday, 2026-01-31, rev:42; days are UTC)",
	} {
		if got := verb.Field(name).Help; got != help {
			t.Errorf("--%s: %q", name, got)
		}
	}
}
