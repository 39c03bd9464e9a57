package sessions

import (
	"context"
	"fmt"

	"cupola/core"
	"cupola/core/fleet"
	"cupola/core/git/worktree"
	"cupola/core/system/shell"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

type treeRemoveIn struct {
	Names   []string          `arg:"rest" required:"true" lister:"worktree-list" names:"record" help:"The worktrees: SESSION/AGENT, their paths, or SESSION for all of it"`
	Dir     registry.ReadPath `help:"Folder of the repository (default: this one)"`
	Discard bool              `help:"Remove also work that is in no commit, or merged nowhere"`
	registry.Consent
	registry.Preview
}

type treeRemoveOut struct {
	DryRun bool `json:"dry_run"`
	// Worktrees are the removed worktrees, with their branches.
	Worktrees []removedTree `json:"worktrees" minimal:"session,agent"`
}

// removedTree is a worktree that was removed.
type removedTree struct {
	treeRef
	// Uncommitted counts the files, and Unmerged the commits, that were lost with it.
	Uncommitted int `json:"uncommitted"`
	Unmerged    int `json:"unmerged"`
}

var worktreeRemove = registry.Define(registry.Spec[verb.OnFleet, treeRemoveIn, treeRemoveOut]{
	Name: "worktree-remove", Group: verb.GroupFleet, Short: "Remove worktrees with their branches",
	Long: "Where files are in no commit, or commits on no other branch, remote or tag, it fails with CONFLICT, and " +
		"no worktree is removed: --discard gives " +
		"that work up. Files that git ignores go with it. A worktree that a pane is in is never removed.",
	Scope: registry.Resource, Effect: registry.Destroys, List: "worktrees",
	Examples: []string{"api --dry-run", "api/cc_1 --yes"},
	Errors:   append([]core.Code{core.EngineUnavailable}, changingTrees...), Run: runWorktreeRemove,
}).SeeAlso("worktree-merge", "kill")

func runWorktreeRemove(ctx context.Context, deps verb.OnFleet, in treeRemoveIn) (treeRemoveOut, error) {
	t, err := treesOf(ctx, deps.Env, string(in.Dir))
	if err != nil {
		return treeRemoveOut{}, err
	}
	chosen, out, err := t.removable(ctx, deps.Fleet, in)
	if err != nil || in.DryRun {
		return out, err
	}
	may := verb.Permission{Verb: "worktree-remove", In: in, Given: in.Given()}
	question := fmt.Sprintf("Remove %s with the branches?", verb.Plural(len(chosen), "worktree"))
	if err := may.Ask(deps.Env.Who(), question); err != nil {
		return treeRemoveOut{}, err
	}
	for i := range chosen {
		if err := t.repo.Remove(ctx, &chosen[i], in.Discard); err != nil {
			failed := core.AsError(ofGit(err))
			out.Worktrees = out.Worktrees[:i]
			failed.Details = treeRemoveDetails(out)
			return out, failed
		}
	}
	return out, nil
}

// treeRemoveDetails is an answer without its methods: as details of a failure it is not shown to people.
type treeRemoveDetails treeRemoveOut

// removable are the named worktrees. It fails if one holds a pane, or work that may
// not be discarded.
func (t *treesIn) removable(ctx context.Context, f *fleet.Fleet, in treeRemoveIn) ([]worktree.Tree, treeRemoveOut,
	error,
) {
	out := treeRemoveOut{DryRun: in.DryRun}
	within, err := panesInTrees(ctx, f)
	if err != nil {
		return nil, out, err
	}
	var chosen []worktree.Tree
	seen := map[string]bool{}
	for _, name := range in.Names {
		found, err := worktree.Named(t.trees, name)
		if err != nil {
			return nil, out, err
		}
		for _, tree := range found {
			if !seen[tree.Path] {
				chosen, seen[tree.Path] = append(chosen, tree), true
			}
		}
	}
	var refusals worktree.Refusals
	for i := range chosen {
		tree := &chosen[i]
		if addresses := within(tree); len(addresses) > 0 {
			return nil, out, holdsPane(tree, addresses)
		}
		losses, err := t.repo.Losses(ctx, tree)
		if err != nil {
			return nil, out, ofGit(err)
		}
		if !in.Discard {
			refusals.Add(t.repo, tree, losses)
		}
		out.Worktrees = append(out.Worktrees, removedTree{refOfTree(tree), losses.Uncommitted, losses.Unmerged})
	}
	if err := refusals.Err(); err != nil {
		out.Worktrees = []removedTree{}
		return nil, out, err
	}
	return chosen, out, nil
}

func (o treeRemoveOut) Report() *report.Report {
	verb := verb.Done(o.DryRun, "Removed ", "Would remove ")
	lines := core.Map(o.Worktrees, func(row removedTree) report.Line {
		said := report.Line{verb, report.Text(row.name()), report.Toned(report.Dim, "  "+row.Path)}
		if lost := (worktree.Losses{Uncommitted: row.Uncommitted, Unmerged: row.Unmerged}); lost.Any() {
			said = append(said, report.Toned(report.Warn, "  with "+lost.String()))
		}
		return said
	})
	return (&report.Report{}).Add(report.Block{Lines: lines})
}

// holdsPane is the error of a worktree that panes are in.
func holdsPane(tree *worktree.Tree, addresses []string) error {
	err := core.Errorf(core.Conflict, "%s is in use by %s", tree.Name(), verb.SomeOf(addresses))
	err.Hint = "End what is in it first; its worktree stays then."
	err.Actions = core.Map(addresses, func(at string) string { return shell.Line("cupola", "kill", at, "--dry-run") })
	return err
}
