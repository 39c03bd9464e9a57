package command

import (
	"context"
	"fmt"

	"cupola/core"
	"cupola/core/report"
	"cupola/robot/registry"
)

type treeListIn struct {
	inProject
}

type treeListOut struct {
	// Repository is its main working tree, and Base the branch there, with which the
	// worktrees are compared; absent where its head is detached.
	Repository string `json:"repository"`
	Base       string `json:"base,omitempty"`
	// Worktrees are by session and agent.
	Worktrees []treeStateRow `json:"worktrees"`
}

// treeStateRow is how a worktree stands.
type treeStateRow struct {
	_ struct{} `minimal:"session,agent,uncommitted,ahead"`
	_ struct{} `standard:"session,agent,path,branch,addresses,uncommitted,ahead,behind"`
	treeRef
	Head string `json:"head,omitempty"`
	// Addresses are those of the panes that are in it now.
	Addresses []string `json:"addresses"`
	// Uncommitted counts files that are in no commit, Ahead the commits that the base
	// lacks, Behind those of the base that it lacks.
	Uncommitted int `json:"uncommitted"`
	Ahead       int `json:"ahead"`
	Behind      int `json:"behind"`
	// Gone is true where its folder is not there any more.
	Gone bool `json:"gone"`
}

var worktreeList = registry.Define(registry.Spec[treeListIn, treeListOut]{
	Name: "worktree-list", Group: groupFleet, Short: "List the worktrees that agents were given, and what is not merged in them",
	Aliases: []string{"worktrees", "worktree ls", "worktree status"},
	Long: "Agents that are started with --worktree work at REPO-worktrees/SESSION/AGENT on branch cupola/SESSION/AGENT. They stay when " +
		"their session ends. Commits are compared with the branch of the repository's main working tree.",
	Scope: registry.Global, Effect: registry.Reads, List: "worktrees",
	Examples: []treeListIn{{}, {inProject{Session: "api"}}},
	Errors:   append([]core.Code{core.EngineUnavailable}, readingTrees...), Run: runWorktreeList,
	Human: func(_ treeListIn, out treeListOut) *report.Report { return treeListReport(out) },
	Next: func(_ treeListIn, out treeListOut) (next []registry.Action) {
		for i := range out.Worktrees {
			if row := &out.Worktrees[i]; row.Ahead > 0 || row.Uncommitted > 0 {
				diff := row.command("worktree-diff", out.Repository)
				return []registry.Action{{Action: "diff", Description: "Show what was done in it", Command: diff}}
			}
		}
		return nil
	},
}).SeeAlso("worktree-diff", "files")

func runWorktreeList(ctx context.Context, deps *registry.Deps, in treeListIn) (treeListOut, error) {
	dir, err := in.folder(ctx, deps)
	if err != nil {
		return treeListOut{}, err
	}
	t, err := treesOf(ctx, deps, dir)
	if err != nil {
		return treeListOut{}, err
	}
	within, err := residents(ctx, deps)
	if err != nil {
		return treeListOut{}, err
	}
	out := treeListOut{Repository: t.Top, Base: t.Base, Worktrees: []treeStateRow{}}
	for i := range t.trees {
		tree := &t.trees[i]
		state, err := t.State(ctx, tree)
		if err != nil {
			deps.Warn("how " + tree.Name() + " stands is not known: " + err.Error())
		}
		out.Worktrees = append(out.Worktrees, treeStateRow{
			treeRef: refOfTree(tree), Head: tree.Head, Addresses: append([]string{}, within(tree)...),
			Uncommitted: state.Changed, Ahead: state.Ahead, Behind: state.Behind, Gone: tree.Gone,
		})
	}
	return out, nil
}

func treeListReport(out treeListOut) *report.Report {
	table := &report.Table{
		Columns: report.Columns("WORKTREE", "PANES", "UNCOMMITTED", "AHEAD", "BEHIND", "BRANCH"),
		Empty:   "No agent was given a worktree of " + out.Repository + ".",
	}
	for _, right := range []int{2, 3, 4} {
		table.Columns[right].Right = true
	}
	table.Columns[5].Flex = true
	number := func(n int) report.Cell {
		if n == 0 {
			return report.Toned(report.Dim, "0")
		}
		return report.Toned(report.Warn, fmt.Sprint(n))
	}
	for i := range out.Worktrees {
		row := &out.Worktrees[i]
		branch := orElse(row.Branch, "no branch")
		if row.Gone {
			branch = "folder gone: " + branch
		}
		table.Rows = append(table.Rows, []report.Cell{
			report.Toned(report.Strong, row.name()), report.Text(orElse(someOf(row.Addresses), "-")),
			number(row.Uncommitted), number(row.Ahead), report.Toned(report.Dim, fmt.Sprint(row.Behind)), report.Text(branch),
		})
	}
	return (&report.Report{}).Add(report.Block{Table: table})
}
