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
