package sessions

import (
	"context"
	"fmt"

	"cupola/core"
	"cupola/core/git/changes"
	"cupola/core/git/worktree"
	"cupola/core/record/undo"
	"cupola/core/system/shell"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

// TreeMergeIn is the input of the verb worktree-merge.
type TreeMergeIn struct {
	ofTree
	CommittedOnly bool `help:"Merge what is committed, though the worktree holds more"`
	registry.Preview
}

// TreeMergeOut is the answer of the verb worktree-merge.
type TreeMergeOut struct {
	treeRef
	DryRun bool `json:"dry_run"`
	// Into is the branch that took the commits, Commits how many it lacked: with 0 there
	// was nothing to merge.
	Into    string `json:"into"`
	Commits int    `json:"commits"`
	// LeftOut counts files of the worktree that are in no commit.
	LeftOut int `json:"left_out"`

	// dir is the folder of the repository, if one was given.
	dir string
}

var worktreeMerge = registry.Define(registry.Spec[*verb.Env, TreeMergeIn, TreeMergeOut]{
	Name: "worktree-merge", Group: verb.GroupFleet, Doing: "merging",
	Short: "Merge a worktree into its base branch",
	Long: "Merges them into the branch of the repository's main working tree, as 'git merge' does, with the " +
		"repository's hooks. Where files there or in the worktree are not committed, or both changed the same lines, " +
		"it fails with CONFLICT, and nothing is changed. The worktree stays.",
	Scope: registry.Resource, Effect: registry.Writes,
	Examples: []string{"api/cc_1", "api/cc_1 --dry-run"},
	Errors:   changingTrees, Run: runWorktreeMerge,
}).SeeAlso("worktree-list", "worktree-remove")

// Next suggests what to do next.
func (o TreeMergeOut) Next() []registry.Action {
	if o.DryRun {
		return nil
	}
	remove := o.command("worktree-remove", o.dir, "--dry-run")
	return []registry.Action{{Action: "remove", Description: "Remove the worktree", Command: remove}}
}

func runWorktreeMerge(ctx context.Context, env *verb.Env, in TreeMergeIn) (TreeMergeOut, error) {
	t, err := treesOf(ctx, env, string(in.Dir))
	if err != nil {
		return TreeMergeOut{}, err
	}
	tree, err := t.one(in.ofTree)
	if err != nil {
		return TreeMergeOut{}, err
	}
	before := changes.Head(ctx, t.repo.Top, env.Environ)
	merged, err := t.repo.Merge(ctx, tree, worktree.MergeRequest{CommittedOnly: in.CommittedOnly, DryRun: in.DryRun})
	if collision := worktree.CollisionOf(err); collision != nil {
		return TreeMergeOut{}, givable(ctx, env, tree, collision, err)
	}
	if err != nil {
		return TreeMergeOut{}, ofGit(err)
	}
	out := TreeMergeOut{
		treeRef: refOfTree(tree), DryRun: in.DryRun, Into: merged.Into, Commits: merged.Commits,
		LeftOut: merged.Uncommitted, dir: string(in.Dir),
	}
	if in.DryRun || merged.Commits == 0 {
		return out, nil
	}
	if done := changes.Merged(ctx, t.repo.Top, before, env.Environ); done != nil {
		verb.Acted(ctx, &env.Local, undo.Act{
			Did: "merged " + verb.Plural(out.Commits, "commit") + " of " + out.name() + " into " + out.Into, Asks: true,
			Back: "moves " + out.Into + " in " + t.repo.Top + " back to " + before[:10], Tree: done,
		})
	}
	return out, nil
}

// givable adds the command to a collision that gives it to the agent in the worktree, if there is one only.
func givable(ctx context.Context, env *verb.Env, tree *worktree.Tree, collision *worktree.Collision, err error) error {
	f, opened := env.Fleet()
	if opened != nil {
		return err
	}
	within, asked := panesInTrees(ctx, f)
	if asked != nil {
		return err
	}
	failed := core.AsError(err)
	if addresses := within(tree); len(addresses) == 1 {
		failed.Actions = append(failed.Actions, shell.Line("cupola", "send", addresses[0], collision.Prompt()))
	}
	return failed
}

// Report shows the answer to people.
func (o TreeMergeOut) Report() *report.Report {
	v := verb.Done(o.DryRun, "Merged ", "Would merge ")
	name := o.name()
	said := report.Line{v, report.Text(fmt.Sprintf("%s of %s into %s", verb.Plural(o.Commits, "commit"), name,
		o.Into))}
	if o.Commits == 0 {
		said = report.Line{report.Text(fmt.Sprintf("%s has no commit that %s lacks", name, o.Into))}
	}
	if o.LeftOut > 0 {
		said = append(said, report.Toned(report.Dim,
			fmt.Sprintf("; %s in the worktree not committed", verb.Plural(o.LeftOut, "file"))))
	}
	return report.Say(said...)
}
