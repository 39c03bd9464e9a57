package command

import (
	"cupola/core/fleet"
	"cupola/robot/registry"
)

// targetOf is the panes that a verb's modifiers choose.
func targetOf(session string, panes registry.OfPanes, all bool, exclude []string) fleet.Target {
	return fleet.Target{Session: session, Panes: panes.Panes, Kinds: panes.Type, All: all, Exclude: exclude}
}

// filters echoes which panes were asked for.
type filters struct {
	Session string   `json:"session"`
	Panes   []string `json:"panes"`
	Type    []string `json:"type"`
	Exclude []string `json:"exclude"`
	All     bool     `json:"all"`
}

func echo(t fleet.Target) filters {
	return filters{
		Session: t.Session, Panes: append([]string{}, t.Panes...), Type: append([]string{}, t.Kinds...),
		Exclude: append([]string{}, t.Exclude...), All: t.All,
	}
}
