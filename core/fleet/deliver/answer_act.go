package deliver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/fleet/terminal"
)

const (
	// answerWait is how long a dialog may take to close.
	answerWait = 10 * time.Second
	// againAfter is how long a key may have no effect until it is pressed again.
	againAfter = 2 * time.Second
	// moveWait is how long a selection may take to move, and a text to appear.
	moveWait = 3 * time.Second
	// goneCaptures is how many captures in a row must show no dialog, since agents redraw it.
	goneCaptures = 2
)

// act performs a step and waits until the dialog closes. It answers a confirmation in the same sense.
func (r *answerer) act(ctx context.Context, d *agent.OpenDialog, s step) error {
	started := time.Now()
	last, err := r.carryOut(ctx, d, s)
	if err != nil {
		return err
	}
	next, err := r.awaitClosed(ctx, last, s)
	asked := r.request.Act != core.ActDeny && !r.request.ByRule
	if err == nil && next != nil && s.option != nil && s.say == "" && asked {
		_, before := d.Follows()
		// What lasts is confirmed only if it was chosen: another process may have brought that question.
		if o, is := next.Follows(); is && !before && (o.Means != agent.ApprovesAlways || o.Means == s.option.Means) {
			next, err = r.confirm(ctx, d, next, o)
		}
	}
	if errors.Is(err, terminal.ErrLate) {
		return r.newError(core.Timeout, "the dialog is still there after the keys were pressed: %s", summary(d))
	}
	if err != nil {
		return err
	}
	r.answer.Resolved = next == nil
	r.sender.opts.Announcer.Answered(ctx, r.term.Pane.ID)
	r.sender.opts.Announcer.StoreState(ctx, r.term.Pane.ID, r.stateAfter())
	if next != nil {
		r.answer.Next = next.Text
		r.note("the next dialog came: %s", summary(next))
		r.prompt = ""
	}
	if r.stranded && r.request.Act == core.ActDeny && next == nil {
		r.note("what was queued behind it is not started until another prompt is sent")
	}
	r.note("answered within %d ms", time.Since(started).Milliseconds())
	return nil
}

// stateAfter returns the state after the answer. It is empty where one capture cannot show it: between a dialog and the
// next sign of work an agent appears idle.
func (r *answerer) stateAfter() core.Status {
	if s := r.answer.After; s.State == core.Working || s.State == core.Waiting {
		return s
	}
	return core.Status{}
}

// confirm answers a confirmation, and returns what follows. The first dialog, which some agents briefly draw
// again, counts only if it stays.
func (r *answerer) confirm(ctx context.Context, first, again *agent.OpenDialog, o agent.Option) (next *agent.OpenDialog,
	err error,
) {
	r.note("it asked once more: %s", summary(again))
	if again, err = r.settled(ctx, again); err != nil {
		return nil, err
	}
	if _, err := r.carryOut(ctx, again, step{option: &o}); err != nil {
		return nil, err
	}
	next, err = r.awaitClosed(ctx, again, step{})
	if err != nil || next == nil || !next.Same(first) {
		return next, err
	}
	later, err := r.awaitClosedWithin(ctx, next, againAfter)
	if errors.Is(err, terminal.ErrLate) {
		return next, nil
	}
	return later, err
}

// carryOut presses the keys of a step, and returns the dialog before the last key, with the text typed into
// it.
func (r *answerer) carryOut(ctx context.Context, d *agent.OpenDialog, s step) (*agent.OpenDialog, error) {
	switch {
	case s.option == nil && s.say != "":
		return d, r.typeLine(ctx, d, s.say)
	case s.option == nil:
		return d, r.pressKeys(ctx, s.keys...)
	}
	if word := s.option.Typed(); word != "" {
		return d, r.typeWord(ctx, d, word)
	}
	keys, direct := d.Direct(*s.option)
	if direct && s.say == "" {
		return d, r.pressKeys(ctx, keys...)
	}
	if direct && len(d.Open()) == 0 {
		if err := r.pressKeys(ctx, keys...); err != nil {
			return d, err
		}
		if err := r.selected(ctx, d, *s.option); err != nil {
			return d, err
		}
	} else if err := r.moveTo(ctx, d, *s.option); err != nil {
		return d, err
	}
	if s.say != "" {
		filled, err := r.typeIntoField(ctx, d, s.say)
		if err != nil {
			return d, err
		}
		d = filled
	}
	return d, r.pressKeys(ctx, d.Confirm()...)
}

