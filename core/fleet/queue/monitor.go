package queue

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"cupola/core"
	"cupola/core/fleet/await"
	"cupola/core/fleet/deliver"
	"cupola/core/fleet/resolve"
	"cupola/core/fleet/schedule"
)

// Monitor delivers the queued prompts of the agents of snapshots. Only the process that keeps the picture has one that
// runs. Its methods may be called concurrently.
type Monitor struct {
	queue    *Queue
	schedule *schedule.Schedule
	// seen is closed with the first snapshot.
	seen  chan struct{}
	first sync.Once

	mu sync.Mutex
	// panes are the panes of the newest snapshot by owner, owners the reverse.
	panes  map[string]*core.Pane
	owners map[core.PaneID]string
}

// NewMonitor returns a Monitor of a queue.
func NewMonitor(q *Queue) *Monitor {
	m := &Monitor{queue: q, seen: make(chan struct{})}
	m.schedule = schedule.New(q.opts.Now, m.act)
	return m
}

// turn distinguishes a time in which an agent is idle from the next.
type turn struct {
	since  time.Time
	queued int
}

// Note takes from a snapshot which agents are idle while prompts wait for them.
func (m *Monitor) Note(snapshot *core.Snapshot) {
	ready := map[core.PaneID]schedule.Occasion{}
	panes, owners := map[string]*core.Pane{}, map[core.PaneID]string{}
	for _, pane := range snapshot.Panes() {
		if !pane.IsAgent() && pane.Agent.Queued == 0 {
			continue
		}
		owner := ownerOf(snapshot, pane)
		panes[owner], owners[pane.ID] = pane, owner
		if pane.Agent.Queued > 0 && pane.Status.State == core.Idle {
			ready[pane.ID] = schedule.Occasion{Of: turn{pane.Status.Since, pane.Agent.Queued}}
		}
	}
	m.mu.Lock()
	m.panes, m.owners = panes, owners
	m.mu.Unlock()
	m.first.Do(func() { close(m.seen) })
	m.schedule.Set(ready)
}

// recountEvery is how often the numbers at panes are compared with the prompts.
const recountEvery = time.Minute

// Run delivers prompts until ctx ends.
func (m *Monitor) Run(ctx context.Context) {
	var recounts sync.WaitGroup
	defer recounts.Wait()
	recounts.Go(func() {
		select {
		case <-m.seen:
		case <-ctx.Done():
		}
		for ctx.Err() == nil {
			m.recount(ctx)
			_ = core.Sleep(ctx, recountEvery)
		}
	})
	m.schedule.Run(ctx)
}

// recount corrects the numbers at panes: a process may have ended between a prompt and its number.
func (m *Monitor) recount(ctx context.Context) {
	all, err := m.queue.opts.Journal.Queued(ctx)
	if err != nil {
		m.queue.opts.Log.Warn("the queued prompts are not known", "error", err)
		return
	}
	counts := map[string]int{}
	for i := range all {
		counts[all[i].Owner]++
	}
	m.mu.Lock()
	panes := m.panes
	m.mu.Unlock()
	for owner, pane := range panes {
		if counts[owner] != pane.Agent.Queued {
			m.queue.count(ctx, owner, counts[owner])
		}
	}
}

const (
	// again is when a prompt is tried again that an agent did not take.
	again = 10 * time.Second
	// settles is how long to wait until an agent that seems idle is proven to be.
	settles = 30 * time.Second
)

// act delivers the first prompt of a pane. That leads to another state or number, and so to the next act.
func (m *Monitor) act(ctx context.Context, pane core.PaneID) time.Time {
	m.mu.Lock()
	owner := m.owners[pane]
	m.mu.Unlock()
	blocked, err := m.queue.deliver(ctx, pane, owner)
	if err != nil && ctx.Err() == nil {
		m.queue.opts.Log.Warn("a queued prompt was not delivered", "pane", pane, "error", err)
	}
	if blocked || err != nil {
		return m.queue.opts.Now().Add(again)
	}
	return time.Time{}
}

// deliver delivers the first prompt of an owner, once its agent has ended its turn. blocked is true if the agent does
// not take it yet, or it waits for its user. It waits for them behind a turn that was interrupted, too: who stops an
// agent does not want it to begin the next thing at once.
//
// A prompt is claimed before it is typed, and so is its id in the history. Whatever ends this process, the next one
// finds by that how far it came, and types no prompt twice.
func (q *Queue) deliver(ctx context.Context, pane core.PaneID, owner string) (blocked bool, err error) {
	all, err := q.waiting(ctx, owner)
	if err != nil || len(all) == 0 || all[0].Held() {
		return len(all) > 0, err
	}
	head := &all[0]
	target := resolve.Target{Session: string(pane)}
	idle, err := q.opts.Wait(ctx, await.Request{Target: target, Timeout: settles})
	if err != nil {
		return true, quietly(err)
	}
	if head.Outcome == core.Open {
		result, err := q.fate(ctx, pane, head)
		if err == nil {
			err = q.end(ctx, owner, head.ID, result)
		}
		return true, err
	}
	if interruptedSince(idle, all) {
		return true, q.hold(ctx, owner, head)
	}
	request := deliver.Request{Target: target, Text: head.Text, Command: head.Command, DryRun: true}
	sent, err := q.opts.Sender.Send(ctx, request)
	if err != nil {
		return true, q.end(ctx, owner, head.ID, resultOf(sent.Deliveries, err))
	}
	claimed, err := q.claim(ctx, owner, head)
	if err != nil || claimed == nil {
		return claimed == nil, err
	}
	request.DryRun, request.ID, request.Origin, request.OnRecord = false, claimed.Sent, core.OriginQueue, true
	sent, err = q.opts.Sender.Send(ctx, request)
	result := resultOf(sent.Deliveries, err)
	return !result.Outcome.Taken(), q.end(ctx, owner, claimed.ID, result)
}

