// Package orchestrator runs crews: it asks the members of each turn at once, parses their answers, and puts every
// message on record before it is delivered. A crew whose process was killed continues where it was: answers on record
// are not asked for again.
//
// The way in which a Stage asks a member is unknown to it. A run has a goroutine for each member that is asked and
// one that watches the requests of users to the crew; all end with Run.
package orchestrator

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/record/store"
	"cupola/core/run"
	"cupola/core/run/crew"
	"cupola/core/run/relay/stream"
	"cupola/core/text/secret"
)

// Stage is where the members of a crew work.
type Stage interface {
	// Ask sends a member its prompt, and returns its answer. It may be called for several members at once. An error
	// concerns the member, unless ctx has ended.
	Ask(ctx context.Context, c *crew.Crew, turn Turn) (*Answer, error)
	// Close ends what the stage keeps open.
	Close() error
}

// Turn is the question to one member.
type Turn struct {
	Member *crew.Member
	// Ask has its prompt. Its Relay is the relay of a run that did not end, if there was one.
	Ask crew.Ask
	// Past are the turns that the member answered before, the oldest first.
	Past []crew.Ask
	// Began records the relay that asks the member; the stage calls it before it asks.
	Began func(relay string) error
}

// Answer is the answer of a member.
type Answer struct {
	Text string
	// Model is the model that answered, Session the backend's id of the conversation; each empty
	// where it is not known.
	Model, Session string
	// Used is the usage of the turn; nil where it is not known.
	Used      *stream.Usage
	CostUSD   float64
	CostKnown bool
}

// Orchestrator runs crews.
type Orchestrator struct {
	Crews     store.Crews
	Directory Directory
	// OpenStage opens the stage of a crew. It may set the session of the crew and of its members, which are put
	// on record before any is asked.
	OpenStage func(context.Context, *crew.Crew) (Stage, error)
	Now       func() time.Time
	Log       *slog.Logger
	// Keep is how long crews stay on record after they ended; 0 is for ever.
	Keep time.Duration
}

// New puts a crew on record that has not started. It fills in the id and the times where the caller does not give
// them.
func (o *Orchestrator) New(ctx context.Context, c *crew.Crew) error {
	now := o.Now().UTC()
	c.ID, c.State, c.Turn, c.Started = cmp.Or(c.ID, crew.NewID()), crew.Interrupted, -1, now
	c.Prompt = secret.Mask(strings.TrimSpace(c.Prompt))
	run.Expire(o.Directory.Index, run.Crew, now, o.Keep, o.Remove)
	if err := o.Directory.files().Make(&Process{Version: processVersion, ID: c.ID, Started: now}); err != nil {
		return err
	}
	o.Directory.list(c)
	return o.Crews.Create(ctx, c, []crew.Event{{
		Type: crew.Task, Turn: 0, At: now, From: crew.User, To: crew.All, Text: c.Prompt,
	}})
}

// Run runs a crew until it ends, and returns what is on record of it then. Emit, if not nil, gets
// its events in order, those of earlier runs excepted. It returns Conflict if another process runs
// it, and Cancelled if ctx ended first. A crew that failed is no error of Run.
func (o *Orchestrator) Run(ctx context.Context, id string, more More, emit func(crew.Event)) (*crew.Crew, error) {
	c, process, release, err := o.take(ctx, id)
	if err != nil {
		return nil, err
	}
	defer release()
	process.PID, process.Running = os.Getpid(), true
	if err := o.Directory.files().Save(process); err != nil {
		return nil, err
	}
	defer func() {
		process.Running = false
		if err := o.Directory.files().Save(process); err != nil && o.Log != nil {
			o.Log.Warn("the end of a crew could not be noted", "crew", id, "error", err)
		}
	}()
	stage, err := o.OpenStage(ctx, c)
	if err != nil {
		return c, err
	}
	r := &execution{o: o, c: c, stage: stage, emit: emit, began: o.Now()}
	reason, failure := crew.Error, r.prepare(ctx, more)
	if failure == nil {
		reason, failure = r.conduct(ctx)
	}
	failure = errors.Join(failure, r.end(context.WithoutCancel(ctx), reason, failure), stage.Close())
	if failure == nil && reason == crew.StoppedBy && ctx.Err() != nil {
		return c, &core.Error{
			Code: core.Cancelled, Message: "the crew was interrupted", Err: ctx.Err(),
			Hint:     "It is stopped. Once it is resumed, it asks again only those that had not answered.",
			Remedies: []core.Remedy{core.RemedyResumeRun, core.RemedyShowRun}, Subject: core.Subject{Run: id},
		}
	}
	return c, failure
}

// take makes this process the one that runs a crew, and reads what is on record of it. A folder that
// was removed is made again, for all that matters is in the store, unless a process may still run the
// crew without it.
func (o *Orchestrator) take(ctx context.Context, id string) (*crew.Crew, *Process, func(), error) {
	c, err := o.Crews.Load(ctx, id)
	if err != nil {
		return nil, nil, nil, err
	}
	process, release, err := o.Directory.take(ctx, id)
	if errors.Is(err, fs.ErrNotExist) && c.State.Ended() {
		err = o.Directory.files().Make(&Process{Version: processVersion, ID: id, Started: o.Now().UTC()})
		if err == nil {
			process, release, err = o.Directory.take(ctx, id)
		}
	}
	if err != nil {
		return nil, nil, nil, err
	}
	// What another process recorded until it let go of the crew is read now.
	if c, err = o.Crews.Load(ctx, id); err != nil {
		release()
		return nil, nil, nil, err
	}
	return c, process, release, nil
}

