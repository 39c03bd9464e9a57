package lifecycle

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"cupola/core"
	"cupola/core/agent/transcript"
	"cupola/core/config/recipe"
	"cupola/core/engine"
	"cupola/core/fleet/conversation"
	"cupola/core/fleet/fault"
	"cupola/core/fleet/observe"
	"cupola/core/fleet/parallel"
	"cupola/core/fleet/resolve"
	"cupola/core/git/worktree"
	"cupola/core/system/shell"
)

// Shape describes a session, so that a similar one can be created.
type Shape struct {
	// Session is the name that it has in its engine.
	Session string
	ID      core.SessionID
	// Server is the path of the terminal server's socket.
	Server  string
	Created time.Time
	// Dir is the folder of new panes.
	Dir string
	// Panes are in window order; those that Cupola could not start again are shells in Recipe.
	Panes  []core.Pane
	Recipe []recipe.Pane
	// Branches are the branches of agents in worktrees of their own, in the order of Panes; empty for the others.
	Branches []string
	// Lost says, in the order of Panes, what is lost of an agent's own session if it is started again; empty if nothing
	// is, or if Recipe resumes the session.
	Lost []string
}

// Shape describes a session: how each of its panes was started and, if the kind can resume
// and the agent's own session is known for sure, that session. It changes nothing. It
// returns SessionNotFound if no session has exactly that name.
func (l *Launcher) Shape(ctx context.Context, session string) (_ *Shape, err error) {
	defer func() { err = fault.Wrap("describe", err) }()
	seen, err := l.opts.Observer.Observe(ctx, observe.View{Dirs: true, Session: session})
	if err != nil {
		return nil, err
	}
	snapshot := seen.Snapshot
	found, err := resolve.FindSession(snapshot, session)
	if err != nil {
		return nil, err
	}
	places := l.opts.Conversations.Places(ctx, seen)
	info, err := l.opts.Dir.Server(ctx)
	if err != nil {
		return nil, err
	}
	shape := &Shape{
		Session: found.Bare(), ID: found.ID, Server: info.Socket, Created: found.Created, Dir: found.Dir,
		Panes: slices.Clone(found.Panes),
	}
	slices.SortStableFunc(shape.Panes, func(a, b core.Pane) int {
		return slices.Compare([]int{a.Window.Index, a.Window.PaneIndex}, []int{b.Window.Index, b.Window.PaneIndex})
	})
	panes := make([]*core.Pane, len(shape.Panes))
	for i := range shape.Panes {
		panes[i] = &shape.Panes[i]
	}
	shape.Recipe, shape.Branches = make([]recipe.Pane, len(panes)), make([]string, len(panes))
	shape.Lost = make([]string, len(panes))
	parallel.Each(panes, nil, "describe", func(i int, pane *core.Pane) {
		shape.Recipe[i] = l.describer.recipeOf(ctx, pane)
		shape.Recipe[i].Resume, shape.Lost[i] = l.describer.resumableOf(ctx, pane, places.Of(pane))
	})
	shape.shareWindows()
	for i, pane := range panes {
		shape.Branches[i] = ownBranch(pane)
	}
	return shape, ctx.Err()
}

// describer says how panes are started again.
type describer struct {
	opts     *Options
	environs *environs
}

// recipeOf says how a pane is started.
func (d *describer) recipeOf(ctx context.Context, pane *core.Pane) recipe.Pane {
	ordinal := pane.Ordinal
	r := recipe.Pane{Ordinal: &ordinal, Dir: pane.Process.Dir}
	if pane.IsUser() {
		return r
	}
	kind, known := d.opts.Kinds.Find(string(pane.Agent.Kind))
	switch {
	case !known, kind.ID == core.KindCommand && pane.Agent.Launch == "":
		return r
	case kind.ID == core.KindCommand:
		r.Command = pane.Agent.Launch
	default:
		r.Kind, r.Model = string(kind.ID), pane.Agent.Variant
		if usual := shell.Line(kind.Argv(d.opts.Self, r.Model)...); pane.Agent.Launch != usual {
			r.Command = pane.Agent.Launch
		}
		if len(kind.Launch.Model) == 0 {
			r.Model = ""
		}
	}
	r.Name, r.Label, r.Profile = pane.Agent.Name, pane.Agent.Label, pane.Agent.Profile
	r.Sandbox, r.OnLimit = pane.Agent.Sandbox, pane.Agent.Continues.OnLimit()
	if v, known := d.environs.recall(ctx, pane); known && pane.Agent.Launch != "" {
		r.Environment = v.record()
	} else {
		r.Env = observe.ForeignVariables(d.opts.Engine.Processes(), pane)
	}
	return r
}

// resumableOf returns the session that the agent in a pane would resume, or what is lost of it.
func (d *describer) resumableOf(
	ctx context.Context, pane *core.Pane, place *transcript.Subject,
) (session, lost string) {
	kind, known := d.opts.Kinds.Find(string(pane.Agent.Kind))
	if !known || !pane.IsAgent() {
		return "", ""
	}
	if len(kind.Launch.Resume) == 0 {
		return "", "its kind cannot take up a session"
	}
	found := conversation.ResumableOf(ctx, place, kind, func() *core.Screen {
		if !pane.Process.Dead && pane.Status.State != core.Exited {
			return nil
		}
		screens, err := d.opts.Engine.Capture(ctx, engine.Ask{Pane: pane.ID})
		if err != nil || len(screens) == 0 {
			return nil
		}
		return &screens[0]
	})
	return found.Session, found.Lost
}

// shareWindows names the windows that several panes share.
func (s *Shape) shareWindows() {
	holds, called := map[core.WindowID]int{}, map[string]core.WindowID{}
	for i := range s.Panes {
		holds[s.Panes[i].Window.ID]++
	}
	for i := range s.Panes {
		w := &s.Panes[i].Window
		if holds[w.ID] < 2 {
			continue
		}
		word := w.Name
		if other, taken := called[word]; word == "" || taken && other != w.ID {
			word = fmt.Sprintf("%s-%d", w.Name, w.Index)
		}
		called[word] = w.ID
		s.Recipe[i].Window = word
	}
}

// ownBranch returns the branch of the worktree that an agent was given; empty if it works in another folder.
func ownBranch(pane *core.Pane) string {
	if !pane.IsAgent() || !worktree.IsOf(pane.Process.Dir, core.BareName(pane.Session), pane.Agent.Name) {
		return ""
	}
	return cmp.Or(worktree.CheckedOut(pane.Process.Dir),
		worktree.Branch(core.BareName(pane.Session), pane.Agent.Name))
}
