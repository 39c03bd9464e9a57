package sessions

import (
	"context"
	"slices"
	"time"

	"cupola/core"
	"cupola/core/fleet/lifecycle"
	"cupola/core/git/changes"
	"cupola/core/git/worktree"
	"cupola/core/record/undo"
	"cupola/core/verb"
)

// describeWithin bounds how long an end waits for the description of what ends.
const describeWithin = 3 * time.Second

// endingOf describes what is about to end, so that it can be started again; nil where that is not known.
func endingOf(ctx context.Context, deps verb.OnFleet, planned *lifecycle.Killed) *undo.Ended {
	if len(planned.Panes) == 0 {
		return nil
	}
	ctx, stop := context.WithTimeout(ctx, describeWithin)
	defer stop()
	shape, err := deps.Fleet.Launcher.Shape(ctx, planned.Panes[0].Session)
	if err != nil {
		deps.Env.Log.Warn("what ends is not known, and cannot be started again", "error", err)
		return nil
	}
	ended := &undo.Ended{
		Session: shape.Session, Dir: shape.Dir, Whole: planned.Session != "",
		Lost: map[string]string{}, Heads: map[string]string{},
	}
	for i := range shape.Panes {
		pane := &shape.Panes[i]
		ends := func(p core.SeenPane) bool { return p.Pane == pane.ID }
		if !ended.Whole && !slices.ContainsFunc(planned.Panes, ends) {
			continue
		}
		ended.Panes = append(ended.Panes, shape.Recipe[i])
		if dir := shape.Recipe[i].Dir; worktree.Within(dir) {
			ended.Heads[changes.Root(dir)] = changes.Head(ctx, dir, deps.Env.Environ)
		}
		if shape.Lost[i] != "" {
			ended.Lost[pane.Agent.Name] = shape.Lost[i]
		}
	}
	return ended
}

// recordEnd lets an end be undone.
func (o *KillOut) recordEnd(ctx context.Context, env *verb.Env, ended *undo.Ended) {
	if ended == nil || len(ended.Panes) == 0 {
		return
	}
	kept, fresh := 0, 0
	for i := range ended.Panes {
		switch {
		case ended.Panes[i].Resume != "":
			kept++
		case ended.Panes[i].Kind != "":
			fresh++
		}
	}
	back := "starts " + verb.Plural(len(ended.Panes), "pane") + " again"
	if kept > 0 {
		back += ", " + verb.Plural(kept, "agent") + " with its conversation"
	}
	if fresh > 0 {
		back += ", " + verb.Plural(fresh, "agent") + " without: no conversation is known"
	}
	verb.ActedOnServer(ctx, env, undo.Act{Did: o.ended(), Back: back, Asks: true, Ended: ended})
}

// ended says what ended.
func (o *KillOut) ended() string {
	if o.Session != "" {
		return "ended " + o.Session + " with " + verb.Plural(len(o.Panes), "pane")
	}
	return "ended " + verb.PanesNamed(o.Panes)
}
