package observe

import (
	"fmt"
	"testing"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/fleet/fleettest"
)

type (
	ordinals map[core.PaneID]int
	panes    []*engine.Pane
)

func TestNumberKeepsTagsAndCountsTheRest(t *testing.T) {
	tagged := func(id, ordinal string) *engine.Pane {
		pane := fleettest.Row("$1", id, "sh", engine.TagOrdinal, ordinal)
		return &pane
	}
	bare := func(id string) *engine.Pane {
		pane := fleettest.Row("$1", id, "sh")
		return &pane
	}
	for name, c := range map[string]struct {
		panes panes
		next  int
		want  ordinals
	}{
		"a session of others counts from 0": {panes{bare("%3"), bare("%8")}, 0, ordinals{"%3": 0, "%8": 1}},
		"tags are kept and skipped": {
			panes{bare("%3"), tagged("%8", "0"), bare("%9")}, 0, ordinals{"%3": 1, "%8": 0, "%9": 2},
		},
		"those below next are never given again": {panes{tagged("%1", "0"), bare("%9")}, 5, ordinals{"%1": 0, "%9": 5}},
		"what is taken is not given twice": {
			panes{tagged("%1", "2"), tagged("%9", "2")},
			3,
			ordinals{"%1": 2, "%9": 3},
		},
		"nonsense is no number": {
			panes{tagged("%1", "-4"), tagged("%2", "x")},
			0,
			ordinals{"%1": 0, "%2": 1},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if got := number(c.panes, c.next); fmt.Sprint(got) != fmt.Sprint(c.want) {
				t.Errorf("number = %v, want %v", got, c.want)
			}
		})
	}
}

func TestAgentNamesAreUniqueInTheirSession(t *testing.T) {
	o := observerOf(t, &fleettest.Engine{})
	panes := []core.Pane{
		{Agent: core.Agent{Kind: "claude"}},
		{Agent: core.Agent{Kind: "claude", Name: "cc_1"}},
		{Agent: core.Agent{Kind: "codex", Name: "cc_1"}},
		{},
		{Agent: core.Agent{Kind: "forgotten"}},
		{Agent: core.Agent{Kind: "claude"}},
	}
	o.nameAgents(panes)
	var got []string
	for _, pane := range panes {
		got = append(got, pane.Agent.Name)
	}
	if want := "[cc_2 cc_1 cod_1  forgotten_1 cc_3]"; fmt.Sprint(got) != want {
		t.Errorf("names = %v, want %s", got, want)
	}
}