// moveTo selects an option with arrow keys, checking after each.
func (r *answerer) moveTo(ctx context.Context, d *agent.OpenDialog, o agent.Option) error {
	for range len(d.Options) + 1 {
		now, err := r.captureDialog(ctx)
		if err != nil {
			return err
		}
		if now == nil || !now.Same(d) {
			return r.newError(core.Conflict, "the dialog changed while the selection was moved; nothing was confirmed")
		}
		keys, seen := now.Moves(o)
		switch {
		case !seen:
			return r.newError(core.NotReady, "nothing shows which option is selected, so nothing was pressed: %s",
				summary(d))
		case len(keys) == 0:
			r.note("option %d %q is selected", o.N, o.Label)
			return nil
		}
		if err := r.pressKeys(ctx, keys[0]); err != nil {
			return err
		}
		if err := r.moved(ctx, len(keys), o); err != nil {
			return err
		}
	}
	return r.stuckError(d, o)
}

// stuckError reports a selection that did not move to an option, and where it is.
func (r *answerer) stuckError(d *agent.OpenDialog, o agent.Option) error {
	at := "nowhere"
	for _, option := range d.Options {
		if option.Selected {
			at = fmt.Sprintf("on %d %q", option.N, core.Excerpt(option.Label))
		}
	}
	return r.newError(core.Timeout, "the selection does not move to option %d %q; it is %s, and nothing was confirmed",
		o.N, core.Excerpt(o.Label), at)
}

// moved waits until the selection is nearer to an option.
func (r *answerer) moved(ctx context.Context, distance int, o agent.Option) error {
	var last agent.OpenDialog
	err := r.term.Until(ctx, moveWait, func(g *terminal.Capture) (bool, error) {
		now, open := g.Dialog()
		if !open {
			return true, nil
		}
		last = now
		keys, seen := now.Moves(o)
		return seen && len(keys) < distance, nil
	})
	if errors.Is(err, terminal.ErrLate) {
		return r.stuckError(&last, o)
	}
	return err
}

// selected waits until an option is selected.
func (r *answerer) selected(ctx context.Context, d *agent.OpenDialog, o agent.Option) error {
	err := r.term.Until(ctx, moveWait, func(g *terminal.Capture) (bool, error) {
		now, open := g.Dialog()
		if !open || now.Rule.ID != d.Rule.ID {
			return false, r.newError(core.Conflict, "the dialog went before words were typed")
		}
		for _, other := range now.Options {
			if other.N == o.N && other.Selected {
				return true, nil
			}
		}
		return false, nil
	})
	if errors.Is(err, terminal.ErrLate) {
		return r.newError(core.Timeout, "option %d was not seen to be selected", o.N)
	}
	return err
}

// typeIntoField opens the field of the selected option, types the text and waits until it appears.
func (r *answerer) typeIntoField(ctx context.Context, d *agent.OpenDialog, words string) (*agent.OpenDialog, error) {
	if open := d.Open(); len(open) > 0 {
		if err := r.pressKeys(ctx, open...); err != nil {
			return nil, err
		}
	}
	if err := core.Sleep(ctx, r.gap()); err != nil {
		return nil, err
	}
	if err := r.paste(ctx, words); err != nil {
		return nil, err
	}
	err := r.term.Until(ctx, moveWait, func(g *terminal.Capture) (bool, error) { return g.Shows(words), nil })
	if errors.Is(err, terminal.ErrLate) {
		return nil, r.newError(core.Timeout, "the words do not appear in the dialog's field")
	}
	if err == nil && r.term.Kind != nil {
		err = core.Sleep(ctx, r.term.Kind.Typing.Settle)
	}
	if err != nil {
		return nil, err
	}
	filled, err := r.captureDialog(ctx)
	if err == nil && (filled == nil || filled.Rule.ID != d.Rule.ID) {
		err = r.newError(core.Conflict, "the dialog went before the words were confirmed")
	}
	r.note("the words are in the dialog's field")
	return filled, err
}

// typeWord types the word that chooses an option, waits until it is drawn behind the question, and confirms it. If the
// question closes at the first key, the program reads keys and no lines, and nothing is confirmed.
func (r *answerer) typeWord(ctx context.Context, d *agent.OpenDialog, word string) error {
	if err := r.pressKeys(ctx, strings.Split(word, "")...); err != nil {
		return err
	}
	var typed *terminal.Capture
	err := r.term.Until(ctx, moveWait, func(g *terminal.Capture) (bool, error) {
		if now, open := g.Dialog(); open && now.Same(d) {
			return false, nil
		}
		for end := 1; end < len(word); end++ {
			if behind(g, d, word[:end]) {
				return false, nil // the rest of the word is not drawn yet
			}
		}
		if behind(g, d, word) {
			typed = g
		}
		return true, nil
	})
	switch {
	case errors.Is(err, terminal.ErrLate):
		return r.newError(core.Timeout, "%q does not appear behind the question, so it was not confirmed", word)
	case err != nil || typed == nil:
		return err
	}
	return r.enter(ctx, d, word, typed)
}

// behind reports whether a text is drawn behind the question of a dialog, or in a row of its own below it.
func behind(g *terminal.Capture, d *agent.OpenDialog, text string) bool {
	return g.ShowsBehind(d.Line, text) || strings.Trim(g.BeforeCursor(), " >") == text
}

