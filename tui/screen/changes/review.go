package changes

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"cupola/core/git/changes"
	"cupola/core/verb/sessions"
	"cupola/theme"
	"cupola/tui/intent"
	"cupola/tui/widget"
)

// place is a line of the text that is shown: a line of a hunk, the header of one, or something else.
type place struct {
	// hunk is the number of the hunk, -1 for none; line is the number of its line, -1 for its header.
	hunk, line int
}

// nowhere is a line of no hunk.
var nowhere = place{-1, -1}

// spot is a line of a difference, whatever is around it.
type spot struct {
	root, path string
	changes.Line
	// context is true for a line that did not change.
	context bool
}

// comment is a remark on a line, for the agent who changed it.
type comment struct {
	spot
	number int
	text   string
}

// review has the marks and the comments of the user on lines of a difference.
type review struct {
	hunks  []changes.Hunk
	places []place
	marked []spot
	// last is the line that was marked last.
	last     int
	comments []comment
	// version changes with the comments.
	version int
}

// spotOf returns the line of a hunk at a place; false if there is none.
func (d *diff) spotOf(at int) (found spot, shown *changes.Shown, is bool) {
	if at < 0 || at >= len(d.review.places) || d.review.places[at].line < 0 {
		return found, nil, false
	}
	place := d.review.places[at]
	hunk := &d.review.hunks[place.hunk]
	shown = &hunk.Lines[place.line]
	return spot{root: d.of.root, path: hunk.Path, Line: shown.Line, context: shown.Sign == ' '}, shown, true
}

// begin selects the first changed line, unless one is selected.
func (d *diff) begin() {
	if d.reader.Text.Marked >= 0 {
		return
	}
	for i := range d.review.places {
		if at, _, is := d.spotOf(i); is && !at.context {
			d.reader.Text.Choose(i)
			return
		}
	}
	d.reader.Text.Choose(0)
}

// move selects another line.
func (d *diff) move(wanted intent.Intent) bool {
	text := &d.reader.Text
	_, page := text.Rows()
	at, is := intent.Rows{At: max(0, text.Marked), Of: text.Lines(), Page: page - 1}.Moved(wanted)
	if is {
		text.Choose(at)
	}
	return is
}

// nextHunk selects the first changed line of the hunk that is by further down.
func (d *diff) nextHunk(by int) {
	now := nowhere
	if at := d.reader.Text.Marked; at >= 0 && at < len(d.review.places) {
		now = d.review.places[at]
	}
	for i := range d.review.places {
		at, _, is := d.spotOf(i)
		if is && !at.context && d.review.places[i].hunk == max(0, now.hunk+by) {
			d.reader.Text.Choose(i)
			return
		}
	}
}

// mark marks the selected line or removes its mark, or marks all from the last marked one.
func (d *diff) mark(w intent.Mark) intent.Intent {
	text := &d.reader.Text
	at, _, is := d.spotOf(text.Marked)
	if !is || at.context {
		return intent.Refuse{Why: "this line did not change"}
	}
	from, to := text.Marked, text.Marked
	if w.Range {
		from, to = min(from, d.review.last), max(to, d.review.last)
	} else if n := slices.Index(d.review.marked, at); n >= 0 {
		d.review.marked = slices.Delete(d.review.marked, n, n+1)
		return nil
	}
	for i := from; i <= to; i++ {
		if one, _, is := d.spotOf(i); is && !one.context && !slices.Contains(d.review.marked, one) {
			d.review.marked = append(d.review.marked, one)
		}
	}
	d.review.last = text.Marked
	return nil
}

// chosen are the lines that an act is on: those that are marked, else those of the hunk of the selected line. They are
// of one file.
func (d *diff) chosen() (path string, lines []changes.Line) {
	for _, one := range d.review.marked {
		if path == "" {
			path = one.path
		}
		if one.root == d.of.root && one.path == path {
			lines = append(lines, one.Line)
		}
	}
	at := d.reader.Text.Marked
	if len(lines) > 0 || at < 0 || at >= len(d.review.places) || d.review.places[at].hunk < 0 {
		return path, lines
	}
	hunk := &d.review.hunks[d.review.places[at].hunk]
	return hunk.Path, hunk.Changed()
}

