package checkpoints

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"cupola/core"
	"cupola/core/config/recipe"
	"cupola/core/fleet/lifecycle"
	"cupola/core/fleet/output"
	"cupola/core/fleet/resolve"
	"cupola/core/record/checkpoint"
	"cupola/core/text/secret"
	"cupola/core/verb"
)

// promptsKept is how many of a session's prompts a checkpoint keeps.
const promptsKept = 1000

// gathering fills the draft of a checkpoint.
type gathering struct {
	deps  verb.OnFleet
	shape *lifecycle.Shape
	draft *checkpoint.Draft
	in    *checkpointIn
	made  *checkpoint.Checkpoint
}

// all gathers everything: what moves fastest first.
func (g *gathering) all(ctx context.Context) error {
	g.made.Recipe = recipe.Recipe{Dir: g.shape.Dir, NoUserPane: true, Panes: g.shape.Recipe}
	for _, part := range []struct {
		name   string
		gather func(context.Context) error
	}{
		{"screens", g.screens},
		{"prompts", g.prompts},
		{"trees", g.trees},
	} {
		if g.deps.Env.Progress != nil {
			g.deps.Env.Progress(core.Progress{Phase: "checkpoint", Percent: -1, Message: part.name})
		}
		if err := part.gather(ctx); err != nil {
			return err
		}
	}
	return nil
}

// screens keeps what every pane showed.
func (g *gathering) screens(ctx context.Context) error {
	target := resolve.Target{Session: string(g.shape.ID), All: true}
	plain, err := g.deps.Fleet.Output.Tail(ctx, output.Request{Target: target, Lines: g.in.Lines})
	if err != nil {
		return err
	}
	coloured, err := g.deps.Fleet.Output.Tail(ctx, output.Request{Target: target, Lines: g.in.Lines, Escapes: true})
	if err != nil {
		return err
	}
	for i := range g.shape.Panes {
		pane := &g.shape.Panes[i]
		kept := checkpoint.Pane{
			Ordinal: pane.Ordinal, Agent: pane.Agent.Name, Kind: pane.Agent.Kind, State: pane.Status.State,
			Reason: pane.Status.Reason, Title: pane.Title, Program: pane.Process.Command,
			Window: pane.Window.Index, Width: pane.View.Width, Height: pane.View.Height, Branch: g.shape.Branches[i],
			Lost: g.shape.Lost[i],
		}
		of := func(t output.Tail) bool { return t.Pane == pane.ID }
		if n := slices.IndexFunc(plain, of); n >= 0 {
			t := &plain[n]
			kept.Plain, kept.Lines, kept.Source = fmt.Sprintf("panes/%d.txt", pane.Ordinal), len(t.Lines), t.Source
			kept.Complete, kept.Why = t.Complete, t.Why
			if t.Complete && len(t.Lines) >= g.in.Lines {
				kept.Complete, kept.Why = false,
					fmt.Sprintf("of what it showed, only the last %d lines were kept", g.in.Lines)
			}
			if err := g.draft.Write(kept.Plain, joined(t.Lines)); err != nil {
				return err
			}
		}
		if n := slices.IndexFunc(coloured, of); n >= 0 {
			kept.ANSI = fmt.Sprintf("panes/%d.ansi", pane.Ordinal)
			if err := g.draft.Write(kept.ANSI, joined(coloured[n].Lines)); err != nil {
				return err
			}
		}
		g.made.Panes = append(g.made.Panes, kept)
	}
	return nil
}

// joined writes lines as a file, with credentials masked.
func joined(lines []string) []byte {
	if len(lines) == 0 {
		return nil
	}
	return []byte(strings.Join(secret.Lines(lines), "\n") + "\n")
}

// prompts keeps what was sent to the session since it was made.
func (g *gathering) prompts(ctx context.Context) error {
	found, err := promptsOf(ctx, g.deps.Env, g.shape, promptsKept)
	if err != nil {
		return err
	}
	kept := core.Map(found, func(p core.Prompt) checkpoint.Prompt {
		return checkpoint.Prompt{
			ID: p.ID, At: p.At, Origin: p.Origin, To: strings.Join(p.Addresses(), ","), Outcome: p.Outcome(),
			Text: p.Text,
		}
	})
	g.made.Prompts = len(kept)
	return g.draft.WritePrompts(kept)
}

// trees keeps what had changed in the git trees that panes are in.
func (g *gathering) trees(ctx context.Context) error {
	g.made.Trees = []checkpoint.Tree{}
	var seen []string
	dirs := []string{g.shape.Dir}
	for i := range g.shape.Recipe {
		dirs = append(dirs, g.shape.Recipe[i].Dir)
	}
	for _, dir := range slices.Compact(slices.Sorted(slices.Values(dirs))) {
		if dir == "" {
			continue
		}
		top, err := checkpoint.Top(ctx, dir)
		if err != nil {
			g.deps.Env.Warn("the git tree of " + dir + " is not kept: " + err.Error())
		}
		if top == "" || slices.Contains(seen, top) {
			continue
		}
		seen = append(seen, top)
		name := fmt.Sprintf("trees/%d.patch", len(g.made.Trees))
		path, err := g.draft.Path(name)
		if err != nil {
			return err
		}
		tree, err := checkpoint.ReadTree(ctx, top, path, int64(g.in.Untracked)<<20)
		if err != nil {
			return err
		}
		if tree == nil {
			return core.Errorf(core.CheckpointFailed, "the tree %s went away", top)
		}
		if n := len(tree.Filtered); n > 0 {
			g.deps.Env.Warn(fmt.Sprintf("%s under a git filter, which is not run here, may have changed in %s; the "+
				"checkpoint leaves them out: %s",
				verb.Plural(n, "file"), top, verb.SomeOf(tree.Filtered)))
		}
		if tree.Changed > 0 {
			tree.Patch = name
		}
		g.made.Trees = append(g.made.Trees, *tree)
	}
	return ctx.Err()
}
