// Package queue keeps the prompts that wait until their agents are idle, and delivers them by itself. It types nothing:
// that is done by deliver, with its checks, ceilings and records. A prompt belongs to one pane, known by its identity,
// so that none reaches a later pane of the same name.
package queue

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"strconv"
	"time"

	"cupola/core"
	"cupola/core/agent/acp/desk"
	"cupola/core/engine"
	"cupola/core/fleet/await"
	"cupola/core/fleet/conversation"
	"cupola/core/fleet/deliver"
	"cupola/core/fleet/fault"
	"cupola/core/fleet/observe"
	"cupola/core/fleet/resolve"
	"cupola/core/fleet/rundir"
)

// Journal holds the queued prompts of one terminal server. Only it knows them; the number at a pane is a tag that
// follows it.
type Journal interface {
	// Queued returns the queued prompts, each owner's in their order.
	Queued(ctx context.Context) ([]core.QueuedPrompt, error)
	// ChangeQueue replaces the prompts of an owner by those that change returns for them, in one transaction. Those
	// with another owner become the last ones of that. An error of change changes nothing, and is returned.
	ChangeQueue(ctx context.Context, owner string, change Change) error
	// Recorded returns a prompt of the history; found is false if it is not there.
	Recorded(ctx context.Context, id string) (prompt core.Prompt, found bool, err error)
	// Sent records the outcomes of a prompt of the history.
	Sent(ctx context.Context, id string, deliveries []core.Delivery) error
}

// Change changes the prompts of one owner.
type Change = func([]core.QueuedPrompt) ([]core.QueuedPrompt, error)

// Options are the services that a Queue calls. All are required but Journal; without one nothing can be queued.
type Options struct {
	Engine        engine.Engine
	Resolver      *resolve.Resolver
	Observer      *observe.Observer
	Conversations *conversation.Reader
	Sender        *deliver.Sender
	Dir           *rundir.Dir
	// Wait waits until the agent of a pane is idle, as await.Waiter does.
	Wait    func(context.Context, await.Request) (*await.Result, error)
	Journal Journal
	Now     func() time.Time
	Log     *slog.Logger
}

// Queue is the queued prompts of all agents. Its methods may be called concurrently.
type Queue struct{ opts Options }

// New returns a Queue.
func New(o Options) *Queue {
	if o.Journal == nil {
		o.Journal = noJournal{}
	}
	return &Queue{o}
}

// noJournal is the journal of a fleet that records nothing: no prompt waits there, and none can.
type noJournal struct{}

func (noJournal) Queued(context.Context) ([]core.QueuedPrompt, error) { return nil, nil }

func (noJournal) ChangeQueue(_ context.Context, _ string, change Change) error {
	if _, err := change(nil); err != nil {
		return err
	}
	return core.Errorf(core.StoreError, "there is no store to keep queued prompts in")
}

func (noJournal) Recorded(context.Context, string) (prompt core.Prompt, found bool, err error) {
	return
}

func (noJournal) Sent(context.Context, string, []core.Delivery) error { return nil }

// Request asks to queue a prompt.
type Request struct {
	Target resolve.Target
	Text   string
	// Command is true for a command of the agent's own.
	Command bool
	// At is its position at each agent; 0, and one beyond the last, is behind the others.
	At     int
	Origin string
	DryRun bool
}

// Add queues a prompt for each agent that a target names.
func (q *Queue) Add(ctx context.Context, request Request) (added []core.QueuedPrompt, err error) {
	defer func() { err = fault.Wrap("queue", err) }()
	text, err := deliver.PrepareText(request.Text)
	if err != nil {
		return nil, err
	}
	seen, err := q.opts.Observer.Outline(ctx, observe.View{})
	if err != nil {
		return nil, err
	}
	panes, err := q.opts.Resolver.Resolve(seen.Snapshot, request.Target.ForPrompts())
	if err != nil {
		return nil, err
	}
	for _, pane := range panes {
		if !pane.IsAgent() {
			return nil, core.Errorf(core.AgentNotFound, "%s holds no agent that could become idle", pane.Address())
		}
	}
	for _, pane := range panes {
		now := q.opts.Now()
		one := core.QueuedPrompt{
			ID: core.NewPromptID(now), PaneRef: pane.Ref(), At: now, Origin: request.Origin, Text: text,
			Command: request.Command,
			Owner:   ownerOf(seen.Snapshot, pane),
		}
		err := q.change(ctx, one.Owner, request.DryRun, func(all []core.QueuedPrompt) ([]core.QueuedPrompt, error) {
			var err error
			one.Position, err = place(all, request.At, len(text))
			if err != nil {
				return nil, err
			}
			return slices.Insert(all, one.Position-1, one), nil
		})
		if err != nil {
			return added, err
		}
		added = append(added, one)
	}
	return added, nil
}

