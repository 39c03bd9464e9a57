package fleet

import (
	"context"
	"time"

	"cupola/core"
)

// deliverPrompt types a prompt into a pane that is ready and submits it. Nobody
// looks whether it arrived, so the outcome is Unconfirmed at best.
func (f *Fleet) deliverPrompt(ctx context.Context, pane *core.Pane, text string) Delivery {
	begun := f.now()
	delivery := Delivery{PaneRef: Ref(pane), Outcome: Unconfirmed, Evidence: "it was typed; nobody looked whether it arrived"}
	settle, submit := time.Duration(0), []string{"Enter"}
	if kind := f.kindOf(pane); kind != nil {
		settle, submit = kind.Typing.Settle, kind.Keys.Submit
	}
	err := f.engine.Paste(ctx, pane.ID, []byte(text))
	if err == nil {
		select {
		case <-ctx.Done():
			err = ctx.Err()
		case <-time.After(settle):
			err = f.engine.Press(ctx, pane.ID, submit...)
			delivery.Enters = 1
		}
	}
	if err != nil {
		delivery.Evidence = err.Error()
	}
	delivery.ElapsedMS = f.now().Sub(begun).Milliseconds()
	return delivery
}
