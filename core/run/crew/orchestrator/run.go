package orchestrator

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"cupola/core"
	"cupola/core/record/store"
	"cupola/core/run"
	"cupola/core/run/crew"
	"cupola/core/run/relay/stream"
)

// watchEvery is how often a run looks what users ask of its crew.
const watchEvery = 150 * time.Millisecond

// Why a run ends from outside.
var (
	errLate    = errors.New("its time is over")
	errStopped = errors.New("it was stopped")
)

// execution is one run of a crew.
type execution struct {
	o     *Orchestrator
	c     *crew.Crew
	stage Stage
	emit  func(crew.Event)
	began time.Time
	// asks are all turns of members, the oldest first, and past holds their facts for the guardrails.
	asks []*crew.Ask
	past *crew.Past
	// writers are the writers of the messages that a member was given in the last turn, by its name.
	writers map[string][]string
	// complete is the last turn whose end is on record.
	complete int
	// closing are the events of the last turn, which are recorded with the end.
	closing []crew.Event
	// locked says that others hold the store for too long to wait for.
	locked bool
	clock  *run.Clock
	cancel context.CancelCauseFunc
	// throttle holds members back whose backends are at a usage limit.
	throttle *run.Throttle
	// pausing is held while the crew is paused.
	pausing sync.Mutex

	// mu guards what the goroutines of a turn share: all of it while members are asked.
	mu sync.Mutex
	// passing guards what was passed to emit: the number of the last event.
	passing sync.Mutex
	passed  int64
}

// prepare reads what is on record, and revives what failed.
func (r *execution) prepare(ctx context.Context, more More) error {
	c := r.c
	events, err := r.o.Crews.Events(ctx, c.ID, 0)
	if err != nil {
		return err
	}
	r.complete = -1
	for i := range events {
		if events[i].Type == crew.TurnComplete {
			r.complete = max(r.complete, events[i].Turn)
		}
	}
	again := c.Turn >= 0
	if again && len(events) > 0 {
		r.passed = events[len(events)-1].Seq
	}
	asks, err := r.o.Crews.Asks(ctx, c.ID)
	if err != nil {
		return err
	}
	deliveries, err := r.o.Crews.Deliveries(ctx, c.ID, false)
	if err != nil {
		return err
	}
	r.past = crew.NewPast(asks, deliveries, judged(events))
	for i := range deliveries {
		if deliveries[i].Turn == c.Turn {
			r.given(&deliveries[i])
		}
	}
	step := crew.Step{Crew: c}
	for i := range asks {
		if asks[i].State == crew.Broken {
			asks[i].State = crew.Open
			step.Asks = append(step.Asks, &asks[i])
		}
		r.asks = append(r.asks, &asks[i])
	}
	for i := range c.Members {
		m := &c.Members[i]
		m.Status, m.Error, m.ErrorCode = crew.Idle, "", ""
		step.Members = append(step.Members, m)
	}
	c.Limits.MaxTurns += more.Turns
	if more.Timeout > 0 {
		c.Limits.Timeout = more.Timeout
	}
	if more.CostUSD > 0 {
		c.Limits.CostUSD = more.CostUSD
	}
	c.State, c.Reason, c.Error, c.ErrorCode, c.Ended = crew.Running, "", "", "", time.Time{}
	step.Events = []crew.Event{r.event(crew.Event{Type: crew.Start, Text: roster(c)})}
	if err := r.o.Crews.Ask(ctx, c.ID, store.Resume); err != nil {
		return err
	}
	return r.apply(ctx, &step)
}

// judged is the last turn after which a guardrail that judges the past ended the crew: that does not
// end it again at once.
func judged(events []crew.Event) (turn int) {
	for i := range events {
		if e := &events[i]; e.Type == crew.End && (e.Reason == crew.PingPong || e.Reason == crew.NoProgress) {
			turn = e.Turn
		}
	}
	return turn
}

// given notes who wrote to a member what it is given in the last turn.
func (r *execution) given(d *crew.Delivery) {
	if r.writers == nil {
		r.writers = map[string][]string{}
	}
	if !slices.Contains(r.writers[d.To], d.From) {
		r.writers[d.To] = append(r.writers[d.To], d.From)
	}
}

