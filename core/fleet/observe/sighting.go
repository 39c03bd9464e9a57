package observe

import (
	"context"
	"slices"
	"sync"
	"time"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/engine"
	"cupola/core/fleet/panetag"
	"cupola/core/system/process"
)

const (
	// settled is how long after a program was first seen it is examined at each observation: a launcher such as npx
	// becomes the agent within that time, and the agent draws its screen.
	settled = 10 * time.Second
	// examineWithin is the longest time between two examinations of a program without an agent whose title stays.
	examineWithin = time.Minute
)

// sightingsKept bounds the cache; beyond it, the cache is emptied.
const sightingsKept = 1000

// processCache keeps what was found out about processes and screens. The zero value is ready.
type processCache struct {
	mu        sync.Mutex
	sightings map[processKey]sighting
	// ready holds, by pane, the start of the agent whose prompt was seen.
	ready map[core.PaneID]time.Time
	// acted is, by pane, when its agent was last seen to work or to wait.
	acted map[core.PaneID]time.Time
}

// processKey is a program in the foreground: a process may become another program.
type processKey struct {
	pid   int
	start uint64
	name  string
}

func keyOf(p process.Proc) processKey { return processKey{p.PID, p.Start, p.Name} }

// sighting describes the program in the foreground of a pane.
type sighting struct {
	// first is when it was first seen, examined when it was last examined, and title the terminal's title then.
	first, examined time.Time
	title           string
	signs           []agent.Sign
	// runs is the process that is the agent; zero if none is known to be.
	runs process.Proc
	// read is true once its screen was read for signs.
	read bool
}

// due reports whether the program should be examined again. An agent that was found counts for as long as its process
// lives or, if that is not known, for as long as the title stays.
func (s *sighting) due(title string, now time.Time) bool {
	since := now.Sub(s.examined)
	switch sure := agent.Rank(s.signs).Sure; {
	case sure && s.runs.PID != 0:
		return !s.runs.Alive()
	case sure:
		return title != s.title
	}
	return title != s.title || now.Sub(s.first) < settled || since >= min(s.examined.Sub(s.first), examineWithin)
}

// standing ranks the signs of a pane without tags. pid is the process that is the agent if another one is in the
// foreground, else 0. atPrompt is true for a shell at its prompt: what such a shell started runs in the background.
// Nothing is read of a program whose name says what it is, and nothing again of one that was examined and has not
// changed.
func (o *Observer) standing(pane *engine.Pane) (found agent.Standing, pid int, atPrompt bool) {
	held := pane.Process
	if kind, ok := o.opts.Kinds.Named(held.Command); ok {
		return agent.Rank([]agent.Sign{{Kind: kind.ID, By: core.SignProcess}}), 0, false
	}
	processes := o.opts.Engine.Processes()
	front := Foreground(processes, held.PID)
	if IsShell(held.Command) && (front.Bare() || isInteractive(processes.Argv(front.PID))) {
		return agent.Standing{}, 0, true
	}
	if front.PID == 0 {
		return agent.Standing{}, 0, false
	}
	now := o.opts.Now()
	seen, known := o.seen.of(front)
	if known && !seen.due(pane.Title, now) {
		return agent.Rank(seen.signs), seen.pid(front), false
	}
	if !known {
		seen.first = now
	}
	seen.examined, seen.title, seen.read = now, pane.Title, false
	seen.signs, seen.runs = o.signsOf(pane, front)
	o.seen.keep(front, seen)
	return agent.Rank(seen.signs), seen.pid(front), false
}

// Runs returns the kind of the program that a pane most likely holds, whatever its tags say; empty if no sign but the
// title shows any.
func Runs(o *Observer, pane *engine.Pane) core.Kind {
	standing, _, _ := o.standing(pane)
	if standing.Kind == "" || !standing.Sure && standing.By[0] == core.SignTitle {
		return ""
	}
	return standing.Kind
}

// pid returns the process that is the agent if another one is in the foreground, else 0.
func (s *sighting) pid(front process.Proc) int {
	if s.runs.PID == front.PID {
		return 0
	}
	return s.runs.PID
}

