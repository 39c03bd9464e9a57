package detect_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"cupola/core"
	"cupola/core/agent"
)

// unshown are captures whose label says more than their screen shows.
var unshown = map[string]string{
	"gemini/startup_dialog/01-120x40": "nothing is drawn yet",
	"gemini/startup_dialog/02-120x40": "nothing is drawn yet",
	"gemini/startup_dialog/03-120x40": "nothing is drawn yet",
	"gemini/startup_dialog/04-120x40": "nothing is drawn yet",
	"gemini/error_auth/05-120x40":     "nothing is drawn yet",

	"opencode/error_server/18-80x24": "the footer counts a retry, in two rows",
	"opencode/error_server/19-80x24": "the footer counts a retry, in two rows",
	"opencode/error_server/20-80x24": "the footer counts a retry, in two rows",
	"opencode/error_server/21-80x24": "the footer counts a retry, in two rows",
	"opencode/error_server/22-80x24": "the footer counts a retry, in two rows",
}

// score counts captures.
type score struct{ right, all int }

func (s *score) count(right bool) {
	s.all++
	if right {
		s.right++
	}
}

func (s *score) percent() float64 {
	if s.all == 0 {
		return 100
	}
	return 100 * float64(s.right) / float64(s.all)
}

func (s *score) String() string {
	return fmt.Sprintf("%4d of %4d %6.2f %%", s.right, s.all, s.percent())
}

// confusion counts what was expected against what was judged.
type confusion map[core.State]map[core.State]int

func (c confusion) count(want, got core.State) {
	if c[want] == nil {
		c[want] = map[core.State]int{}
	}
	c[want][got]++
}

func (c confusion) String() string {
	var text strings.Builder
	fmt.Fprintf(&text, "%-10s", "is \\ judged")
	for _, state := range core.States {
		fmt.Fprintf(&text, "%9s", state)
	}
	for _, want := range core.States {
		if c[want] == nil {
			continue
		}
		fmt.Fprintf(&text, "\n%-11s", want)
		for _, got := range core.States {
			fmt.Fprintf(&text, "%9d", c[want][got])
		}
	}
	return text.String()
}

// TestAccuracy judges every recorded screen, prints how that went, and holds the
// rules to it.
func TestAccuracy(t *testing.T) {
	root := recordings(t)
	kinds, err := agent.Load()
	if err != nil {
		t.Fatal(err)
	}
	scores, tables := map[string]*score{}, map[string]confusion{}
	tally := func(name string, right bool) {
		if scores[name] == nil {
			scores[name] = &score{}
		}
		scores[name].count(right)
	}
	for _, c := range corpus(t, root) {
		if unshown[c.File] != "" {
			continue
		}
		verdict, want := c.judged(kinds, c.screen(t, ".txt")), c.wanted()
		right := want.right(verdict)
		if tables[c.Agent] == nil {
			tables[c.Agent] = confusion{}
		}
		tables[c.Agent].count(want.states[0], verdict.State)
		tally("all captures", right)
		if c.Strict {
			tally("strict", right)
			tally(c.Agent+" strict", right)
			tally(c.Agent+" strict "+c.Size, right)
			tally(c.Agent+" strict version "+c.Version, right)
		}
		if !right {
			t.Logf(
				"%s (strict %v, %s): %s %s instead of %s %s\n      %s", c.File, c.Strict, c.Phase, verdict.State,
				verdict.Reason, want.states, want.reason, strings.Join(verdict.Evidence, "; "),
			)
		}
		if want.dangerous(verdict) {
			t.Errorf("%s is taken for %s", c.File, verdict.State)
		}
	}
	for _, name := range sorted(tables) {
		t.Logf("%s\n%s", name, tables[name])
	}
	for _, name := range sorted(scores) {
		t.Logf("%-36s %s", name, scores[name])
	}
	if scores["strict"].percent() < 99 {
		t.Errorf("%s of the strict captures are right", scores["strict"])
	}
	for name := range tables {
		if s := scores[name+" strict"]; s.percent() < 97 {
			t.Errorf("%s: %s are right", name, s)
		}
	}
}

func sorted[V any](m map[string]V) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