// event fills in what all events have.
func (r *execution) event(event crew.Event) crew.Event {
	event.At = r.o.Now().UTC()
	event.Turn = max(0, r.c.Turn)
	return event
}

// lockedWithin is how long others may hold the store until the crew gives up: what its members
// answered was paid for.
const lockedWithin = 30 * time.Second

// apply records a step and passes on what is new. Apply itself waits a while for others that hold
// the store.
func (r *execution) apply(ctx context.Context, step *crew.Step) error {
	if !r.c.State.Ended() {
		r.o.Directory.list(r.c)
	}
	err := r.o.Crews.Apply(context.WithoutCancel(ctx), step)
	for began := time.Now(); core.AsError(err).HasCode(core.StoreLocked) && !r.locked && ctx.Err() == nil; {
		if r.locked = time.Since(began) > lockedWithin; !r.locked {
			err = r.o.Crews.Apply(context.WithoutCancel(ctx), step)
		}
	}
	if err != nil {
		return err
	}
	if r.c.State.Ended() {
		r.o.Directory.list(r.c)
	}
	r.o.Directory.Index.Changed()
	return r.pass(ctx)
}

// pass emits the events that are new, those of other processes too.
func (r *execution) pass(ctx context.Context) error {
	if r.emit == nil {
		return nil
	}
	r.passing.Lock()
	defer r.passing.Unlock()
	events, err := r.o.Crews.Events(context.WithoutCancel(ctx), r.c.ID, r.passed)
	if err != nil {
		return err
	}
	for i := range events {
		r.passed = events[i].Seq
		r.emit(events[i])
	}
	return nil
}

// conduct carries out turn after turn until the crew ends, and returns why it did.
func (r *execution) conduct(ctx context.Context) (crew.Reason, error) {
	ctx, r.cancel = context.WithCancelCause(ctx)
	defer r.cancel(nil)
	r.clock = run.NewClock(r.c.Limits.Timeout, func() { r.cancel(errLate) })
	defer r.clock.Stop()
	r.throttle = r.newThrottle(ctx)
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		r.watch(ctx)
	}()
	defer func() {
		r.cancel(nil)
		<-watched
	}()
	// A crew that was cut off while it waited for the end of a usage limit waits on.
	if err := r.throttle.Wait(ctx, r.c.Until); err != nil && ctx.Err() == nil {
		return crew.Error, err
	}
	for {
		err := r.hold(ctx)
		if err != nil {
			return crew.Error, err
		}
		open := r.open()
		if len(open) == 0 && ctx.Err() == nil {
			reason, err := r.begin(ctx)
			if reason != "" || err != nil {
				return reason, err
			}
			open = r.open()
		}
		var reason crew.Reason
		if ctx.Err() == nil {
			reason, err = r.askAll(ctx, open)
		}
		switch cause := context.Cause(ctx); {
		case err != nil:
			return crew.Error, err
		case errors.Is(cause, errLate):
			return crew.Timeout, nil
		case cause != nil:
			return crew.StoppedBy, nil
		case reason != "":
			return reason, nil
		}
	}
}

// watch ends the run if a user stops it.
func (r *execution) watch(ctx context.Context) {
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		if asked, err := r.o.Crews.Control(ctx, r.c.ID); err == nil && asked == store.StopCrew {
			r.cancel(errStopped)
			return
		}
		_ = r.pass(ctx) // the next step reports the fault of the store
	}
}

