// Package deliver sends input to agents: prompts, answers to dialogs, interrupts and keys, each with evidence
// of its outcome. It decides whether a pane can take the input, types it under the pane's lock, verifies that
// it arrives in and leaves the composer, and records it in the journal. No goroutine outlives a call.
package deliver

import (
	"context"
	"log/slog"
	"time"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/engine"
	"cupola/core/fleet/announce"
	"cupola/core/fleet/conversation"
	"cupola/core/fleet/observe"
	"cupola/core/fleet/resolve"
	"cupola/core/fleet/rundir"
)

// Journal records prompts and decisions. Its failures do not stop a delivery.
type Journal interface {
	// Sending records a prompt before any of it is typed. Its outcomes are open until Sent.
	Sending(ctx context.Context, prompt core.Prompt) error
	// Sent records the outcomes of a prompt at some of its panes, or at all.
	Sent(ctx context.Context, id string, deliveries []core.Delivery) error
	// Unfinished returns the prompts with an open outcome at a pane, the newest first: they are in progress,
	// or their process ended before recording it.
	Unfinished(ctx context.Context, pane core.PaneRef) ([]core.Prompt, error)
	// Asked returns the prompts that a pane accepted since a time, the newest first.
	Asked(ctx context.Context, pane core.PaneRef, since time.Time) ([]core.TakenPrompt, error)
	// Unconfirmed returns the prompts that may remain where they were typed in a pane, the newest first: those
	// typed since a time, and since the pane last accepted one, that were not seen to leave.
	Unconfirmed(ctx context.Context, pane core.PaneRef, since time.Time) ([]string, error)
	// Answered records an answer to a dialog.
	Answered(ctx context.Context, decision core.Decision) error
}

// Options configures a Sender. All fields but Journal, Afford and Environ are required.
type Options struct {
	Engine        engine.Engine
	Kinds         *agent.Kinds
	Dir           *rundir.Dir
	Resolver      *resolve.Resolver
	Observer      *observe.Observer
	Conversations *conversation.Reader
	Announcer     *announce.Announcer
	Journal       Journal
	// Afford checks a prompt to agents of some sessions, and refuses it with BudgetExceeded; nil refuses
	// none.
	Afford func(ctx context.Context, sessions []string) error
	// Environ is the environment of this process, as NAME=VALUE.
	Environ []string
	Now     func() time.Time
	Log     *slog.Logger
}

// Sender sends input to panes. Its methods may be called concurrently.
type Sender struct{ opts Options }

// New returns a Sender.
func New(o Options) *Sender { return &Sender{o} }
