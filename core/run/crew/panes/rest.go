package panes

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"cupola/core"
	"cupola/core/fleet/await"
	"cupola/core/fleet/resolve"
	"cupola/core/run/crew"
)

// moving are the states that an agent can be in once a person has answered it.
var moving = []core.State{
	core.Idle, core.Working, core.Errored, core.Limited, core.Exited, core.Starting, core.Unknown,
}

// rest waits until the agent is in one of some states, also while it waits for a person. It returns an error
// if the agent has ended, or shows an error or a limit that is not among the states.
func (a *asking) rest(ctx context.Context, states ...core.State) error {
	for {
		err := a.wait(ctx, await.Request{For: states, KeepWaiting: slices.Contains(states, core.Errored)})
		if err == nil || ctx.Err() != nil || a.status.State != core.Waiting {
			return err
		}
		if err := a.wait(ctx, await.Request{For: moving, KeepWaiting: true}); err != nil {
			return err
		}
	}
}

// wait waits as a request says, and keeps the state that was seen last.
func (a *asking) wait(ctx context.Context, request await.Request) error {
	request.Target = resolve.Target{Session: string(a.pane.Pane)}
	result, err := a.stage.opts.Fleet.Waiter.Wait(ctx, request)
	if result == nil {
		return err
	}
	for _, pane := range slices.Concat(result.Reached, result.Pending) {
		a.status = pane.Status
		switch {
		case err == nil || ctx.Err() != nil:
		case pane.Gone:
			return core.Errorf(core.PaneNotFound, "its pane was closed")
		case pane.Status.State == core.Exited:
			return core.Errorf(core.NotReady, "the agent has ended in its pane")
		case pane.Status.State == core.Limited:
			e := core.Errorf(core.RateLimited, "it shows a limit: %s", pane.Status.Reason)
			if at := pane.Status.ResetsAt; !at.IsZero() {
				e.Message += ", until " + core.Stamp(at)
			}
			return e
		case pane.Status.Reason == core.ReasonAuth:
			return core.Errorf(core.AuthFailed, "it shows an error: it is not signed in")
		case pane.Status.State == core.Errored:
			return core.Errorf(core.BackendFailed, "it shows an error: %s", pane.Status.Reason)
		}
	}
	return err
}

// failure is the error of a turn, with the pane that it is about. Of one that took too long it says what the
// agent waits for.
func (a *asking) failure(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(context.Cause(ctx), errLate) {
		doing := "is " + string(a.status.State)
		switch {
		case a.refused != "":
			doing = "cannot be given the prompt: " + a.refused
		case a.status.State == core.Waiting:
			doing = "waits for " + a.status.Reason.Awaited()
			if a.status.Asks != "" {
				doing += " (" + core.Excerpt(a.status.Asks) + ")"
			}
		}
		err = core.Errorf(core.Timeout, "after %s it %s", core.ShortDuration(a.limit), doing)
	}
	e := *core.AsError(err)
	if len(e.Subject.Panes) == 0 && !e.HasCode(core.PaneNotFound) {
		e.Subject.Panes = []string{a.pane.Address()}
	}
	return &e
}

// historyBytes is the most of the turns before that an agent gets when it is started again.
const historyBytes = 100_000

// history returns the prompts and answers so far for an agent that knows none of them, the newest turns as far as
// they fit.
func history(past []crew.Ask) string {
	room, first := historyBytes, len(past)
	for ; first > 0; first-- {
		if room -= len(past[first-1].Prompt) + len(past[first-1].Answer); room < 0 {
			break
		}
	}
	var b strings.Builder
	b.WriteString("[You were started again. These are your earlier prompts and answers.]\n\n")
	if first > 0 {
		fmt.Fprintf(&b, "[%d turns are left out.]\n\n", first)
	}
	for i := range past[first:] {
		fmt.Fprintf(&b, "[You were asked:]\n%s\n\n[You answered:]\n%s\n\n", past[first+i].Prompt, past[first+i].Answer)
	}
	b.WriteString("[Now you are asked:]\n")
	return b.String()
}
