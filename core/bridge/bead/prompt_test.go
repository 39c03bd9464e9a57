package bead_test

import (
	"slices"
	"testing"

	"cupola/core"
	"cupola/core/bridge/bead"
)

func TestAPromptIsFilledWithTheItem(t *testing.T) {
	item := &bead.Item{
		Brief:   bead.Brief{ID: "bd-1", Title: "T {id}", Type: "bug", Priority: 1},
		Details: bead.Details{Description: "one\n\ntwo {title}"}, Labels: []string{"a", "b"},
	}
	to := bead.Recipient{Agent: "cc_1", Session: "api", Project: "/src"}
	for template, want := range map[string]string{
		"{id}: {title}":                         "bd-1: T {id}",
		"{type} P{priority} {labels}":           "bug P1 a, b",
		"{agent} of {session} in {project}":     "cc_1 of api in /src",
		"a\n\n{acceptance}\n\nb\r\n\r\n{notes}": "a\n\nb",
		"{description}":                         "one\n\ntwo {title}",
		"{{id}} { x } {\"a\": 1}":               "{id} { x } {\"a\": 1}",
	} {
		if err := bead.CheckPrompt(template); err != nil {
			t.Errorf("%q: %v", template, err)
		}
		if got := item.Prompt(template, to); got != want {
			t.Errorf("%q: got %q, want %q", template, got, want)
		}
	}
}

func TestABlankThatMeansNothingHasNearMisses(t *testing.T) {
	e := core.AsError(bead.CheckPrompt("Do {titel}"))
	if e == nil || e.Code != core.InvalidInput || !slices.Contains(e.Suggestions, "title") {
		t.Errorf("got %v", e)
	}
}