// of returns what is known of a program.
func (c *processCache) of(front process.Proc) (sighting, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	seen, known := c.sightings[keyOf(front)]
	return seen, known
}

func (c *processCache) keep(front process.Proc, seen sighting) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.sightings == nil || len(c.sightings) >= sightingsKept {
		c.sightings = map[processKey]sighting{}
	}
	c.sightings[keyOf(front)] = seen
}

// signsOf returns the signs of an agent in processes, in the title and in what a hook reported, and the process that is
// the agent; zero if none is known to be.
func (o *Observer) signsOf(pane *engine.Pane, front process.Proc) (signs []agent.Sign, runs process.Proc) {
	if kind, ok := o.opts.Kinds.Recognise(agent.ProgramOf(front)); ok {
		return []agent.Sign{{Kind: kind.ID, By: core.SignProcess}}, front
	}
	processes := o.opts.Engine.Processes()
	tree := processes.Tree(front.PID)
	for _, p := range tree[min(1, len(tree)):] {
		// A process whose output is no terminal answers a program, not a user.
		if kind, ok := o.opts.Kinds.Recognise(agent.ProgramOf(p)); ok && processes.WritesTerminal(p.PID) {
			signs, runs = append(signs, agent.Sign{Kind: kind.ID, By: core.SignTree}), p
			break
		}
	}
	if hook := panetag.DecodeHook(pane.Tags[engine.TagHook]); hook != nil && hook.Kind != "" {
		if i := slices.IndexFunc(tree, func(p process.Proc) bool {
			return p.PID == hook.PID && p.Start == hook.Start
		}); i >= 0 {
			signs, runs = append(signs, agent.Sign{Kind: hook.Kind, By: core.SignHook}), tree[i]
		}
	}
	for _, kind := range o.opts.Kinds.Titled(pane.Title) {
		signs = append(signs, agent.Sign{Kind: kind, By: core.SignTitle})
	}
	return signs, runs
}

// confirm reads the screens of panes that may hold an agent, in one call, and adds the sign of each screen that shows
// that agent. It reports whether one does.
func (o *Observer) confirm(ctx context.Context, listing *engine.Listing) (agrees bool, err error) {
	asked := map[core.PaneID]process.Proc{}
	var asks []engine.Ask
	for i := range listing.Panes {
		pane := &listing.Panes[i]
		if pane.Tags[engine.TagKind] != "" || pane.Process.Dead || pane.Process.Command == "" {
			continue
		}
		if found, _, _ := o.standing(pane); found.Kind == "" || found.Sure {
			continue
		}
		front := Foreground(o.opts.Engine.Processes(), pane.Process.PID)
		if seen, known := o.seen.of(front); known && !seen.read {
			asked[pane.ID] = front
			asks = append(asks, engine.Ask{Pane: pane.ID, Brief: true, Session: pane.Session})
		}
	}
	if len(asks) == 0 {
		return false, nil
	}
	screens, err := o.opts.Engine.Capture(ctx, asks...)
	if err != nil {
		return false, err
	}
	for i := range screens {
		front := asked[screens[i].Pane]
		seen, known := o.seen.of(front)
		if !known {
			continue
		}
		seen.read, seen.signs = true, slices.Clone(seen.signs)
		screens[i].Title = seen.title
		for _, sign := range seen.signs {
			if kind, ok := o.opts.Kinds.Find(string(sign.Kind)); ok && shows(kind, &screens[i]) {
				seen.signs, agrees = append(seen.signs, agent.Sign{Kind: sign.Kind, By: core.SignScreen}), true
			}
		}
		o.seen.keep(front, seen)
	}
	return agrees, nil
}

// shows reports whether a screen shows the kind's composer, with the keyboard, or one of its own dialogs. What an agent
// that has ended leaves behind is neither.
func shows(kind *agent.Kind, screen *core.Screen) bool {
	reading := kind.Read(screen)
	if _, found := reading.Composer(); found {
		return true
	}
	return slices.ContainsFunc(reading.Matches(), func(m agent.Match) bool {
		return m.Rule.Region == agent.Dialog && m.Rule.Reason != core.ReasonDialog && m.Rule.State == core.Waiting
	})
}
