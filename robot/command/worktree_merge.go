package command

import (
	"context"
	"fmt"

	"cupola/core/report"
	"cupola/core/worktree"
	"cupola/robot/registry"
)

type treeMergeIn struct {
	ofTree
	CommittedOnly bool `help:"Merge what is committed, though the worktree holds more"`
	registry.Preview
}

type treeMergeOut struct {
	treeRef
	DryRun bool `json:"dry_run"`
	// Into is the branch that took the commits, Commits how many it lacked: with 0 there
	// was nothing to merge.
	Into    string `json:"into"`
	Commits int    `json:"commits"`
	// LeftOut counts files of the worktree that are in no commit.
	LeftOut int `json:"left_out"`
}

var worktreeMerge = registry.Define(registry.Spec[treeMergeIn, treeMergeOut]{
	Name: "worktree-merge", Group: groupFleet, Short: "Merge the commits of an agent's worktree into the base branch",
	Long: "Merges them into the branch of the repository's main working tree, as 'git merge' does, with the " +
		"repository's hooks. Where files there or in " +
		"the worktree are not committed, or both changed the same lines, it fails with CONFLICT, and nothing is " +
		"changed. The worktree stays.",
	Scope: registry.Resource, Effect: registry.Writes,
	Examples: []treeMergeIn{
		{ofTree: ofTree{Name: "api/cc_1"}},
		{ofTree: ofTree{Name: "api/cc_1"}, Preview: registry.Preview{DryRun: true}},
	},
	Errors: changingTrees, Run: runWorktreeMerge,
	Human: func(_ treeMergeIn, out treeMergeOut) *report.Report { return treeMergeReport(out) },
	Next: func(in treeMergeIn, out treeMergeOut) []registry.Action {
		if out.DryRun {
			return nil
		}
		remove := out.command("worktree-remove", in.Dir, "--dry-run")
		return []registry.Action{{Action: "remove", Description: "Remove the worktree", Command: remove}}
	},
}).SeeAlso("worktree-diff", "worktree-remove")

func runWorktreeMerge(ctx context.Context, deps *registry.Deps, in treeMergeIn) (treeMergeOut, error) {
	t, err := treesOf(ctx, deps, in.Dir)
	if err != nil {
		return treeMergeOut{}, err
	}
	tree, err := t.one(in.ofTree)
	if err != nil {
		return treeMergeOut{}, err
	}
	merged, err := t.repo.Merge(ctx, tree, worktree.MergeRequest{CommittedOnly: in.CommittedOnly, DryRun: in.DryRun})
	if err != nil {
		return treeMergeOut{}, ofGit(err)
	}
	return treeMergeOut{
		treeRef: refOfTree(tree), DryRun: in.DryRun, Into: merged.Into, Commits: merged.Commits,
		LeftOut: merged.Uncommitted,
	}, nil
}

func treeMergeReport(out treeMergeOut) *report.Report {
	verb := report.Toned(report.Good, "Merged ")
	if out.DryRun {
		verb = report.Toned(report.Warn, "Would merge ")
	}
	name := out.name()
	said := report.Line{verb, report.Text(fmt.Sprintf("%s of %s into %s", plural(out.Commits, "commit"), name,
		out.Into))}
	if out.Commits == 0 {
		said = report.Line{report.Text(fmt.Sprintf("%s has no commit that %s lacks", name, out.Into))}
	}
	if out.LeftOut > 0 {
		said = append(said, report.Toned(report.Dim,
			fmt.Sprintf("; %s in the worktree not committed", plural(out.LeftOut, "file"))))
	}
	return (&report.Report{}).Add(report.Block{Lines: []report.Line{said}})
}
