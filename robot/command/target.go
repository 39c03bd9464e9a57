package command

import (
	"slices"

	"cupola/core/fleet/resolve"
	"cupola/robot/registry"
)

// targetOf is the panes that a verb's modifiers choose.
func targetOf(session string, panes registry.OfPanes, all bool, exclude []string) resolve.Target {
	return resolve.Target{Session: session, Panes: panes.Panes, Kinds: panes.Type, All: all, Exclude: exclude}
}

// filters echoes which panes were asked for. As in all filters, what was not asked for is absent.
type filters struct {
	Session string   `json:"session,omitempty"`
	Panes   []string `json:"panes,omitempty"`
	Type    []string `json:"type,omitempty"`
	Exclude []string `json:"exclude,omitempty"`
	All     bool     `json:"all,omitempty"`
}

func echo(t resolve.Target) filters {
	return filters{Session: t.Session, Panes: set(t.Panes), Type: set(t.Kinds), Exclude: set(t.Exclude), All: t.All}
}

// set is a filter as answers echo it: nil where nothing was asked for.
func set(words []string) []string {
	if len(words) == 0 {
		return nil
	}
	return slices.Clone(words)
}