// ownerOf returns the identity of a pane.
func ownerOf(snapshot *core.Snapshot, pane *core.Pane) string {
	if session := snapshot.Session(pane.Session); session != nil {
		return session.IdentityOf(pane.ID)
	}
	return ""
}

// place returns the position of one more prompt among those of an agent: at, or the last one. It is Conflict if there
// are too many, or that position is not free.
func place(all []core.QueuedPrompt, at, size int) (int, error) {
	for i := range all {
		size += len(all[i].Text)
	}
	switch {
	case len(all) >= core.QueuedMost:
		return 0, core.Errorf(core.Conflict, "%d prompts wait there, and no more may", len(all))
	case size > core.QueuedBytesMost:
		return 0, core.Errorf(core.Conflict, "the prompts that wait there would be longer than %d MiB",
			core.QueuedBytesMost>>20)
	case at == 0 || at > len(all):
		return len(all) + 1, nil
	}
	return at, checkPlace(all, at, len(all)+1)
}

// checkPlace checks a position; most is the last one. The one of a prompt that is being delivered is not free.
func checkPlace(all []core.QueuedPrompt, at, most int) error {
	switch {
	case at > most:
		return core.Errorf(core.InvalidInput, "there is no position %d: the last one is %d", at, most)
	case at <= len(all) && all[at-1].Outcome == core.Open:
		return core.Errorf(core.Conflict, "the prompt at position %d is being delivered; the next one is %d", at, at+1)
	}
	return nil
}

// change changes the prompts of an owner and notes their number at the pane. A dry run only checks.
func (q *Queue) change(ctx context.Context, owner string, dryRun bool, change Change) error {
	rest := 0
	dry := core.Errorf(core.Cancelled, "a dry run")
	err := q.opts.Journal.ChangeQueue(ctx, owner, func(all []core.QueuedPrompt) ([]core.QueuedPrompt, error) {
		after, err := change(all)
		if err == nil && dryRun {
			err = dry
		}
		rest = len(after)
		for i := range after {
			if after[i].Owner != owner {
				rest--
			}
		}
		return after, err
	})
	switch {
	case err == dry: //nolint:errorlint // it is this very one
		return nil
	case err != nil:
		return err
	}
	q.count(ctx, owner, rest)
	return nil
}

// count writes to the pane of an owner how many prompts wait there. If that fails, the keeper corrects it later.
func (q *Queue) count(ctx context.Context, owner string, n int) {
	seen, err := q.opts.Observer.Outline(ctx, observe.View{Brief: true})
	if err == nil {
		if pane := q.paneOf(seen.Snapshot, owner); pane != nil && pane.Agent.Queued != n {
			err = q.tag(ctx, pane.ID, n)
		}
	}
	if err != nil {
		q.opts.Log.Warn("how many prompts wait could not be noted at the pane", "pane", owner, "error", err)
	}
}

func (q *Queue) tag(ctx context.Context, pane core.PaneID, n int) error {
	tag := engine.Tag{Pane: pane, Name: engine.TagQueued}
	if n > 0 {
		tag.Value = strconv.Itoa(n)
	}
	return q.opts.Engine.Tag(ctx, tag)
}

// paneOf returns the pane of an owner; nil if it is gone.
func (q *Queue) paneOf(snapshot *core.Snapshot, owner string) *core.Pane {
	for _, pane := range snapshot.Panes() {
		if ownerOf(snapshot, pane) == owner {
			return pane
		}
	}
	return nil
}

