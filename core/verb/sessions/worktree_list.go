package sessions

import (
	"cmp"
	"context"
	"fmt"
	"time"

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

type treeDiffIn struct {
	ofTree
	Patch bool `help:"Also show the change itself, as git writes it"`
}

type treeDiffOut struct {
	treeRef
	// Base is the branch of the repository's main working tree, From the commit at which
	// the worktree left it.
	Base string `json:"base,omitempty"`
	From string `json:"from"`
	// Ahead counts the commits that the base lacks, Uncommitted the files in no commit.
	Ahead       int `json:"ahead"`
	Uncommitted int `json:"uncommitted"`
	// Gone is true where its folder is not there any more: only its commits are.
	Gone  bool          `json:"gone"`
	Files []treeDiffRow `json:"files"`
	// Patch is the change; Cut is true where it is longer than this.
	Patch string `json:"patch,omitempty"`
	Cut   bool   `json:"cut"`

	// dir is the folder of the repository, if one was given.
	dir string
}

// treeDiffRow is one file that was changed.
type treeDiffRow struct {
	_    struct{} `minimal:"path"`
	Path string   `json:"path" table:"FILE,strong,flex"`
	// Added and Deleted count lines; absent for files that are not text.
	Added   verb.MaybeInt `json:"added,omitzero" table:"ADDED,good,format=+%d,empty=-"`
	Deleted verb.MaybeInt `json:"deleted,omitzero" table:"DELETED,bad,format=-%d,empty=-"`
	// Tracked is false for files that git does not track.
	Tracked bool `json:"tracked" table:",dim"`
}

var worktreeDiff = registry.Define(registry.Spec[*verb.Env, treeDiffIn, treeDiffOut]{
	Name: "worktree-diff", Of: "worktree-list", Group: verb.GroupFleet,
	Short: "Show what was done in an agent's worktree since it left the base branch",
	Long: "Compares all that is in the worktree, committed or not, with the commit at which it left the branch of " +
		"the repository's main working tree.", Scope: registry.Resource, Effect: registry.Reads, List: "files",
	Examples: []string{"api/cc_1", "api/cc_1 --patch"},
	Errors:   append([]core.Code{core.Ambiguous}, readingTrees...), Run: runWorktreeDiff,
}).SeeAlso("worktree-merge", "worktree-list")

func (o treeDiffOut) Next() []registry.Action {
	if o.Ahead == 0 {
		return nil
	}
	merge := o.command("worktree-merge", o.dir, "--dry-run")
	return []registry.Action{{Action: "merge", Description: "Merge its commits", Command: merge}}
}

func runWorktreeDiff(ctx context.Context, env *verb.Env, in treeDiffIn) (treeDiffOut, error) {
	t, err := treesOf(ctx, env, string(in.Dir))
	if err != nil {
		return treeDiffOut{}, err
	}
	tree, err := t.one(in.ofTree)
	if err != nil {
		return treeDiffOut{}, err
	}
	out, err := t.work(ctx, tree, in.Patch)
	out.dir = string(in.Dir)
	return out, err
}

// work returns the work in a worktree since it left the base branch; patch adds the change itself.
func (t *treesIn) work(ctx context.Context, tree *worktree.Tree, patch bool) (treeDiffOut, error) {
	state, err := t.repo.State(ctx, tree)
	if err != nil {
		return treeDiffOut{}, ofGit(err)
	}
	diff, err := t.repo.Diff(ctx, tree, patch)
	if err != nil {
		return treeDiffOut{}, ofGit(err)
	}
	out := treeDiffOut{
		treeRef: refOfTree(tree), Base: t.repo.Base, From: diff.From, Ahead: state.Ahead, Uncommitted: state.Changed,
		Gone: tree.Gone, Patch: diff.Patch, Cut: diff.Cut,
	}
	for _, file := range diff.Files {
		row := treeDiffRow{
			Path: file.Path, Added: verb.MaybeInt(file.Added), Deleted: verb.MaybeInt(file.Deleted),
			Tracked: !file.Untracked,
		}
		out.Files = append(out.Files, row)
	}
	return out, nil
}

func (o treeDiffOut) Report() *report.Report {
	heading := fmt.Sprintf("%s is %s ahead of %s", o.name(), verb.Plural(o.Ahead, "commit"),
		cmp.Or(o.Base, verb.Short(o.From)))
	if o.Uncommitted > 0 {
		heading += ", and " + verb.Plural(o.Uncommitted, "file") + " uncommitted"
	}
	if o.Gone {
		heading += "; its folder is gone"
	}
	r := (&report.Report{}).Add(report.Block{
		Heading: heading,
		Table:   report.TableOf(o.Files, time.Time{}, "Nothing was changed in it."),
	})
	if o.Patch != "" {
		r.Add(report.Block{Heading: "Patch", Quote: o.Patch})
	}
	if o.Cut {
		more := "The patch is longer: see 'git diff " + verb.Short(o.From) + "' in " + o.Path + "."
		r.AddLine(report.Toned(report.Dim, more))
	}
	return r
}

// Cell says that git does not know a file.
func (r *treeDiffRow) Cell(title string) (report.Cell, bool) {
	switch {
	case title != "":
		return report.Cell{}, false
	case r.Tracked:
		return report.Cell{}, true
	}
	return report.Toned(report.Dim, "untracked"), true
}
