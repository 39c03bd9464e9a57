package detect_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mattn/go-runewidth"

	"cupola/core"
	"cupola/core/agent"
)

// variant changes a recorded screen in a way that changes no state; nil where
// that cannot be done.
type variant struct {
	name string
	of   func(testing.TB, *capture, *core.Screen) *core.Screen
}

var variants = []variant{
	{"3/4 high", func(_ testing.TB, _ *capture, s *core.Screen) *core.Screen { return shrunk(s, s.View.Height*3/4) }},
	{"1/2 high", func(_ testing.TB, _ *capture, s *core.Screen) *core.Screen { return shrunk(s, s.View.Height/2) }},
	{"wider", func(_ testing.TB, _ *capture, s *core.Screen) *core.Screen { return redrawn(s, 20) }},
	{"narrower", func(_ testing.TB, _ *capture, s *core.Screen) *core.Screen { return redrawn(s, -16) }},
	{"taller", func(_ testing.TB, _ *capture, s *core.Screen) *core.Screen { return followedByBlanks(s, 4) }},
	{"no title", func(_ testing.TB, _ *capture, s *core.Screen) *core.Screen { s.Title = ""; return s }},
	{"no cursor", func(_ testing.TB, _ *capture, s *core.Screen) *core.Screen {
		s.View = core.Viewport{AlternateOn: s.View.AlternateOn}
		return s
	}},
	{"colours", coloured},
	{"names", func(_ testing.TB, _ *capture, s *core.Screen) *core.Screen { return reworded(s, named) }},
	{"version", func(_ testing.TB, _ *capture, s *core.Screen) *core.Screen { return reworded(s, numbered) }},
}

// TestVariants judges every recorded screen as it would look in other terminals,
// folders and versions: like the original.
func TestVariants(t *testing.T) {
	kinds, err := agent.Load()
	if err != nil {
		t.Fatal(err)
	}
	scores, wrong := map[string]*score{}, map[string]int{}
	for _, c := range corpus(t, recordings(t)) {
		original, want := c.judged(kinds, c.screen(t, ".txt")), c.wanted()
		if unshown[c.File] != "" || !want.right(original) {
			continue
		}
		for _, v := range variants {
			screen := v.of(t, &c, c.screen(t, ".txt"))
			if screen == nil {
				continue
			}
			verdict := c.judged(kinds, screen)
			right := verdict.State == original.State && verdict.Reason == original.Reason
			for _, name := range []string{c.Agent + " " + v.name, c.Agent} {
				if scores[name] == nil {
					scores[name] = &score{}
				}
				scores[name].count(right)
			}
			if !right {
				wrong[v.name]++
				t.Logf(
					"%s %s: %s %s instead of %s %s; %s", c.File, v.name, verdict.State, verdict.Reason, original.State,
					original.Reason, strings.Join(verdict.Evidence, "; "),
				)
			}
			if want.dangerous(verdict) {
				t.Errorf("%s %s is taken for %s", c.File, v.name, verdict.State)
			}
		}
	}
	t.Logf("as the original, of the variants:\n%s", table(scores))
	for _, name := range sorted(scores) {
		if s := scores[name]; !strings.Contains(name, " ") && s.percent() < 97 {
			t.Errorf("%s: %s of the variants are judged like their originals", name, s)
		}
	}
	for _, v := range variants {
		tried := 0
		for name, s := range scores {
			if strings.HasSuffix(name, " "+v.name) {
				tried += s.all
			}
		}
		if tried < 80 {
			t.Errorf("only %d screens were tried %s", tried, v.name)
		}
	}
}

// table shows the scores of the agents, a column a variant.
func table(scores map[string]*score) string {
	var text strings.Builder
	fmt.Fprintf(&text, "%-10s", "")
	for _, v := range variants {
		fmt.Fprintf(&text, "%12s", v.name)
	}
	for _, name := range sorted(scores) {
		if strings.Contains(name, " ") {
			continue
		}
		fmt.Fprintf(&text, "\n%-10s", name)
		for _, v := range variants {
			if s := scores[name+" "+v.name]; s != nil {
				fmt.Fprintf(&text, "%12s", fmt.Sprintf("%d/%d", s.right, s.all))
			} else {
				fmt.Fprintf(&text, "%12s", "-")
			}
		}
	}
	return text.String()
}

