package agents

import (
	"context"
	"time"

	"cupola/core"
	"cupola/core/fleet/resolve"
	"cupola/core/verb"
)

// warnUnreadable warns at once of panes whose program has no rules, and says when a wait for idle ends for them.
func warnUnreadable(env *verb.Env, panes []core.PaneRef, kinds []core.Kind, timeout time.Duration) {
	known := env.Kinds()
	var blind []core.PaneRef
	for i, pane := range panes {
		if kind, ok := known.Find(string(kinds[i])); !ok || !kind.Readable() {
			blind = append(blind, pane)
		}
	}
	if len(blind) == 0 {
		return
	}
	ends := "it waits until --timeout, after " + timeout.String()
	if timeout <= 0 {
		ends = "it waits for ever: give --timeout"
	}
	message := verb.SomeOf(verb.Addresses(blind)) + ": no rules are known for this program. It is idle once it says " +
		"so itself, ends, or shows a bare prompt; while its screen only does not change, its state is unknown, " +
		"and " + ends +
		". Wait for words of its own with 'wait --match', or teach it once: cupola kind-record NAME " +
		blind[0].Address()
	env.Warn(message)
	if env.Progress != nil {
		env.Progress(core.Progress{Phase: "wait", Percent: -1, Message: message})
	}
}

// warnUnreadableIn is warnUnreadable for the panes of a target.
func warnUnreadableIn(ctx context.Context, deps verb.OnFleet, target resolve.Target, timeout time.Duration) {
	_, panes, err := deps.Chosen(ctx, target)
	if err != nil {
		return // the wait says why
	}
	refs, kinds := make([]core.PaneRef, len(panes)), make([]core.Kind, len(panes))
	for i, pane := range panes {
		refs[i], kinds[i] = pane.Ref(), pane.Agent.Kind
	}
	warnUnreadable(deps.Env, refs, kinds, timeout)
}
