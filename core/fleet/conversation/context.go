package conversation

import (
	"cmp"
	"context"
	"fmt"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/agent/transcript"
	"cupola/core/fleet/fault"
	"cupola/core/fleet/resolve"
)

// ContextUse is how much of its context window one agent has used.
type ContextUse struct {
	core.PaneRef
	Status core.Status
	// Tokens and Window are 0, and Percent is -1, where they are not known.
	Tokens  int
	Window  int
	Percent int
	// Source is where the share comes from: FromProtocol, FromScreen, FromTranscript, or FromEstimate if the window's
	// size is guessed from the model's name; empty if unknown.
	Source string
	Model  string
	// Certain is false if it is not known which of several conversations is the agent's; Sessions are then all that
	// fit, the likeliest first.
	Certain  bool
	Sessions []transcript.Fit
	// Evidence is the file or screen that was read.
	Evidence string
}

// Estimated reports whether the share is an estimate.
func (u *ContextUse) Estimated() bool { return u.Source == FromEstimate }

// ContextUsed returns how much of its context window every agent that a target names has
// used. What the agent says by protocol takes precedence over what its screen shows, that over the transcript, and all
// over an estimate.
func (r *Reader) ContextUsed(ctx context.Context, target resolve.Target) (_ []ContextUse, err error) {
	defer func() { err = fault.Wrap("context", err) }()
	found, err := r.Read(ctx, r.opts.Resolver.Selector(target))
	if err != nil {
		return nil, err
	}
	return core.Map(found, func(c Conversation) ContextUse {
		return c.ContextUsed(r.opts.Observer.KindOf(c.Pane))
	}), nil
}

// SaidContext returns how much of its context window an agent says by protocol that it has used, in percent; -1 if it
// says nothing of it.
func (r *Reader) SaidContext(ctx context.Context, pane *core.Pane) int {
	c := Conversation{Pane: pane, Err: transcript.ErrNone, spoken: r.spoken(ctx, pane)}
	return c.ContextUsed(nil).Percent
}

// ContextUsed returns how much of its context window the agent has used. kind may be nil.
func (c *Conversation) ContextUsed(kind *agent.Kind) ContextUse {
	use := ContextUse{
		PaneRef: c.Pane.Ref(), Status: c.Pane.Status, Percent: -1, Model: c.Pane.Agent.Variant,
		Evidence: "no source", Certain: len(c.Account.Fits) == 0, Sessions: c.Account.Fits,
	}
	if c.Err == nil {
		use.Tokens, use.Window = c.Account.Usage.Tokens, c.Account.Usage.Window
		if c.Account.Model != "" {
			use.Model = c.Account.Model
		}
		if use.Tokens > 0 && use.Window > 0 {
			use.Source, use.Percent = FromTranscript, share(use.Tokens, use.Window)
			use.Evidence = fmt.Sprintf("the transcript counts %d of %d tokens", use.Tokens, use.Window)
		}
		if !c.Account.Certain && use.Tokens > 0 {
			use.Evidence += "; another agent in that folder may have written it, or this one has continued in another"
		}
	}
	if c.screen != nil && c.screen.Reading != nil {
		if shown, is := c.screen.Reading.ContextShown(); is && shown.Percent >= 0 {
			use.Source, use.Percent = FromScreen, shown.Percent
			use.Evidence = fmt.Sprintf("the screen shows %q", shown.Line)
			use.Tokens = cmp.Or(use.Tokens, shown.Tokens)
		}
	}
	if said := c.spoken.usage(); said.Window > 0 && said.Size > 0 {
		use.Source, use.Tokens, use.Window = FromProtocol, int(said.Window), int(said.Size)
		use.Percent = share(use.Tokens, use.Window)
		use.Evidence = fmt.Sprintf("the agent says by protocol that it uses %d of %d tokens", use.Tokens, use.Window)
	}
	if use.Source == "" && kind != nil && use.Tokens > 0 {
		if window := kind.Window(use.Model); window > 0 {
			use.Window, use.Source, use.Percent = window, FromEstimate, share(use.Tokens, window)
			use.Evidence = fmt.Sprintf("the transcript counts %d tokens; that %s has a window of %d is a guess",
				use.Tokens, modelOr(use.Model), window)
		}
	}
	return use
}

// share is a part of a whole in percent, rounded up so that what is used is
// never nothing.
func share(part, whole int) int { return min(100, (part*100+whole-1)/whole) }

func modelOr(model string) string {
	if model == "" {
		return "its model"
	}
	return model
}
