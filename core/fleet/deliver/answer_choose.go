package deliver

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/fleet/terminal"
)

// step is an action on a dialog: an option to select, or keys that close it. say is typed into the option's
// field or, without an option, behind a question that is answered in writing.
type step struct {
	option *agent.Option
	say    string
	keys   []string
}

// first captures the pane, and refuses an unexpected dialog.
func (r *answerer) first(ctx context.Context) (*agent.OpenDialog, error) {
	g, seen, open, err := r.awaitDrawn(ctx)
	if err != nil {
		return nil, err
	}
	r.answer.Before = r.term.Status(g)
	r.answer.After = r.answer.Before
	if !open {
		return nil, r.newError(core.NotReady, "it does not wait for an answer: it is %s; its last line is %q",
			r.answer.Before.State, g.LastLine())
	}
	r.open = true
	if g.Reading != nil {
		_, queued := g.Reading.Queued()
		r.stranded = queued && r.term.Kind.Typing.StrandsQueued
	}
	dialog, err := r.settled(ctx, &seen)
	if err != nil {
		return nil, err
	}
	r.answer.Asks, r.answer.Asked, r.answer.Options = dialog.About, dialog.Text, dialog.Options
	r.answer.Dialog = dialogID(r.term.Pane, dialog)
	r.note("%s", terminal.DialogOpen(dialog.Block))
	return dialog, r.expected(dialog)
}

// expected returns Conflict for a dialog that is not the one that the request means.
func (r *answerer) expected(dialog *agent.OpenDialog) error {
	if want := r.request.Expect; want != "" && dialog.Reason != want {
		return r.newError(core.Conflict, "its dialog is no %s but %s: %s", want, dialog.Reason, summary(dialog))
	}
	if text := r.request.Showing; text != "" && !strings.Contains(normalized(dialogText(dialog)), normalized(text)) {
		return r.newError(core.Conflict, "its dialog does not say %q but %q: %s",
			text, dialog.About, summary(dialog))
	}
	if id := r.request.Dialog; id != "" && id != r.answer.Dialog {
		return r.newError(core.Conflict, "its dialog is not the one with the id %s but %s: %s",
			core.Cut(id), r.answer.Dialog, summary(dialog))
	}
	return nil
}

// dialogID is the id of a pane's dialog.
func dialogID(pane *core.Pane, dialog *agent.OpenDialog) string {
	const digits = 12
	sum := sha256.Sum256([]byte(string(pane.ID) + " " + dialog.Digest()))
	return hex.EncodeToString(sum[:])[:digits]
}

const (
	// drawWithin is how long an agent may take to draw a dialog that its hooks or its own file announce, and
	// drawEvery the poll interval.
	drawWithin = 3 * time.Second
	drawEvery  = 50 * time.Millisecond
)

// awaitDrawn polls the pane until it shows a dialog, if one is announced; otherwise it captures once.
func (r *answerer) awaitDrawn(ctx context.Context) (g *terminal.Capture, dialog agent.OpenDialog, open bool,
	err error,
) {
	for end := time.Now().Add(drawWithin); ; {
		if g, err = r.term.Inspect(ctx); err != nil {
			return nil, dialog, false, err
		}
		dialog, open = g.Dialog()
		if open || r.term.Pane.Status.State != core.Waiting || time.Now().After(end) {
			return g, dialog, open, nil
		}
		if err := core.Sleep(ctx, drawEvery); err != nil {
			return nil, dialog, false, err
		}
	}
}

// settleCaptures is how often a dialog may change before the answer fails.
const settleCaptures = 8

// settled captures again until a dialog is unchanged, and drawn: agents draw theirs in pieces, and ignore keys briefly.
func (r *answerer) settled(ctx context.Context, dialog *agent.OpenDialog) (*agent.OpenDialog, error) {
	end := time.Now().Add(drawPatience)
	for changes := 0; changes < settleCaptures; {
		if err := core.Sleep(ctx, max(dialog.Settle(), drawEvery)); err != nil {
			return nil, err
		}
		again, err := r.captureDialog(ctx)
		switch {
		case err != nil:
			return nil, err
		case again == nil:
			r.open = false
			return nil, r.newError(core.NotReady, "the dialog went by itself: %s", summary(dialog))
		case !again.Same(dialog):
			changes++
		case again.Drawn() || time.Now().After(end):
			return again, nil
		}
		dialog = again
	}
	return nil, r.newError(core.Conflict, "its dialog keeps changing: %s", summary(dialog))
}

// captureDialog captures the screen only; nil if no dialog is open.
func (r *answerer) captureDialog(ctx context.Context) (*agent.OpenDialog, error) {
	g, err := r.term.Capture(ctx)
	if err != nil {
		return nil, err
	}
	dialog, open := g.Dialog()
	if !open {
		return nil, nil
	}
	return &dialog, nil
}

