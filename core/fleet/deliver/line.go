package deliver

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/fleet/observe"
	"cupola/core/fleet/terminal"
)

const (
	// leftWait is how long the cursor may take to move left, and keyWait how long a program may take to react
	// to any other key.
	leftWait = 120 * time.Millisecond
	keyWait  = time.Second
	// lineRounds limits how often the line of a plain pane is cleared, or looked at while it is drawn.
	lineRounds = 6
)

// line is the line of a plain pane, which is looked at and cleared by keys.
type line struct {
	term *terminal.Terminal
	// kind is that whose keys the program takes; nil if there is none.
	kind *agent.Kind
}

// line returns the line of the pane of a delivery.
func (c *delivery) line() line {
	if c.term.Kind != nil {
		return line{c.term, c.term.Kind}
	}
	kind, _ := c.sender.opts.Kinds.Find(string(core.KindCommand))
	return line{c.term, kind}
}

// lineState is the content of the line of a plain pane.
type lineState struct {
	entry agent.Entry
	// typed is text that may have been typed there, evidence how that is known.
	typed, evidence string
	// pending is true if an unfinished command continues in the line.
	pending bool
}

// free reports whether a prompt can be typed into the line.
func (s *lineState) free() bool {
	return s.entry == agent.EntryEmpty || s.entry == agent.EntryLikelyEmpty
}

// refusal says why the line takes no prompt.
func (s *lineState) refusal() error {
	typed := core.Excerpt(s.typed)
	var evidence string
	switch {
	case s.pending:
		evidence = fmt.Sprintf("an unfinished command runs there: %q", typed)
	case s.entry == agent.EntryTyped && s.typed == "":
		evidence = "the user typed something there: " + s.evidence
	case s.entry == agent.EntryTyped:
		evidence = fmt.Sprintf("the user typed %q there: %s", typed, s.evidence)
	case s.typed != "":
		evidence = fmt.Sprintf("it cannot be known whether %q was typed there or belongs to a prompt", typed)
	default:
		evidence = s.evidence
	}
	return terminal.Refusal{Why: terminal.WhyDraft, Evidence: evidence, Remedy: core.RemedyReplaceDraft}
}

// readLine parses the line of a plain pane from one capture. It types nothing; a program without a line counts as
// free.
func readLine(g *terminal.Capture) lineState {
	line, found := agent.CursorLine(g.Screen)
	if !found {
		return lineState{
			entry:    agent.EntryLikelyEmpty,
			evidence: "it shows no line with a cursor, so what it holds is not known",
		}
	}
	entry, typed := line.Entry()
	s := lineState{entry: entry, typed: typed, pending: line.Above != ""}
	switch entry {
	case agent.EntryTyped:
		s.evidence = "the cursor is before it"
	case agent.EntryUnknown:
		s.evidence = fmt.Sprintf("it cannot be known whether %q before the cursor is a prompt or was typed",
			core.Excerpt(line.Before))
	default:
		s.evidence = fmt.Sprintf("nothing is behind the prompt %q", core.Excerpt(line.Before))
		if strings.TrimSpace(line.Before) == "" {
			s.evidence = "the line of the cursor is empty"
		}
	}
	return s
}

// state determines the content of the line of a plain pane. If the screen is ambiguous and a shell edits the
// line, the cursor decides: it does not move left of the input.
func (l line) state(ctx context.Context, g *terminal.Capture) (lineState, error) {
	for range lineRounds {
		s := readLine(g)
		if s.entry == agent.EntryTyped || !g.Edits() {
			return s, nil
		}
		at, found := agent.CursorLine(g.Screen)
		if !found || s.entry == agent.EntryEmpty && at.Before != "" {
			return s, nil
		}
		s, err := l.probeCursor(ctx, g, s)
		if !errors.Is(err, errDrawing) {
			return s, err
		}
		if g, err = l.term.Inspect(ctx); err != nil {
			return s, err
		}
	}
	return lineState{entry: agent.EntryUnknown, evidence: "the shell keeps drawing its line"}, nil
}

// errDrawing says that a shell has not drawn its prompt to the end.
var errDrawing = errors.New("the line is being drawn")

// probeCursor presses Left in a shell. If the cursor moves there, there is input before it, and Right restores it; else
// a blank is typed, awaited and removed, since in a slow shell the cursor could still move. It returns errDrawing if
// the cursor moves to any other position.
func (l line) probeCursor(ctx context.Context, g *terminal.Capture, s lineState) (lineState, error) {
	at := g.Screen.View.Cursor
	typed := func(keys ...string) (lineState, error) {
		s.entry, s.evidence = agent.EntryTyped, "the shell lets the cursor go left"
		return s, l.press(ctx, keys...)
	}
	if err := l.term.Press(ctx, "Left"); err != nil {
		return s, err
	}
	is := at
	moved, err := l.term.Sees(ctx, leftWait, func(now *terminal.Capture) bool {
		is = now.Screen.View.Cursor
		return is != at
	})
	switch {
	case err != nil:
		return s, err
	case moved && (is.Y > at.Y || is.Y == at.Y && is.X > at.X):
		return s, errDrawing
	case moved:
		return typed("Right")
	}
	if err := l.term.Press(ctx, "Space"); err != nil {
		return s, err
	}
	right, was := false, g.BeforeCursor()
	answered, err := l.term.Sees(ctx, keyWait, func(now *terminal.Capture) bool {
		cursor, before := now.Screen.View.Cursor, now.BeforeCursor()
		right = cursor.Y == at.Y && cursor.X == at.X+1 && before == was+" "
		return right || before != was
	})
	switch {
	case err != nil:
		return s, err
	case !answered:
		s.entry, s.evidence = agent.EntryUnknown,
			"it cannot be known what the line holds: the shell shows neither the cursor nor a blank move"
		return s, nil
	case !right:
		return typed("BSpace", "Right")
	}
	s.entry, s.typed, s.evidence = agent.EntryEmpty, "", "the shell lets the cursor go no further left"
	return s, l.press(ctx, "BSpace")
}