// typeLine types words behind a question, waits until they are drawn there, and confirms them.
func (r *answerer) typeLine(ctx context.Context, d *agent.OpenDialog, words string) error {
	if err := r.paste(ctx, words); err != nil {
		return err
	}
	var typed *terminal.Capture
	err := r.term.Until(ctx, moveWait, func(g *terminal.Capture) (bool, error) {
		typed = g
		return g.ShowsBehind(d.Line, words) || g.Ends(d.Line+words), nil
	})
	if errors.Is(err, terminal.ErrLate) {
		return r.newError(core.Timeout, "the words do not appear behind the question, so they were not confirmed")
	}
	if err != nil {
		return err
	}
	return r.enter(ctx, d, words, typed)
}

// enter confirms what was typed behind a question, as a capture shows it, and waits until the screen changes.
func (r *answerer) enter(ctx context.Context, d *agent.OpenDialog, words string, typed *terminal.Capture) error {
	if err := r.pressKeys(ctx, d.Confirm()...); err != nil {
		return err
	}
	err := r.term.Until(ctx, answerWait, func(g *terminal.Capture) (bool, error) { return g.Differs(typed), nil })
	if errors.Is(err, terminal.ErrLate) {
		return r.newError(core.Timeout, "nothing came of %q and Enter", words)
	}
	return err
}

// paste pastes words and records them in the answer.
func (r *answerer) paste(ctx context.Context, words string) error {
	if err := r.term.Paste(ctx, words); err != nil {
		return err
	}
	r.pressed = true
	r.answer.Keys = append(r.answer.Keys, typedText)
	return nil
}

// awaitClosed waits until a dialog closes or another one opens, which it returns. A dialog may ignore keys just after
// it was drawn, or take them for less than they were meant for: if the keys of a step that is one key have had no
// effect, the option is moved to and confirmed where the dialog shows what is selected, else the key is pressed again.
func (r *answerer) awaitClosed(ctx context.Context, d *agent.OpenDialog, s step) (next *agent.OpenDialog, err error) {
	limit := cmp.Or(max(r.request.Timeout, 0), answerWait)
	again := s.keys
	if s.option != nil && s.say == "" {
		again, _ = d.Direct(*s.option)
	}
	if len(again) == 1 && limit > againAfter && !r.request.ByRule {
		next, err = r.awaitClosedWithin(ctx, d, againAfter)
		if !errors.Is(err, terminal.ErrLate) {
			return next, err
		}
		if err := r.insist(ctx, d, s.option, again[0]); err != nil {
			return nil, err
		}
		limit -= againAfter
	}
	return r.awaitClosedWithin(ctx, d, limit)
}

// insist acts again on an open dialog on which a key had no effect. A dialog that is gone is left alone.
func (r *answerer) insist(ctx context.Context, d *agent.OpenDialog, o *agent.Option, key string) error {
	now, err := r.captureDialog(ctx)
	if err != nil || now == nil || !now.Same(d) {
		return err
	}
	if o != nil {
		if _, marked := now.Moves(*o); marked {
			r.note("nothing came of %s, so the option is moved to and confirmed", key)
			if err := r.moveTo(ctx, d, *o); err != nil {
				return err
			}
			return r.pressKeys(ctx, d.Confirm()...)
		}
	}
	r.note("nothing came of %s, so it was pressed once more", key)
	return r.pressKeys(ctx, key)
}

// awaitClosedWithin is awaitClosed without another key. It returns ErrLate only if the last capture showed
// the dialog.
func (r *answerer) awaitClosedWithin(
	ctx context.Context, d *agent.OpenDialog, limit time.Duration,
) (next *agent.OpenDialog, err error) {
	without := 0
	gone := func(g *terminal.Capture) (bool, error) {
		now, open := g.Dialog()
		if open && now.Same(d) {
			without = 0
			return false, nil
		}
		r.answer.After = r.term.Status(g)
		if next = nil; open {
			next = &now
		}
		without++
		return without >= goneCaptures, nil
	}
	err = r.term.Until(ctx, limit, gone)
	for errors.Is(err, terminal.ErrLate) && without > 0 {
		err = r.term.Until(ctx, terminal.PollFirst, gone)
	}
	return next, err
}

// gap is how long to wait between two keys.
func (r *answerer) gap() time.Duration {
	if r.term.Kind == nil {
		return 0
	}
	return r.term.Kind.Keys.Gap
}

// pressKeys presses keys and records them in the answer.
func (r *answerer) pressKeys(ctx context.Context, keys ...string) error {
	for i, key := range keys {
		if i > 0 {
			if err := core.Sleep(ctx, r.gap()); err != nil {
				return err
			}
		}
		if err := r.term.Press(ctx, key); err != nil {
			return err
		}
		r.pressed = true
		r.answer.Keys = append(r.answer.Keys, key)
	}
	return nil
}
