package changes

import (
	"strings"

	"cupola/core/git/changes"
	"cupola/core/term/cells"
	"cupola/theme"
	"cupola/tui/screen"
)

// diff is a difference that is shown.
type diff struct {
	of     shownPatch
	theme  *theme.Theme
	reader screen.Reader
	review review
	// lines is the text that is shown, beside the same in two columns.
	lines  []string
	beside beside
}

// shownPatch is a patch of one file of one tree.
type shownPatch struct {
	Patch
	root, path, wrong string
	// comments is the version of the comments.
	comments int
}

// take lays a patch out if it is another than the one that is shown. The same file stays where it was.
func (d *diff) take(w *screen.World, root, path string, read *screen.Answer[Patch]) {
	of := shownPatch{read.Value, root, path, read.Wrong, d.review.version}
	if d.of == of && d.theme == w.Theme && d.reader.Text.Lines() > 0 {
		return
	}
	top, at := 0, -1
	if d.of.root == root && d.of.path == path {
		top, at = d.reader.Text.Top, d.reader.Text.Marked
	} else {
		d.review.marked = nil
	}
	d.of, d.theme = of, w.Theme
	d.review.hunks, d.review.places = changes.Hunks(of.Text), nil
	var lines []string
	switch {
	case of.wrong != "":
		lines = []string{w.Theme.Style(theme.Danger).Render(cells.Clean(of.wrong))}
	case strings.TrimSpace(of.Text) == "":
		lines = []string{w.Theme.Style(theme.Dim).Render("no line differs")}
	default:
		lines = d.painted(w.Theme, of.Text, path == "")
	}
	if of.Cut {
		lines = append(lines, w.Theme.Style(theme.Warn).Render("(the rest is too long to be shown)"))
	}
	d.lines = lines
	d.reader.Text.Set(lines, false, top)
	d.reader.Text.Marked = min(at, len(lines)-1)
}

// painter draws the lines of a patch.
type painter struct {
	theme *theme.Theme
	// language is the language of the file; nil if it is not known. before and after report whether the last lines of
	// the old and of the new file ended in a comment.
	language      *language
	before, after bool
	// differ are the parts of the lines of the hunk that differ from their counterparts, in bytes of the clean text.
	differ map[int][2]int
}

// painted are the lines of a patch, without what only git needs, with the comments below theirs; with files, it names
// each. It notes the places of the lines.
func (d *diff) painted(t *theme.Theme, patch string, files bool) []string {
	var lines []string
	at, places := nowhere, []place{}
	add := func(line string, of place) { lines, places = append(lines, line), append(places, of) }
	p, header := painter{theme: t}, false
	for line := range strings.SplitSeq(strings.TrimRight(patch, "\n"), "\n") {
		switch {
		case strings.HasPrefix(line, "diff "):
			header = true
			if len(lines) > 0 {
				add("", nowhere)
			}
		case strings.HasPrefix(line, "@@"):
			header, p.before, p.after = false, false, false
			at = place{min(at.hunk+1, len(d.review.hunks)-1), -1}
			add(t.Style(theme.Accent).Render(clean(line)), at)
			if at.hunk >= 0 {
				p.differ = differing(d.review.hunks[at.hunk].Lines)
			}
		case header:
			if file, is := strings.CutPrefix(line, "+++ b/"); is {
				p.language = languageOf(file)
			} else if file, is := strings.CutPrefix(line, "--- a/"); is {
				p.language = languageOf(file)
			}
			if name, is := named(line, files); is {
				add(t.Style(theme.Strong).Render(cells.Clean(name)), nowhere)
			}
		case at.hunk < 0 || line == "" || !strings.ContainsRune("+- \\", rune(line[0])) ||
			at.line+1 >= len(d.review.hunks[at.hunk].Lines):
			add(p.line(line, -1), nowhere)
		default:
			at.line++
			add(p.line(line, at.line), at)
			for _, said := range d.commentLines(t, at) {
				add(said, nowhere)
			}
		}
	}
	d.review.places = places
	return lines
}

// commentLines are the lines of the comment on a line; nil without one.
func (d *diff) commentLines(t *theme.Theme, at place) (lines []string) {
	hunk := &d.review.hunks[at.hunk]
	shown := &hunk.Lines[at.line]
	n := d.commented(spot{root: d.of.root, path: hunk.Path, Line: shown.Line, context: shown.Sign == ' '})
	if n < 0 {
		return nil
	}
	for line := range strings.SplitSeq(d.review.comments[n].text, "\n") {
		lines = append(lines, t.Style(theme.Ask).Render("  "+t.Glyphs().Light.BottomLeft+" "+clean(line)))
	}
	return lines
}

func clean(line string) string { return cells.Clean(strings.ReplaceAll(line, "\t", "    ")) }

// line draws a line of a hunk: what was added and deleted on its own background or, where there is none, in its colour.
// n is its number in the hunk, -1 for another line.
func (p *painter) line(line string, n int) string {
	sign, text := "", clean(line)
	if line != "" && strings.ContainsRune("+- ", rune(line[0])) {
		sign, text = line[:1], clean(line[1:])
	}
	whole, ground := theme.Text, theme.Own
	switch {
	case sign == "+":
		whole, ground = theme.Good, theme.Added
	case sign == "-":
		whole, ground = theme.Danger, theme.Deleted
	case strings.HasPrefix(text, "\\"):
		return p.theme.Style(theme.Dim).Render(text)
	}
	if p.language == nil || sign != " " && !p.theme.Grounds() {
		return p.theme.On(whole, ground).Render(sign + text)
	}
	within := &p.after
	if sign == "-" {
		within = &p.before
	}
	parts, still := p.language.parts(text, *within)
	*within = still
	if sign == " " {
		p.before = still
	}
	drawn := p.theme.On(whole, ground).Render(sign)
	for _, part := range stressed(parts, p.differ[n]) {
		drawn += p.theme.On(part.token, ground).Render(part.text)
	}
	return drawn
}

// named returns what a line of a patch's header says to people: the file, a rename, a mode, or that it is no text.
func named(line string, files bool) (string, bool) {
	switch {
	case strings.HasPrefix(line, "+++ b/"):
		return line[len("+++ b/"):], files
	case strings.HasPrefix(line, "--- a/"), line == "--- /dev/null", strings.HasPrefix(line, "index "),
		strings.HasPrefix(line, "similarity "), strings.HasPrefix(line, "+++ "), strings.HasPrefix(line, "--- "):
		return "", false
	}
	return line, true
}
