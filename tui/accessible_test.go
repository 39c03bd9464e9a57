package tui

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"cupola/core"
	"cupola/core/term/cells"
	"cupola/theme"
	"cupola/tui/terminal"
)

// spoken are the looks for screen readers, with and without colours.
var spoken = map[string]*theme.Theme{
	"in colours": theme.New(theme.Options{Level: theme.True, Accessible: true}),
	"no colours": theme.New(theme.Options{Level: theme.Plain, Accessible: true}),
	"in ASCII":   theme.New(theme.Options{Level: theme.Plain, Accessible: true, ASCII: true}),
}

// accessible is a harness with a look for screen readers.
func accessible(t testing.TB, look *theme.Theme, w, h int) *harness {
	s := bare(t, look.Level(), w, h)
	s.model.world.Theme = look
	s.filled()
	return s
}

// drawn are runes that a screen reader spells out or leaves out: lines, blocks, braille patterns, and the signs of
// states.
var drawn = regexp.MustCompile(`[\x{2500}-\x{259f}\x{2800}-\x{28ff}]`)

// chosen is the sign of a selected row.
var chosen = regexp.MustCompile(`^ *> `)

// TestEveryScreenIsForScreenReaders goes over all screens: no lines, bars or patterns are drawn, not even those of
// agents, and the terminal's cursor is in the selected row or in the text that is typed.
func TestEveryScreenIsForScreenReaders(t *testing.T) {
	selected := 0
	for name, look := range spoken {
		for i, reach := range reached {
			sizes := [][2]int{{60, 16}, {80, 24}, {140, 40}, {200, 60}, {30, 24}}
			size := sizes[i%len(sizes)]
			s := accessible(t, look, size[0], size[1])
			scenarios[reach](s)
			s.exact()
			at := fmt.Sprintf("%s, %s, %dx%d", reach, name, size[0], size[1])
			text := ansi.Strip(s.model.View())
			if found := drawn.FindString(text); found != "" {
				t.Errorf("%s: %q is drawn:\n%s", at, found, text)
			}
			lines, cursor := strings.Split(text, "\n"), s.model.shown.Cursor
			if cursor == terminal.NoCursor || cursor.Y >= len(lines) || cursor.X >= size[0] {
				t.Fatalf("%s: the cursor is at %v:\n%s", at, cursor, text)
			}
			if strings.Contains(s.model.shown.Sent[cursor.Y], theme.Here) {
				t.Errorf("%s: the place of the cursor is written", at)
			}
			typed := strings.Contains(s.model.shown.Lines[cursor.Y], theme.Here+look.Cursor().On)
			sign := look.Selected(theme.Accent).On + "> "
			marked := slices.ContainsFunc(s.model.shown.Lines, func(line string) bool {
				return strings.Contains(line, sign) && !strings.Contains(line, "every key goes to")
			})
			switch {
			case chosen.MatchString(lines[cursor.Y]):
				selected++
			case marked && !typed && s.model.form == nil:
				t.Errorf("%s: the cursor is in row %d, which is not selected:\n%s", at, cursor.Y, text)
			}
		}
	}
	if selected < len(reached) {
		t.Errorf("a selected row had the cursor %d times only", selected)
	}
}

// TestTheCursorFollowsTheSelection moves down in every list and sees the cursor go with it.
func TestTheCursorFollowsTheSelection(t *testing.T) {
	for _, name := range []string{
		"tree", "grid-all", "inbox", "changes", "changes-whole", "alerts", "acts", "history", "runs", "todo",
		"search-found", "worktrees", "settings", "activity", "usage-today", "hosts", "palette",
	} {
		s := accessible(t, spoken["no colours"], 140, 60)
		scenarios[name](s)
		s.press("home")
		top := s.model.shown.Cursor
		s.press("down")
		if now := s.model.shown.Cursor; now.Y <= top.Y {
			t.Errorf("%s: the cursor went from %v to %v:\n%s", name, top, now, ansi.Strip(s.model.View()))
		}
	}
}

// TestChangesAreReportedInLines sees each change as a line at the foot, and nothing else redrawn as time goes by.
func TestChangesAreReportedInLines(t *testing.T) {
	s := accessible(t, spoken["no colours"], 140, 40)
	calm := fixture()
	s.show(calm)
	if told := s.model.news.said; told != "" {
		t.Errorf("the first snapshot is told: %q", told)
	}
	later := fixture()
	later.Taken = noon.Add(5 * time.Minute)
	panes := later.Panes()
	panes[1].Status = core.Status{
		State: core.Waiting, Reason: core.ReasonApproval, Asks: "make deploy", Since: later.Taken,
	}
	panes[8].Status.State = core.Working
	later.Sessions[2].Panes = later.Sessions[2].Panes[:3]
	s.show(later)
	s.shows("12:05  api.1 waits: asks make deploy; ")
	s.shows("web.4 is gone")
	before := slices.Clone(s.model.shown.Sent)
	same := *later
	same.Taken = noon.Add(9 * time.Minute)
	s.show(&same)
	if !slices.Equal(before, s.model.shown.Sent) {
		t.Errorf("time alone changed the display:\n%s", ansi.Strip(s.model.View()))
	}
}

// TestProgramsDrawNothingThatIsSpelledOut checks that blanked signs keep their cells.
func TestProgramsDrawNothingThatIsSpelledOut(t *testing.T) {
	for text, want := range map[string]string{
		"┌─ a ─┐": "   a   ", "█▒⠋ 日本 b": "    日本 b", "● ◆ …": "● ◆ …",
	} {
		got := theme.Unlined(text)
		if got != want || cells.Width(got) != cells.Width(text) {
			t.Errorf("%q became %q", text, got)
		}
	}
}