// More are the limits of a resumed run beyond the limits on record. Zero keeps a limit.
type More struct {
	// Turns are added to the limit of turns.
	Turns   int
	Timeout time.Duration
	CostUSD float64
}

// Say puts a message of the user on record, for the members that it is addressed to; without an
// address for all. It is delivered in the next turn. It returns the messages.
func (o *Orchestrator) Say(ctx context.Context, id, text string) ([]crew.Event, error) {
	c, err := o.Crews.Load(ctx, id)
	if err != nil {
		return nil, err
	}
	read := crew.Parse(text, c.Names())
	said := read.Messages
	switch {
	case strings.TrimSpace(text) == "":
		return nil, core.Errorf(core.MissingRequired, "there is nothing to say")
	case len(read.Unknown) > 0:
		return nil, crew.UnknownMember(read.Unknown[0], c.Names())
	case len(said) == 0:
		said = []crew.Said{{To: crew.All, Text: strings.TrimSpace(text)}}
	case read.Notes != "":
		// What has no address belongs to all that are addressed.
		for i := range said {
			said[i].Text = read.Notes + "\n" + said[i].Text
		}
	}
	events := make([]crew.Event, 0, len(said))
	for _, one := range said {
		if one.To == crew.User {
			return nil, core.Errorf(core.InvalidInput, "you are the user; address an agent, or all")
		}
		events = append(events, crew.Event{
			Type: crew.Message, Turn: max(0, c.Turn), At: o.Now().UTC(), From: crew.User, To: one.To,
			Text: secret.Mask(one.Text), Recipients: recipients(c, crew.User, one.To),
		})
	}
	err = o.Crews.Add(ctx, id, events)
	o.Directory.Index.Changed()
	return events, err
}

// recipients are the members that a message from one to another is for.
func recipients(c *crew.Crew, from, to string) []string {
	if to != crew.All {
		return []string{to}
	}
	var all []string
	for _, name := range c.Names() {
		if name != from {
			all = append(all, name)
		}
	}
	return all
}

// Stop stops a crew and waits until its process has ended all that it started, or ctx ends. One
// that no process runs is recorded as stopped. Conflict says that it has ended.
func (o *Orchestrator) Stop(ctx context.Context, id string) (*crew.Crew, error) {
	c, err := o.Crews.Load(ctx, id)
	if err != nil {
		return nil, err
	}
	if c.State.Ended() && c.State != crew.Interrupted && !o.Directory.Running(id) {
		return c, run.ErrOf(core.Conflict, id, "the crew "+id+" has ended: "+string(c.State))
	}
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for {
		// A process that takes up the crew forgets what was asked before, so it is asked repeatedly.
		if err := o.Crews.Ask(ctx, id, store.StopCrew); err != nil {
			return nil, err
		}
		if c, stopped, err := o.stopIdle(ctx, id); err != nil || stopped {
			return c, err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return c, ctx.Err()
		}
	}
}

// stopIdle records that a crew was stopped, unless its end is on record. Stopped is false if a
// process runs it.
func (o *Orchestrator) stopIdle(ctx context.Context, id string) (c *crew.Crew, stopped bool, err error) {
	if o.Directory.Running(id) {
		return nil, false, nil
	}
	_, release, err := o.Directory.take(ctx, id)
	switch {
	case core.AsError(err).HasCode(core.Conflict):
		return nil, false, nil
	case err == nil:
		defer release()
	case !errors.Is(err, fs.ErrNotExist): // what has no folder no process can run
		return nil, false, err
	}
	if c, err = o.Crews.Load(ctx, id); err != nil || c.State.Ended() && c.State != crew.Interrupted {
		return c, true, err
	}
	r := &execution{o: o, c: c, began: o.Now()}
	return c, true, r.end(ctx, crew.StoppedBy, nil)
}

// Open counts the open work of a crew: messages that wait, and turns of members without an answer.
func (o *Orchestrator) Open(ctx context.Context, id string) (int, error) {
	waiting, err := o.Crews.Deliveries(ctx, id, true)
	if err != nil {
		return 0, err
	}
	asks, err := o.Crews.Asks(ctx, id)
	if err != nil {
		return 0, err
	}
	n := len(waiting)
	for i := range asks {
		if asks[i].State != crew.Routed {
			n++
		}
	}
	return n, nil
}

// Remove removes a crew with all that is on record of it. Conflict says that a process runs it.
func (o *Orchestrator) Remove(ctx context.Context, id string) error {
	if err := o.Directory.files().Remove(ctx, id); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	err := o.Crews.Remove(ctx, id)
	if err == nil && o.Directory.Index != nil {
		o.Directory.Index.Remove(run.Crew, id)
	}
	return err
}