// choose translates the request to a step, and records its keys.
func (r *answerer) choose(d *agent.OpenDialog) (step, error) {
	s, err := r.translate(d)
	if err != nil {
		return s, err
	}
	if s.option != nil {
		r.answer.Chosen = s.option.Label
	}
	r.answer.Keys = plannedKeys(d, s)
	return s, nil
}

func (r *answerer) translate(d *agent.OpenDialog) (step, error) {
	switch r.request.Act {
	case core.ActApprove:
		if o, ok := d.Choice(agent.Approves); ok {
			return step{option: &o}, nil
		}
		return step{}, r.newError(core.Conflict, "no option of its dialog just approves: %s", summary(d))
	case core.ActChoose:
		o, ok := d.Numbered(r.request.N)
		if !ok {
			return step{}, r.newError(core.Conflict, "its dialog has no option %d: %s", r.request.N, summary(d))
		}
		if o.Means == agent.Takes && len(d.Open()) == 0 {
			return step{}, r.newError(core.Conflict, "option %d of its dialog takes words: give them", o.N)
		}
		return step{option: &o}, nil
	case core.ActSay:
		if d.Written() {
			return r.written(d, strings.TrimSpace(r.request.Text))
		}
		if o, ok := d.Choice(agent.Takes); ok {
			return step{option: &o, say: strings.Join(strings.Fields(r.request.Text), " ")}, nil
		}
		if d.Reason == core.ReasonTrust || d.Reason == core.ReasonLogin || d.Reason == core.ReasonDialog {
			return step{}, r.newError(core.Conflict, "its dialog takes no words: %s", summary(d))
		}
		r.prompt = r.request.Text
		r.note("the dialog has no field for words, so it is denied and they are sent as a prompt")
	}
	return r.denial(d)
}

// denial returns the option that says no or, without one, the keys that close the dialog.
func (r *answerer) denial(d *agent.OpenDialog) (step, error) {
	if o, ok := d.Choice(agent.Denies); ok {
		return step{option: &o}, nil
	}
	if d.Written() {
		return step{}, r.unwrittenError("no answer to its question denies: %s", summary(d))
	}
	if keys := d.Cancel(); len(keys) > 0 && d.Reason != core.ReasonTrust && d.Reason != core.ReasonLogin {
		return step{keys: keys}, nil
	}
	return step{}, r.newError(core.Conflict, "no option of its dialog denies: %s", summary(d))
}

// written returns the step that answers a question in writing with a text. A question whose answers are single letters
// may read one key, so it takes only a text that names one of them.
func (r *answerer) written(d *agent.OpenDialog, text string) (step, error) {
	o, named, other := d.Spelled(text)
	switch {
	case strings.ContainsAny(text, "\n\t"):
		return step{}, r.unwrittenError("its question takes one line without tabs: %s", summary(d))
	case other:
		return step{say: text}, nil
	case named:
		return step{option: &o}, nil
	}
	return step{}, r.unwrittenError("its question does not take %q: %s", core.Excerpt(text), summary(d))
}

// unwrittenError reports a question that is answered in writing, and has no such answer.
func (r *answerer) unwrittenError(format string, args ...any) *core.Error {
	err := r.newError(core.Conflict, format, args...)
	err.Remedies = append(err.Remedies, core.RemedyPressKeys)
	return err
}

// plannedKeys returns the keys of a step, as far as they are known beforehand.
func plannedKeys(d *agent.OpenDialog, s step) []string {
	switch {
	case s.option == nil && s.say != "":
		return append([]string{typedText}, d.Confirm()...)
	case s.option == nil:
		return s.keys
	}
	if s.say == "" {
		return s.option.Keys
	}
	keys, direct := d.Direct(*s.option)
	if !direct || len(d.Open()) > 0 {
		keys, _ = d.Moves(*s.option)
		keys = append(keys, d.Open()...)
	}
	return append(append(slices.Clone(keys), typedText), d.Confirm()...)
}

// typedText is the placeholder for text among keys.
const typedText = "<text>"

// summary returns the question and options of a dialog in one line.
func summary(d *agent.OpenDialog) string {
	offers := core.Map(d.Options, func(o agent.Option) string {
		return fmt.Sprintf("%d %s", o.N, core.Excerpt(o.Label))
	})
	asked := cmp.Or(d.About, d.Line)
	if len(offers) == 0 {
		return fmt.Sprintf("%q", core.Excerpt(asked))
	}
	return fmt.Sprintf("%q offers %s", core.Excerpt(asked), strings.Join(offers, ", "))
}

// dialogText returns all text of a dialog.
func dialogText(d *agent.OpenDialog) string {
	words := append([]string{}, d.Text...)
	for _, o := range d.Options {
		words = append(words, o.Label, o.Detail)
	}
	return strings.Join(append(words, d.Line), " ")
}

// normalized returns a text without blanks and case.
func normalized(text string) string { return strings.ToLower(strings.Join(strings.Fields(text), "")) }