// List returns the queued prompts of the agents that a target names, of all without one. Those of agents that are gone
// are among them; a session or pane names them by what it was called.
func (q *Queue) List(ctx context.Context, target resolve.Target) (found []core.QueuedPrompt, err error) {
	defer func() { err = fault.Wrap("queue", err) }()
	all, err := q.opts.Journal.Queued(ctx)
	if err != nil {
		return nil, err
	}
	seen, err := q.opts.Observer.Outline(ctx, observe.View{})
	if err != nil {
		return nil, err
	}
	var panes []*core.Pane
	if target.Session != "" || target.Narrowed() {
		panes, err = q.opts.Resolver.Named(seen.Snapshot, target)
	}
	for i := range all {
		one := &all[i]
		pane := q.paneOf(seen.Snapshot, one.Owner)
		if one.Gone = pane == nil; pane != nil {
			one.PaneRef = pane.Ref()
		}
		named := target.Session == "" && !target.Narrowed() || slices.Contains(panes, pane) ||
			one.Gone && (target.Session == one.Session || target.Session == one.Address())
		if named {
			found = append(found, *one)
		}
	}
	if len(found) > 0 {
		err = nil // the session is gone, and what it left is there
	}
	slices.SortStableFunc(found, func(a, b core.QueuedPrompt) int {
		return cmp.Or(cmp.Compare(a.Session, b.Session), cmp.Compare(a.Ordinal, b.Ordinal))
	})
	return found, err
}

// Beside returns how many prompts wait in the programs of panes themselves, by address: an agent by protocol has those
// that were typed in its pane, or sent, while a turn runs. They are in no list.
func (q *Queue) Beside(ctx context.Context, target resolve.Target) (map[string]int, error) {
	seen, err := q.opts.Observer.Outline(ctx, observe.View{})
	if err != nil {
		return nil, fault.Wrap("queue", err)
	}
	panes, err := q.opts.Resolver.Named(seen.Snapshot, target)
	if err != nil {
		return nil, fault.Wrap("queue", err)
	}
	files, counts := q.opts.Dir.Found(ctx), map[string]int{}
	for _, pane := range panes {
		if !pane.IsAgent() {
			continue
		}
		if state, served := desk.At(ctx, files.Conversation(pane.ID)); served && state.Queued > 0 {
			counts[pane.Address()] = state.Queued
		}
	}
	return counts, nil
}

// Edit gives a prompt another text. One that was tried is tried again.
func (q *Queue) Edit(ctx context.Context, id, text string, dryRun bool) (edited core.QueuedPrompt, err error) {
	defer func() { err = fault.Wrap("queue", err) }()
	if text, err = deliver.PrepareText(text); err != nil {
		return edited, err
	}
	return q.one(ctx, id, dryRun, func(all []core.QueuedPrompt, i int) ([]core.QueuedPrompt, error) {
		one := &all[i]
		if _, err := place(slices.Delete(slices.Clone(all), i, i+1), 0, len(text)); err != nil {
			return nil, err
		}
		one.Text, one.At = text, q.opts.Now()
		one.Outcome, one.Why, one.Evidence = "", "", nil
		edited = *one
		return all, nil
	}, &edited)
}

// Move moves a prompt to a position among those of its agent or, with a target, behind those of another agent.
func (q *Queue) Move(ctx context.Context, id string, at int, target resolve.Target, dryRun bool,
) (moved core.QueuedPrompt, err error) {
	defer func() { err = fault.Wrap("queue", err) }()
	if target.Session != "" {
		return q.give(ctx, id, target, dryRun)
	}
	return q.one(ctx, id, dryRun, func(all []core.QueuedPrompt, i int) ([]core.QueuedPrompt, error) {
		if err := checkPlace(all, at, len(all)); err != nil {
			return nil, err
		}
		one := all[i]
		one.Position, one.At = at, q.opts.Now()
		moved = one
		return slices.Insert(slices.Delete(all, i, i+1), at-1, one), nil
	}, &moved)
}