// quietly drops the errors of an agent that is not idle after all.
func quietly(err error) error {
	if core.AsError(err).HasCode(core.Timeout, core.NotReady, core.AgentNotFound, core.PaneNotFound, core.Cancelled,
		core.SessionNotFound) {
		return nil
	}
	return err
}

// waiting returns the prompts of an owner. If there is none, the number at the pane is corrected.
func (q *Queue) waiting(ctx context.Context, owner string) ([]core.QueuedPrompt, error) {
	all, err := q.of(ctx, owner)
	if err == nil && len(all) == 0 {
		q.count(ctx, owner, 0)
	}
	return all, err
}

// interruptedSince reports whether an agent that is idle was interrupted after its user queued, changed or moved any of
// the prompts.
func interruptedSince(idle *await.Result, prompts []core.QueuedPrompt) bool {
	if len(idle.Reached) != 1 || !idle.Reached[0].Status.Has(core.NoteInterrupted) {
		return false
	}
	since := idle.Reached[0].Status.Since
	return !slices.ContainsFunc(prompts, func(p core.QueuedPrompt) bool { return p.At.After(since) })
}

// hold notes that a prompt waits because its agent was interrupted.
func (q *Queue) hold(ctx context.Context, owner string, head *core.QueuedPrompt) error {
	if head.AfterInterrupt() {
		return nil
	}
	return q.end(ctx, owner, head.ID, refused(core.WhyInterrupted,
		"its agent was interrupted: it waits until the next turn there ends, or it is changed or moved"))
}

// claim marks the first prompt of an owner as being delivered; nil if it is not that one, or that text, any more.
func (q *Queue) claim(ctx context.Context, owner string, head *core.QueuedPrompt) (claimed *core.QueuedPrompt,
	err error,
) {
	err = q.change(ctx, owner, false, func(all []core.QueuedPrompt) ([]core.QueuedPrompt, error) {
		if len(all) == 0 || all[0].ID != head.ID || all[0].Text != head.Text || all[0].Outcome == core.Open {
			return all, nil
		}
		one := &all[0]
		one.Sent = one.ID
		if one.Outcome != "" { // the history may have it by this id
			one.Sent = core.NewPromptID(q.opts.Now())
		}
		one.Outcome, one.Why, one.Evidence = core.Open, "", nil
		taken := *one
		claimed = &taken
		return all, nil
	})
	return claimed, err
}

// resultOf returns the result of a send to one pane.
func resultOf(deliveries []core.Delivery, err error) core.Result {
	if len(deliveries) == 1 {
		return deliveries[0].Result
	}
	failed := core.AsError(err)
	return refused(strings.ToLower(string(failed.Code)), failed.Error())
}

// refused is the result of a try that typed nothing.
func refused(why string, evidence ...string) core.Result {
	return core.Result{Outcome: core.Refused, Why: why, Evidence: evidence}
}

// end notes the result of a try: a prompt that was taken leaves the queue.
func (q *Queue) end(ctx context.Context, owner, id string, result core.Result) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endsWithin)
	defer cancel()
	return q.change(ctx, owner, false, func(all []core.QueuedPrompt) ([]core.QueuedPrompt, error) {
		i := slices.IndexFunc(all, func(p core.QueuedPrompt) bool { return p.ID == id })
		if i < 0 {
			return all, nil
		}
		if result.Outcome.Taken() {
			return slices.Delete(all, i, i+1), nil
		}
		one := &all[i]
		one.Sent, one.Why, one.Evidence = "", result.Why, result.Evidence
		if one.Outcome = core.Unconfirmed; result.Outcome == core.Refused {
			one.Outcome = core.Refused
		}
		return all, nil
	})
}

// endsWithin is how long noting a result may take, even if the process is about to end.
const endsWithin = 5 * time.Second

// fate returns what became of a prompt whose process ended while it was delivered, as far as the history and the
// agent's own record prove it. It is Unconfirmed where nothing does.
func (q *Queue) fate(ctx context.Context, pane core.PaneID, head *core.QueuedPrompt) (core.Result, error) {
	const ended = "the process that delivered it ended"
	p, found, err := q.opts.Journal.Recorded(ctx, head.Sent)
	if err != nil {
		return core.Result{}, err
	}
	if !found || len(p.Deliveries) == 0 {
		return refused("again", ended+" before anything was typed"), nil
	}
	d := p.Deliveries[0]
	if d.Outcome != core.Open {
		return d.Result, nil
	}
	read, err := q.opts.Conversations.Read(ctx, resolve.ByID(pane))
	if err != nil {
		return core.Result{}, err
	}
	took, sure := false, false
	if len(read) == 1 {
		took, sure = read[0].Took(core.TakenPrompt{ID: p.ID, Text: p.Text, Sent: p.At})
	}
	d.At = q.opts.Now()
	switch {
	case took && sure:
		d.Outcome, d.Evidence = core.Delivered, []string{ended + "; the agent's own record has the prompt"}
		return d.Result, q.opts.Journal.Sent(ctx, p.ID, []core.Delivery{d})
	case sure:
		// What was typed and not submitted is found in the composer by its record, and cleared.
		d.Outcome, d.Evidence = core.Unconfirmed, []string{ended + " before the agent took it"}
		return refused("again", d.Evidence...), q.opts.Journal.Sent(ctx, p.ID, []core.Delivery{d})
	}
	return core.Result{
		Outcome: core.Unconfirmed, Evidence: []string{ended + ", and the agent keeps no record that would say how far"},
	}, nil
}
