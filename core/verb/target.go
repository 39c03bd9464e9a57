package verb

import (
	"slices"

	"cupola/core/fleet/resolve"
	"cupola/core/verb/registry"
)

// TargetOf is the panes that a verb's modifiers choose.
func TargetOf(session string, panes registry.OfPanes, all bool, exclude []string) resolve.Target {
	return resolve.Target{Session: session, Panes: panes.Panes, Kinds: panes.Type, All: all, Exclude: exclude}
}

// WithTeam returns a target that includes members of teams, if they were asked for.
func WithTeam(t resolve.Target, team registry.TeamMembers) resolve.Target {
	t.Team = team.Team
	return t
}

// Filters echoes which panes were asked for. As in all filters, what was not asked for is absent.
type Filters struct {
	Session string   `json:"session,omitempty" names:"session"`
	Panes   []string `json:"panes,omitempty" names:"panes"`
	Type    []string `json:"type,omitempty"`
	Exclude []string `json:"exclude,omitempty"`
	All     bool     `json:"all,omitempty"`
	Team    bool     `json:"team,omitempty"`
}

// Echo is a target as an answer repeats it.
func Echo(t resolve.Target) Filters {
	return Filters{
		Session: t.Session,
		Panes:   Asked(t.Panes),
		Type:    Asked(t.Kinds),
		Exclude: Asked(t.Exclude),
		All:     t.All,
		Team:    t.Team,
	}
}

// Asked is a filter as answers echo it: nil where nothing was asked for.
func Asked(words []string) []string {
	if len(words) == 0 {
		return nil
	}
	return slices.Clone(words)
}