// hold waits while the crew is paused. That time does not count.
func (r *execution) hold(ctx context.Context) error {
	r.pausing.Lock()
	defer r.pausing.Unlock()
	asked, err := r.o.Crews.Control(context.WithoutCancel(ctx), r.c.ID)
	if err != nil || ctx.Err() != nil {
		return err
	}
	defer func() {
		// No turn may begin until the watch hears of it.
		if asked == store.StopCrew {
			r.cancel(errStopped)
		}
	}()
	if asked != store.PauseCrew {
		return nil
	}
	r.clock.Pause()
	defer r.clock.Resume()
	if err := r.enter(ctx, crew.Paused, crew.Pause); err != nil {
		return err
	}
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for asked == store.PauseCrew && ctx.Err() == nil {
		select {
		case <-tick.C:
		case <-ctx.Done():
			continue
		}
		if asked, err = r.o.Crews.Control(context.WithoutCancel(ctx), r.c.ID); err != nil {
			return err
		}
	}
	if ctx.Err() != nil || asked == store.StopCrew {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.c.State = crew.Running
		return nil
	}
	return r.enter(ctx, crew.Running, crew.Resume)
}

// enter records that the crew got into a state, with the event that says so.
func (r *execution) enter(ctx context.Context, state crew.State, event crew.Type) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.c.State = state
	return r.apply(ctx, &crew.Step{Crew: r.c, Events: []crew.Event{r.event(crew.Event{Type: event})}})
}

// open are the turns of members that have no answer, or one whose messages are not on record.
func (r *execution) open() []*crew.Ask {
	var open []*crew.Ask
	for _, ask := range r.asks {
		if ask.State == crew.Open || ask.State == crew.Answered {
			open = append(open, ask)
		}
	}
	slices.SortStableFunc(open, func(a, b *crew.Ask) int { return r.place(a.Member) - r.place(b.Member) })
	return open
}

// place is the number of a member.
func (r *execution) place(name string) int { return slices.Index(r.c.Names(), name) }

// end records that the crew ended. The past decides nothing any more.
func (r *execution) end(ctx context.Context, reason crew.Reason, failure error) error {
	c, now := r.c, r.o.Now().UTC().Truncate(time.Millisecond)
	c.State, c.Reason, c.Ended, c.Until = reason.State(), reason, now, time.Time{}
	c.ElapsedMS += r.elapsed().Milliseconds()
	step := crew.Step{Crew: c, Events: r.closing}
	if reason == crew.Timeout {
		step.Events = append(step.Events, r.event(crew.Event{
			Type: crew.Guardrail, Reason: reason, Text: fmt.Sprintf("its time of %s is over", c.Limits.Timeout),
		}))
	}
	for i := range c.Members {
		m := &c.Members[i]
		if m.Status == crew.Active {
			m.Status = crew.Idle
			step.Events = append(step.Events, r.event(crew.Event{
				Type: crew.StatusChanged, From: m.Name, Status: crew.Idle,
			}))
		}
		if c.Error == "" && m.Status == crew.Dead && reason == crew.AllDead {
			c.Error, c.ErrorCode = m.Name+": "+m.Error, m.ErrorCode
		}
		step.Members = append(step.Members, m)
	}
	if e := core.AsError(failure); e != nil {
		c.Error, c.ErrorCode = e.Error(), e.Code
	}
	step.Events = append(step.Events, r.event(crew.Event{
		Type: crew.End, Reason: reason, Text: c.Error, Code: c.ErrorCode,
	}))
	return r.apply(ctx, &step)
}

// elapsed is how long this run took, without its pauses.
func (r *execution) elapsed() time.Duration {
	took := r.o.Now().Sub(r.began)
	if r.clock != nil {
		took -= r.clock.Paused()
	}
	return max(0, took)
}

// roster names the members of a crew with their backends.
func roster(c *crew.Crew) string {
	names := core.Map(c.Members, func(m crew.Member) string { return m.Name + " (" + m.Backend + ")" })
	return strings.Join(names, ", ")
}

// charge adds what a turn used to a member.
func charge(m *crew.Member, answer *Answer) {
	m.Turns++
	if answer.Used != nil {
		if m.Used == nil {
			m.Used = &stream.Usage{}
		}
		m.Used.Add(answer.Used)
	}
	m.CostUSD = math.Round((m.CostUSD+answer.CostUSD)*1e6) / 1e6
	m.CostKnown = m.CostKnown && answer.CostKnown
	if answer.Session != "" {
		m.Session = answer.Session
	}
	if answer.Model != "" {
		m.ModelUsed = answer.Model
	}
}
