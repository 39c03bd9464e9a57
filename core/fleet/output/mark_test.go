package output

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"cupola/core"
	"cupola/core/fleet/fleettest"
)

func numbered(from, to int) []string {
	var lines []string
	for i := from; i <= to; i++ {
		lines = append(lines, fmt.Sprint("line ", i))
	}
	return lines
}

func TestMarksFindTheirPlaceAgain(t *testing.T) {
	for name, c := range map[string]struct {
		before, now []string
		fresh       []string
		found       bool
	}{
		"nothing new":        {numbered(1, 9), numbered(1, 9), nil, true},
		"more lines":         {numbered(1, 9), numbered(1, 11), numbered(10, 11), true},
		"scrolled":           {numbered(1, 20), numbered(15, 25), numbered(21, 25), true},
		"scrolled away":      {numbered(1, 20), numbered(30, 40), nil, false},
		"the last line grew": {append(numbered(1, 9), "lin"), numbered(1, 11), numbered(10, 11), true},
		"blank lines and colours": {
			numbered(1, 5),
			[]string{"line 4", "", "\x1b[1mline 5\x1b[0m ", "", "six"},
			[]string{"", "six"},
			false,
		},
		"blank lines between": {
			numbered(1, 5),
			[]string{"line 2", "", "line 3", "line 4", "", "line 5", "", "six"},
			[]string{"", "six"},
			true,
		},
		"a foot that always stands": {
			append(numbered(1, 9), "foot", "of", "it"),
			append(numbered(3, 11), "foot", "of", "it"), append(numbered(10, 11), "foot", "of", "it"), true,
		},
		"the same again": {
			[]string{"a", "b", "c", "a", "b", "c"},
			[]string{"a", "b", "c", "a", "b", "c", "d"},
			[]string{"d"},
			true,
		},
		"an empty pane":  {nil, numbered(1, 2), numbered(1, 2), true},
		"a single line":  {numbered(1, 1), numbered(1, 3), numbered(2, 3), true},
		"a cleared pane": {numbered(1, 9), []string{"other"}, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			for _, pane := range []core.PaneID{"%3", "%o3"} {
				marks, err := parseMarks([]string{markAfter(pane, c.before).String()})
				if err != nil {
					t.Fatal(err)
				}
				from, found := marks[pane].after(c.now)
				if found != c.found || found && !slices.Equal(c.now[from:], c.fresh) {
					t.Errorf("from %d of %q (found: %t), want %q", from, c.now, found, c.fresh)
				}
			}
		})
	}
}

func TestMarksLoseNothingThatScrolls(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines := numbered(1, rapid.IntRange(3, 60).Draw(t, "lines"))
		at := rapid.IntRange(3, len(lines)).Draw(t, "at")
		above := rapid.IntRange(0, at-3).Draw(t, "above")
		from, found := markAfter("%1", lines[:at]).after(lines[above:])
		if !found || above+from != at {
			t.Fatalf("found %t at %d, not %d", found, above+from, at)
		}
	})
}

func TestMarksThatAreNoneAreRefused(t *testing.T) {
	for _, word := range []string{"", "x", "1", "%1.AAAA", "1.A", "1.AAA", "1.!!!!", "99999999999.AAAA", "1.AAAAAA=="} {
		if _, err := parseMarks([]string{word}); !core.AsError(err).HasCode(core.InvalidInput) {
			t.Errorf("%q: got %v", word, err)
		}
	}
}

func FuzzParseMarks(f *testing.F) {
	f.Add(markAfter("%7", numbered(1, 20)).String())
	f.Add("1.")
	f.Fuzz(func(t *testing.T, word string) {
		marks, err := parseMarks([]string{word})
		if err != nil {
			return
		}
		for _, m := range marks {
			if back, err := parseMarks([]string{m.String()}); err != nil || !slices.Equal(back[m.pane].seen, m.seen) {
				t.Errorf("%q is %q again, %v", word, m, err)
			}
			m.after(numbered(1, 30))
		}
	})
}

func TestFollowReportsEachLineOnce(t *testing.T) {
	var reported []string
	l := &follower{reader: open(t, &fleettest.Engine{}), heard: map[core.PaneID]*followedPane{}}
	l.emit = func(s Event) error {
		reported = append(reported, s.Type+" "+s.Text)
		return nil
	}
	h := &followedPane{ref: core.PaneRef{Pane: "%1"}}
	for _, shown := range [][]string{
		numbered(1, 5),                    // text from before is not reported
		append(numbered(1, 6), "wri"),     // the last line is still written at
		append(numbered(1, 6), "writt"),   //
		append(numbered(1, 6), "written"), //
		append(numbered(1, 6), "written", "line 8"),
		append(numbered(3, 6), "written", "line 8", "line 9"),
		append(numbered(3, 6), "written", "line 8", "line 9"),
	} {
		if err := l.update(h, shown); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.flush(h, len(h.pending)); err != nil {
		t.Fatal(err)
	}
	want := []string{"line line 6", "line written", "line line 8", "line line 9"}
	if !slices.Equal(reported, want) {
		t.Errorf("told %q, not %q", reported, want)
	}
	reported = nil
	if err := l.update(h, numbered(50, 52)); err != nil {
		t.Fatal(err)
	}
	if err := l.flush(h, len(h.pending)); err != nil {
		t.Fatal(err)
	}
	if len(reported) != 4 || reported[0][:3] != "gap" || reported[3] != "line line 52" {
		t.Errorf("after everything else went away: %q", reported)
	}
	marks, err := parseMarks([]string{h.read.String()})
	if from, found := marks["%1"].after(append(numbered(50, 52), "new")); err != nil || !found || from != 3 {
		t.Errorf("the mark goes on at %d (found: %t), %v", from, found, err)
	}
}
