package sessions

import (
	"cmp"
	"context"

	"cupola/core"
	"cupola/core/git/worktree"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

// WorktreeListIn is the input of the verb worktree-list.
type WorktreeListIn struct {
	Name string `arg:"1" names:"record" help:"Show what was done in this worktree: SESSION/AGENT, its path, or SESSION where that has one (default: list all)"`
	verb.InProject
	Patch bool `help:"With NAME: also the change itself, as git writes it"`
}

// WorktreeListOut is the answer of the verb worktree-list.
type WorktreeListOut struct {
	// Repository is its main working tree, and Base the branch there, with which the
	// worktrees are compared; absent where its head is detached.
	Repository string `json:"repository"`
	Base       string `json:"base,omitempty"`
	// Worktrees are by session and agent.
	Worktrees []WorktreeRow `json:"worktrees" empty:"No agent was given a worktree of this repository."`
	// Work is the work in the named worktree; absent if none was named.
	Work *treeDiffOut `json:"tree_work,omitempty"`
}

// WorktreeRow is a worktree of an agent, and its state.
type WorktreeRow struct {
	_ struct{} `minimal:"session,agent,uncommitted,ahead"`
	_ struct{} `standard:"session,agent,path,branch,addresses,uncommitted,ahead,behind"`
	_ struct{} `table:"WORKTREE,PANES,UNCOMMITTED,AHEAD,BEHIND,BRANCH"`
	treeRef
	Head string `json:"head,omitempty"`
	// Addresses are the addresses of the panes that are in it now.
	Addresses []string `json:"addresses" names:"session" table:"PANES,empty=-"`
	// Uncommitted counts files that are in no commit, Ahead the commits that the base
	// lacks, Behind those of the base that it lacks.
	Uncommitted int `json:"uncommitted" table:"UNCOMMITTED,warn,empty=0"`
	Ahead       int `json:"ahead" table:"AHEAD,warn,empty=0"`
	Behind      int `json:"behind" table:"BEHIND,dim"`
	// Gone is true where its folder is not there any more.
	Gone bool `json:"gone"`
}

var worktreeList = registry.Define(registry.Spec[verb.OnFleet, WorktreeListIn, WorktreeListOut]{
	Name: "worktree-list", Group: verb.GroupFleet,
	Short:   "List worktrees of agents, or the work in one",
	Aliases: []string{"worktrees", "worktree ls", "worktree status"},
	Long: "Agents that are started with --worktree work at REPO-worktrees/SESSION/AGENT on branch " +
		"cupola/SESSION/AGENT. They stay when " +
		"their session ends. Commits are compared with the branch of the repository's main working tree.",
	Scope: registry.Resource, Effect: registry.Reads, List: "worktrees",
	Examples: []string{"", "--session=api"},
	Errors:   append([]core.Code{core.EngineUnavailable, core.Ambiguous}, readingTrees...), Run: runWorktreeList,
}).SeeAlso("files")

// Next suggests the difference of the first worktree with work in it.
func (o WorktreeListOut) Next() []registry.Action {
	if o.Work != nil {
		return o.Work.Next()
	}
	for i := range o.Worktrees {
		if row := &o.Worktrees[i]; row.Ahead > 0 || row.Uncommitted > 0 {
			diff := row.command("worktree-list", o.Repository)
			return []registry.Action{{Action: "diff", Description: "Show what was done in it", Command: diff}}
		}
	}
	return nil
}

func runWorktreeList(ctx context.Context, deps verb.OnFleet, in WorktreeListIn) (WorktreeListOut, error) {
	dir, err := in.Folder(ctx, deps.Env)
	if err != nil {
		return WorktreeListOut{}, err
	}
	t, err := treesOf(ctx, deps.Env, dir)
	if err != nil {
		return WorktreeListOut{}, err
	}
	within, err := panesInTrees(ctx, deps.Fleet)
	if err != nil {
		return WorktreeListOut{}, err
	}
	out := WorktreeListOut{Repository: t.repo.Top, Base: t.repo.Base}
	trees := t.trees
	if in.Name != "" {
		tree, err := t.one(ofTree{Name: in.Name})
		if err != nil {
			return out, err
		}
		work, err := t.work(ctx, tree, in.Patch)
		if err != nil {
			return out, err
		}
		work.dir, out.Work, trees = string(in.Dir), &work, []worktree.Tree{*tree}
	}
	for i := range trees {
		tree := &trees[i]
		state, err := t.repo.State(ctx, tree)
		if err != nil {
			deps.Env.Warn("the state of " + tree.Name() + " is not known: " + err.Error())
		}
		out.Worktrees = append(out.Worktrees, WorktreeRow{
			treeRef: refOfTree(tree), Head: tree.Head, Addresses: within(tree),
			Uncommitted: state.Changed, Ahead: state.Ahead, Behind: state.Behind, Gone: tree.Gone,
		})
	}
	return out, nil
}

// Cell names the worktree, and says if its folder is gone.
func (r *WorktreeRow) Cell(title string) (report.Cell, bool) {
	branch := cmp.Or(r.Branch, "no branch")
	switch {
	case title == "WORKTREE":
		return report.Toned(report.Strong, r.name()), true
	case title == "BRANCH" && r.Gone:
		return report.Text("folder gone: " + branch), true
	case title == "BRANCH":
		return report.Text(branch), true
	}
	return report.Cell{}, false
}
