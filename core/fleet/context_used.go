package fleet

import (
	"context"
	"fmt"

	"cupola/core"
	"cupola/core/agent"
)

// ContextUse is how much of its context window one agent has used.
type ContextUse struct {
	PaneRef
	Status core.Status
	// Tokens and Window are 0, and Percent is -1, where they are not known.
	Tokens  int
	Window  int
	Percent int
	// Source is where the share comes from: FromScreen, FromTranscript, or
	// FromEstimate where the window's size is a guess by the model's name; empty
	// where nothing tells.
	Source string
	Model  string
	// Evidence says what was read.
	Evidence string
}

// Estimated reports whether the share rests on a guess.
func (u *ContextUse) Estimated() bool { return u.Source == FromEstimate }

// ContextUsed returns how much of its context window every agent that a target
// names has used. What the agent shows itself counts before what its record
// says, and both before an estimate.
func (l *launcher) ContextUsed(ctx context.Context, target Target) (_ []ContextUse, err error) {
	defer func() { err = translate("context", err) }()
	found, err := recordsOf(ctx, l, l.of(target))
	if err != nil {
		return nil, err
	}
	uses := make([]ContextUse, len(found))
	for i := range found {
		uses[i] = contextOf(&found[i], l.kindOf(found[i].pane))
	}
	return uses, nil
}

func contextOf(r *recorded, kind *agent.Kind) ContextUse {
	use := ContextUse{PaneRef: Ref(r.pane), Status: r.pane.Status, Percent: -1, Model: r.pane.Agent.Variant, Evidence: "nothing tells"}
	if r.err == nil {
		use.Tokens, use.Window = r.told.Usage.Tokens, r.told.Usage.Window
		if r.told.Model != "" {
			use.Model = r.told.Model
		}
		if use.Tokens > 0 && use.Window > 0 {
			use.Source, use.Percent = FromTranscript, share(use.Tokens, use.Window)
			use.Evidence = fmt.Sprintf("the transcript counts %d of %d tokens", use.Tokens, use.Window)
		}
		if !r.told.Certain && use.Tokens > 0 {
			use.Evidence += "; another agent in that folder may have written it"
		}
	}
	if r.screen != nil && r.screen.reading != nil {
		if shown, is := r.screen.reading.ContextShown(); is && shown.Percent >= 0 {
			use.Source, use.Percent = FromScreen, shown.Percent
			use.Evidence = fmt.Sprintf("the screen shows %q", shown.Line)
			if use.Tokens == 0 {
				use.Tokens = shown.Tokens
			}
		}
	}
	if use.Source == "" && kind != nil && use.Tokens > 0 {
		if window := kind.Window(use.Model); window > 0 {
			use.Window, use.Source, use.Percent = window, FromEstimate, share(use.Tokens, window)
			use.Evidence = fmt.Sprintf("the transcript counts %d tokens; that %s has a window of %d is a guess", use.Tokens, modelOr(use.Model), window)
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