// shrunk returns a screen as a terminal of fewer rows shows it: gaps close first, from the bottom up, and then the top
// scrolls off.
func shrunk(s *core.Screen, height int) *core.Screen {
	for len(s.Lines) > height {
		at := max(0, gap(s))
		s.Lines = slices.Delete(s.Lines, at, at+1)
		s.View.Height--
		if at <= s.View.Cursor.Y {
			s.View.Cursor.Y--
		}
	}
	s.Visible = len(s.Lines)
	return s
}

// gap returns the lowest row beside more than one blank row; -1 without
// one.
func gap(s *core.Screen) int {
	blank := func(row int) bool { return row >= 0 && strings.TrimSpace(s.Lines[row]) == "" && row != s.View.Cursor.Y }
	for i := len(s.Lines) - 1; i >= 0; i-- {
		if blank(i) && (i == len(s.Lines)-1 || blank(i-1) && blank(i-2)) {
			return i
		}
	}
	return -1
}

// followedByBlanks is a screen with rows below what is drawn.
func followedByBlanks(s *core.Screen, rows int) *core.Screen {
	s.Lines = append(s.Lines, make([]string, rows)...)
	s.Visible, s.View.Height = len(s.Lines), s.View.Height+rows
	return s
}

// redrawn is a screen in a terminal of more or fewer columns, where all that
// changes is how long rules and gaps are.
func redrawn(s *core.Screen, by int) *core.Screen {
	width := s.View.Width
	for i, line := range s.Lines {
		full := runewidth.StringWidth(strings.TrimRight(line, " ")) > width+min(by, 0)
		if by > 0 {
			full = runewidth.StringWidth(line) == width
		}
		if !full {
			continue
		}
		if s.Lines[i] = stretched(line, by); s.Lines[i] == "" {
			return nil
		}
	}
	s.View.Width += by
	if s.View.Cursor.X >= s.View.Width {
		return nil
	}
	return s
}

// stretched makes the longest run of one rule or of blanks in a row longer or
// shorter; empty where that is not long enough.
func stretched(line string, by int) string {
	runes := []rune(line)
	at, length := 0, 0
	for i := 0; i < len(runes); {
		j := i
		for j < len(runes) && runes[j] == runes[i] {
			j++
		}
		if j-i > length && strings.ContainsRune(" ─━▀▄▔═", runes[i]) {
			at, length = i, j-i
		}
		i = j
	}
	if length+by < 10 {
		return ""
	}
	middle := slices.Repeat([]rune{runes[at]}, length+by)
	return string(slices.Concat(runes[:at], middle, runes[at+length:]))
}

// coloured is the capture with its attributes, where it was taken with them.
func coloured(t testing.TB, c *capture, _ *core.Screen) *core.Screen {
	if _, err := os.Stat(filepath.Join(c.root, c.File+".ansi")); err != nil {
		return nil
	}
	return c.screen(t, ".ansi")
}

// reworded is a screen that says other words of the same length.
func reworded(s *core.Screen, change func(string) string) *core.Screen {
	changed := false
	for i, line := range s.Lines {
		s.Lines[i] = change(line)
		changed = changed || s.Lines[i] != line
	}
	title := change(s.Title)
	if changed = changed || title != s.Title; !changed {
		return nil
	}
	s.Title = title
	return s
}

// The folders, tasks and models of the recordings, and numbers of versions.
var (
	names = regexp.MustCompile(
		`(claude|codex|gemini|opencode|copilot|qwen)-(main|small|alt|extra|ro|fallback|dlg|auto|classic|notmux|` +
			`err\w+)\b|/home/dev/(work|harness)|(?i)mock[ -](model|task|session ` +
			`title)|GPT-6(-Sol|\.1)|gemini-2\.5-pro|hello there|claude-opus-5-5`,
	)
	versions = regexp.MustCompile(`\bv?\d+\.\d+\.\d+\b`)
)

func named(line string) string {
	return names.ReplaceAllStringFunc(line, func(name string) string {
		return strings.Map(func(r rune) rune {
			switch {
			case 'a' <= r && r <= 'z':
				return 'a' + (r-'a'+7)%26
			case 'A' <= r && r <= 'Z':
				return 'A' + (r-'A'+7)%26
			}
			return r
		}, name)
	})
}

func numbered(line string) string {
	return versions.ReplaceAllStringFunc(line, func(version string) string {
		return strings.Map(func(r rune) rune {
			if '0' <= r && r <= '9' {
				return '0' + (r-'0'+3)%10
			}
			return r
		}, version)
	})
}
