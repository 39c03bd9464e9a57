package sessions

import (
	"cmp"
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"cupola/core"
	"cupola/core/fleet/observe"
	"cupola/core/git"
	"cupola/core/git/changes"
	"cupola/core/git/forge"
	"cupola/core/git/worktree"
	"cupola/core/system/plainfile"
	"cupola/core/text/near"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

// ChangesIn is the input of the verb changes.
type ChangesIn struct {
	Tree  string       `arg:"1" names:"record" help:"The working tree: SESSION/AGENT, or its path (default: all; to act, this folder's)"`
	Base  changes.Base `enum:"branch,commit,look" default:"branch" help:"Compare with the commit where a worktree left its branch, the last commit, or the last look"`
	Patch bool         `help:"With TREE: also the change itself, as git writes it"`
	PR    bool         `flag:"pr" help:"Also ask gh or glab for the pull request of each branch"`

	Do      TreeAct  `enum:"stage,unstage,discard,commit,look,push,open-pr" raises:"discard=destroys" help:"Act on it; look says that you have seen it as it is, open-pr pushes first"`
	Paths   []string `flag:"files" whole:"true" names:"file-name" help:"With stage, unstage, discard: these files (default: all); repeat for more"`
	Lines   []string `whole:"true" help:"With one file: these changed lines only (stage takes them back where all are staged), as +12:TEXT or, if deleted, -12:TEXT; repeat for more"`
	Message string   `flag:"title" empty:"none" help:"First line of the commit or pull request, with its text below (default of that: its commits')"`
	registry.Consent
	registry.Preview
}

// TreeAct is an act on a working tree. The zero value is none.
type TreeAct string

// What can be done with a working tree.
const (
	Stage   TreeAct = "stage"
	Unstage TreeAct = "unstage"
	Discard TreeAct = "discard"
	Commit  TreeAct = "commit"
	Look    TreeAct = "look"
	Push    TreeAct = "push"
	OpenPR  TreeAct = "open-pr"
)

// OnlyShows reports whether the call lists changes.
func (in ChangesIn) OnlyShows() bool { return in.Do == "" }

// Check sees that the inputs fit the act.
func (in ChangesIn) Check() error {
	files := in.Do == Stage || in.Do == Unstage || in.Do == Discard
	switch {
	case in.Do == "" && in.Patch && in.Tree == "":
		return registry.Missing("--patch is of one working tree", "Name it.", "tree")
	case !files && len(in.Paths) > 0:
		return registry.Conflict("--files", "--do="+cmp.Or(string(in.Do), "nothing"))
	case len(in.Lines) > 0 && len(in.Paths) != 1:
		return registry.Missing("--lines are of one file", "Give its --files.", "--files")
	case len(in.Lines) > 0 && in.Do == Unstage:
		return registry.Conflict("--lines", "--do=unstage")
	case in.Do == Discard && len(in.Paths) == 0:
		return registry.Missing("a discard needs the files", "Name them with --files.", "--files")
	case in.Do == Commit && strings.TrimSpace(in.Message) == "":
		return registry.Missing("a commit needs a message", "Give --title.", "--title")
	case in.Message != "" && in.Do != Commit && in.Do != OpenPR:
		return registry.Conflict("--title", "--do="+cmp.Or(string(in.Do), "nothing"))
	}
	for _, word := range in.Lines {
		if _, err := changes.ParseLine(word); err != nil {
			return err
		}
	}
	return nil
}

var treeChanges = registry.Define(registry.Spec[*verb.Env, ChangesIn, ChangesOut]{
	Name: "changes", Group: verb.GroupFleet, Doing: "changing", Aliases: []string{"review"},
	Short: "Show and act on changes in working trees",
	Long: "Of the working trees of all sessions, and of the worktrees of their repositories. Stage, unstage and " +
		"discard act on files or lines; commit takes what is staged or, if nothing is, all. A discard asks first. " +
		"'undo' takes back all of these. push never overwrites what is there.",
	Scope: registry.Resource, Effect: registry.Writes, List: "working_trees",
	Examples: []string{"", "--base=look"},
	Errors: append([]core.Code{
		core.AuthFailed, core.NetworkError, core.RemoteNotFound, core.DecodeFailed, core.MissingRequired,
		core.EngineUnavailable, core.InvalidInput,
	}, changingTrees...), Run: runChanges,
}).SeeAlso("files", "worktree-list", "worktree-merge", "undo")

func runChanges(ctx context.Context, env *verb.Env, in ChangesIn) (ChangesOut, error) {
	out := ChangesOut{Base: in.Base, DryRun: in.DryRun, Act: in.Do}
	all, err := knownTrees(ctx, env)
	if err != nil {
		return out, err
	}
	dirs, err := in.dirs(env, all)
	if err != nil {
		return out, err
	}
	if in.Do != "" {
		if err := out.act(ctx, env, in, dirs[0]); err != nil {
			return out, ofGit(err)
		}
	}
	trees, err := changes.Read(ctx, in.Base, dirs, env.Environ)
	if err != nil {
		return out, ofGit(err)
	}
	for i := range trees {
		row := rowOfChanges(&trees[i])
		row.Agents = all[row.Tree]
		if in.Patch {
			if row.Patch, row.Cut, err = changes.Patch(ctx, &trees[i], "", env.Environ); err != nil {
				return out, ofGit(err)
			}
		}
		if in.PR {
			if err := row.ask(ctx, env); err != nil {
				return out, err
			}
		}
		out.Trees = append(out.Trees, row)
	}
	return out, nil
}

// dirs are the folders whose trees the call is about: of all known ones, or of the one that is named or acted on.
func (in *ChangesIn) dirs(env *verb.Env, all map[string][]string) ([]string, error) {
	known := slices.Sorted(maps.Keys(all))
	here := changes.Root(env.Dir)
	if in.Tree == "" && in.Do != "" {
		if here == "" {
			return nil, ofGit(git.ErrNoTree)
		}
		return []string{here}, nil
	}
	if in.Tree == "" {
		return known, nil
	}
	path := in.Tree
	if !filepath.IsAbs(path) {
		path = filepath.Join(env.Dir, path)
	}
	root := changes.Root(path)
	if root != "" && (root == here || slices.Contains(known, root)) && plainfile.IsFolder(path) {
		return []string{root}, nil
	}
	var found []string
	for _, root := range known {
		if strings.HasSuffix(root, "/"+in.Tree) {
			found = append(found, root)
		}
	}
	switch len(found) {
	case 1:
		return found, nil
	case 0:
		missing := core.Errorf(core.NotFound, "no session works in a tree called %q", core.Cut(in.Tree))
		missing.Suggestions = near.Words(in.Tree, namesOfTrees(known))
		for _, root := range known {
			if slices.Contains(all[root], in.Tree) { // it is the address of an agent there
				missing.Suggestions = namesOfTrees([]string{root})
			}
		}
		missing.Actions = []string{"cupola changes"}
		return nil, missing
	}
	several := core.Errorf(core.Ambiguous, "%s are called %s", verb.Plural(len(found), "working tree"),
		core.Cut(in.Tree))
	several.Hint, several.Suggestions = "Name one by its path.", found
	return nil, several
}

// knownTrees are the roots of the trees that sessions work in, of the worktrees of their repositories, and of this
// folder, each with the addresses of the agents that work there.
func knownTrees(ctx context.Context, env *verb.Env) (map[string][]string, error) {
	f, err := env.Fleet()
	if err != nil {
		return nil, err
	}
	hidden, err := verb.HiddenNow(ctx, env, "")
	if err != nil {
		return nil, err
	}
	snapshot, err := f.Overview.Snapshot(ctx, observe.View{Dirs: true, Brief: true})
	if err != nil {
		return nil, err
	}
	shown := *snapshot
	shown.Sessions = slices.DeleteFunc(slices.Clone(snapshot.Sessions),
		func(s core.Session) bool { return hidden.Hides(s.Name) })
	known := map[string][]string{}
	for _, dir := range append(changes.Folders(ctx, &shown, env.Environ), env.Dir) {
		if root := changes.Root(dir); root != "" {
			known[root] = nil
		}
	}
	for _, pane := range shown.Panes() {
		if root := changes.Root(pane.Process.Dir); root != "" && pane.IsAgent() {
			known[root] = append(known[root], pane.Address())
		}
	}
	return known, nil
}

// act acts on a working tree, and records how to take that back.
func (o *ChangesOut) act(ctx context.Context, env *verb.Env, in ChangesIn, root string) error {
	name := filepath.Base(root)
	if worktree.Within(root) {
		name = filepath.Base(filepath.Dir(root)) + "/" + name
	}
	a := treeAct{root: root, name: name, environ: env.Environ, in: in}
	if in.DryRun {
		o.Did = "would " + a.plan()
		return nil
	}
	if in.Do == Discard {
		may := verb.Permission{Verb: "changes", In: in, Given: in.Given()}
		if err := may.Ask(env.Who(), "Discard "+a.what()+"?"); err != nil {
			return err
		}
	}
	for _, step := range a.steps() {
		act, err := step(ctx)
		if act.Did != "" {
			o.Did = strings.TrimPrefix(o.Did+", "+act.Did, ", ")
		}
		if act.Tree != nil {
			verb.Acted(ctx, &env.Local, act)
		}
		if err != nil {
			return err
		}
	}
	o.Commit = a.hash
	if in.Do == OpenPR {
		return o.propose(ctx, env, in, a.pushed, root)
	}
	return nil
}

// propose opens the pull request of a branch that was pushed, unless there is one.
func (o *ChangesOut) propose(
	ctx context.Context, env *verb.Env, in ChangesIn, pushed changes.Pushed, root string,
) error {
	ask := forge.At(ctx, root, env.Environ, env.Bridges.Find)
	pull, err := ask.PullOf(ctx, pushed.Branch)
	if err == nil && (pull.State == forge.PullOpen || pull.State == forge.PullDraft) {
		o.Did += ", which " + pull.String() + " has: " + pull.URL
		return nil
	}
	if err != nil && !core.AsError(err).HasCode(core.NotFound) {
		return err
	}
	title, text, _ := strings.Cut(strings.TrimSpace(in.Message), "\n")
	if pull, err = ask.Propose(ctx, pushed.Branch, "", title, strings.TrimSpace(text)); err != nil {
		return err
	}
	o.Did += ", opened " + pull.String() + ": " + pull.URL
	return nil
}