// press presses keys and waits a while for the screen to change.
func (l line) press(ctx context.Context, keys ...string) error {
	g, err := l.term.Capture(ctx)
	if err != nil {
		return err
	}
	if err := l.term.Press(ctx, keys...); err != nil {
		return err
	}
	_, err = l.term.Sees(ctx, keyWait, func(now *terminal.Capture) bool { return now.Differs(g) })
	return err
}

// clear clears the line of a plain pane and verifies that. It refuses if something remains.
func (l line) clear(ctx context.Context, g *terminal.Capture, s lineState) error {
	erase := l.clearKeys()
	if len(erase) == 0 {
		return refuse(terminal.WhyDraft, "no key is known that clears the line")
	}
	for round := range lineRounds {
		keys := erase
		if g.Edits() && (s.pending || round >= lineRounds/2) || s.pending && observe.IsShell(g.Front.Command) {
			keys = l.kind.Keys.Interrupt // a shell at its prompt gives up the line
		}
		before := g
		if err := l.term.Press(ctx, keys...); err != nil {
			return err
		}
		changed, err := l.term.Sees(ctx, keyWait/2, func(now *terminal.Capture) bool { return now.Differs(before) })
		if err != nil {
			return err
		}
		if g, err = l.term.Inspect(ctx); err != nil {
			return err
		}
		if s, err = l.state(ctx, g); err != nil {
			return err
		}
		// What no key changes, and may be a prompt, is one.
		if s.free() || !changed && s.entry == agent.EntryUnknown && !g.Edits() {
			return nil
		}
	}
	return refuse(terminal.WhyDraft, fmt.Sprintf("the line could not be cleared; %s", s.evidence))
}

// clearKeys returns the keys that clear the line of the program; none if no key is known.
func (l line) clearKeys() []string {
	if l.kind == nil {
		return nil
	}
	return l.kind.Keys.Clear
}

// freeLine verifies that the input line is empty. It clears the line if the caller asks for that, or if a killed
// process left input there. It returns the last capture.
func (c *delivery) freeLine(ctx context.Context, g *terminal.Capture, rests *leftovers) (*terminal.Capture, error) {
	if err := c.barred(g); err != nil {
		return nil, err
	}
	s, err := c.line().state(ctx, g)
	if err != nil {
		return nil, err
	}
	if s.free() {
		c.note("%s", s.evidence)
		return c.clearUnseen(ctx, g, rests)
	}
	left := rests.inLine(ctx, g)
	if left == nil && c.force && s.entry == agent.EntryUnknown {
		c.note("%s", s.evidence)
		return g, nil
	}
	if left == nil && !c.replaceDraft {
		return nil, s.refusal()
	}
	if err := c.line().clear(ctx, g, s); err != nil {
		return nil, err
	}
	c.note("%q was cleared from the line", core.Excerpt(s.typed))
	if left != nil {
		rests.close(ctx, left)
	}
	return c.term.Capture(ctx)
}

// clearUnseen clears what a prompt that was not seen to leave may have left in a line that looks empty: the program may
// hold it without showing it. A shell at its prompt shows what it holds.
func (c *delivery) clearUnseen(ctx context.Context, g *terminal.Capture, rests *leftovers) (*terminal.Capture, error) {
	if g.Edits() {
		return g, nil
	}
	stuck := rests.unconfirmed(ctx)
	if len(stuck) == 0 {
		return g, nil
	}
	if err := c.term.Press(ctx, c.line().clearKeys()...); err != nil {
		return nil, err
	}
	c.note("the prompt %q, %s, was cleared", core.Excerpt(stuck[0]), notSeenToLeave)
	if err := core.Sleep(ctx, plainSettle); err != nil {
		return nil, err
	}
	return c.term.Capture(ctx)
}

// checkLine refuses if the line of a plain pane holds input. It types nothing, so it reports input that only the cursor
// would reveal as unknown.
func (c *delivery) checkLine(ctx context.Context, g *terminal.Capture, rests *leftovers) error {
	if err := c.barred(g); err != nil {
		return err
	}
	s := readLine(g)
	switch {
	case s.free():
		c.note("%s", s.evidence)
	case c.replaceDraft:
		c.note("the line would be cleared")
	case rests.inLine(ctx, g) != nil:
		c.note("the line holds a prompt that was not seen to leave; it would be cleared")
	case s.entry == agent.EntryUnknown && g.Edits():
		c.note("%s; the cursor would be moved to learn it", s.evidence)
	default:
		return s.refusal()
	}
	return nil
}
