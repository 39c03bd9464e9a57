package timesheet_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/record/timesheet"
)

var noon = time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)

// at makes an event about the agent of a pane, some seconds after noon.
func at(second int, what core.EventType, pane core.PaneID, from, to core.State) core.Event {
	return core.Event{
		Type: what, At: noon.Add(time.Duration(second) * time.Second), PaneID: pane, Session: "api", Pane: "api.1",
		Agent: "cc_1", Kind: "claude", From: string(from), To: string(to),
	}
}

// words are spans in seconds after noon; a star marks those that begin.
func words(spans []timesheet.Span) string {
	var words []string
	for _, s := range spans {
		star := ""
		if s.Begins {
			star = "*"
		}
		words = append(words, fmt.Sprintf("%s%s %s %.0f-%.0f", star, s.Pane, s.State, s.From.Sub(noon).Seconds(),
			s.To.Sub(noon).Seconds()))
	}
	return strings.Join(words, ", ")
}

func TestTimeIsCountedWhileAKeeperRan(t *testing.T) {
	changed, opened, closed := core.StateChanged, core.PaneOpened, core.PaneClosed
	keeper := at(0, core.KeeperChanged, "", "", "")
	for name, test := range map[string]struct {
		events []core.Event
		kept   bool
		want   string
	}{
		"nothing": {nil, true, ""},
		"a whole life": {
			[]core.Event{
				keeper, at(10, opened, "%1", "", core.Starting),
				at(12, changed, "%1", core.Starting, core.Idle), at(20, changed, "%1", core.Idle, core.Working),
				at(50, closed, "%1", core.Working, ""),
			},
			true, "*%1 starting 10-12, *%1 idle 12-20, *%1 working 20-50",
		},
		"it was found": {
			[]core.Event{
				keeper, at(10, opened, "%1", "", core.Waiting),
				at(10, core.AgentFound, "%1", "", core.Waiting), at(20, core.AgentFound, "%1", "", core.Idle),
			},
			true, "*%1 waiting 10-20, *%1 idle 20-100",
		},
		"it was there before": {
			[]core.Event{keeper, at(30, changed, "%1", core.Idle, core.Working)},
			true,
			"%1 idle 0-30, *%1 working 30-100",
		},
		"no keeper runs any more": {[]core.Event{
			keeper, at(30, changed, "%1", core.Idle, core.Working),
			at(40, core.PaneRetitled, "%2", "", ""),
		}, false, "%1 idle 0-30, *%1 working 30-40"},
		"keepers changed": {
			[]core.Event{
				keeper, at(5, changed, "%1", core.Idle, core.Working), at(10, core.PaneRetitled, "%1", "", ""),
				at(60, core.KeeperChanged, "", "", ""), at(70, changed, "%1", core.Working, core.Idle),
			},
			false, "%1 idle 0-5, *%1 working 5-10, %1 working 60-70, *%1 idle 70-70",
		},
		"the server ended": {[]core.Event{
			keeper, at(5, changed, "%1", core.Idle, core.Working),
			at(9, core.EngineLost, "", "", ""),
		}, true, "%1 idle 0-5, *%1 working 5-9"},
		"a reason changed": {
			[]core.Event{keeper, at(5, changed, "%1", core.Working, core.Working)},
			true,
			"%1 working 0-5, %1 working 5-100",
		},
		"no state": {
			[]core.Event{keeper, at(5, changed, "%1", "zzz", "zzz"), at(6, opened, "%2", "", "")},
			true, "",
		},
	} {
		if got := words(timesheet.Of(test.events, noon.Add(100*time.Second), test.kept)); got != test.want {
			t.Errorf("%s:\ngot  %s\nwant %s", name, got, test.want)
		}
	}
}

func TestAPartOfAStintBeginsOnlyWhereTheStintDoes(t *testing.T) {
	span := timesheet.Span{State: core.Waiting, From: noon, To: noon.Add(time.Hour), Begins: true}
	for _, test := range []struct {
		from, to time.Duration
		want     string
	}{
		{-time.Hour, 2 * time.Hour, "* waiting 0-3600"},
		{time.Minute, 2 * time.Hour, " waiting 60-3600"},
		{-time.Hour, time.Minute, "* waiting 0-60"},
		{-time.Hour, 0, ""},
		{time.Hour, 2 * time.Hour, ""},
	} {
		got := ""
		if part, ok := span.Within(noon.Add(test.from), noon.Add(test.to)); ok {
			got = words([]timesheet.Span{part})
		}
		if got != test.want {
			t.Errorf("%v to %v: %q, want %q", test.from, test.to, got, test.want)
		}
	}
}
