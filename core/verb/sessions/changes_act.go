package sessions

import (
	"context"
	"slices"
	"strings"

	"cupola/core"
	"cupola/core/git"
	"cupola/core/git/changes"
	"cupola/core/record/undo"
	"cupola/core/text/near"
	"cupola/core/verb"
)

// treeAct is an act on a working tree.
type treeAct struct {
	root, name string
	environ    []string
	in         ChangesIn

	// hash is the commit that it made, and pushed the branch that it sent.
	hash   string
	pushed changes.Pushed
}

// step does one part of an act. The act that it returns says what was done; it cannot be taken back without a Tree.
type step func(context.Context) (undo.Act, error)

// what names the files or lines that it is on.
func (a *treeAct) what() string {
	files := strings.Join(a.in.Paths, ", ")
	switch {
	case len(a.in.Lines) > 0:
		return verb.Plural(len(a.in.Lines), "line") + " of " + files
	case files != "":
		return files
	}
	return "all of " + a.name
}

// plan says what it would do.
func (a *treeAct) plan() string {
	switch a.in.Do {
	case Commit:
		return "commit what is staged in " + a.name + " or, if nothing is, all"
	case Look:
		return "mark " + a.name + " as looked at"
	case Push:
		return "push the branch of " + a.name
	case OpenPR:
		return "push the branch of " + a.name + " and open its pull request"
	}
	return string(a.in.Do) + " " + a.what()
}

// steps are the parts of the act.
func (a *treeAct) steps() []step {
	switch a.in.Do {
	case Commit:
		return []step{a.commit}
	case Look:
		return []step{func(ctx context.Context) (undo.Act, error) {
			return undo.Act{Did: "looked at " + a.name}, changes.Look(ctx, a.root, a.environ)
		}}
	case Push, OpenPR:
		return []step{a.push}
	}
	if len(a.in.Lines) > 0 {
		return []step{a.lines}
	}
	steps := core.Map(a.in.Paths, func(path string) step {
		return func(ctx context.Context) (undo.Act, error) { return a.file(ctx, path) }
	})
	if len(steps) == 0 {
		steps = append(steps, func(ctx context.Context) (undo.Act, error) { return a.file(ctx, "") })
	}
	return steps
}

func (a *treeAct) commit(ctx context.Context) (undo.Act, error) {
	hash, back, err := changes.Commit(ctx, a.root, a.in.Message, a.environ)
	a.hash = hash
	return undo.Act{
		Did: "committed " + hash + " in " + a.name, Asks: true, Tree: back,
		Back: "takes the commit away; its changes stay, staged as before",
	}, err
}

func (a *treeAct) push(ctx context.Context) (act undo.Act, err error) {
	if a.pushed, err = changes.Push(ctx, a.root, a.environ); err == nil {
		act.Did = "pushed " + a.pushed.Branch + " to " + a.pushed.Remote
	}
	return act, err
}

// file acts on a file, or on all for an empty path.
func (a *treeAct) file(ctx context.Context, path string) (act undo.Act, err error) {
	what := path
	if path == "" {
		what = "all of " + a.name
	}
	if a.in.Do == Stage {
		act = undo.Act{Did: "staged " + what, Back: "stages what was staged before"}
		act.Tree, err = changes.Stage(ctx, a.root, path, a.environ)
		return act, err
	}
	change := git.Change{Path: path}
	if path != "" {
		if change, err = changeOf(ctx, a.root, path, a.environ); err != nil {
			return undo.Act{}, err
		}
	}
	if a.in.Do == Unstage {
		act = undo.Act{Did: "unstaged " + what, Back: "stages it again"}
		act.Tree, err = changes.Unstage(ctx, a.root, &change, a.environ)
		return act, err
	}
	act = undo.Act{Did: "discarded " + what, Back: "brings the change back"}
	act.Tree, err = changes.Discard(ctx, a.root, &change, a.environ)
	return act, err
}

// changeOf returns the change of a file that is in no commit. It returns NotFound if there is none.
func changeOf(ctx context.Context, root, path string, environ []string) (git.Change, error) {
	opened, err := git.Open(ctx, root, environ)
	if err != nil {
		return git.Change{}, err
	}
	status, err := opened.Status(ctx)
	if err != nil {
		return git.Change{}, err
	}
	at := slices.IndexFunc(status.Changes, func(c git.Change) bool { return c.Path == path })
	if at >= 0 {
		return status.Changes[at], nil
	}
	missing := core.Errorf(core.NotFound, "%s has no change in %s that is not committed", core.Cut(path), root)
	paths := core.Map(status.Changes, func(c git.Change) string { return c.Path })
	missing.Suggestions = near.Words(path, paths)
	return git.Change{}, missing
}

// lines acts on lines of one file.
func (a *treeAct) lines(ctx context.Context) (undo.Act, error) {
	var lines []changes.Line
	for _, word := range a.in.Lines {
		line, err := changes.ParseLine(word)
		if err != nil {
			return undo.Act{}, err
		}
		lines = append(lines, line)
	}
	path, what := a.in.Paths[0], a.what()
	if a.in.Do == Discard {
		back, err := changes.DiscardLines(ctx, a.root, path, lines, a.environ)
		return undo.Act{Did: "discarded " + what, Back: "brings the lines back", Tree: back}, err
	}
	staged, back, err := changes.StageLines(ctx, a.root, path, lines, a.environ)
	if !staged {
		return undo.Act{Did: "unstaged " + what, Back: "stages them again", Tree: back}, err
	}
	return undo.Act{Did: "staged " + what, Back: "stages what was staged before", Tree: back}, err
}
