package stories

import (
	"context"

	"cupola/core"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

type storyDeleteIn struct {
	OfRun
	registry.Preview
	registry.Consent
}

type storyDeleteOut struct {
	ID     string `json:"id"`
	DryRun bool   `json:"dry_run"`
	// Tree is the worktree, which stays.
	Tree string `json:"worktree"`
}

var storyDelete = registry.Define(registry.Spec[*verb.Local, storyDeleteIn, storyDeleteOut]{
	Name: "story-delete", Of: "run-delete", Group: verb.GroupStory,
	Short: "Remove what is on record of a run of stories",
	Long:  "Its worktree and its branch stay; 'worktree remove' removes them.",
	Scope: registry.Resource, Effect: registry.Destroys,
	Examples: []string{"a1b2c3d4 --dry-run"},
	Errors:   append([]core.Code{core.Conflict, core.Cancelled}, codes...),
	Run: func(ctx context.Context, env *verb.Local, in storyDeleteIn) (storyDeleteOut, error) {
		r, err := find(env, in.Run)
		if err != nil {
			return storyDeleteOut{}, err
		}
		out := storyDeleteOut{ID: r.ID, DryRun: in.DryRun, Tree: r.Worktree}
		if in.DryRun {
			return out, nil
		}
		return out, Directory(env).Remove(ctx, r.ID)
	},
}).SeeAlso("run-list")

// Report says what was removed.
func (o storyDeleteOut) Report() *report.Report {
	text := " is removed."
	if o.DryRun {
		text = " would be removed."
	}
	return report.Say(report.Text("The run "), report.Toned(report.Strong, o.ID), report.Text(text))
}