// act is an act on lines of the difference.
func (d *diff) act(wanted intent.Intent) intent.Intent {
	path, lines := d.chosen()
	if len(lines) == 0 {
		return intent.Refuse{Why: "select a line that changed"}
	}
	d.review.marked = nil
	in := sessions.ChangesIn{Tree: d.of.root, Do: sessions.Stage, Paths: []string{path}}
	for _, line := range lines {
		in.Lines = append(in.Lines, line.String())
	}
	if _, discards := wanted.(intent.AskDiscard); discards {
		in.Do = sessions.Discard
		return intent.AskDiscard{In: &in, What: counted(len(lines), "changed line") + " of " +
			filepath.Base(d.of.root) + "; u brings them back."}
	}
	return intent.Act{Input: in, What: counted(len(lines), "line") + " of " + path}
}

// askComment asks for a comment on the selected line.
func (d *diff) askComment() intent.Intent {
	at, shown, is := d.spotOf(d.reader.Text.Marked)
	if !is {
		return intent.Refuse{Why: "select a line of the difference"}
	}
	ask := intent.AskComment{Line: fmt.Sprintf("%s:%d", at.path, numberOf(shown))}
	if n := d.commented(at); n >= 0 {
		ask.Text = d.review.comments[n].text
	}
	return ask
}

// numberOf is the number of a line in the new file or, of a deleted one, in the old.
func numberOf(shown *changes.Shown) int {
	if shown.Deleted {
		return shown.Old
	}
	return shown.At
}

// commented returns the number of the comment on a line; -1 for none.
func (d *diff) commented(at spot) int {
	return slices.IndexFunc(d.review.comments, func(c comment) bool { return c.spot == at })
}

// comment keeps a comment on the selected line; an empty one removes it.
func (d *diff) comment(text string) {
	at, shown, is := d.spotOf(d.reader.Text.Marked)
	if !is {
		return
	}
	d.review.version++
	n := d.commented(at)
	switch {
	case n >= 0 && text == "":
		d.review.comments = slices.Delete(d.review.comments, n, n+1)
	case n >= 0:
		d.review.comments[n].text = text
	case text != "":
		d.review.comments = append(d.review.comments, comment{at, numberOf(shown), text})
	}
}

// prompt is all comments on a tree as one prompt; empty if there are none.
func (d *diff) prompt() string {
	var text strings.Builder
	for _, one := range d.review.comments {
		if one.root != d.of.root {
			continue
		}
		if text.Len() == 0 {
			text.WriteString("Please look at these comments on what changed.\n")
		}
		sign := "+"
		if one.Deleted {
			sign = "-"
		} else if one.context {
			sign = " "
		}
		fmt.Fprintf(&text, "\n%s:%d\n> %s%s\n%s\n", one.path, one.number, sign, one.Text, one.text)
	}
	return text.String()
}

// comments counts the comments on the tree.
func (d *diff) comments() (n int) {
	for i := range d.review.comments {
		if d.review.comments[i].root == d.of.root {
			n++
		}
	}
	return n
}

// sent forgets the comments that a prompt has.
func (d *diff) sent(prompt string) {
	if text := d.prompt(); text != "" && strings.TrimRight(text, "\n") == strings.TrimRight(prompt, "\n") {
		d.review.comments = slices.DeleteFunc(d.review.comments, func(c comment) bool { return c.root == d.of.root })
		d.review.version++
	}
}

// sign marks the marked lines.
func (d *diff) sign(line int) widget.Span {
	if at, _, is := d.spotOf(line); is && slices.Contains(d.review.marked, at) {
		return widget.Span{Token: theme.Accent, Text: "*"}
	}
	return widget.Span{}
}