// give moves a prompt to the end of another agent's queue.
func (q *Queue) give(ctx context.Context, id string, target resolve.Target, dryRun bool) (moved core.QueuedPrompt,
	err error,
) {
	seen, err := q.opts.Observer.Outline(ctx, observe.View{})
	if err != nil {
		return moved, err
	}
	panes, err := q.opts.Resolver.Resolve(seen.Snapshot, target.ForPrompts())
	switch {
	case err != nil:
		return moved, err
	case len(panes) != 1 || !panes[0].IsAgent():
		return moved, core.Errorf(core.Ambiguous, "a prompt moves to one agent, and %s names %d panes", target.Session,
			len(panes))
	}
	owner := ownerOf(seen.Snapshot, panes[0])
	theirs, err := q.of(ctx, owner)
	if err != nil {
		return moved, err
	}
	moved, err = q.one(ctx, id, dryRun, func(all []core.QueuedPrompt, i int) ([]core.QueuedPrompt, error) {
		one := &all[i]
		if one.Owner == owner {
			return nil, core.Errorf(core.Conflict, "it waits for %s already", panes[0].Address())
		}
		at, err := place(theirs, 0, len(one.Text))
		if err != nil {
			return nil, err
		}
		one.Owner, one.PaneRef, one.Position, one.At = owner, panes[0].Ref(), at, q.opts.Now()
		one.Outcome, one.Why, one.Evidence = "", "", nil
		moved = *one
		return all, nil
	}, &moved)
	if err == nil && !dryRun {
		q.count(ctx, owner, len(theirs)+1)
	}
	return moved, err
}

// of returns the prompts of an owner.
func (q *Queue) of(ctx context.Context, owner string) ([]core.QueuedPrompt, error) {
	all, err := q.opts.Journal.Queued(ctx)
	return slices.DeleteFunc(all, func(p core.QueuedPrompt) bool { return p.Owner != owner }), err
}

// Drop removes a prompt, and returns it.
func (q *Queue) Drop(ctx context.Context, id string, dryRun bool) (dropped core.QueuedPrompt, err error) {
	defer func() { err = fault.Wrap("queue", err) }()
	return q.one(ctx, id, dryRun, func(all []core.QueuedPrompt, i int) ([]core.QueuedPrompt, error) {
		dropped = all[i]
		return slices.Delete(all, i, i+1), nil
	}, &dropped)
}

// Restore queues prompts again that were dropped, each at its former position.
func (q *Queue) Restore(ctx context.Context, dropped []core.QueuedPrompt) (err error) {
	defer func() { err = fault.Wrap("queue", err) }()
	for _, one := range dropped {
		err := q.change(ctx, one.Owner, false, func(all []core.QueuedPrompt) ([]core.QueuedPrompt, error) {
			if slices.ContainsFunc(all, func(p core.QueuedPrompt) bool { return p.ID == one.ID }) {
				return nil, core.Errorf(core.Conflict, "the prompt %s is queued again already", one.ID)
			}
			at, err := place(all, min(one.Position, len(all)+1), len(one.Text))
			if core.AsError(err).HasCode(core.Conflict) && at > 0 {
				at, err = at+1, nil // behind the one that is being delivered
			}
			if err != nil {
				return nil, err
			}
			return slices.Insert(all, at-1, one), nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// one changes the prompt with an id, which is not being delivered. It is NotFound if none has it.
func (q *Queue) one(ctx context.Context, id string, dryRun bool,
	change func(all []core.QueuedPrompt, i int) ([]core.QueuedPrompt, error), result *core.QueuedPrompt,
) (core.QueuedPrompt, error) {
	all, err := q.opts.Journal.Queued(ctx)
	if err != nil {
		return *result, err
	}
	is := func(p core.QueuedPrompt) bool { return p.ID == id }
	i := slices.IndexFunc(all, is)
	if i < 0 {
		return *result, unknownError(ctx, q.opts.Journal, id, all)
	}
	err = q.change(ctx, all[i].Owner, dryRun, func(all []core.QueuedPrompt) ([]core.QueuedPrompt, error) {
		i := slices.IndexFunc(all, is)
		switch {
		case i < 0:
			return nil, unknownError(ctx, q.opts.Journal, id, all)
		case all[i].Outcome == core.Open:
			return nil, core.Errorf(core.Conflict, "the prompt %s is being delivered to %s", id, all[i].Address())
		}
		return change(all, i)
	})
	return *result, err
}

// unknownError reports an id that no queued prompt has, with those that there are.
func unknownError(ctx context.Context, journal Journal, id string, all []core.QueuedPrompt) error {
	err := core.Errorf(core.NotFound, "no queued prompt has the id %s", core.Cut(id))
	if p, found, failed := journal.Recorded(ctx, id); failed == nil && found {
		err.Message += ": it was sent to " + p.Session
	}
	for i := range all[:min(len(all), 5)] {
		err.Suggestions = append(err.Suggestions, all[i].ID)
	}
	err.Remedies = []core.Remedy{core.RemedyListQueue}
	return err
}
