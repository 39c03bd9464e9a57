package changes

import (
	"strings"

	"cupola/core/term/cells"
	"cupola/theme"
	"cupola/tui/screen"
)

// diff is a difference that is shown.
type diff struct {
	of     shownPatch
	theme  *theme.Theme
	reader screen.Reader
}

// shownPatch is a patch of one file of one tree.
type shownPatch struct {
	Patch
	root, path, wrong string
}

// take lays a patch out if it is another than the one that is shown. The same file stays where it was.
func (d *diff) take(w *screen.World, root, path string, read *screen.Answer[Patch]) {
	of := shownPatch{read.Value, root, path, read.Wrong}
	if d.of == of && d.theme == w.Theme && d.reader.Text.Lines() > 0 {
		return
	}
	top := 0
	if d.of.root == root && d.of.path == path {
		top = d.reader.Text.Top
	}
	d.of, d.theme = of, w.Theme
	var lines []string
	switch {
	case of.wrong != "":
		lines = []string{w.Theme.Style(theme.Danger).Render(cells.Clean(of.wrong))}
	case strings.TrimSpace(of.Text) == "":
		lines = []string{w.Theme.Style(theme.Dim).Render("no line differs")}
	default:
		lines = painted(w.Theme, of.Text, path == "")
	}
	if of.Cut {
		lines = append(lines, w.Theme.Style(theme.Warn).Render("(the rest is too long to be shown)"))
	}
	d.reader.Text.Set(lines, false, top)
}

// painter draws the lines of a patch.
type painter struct {
	theme *theme.Theme
	// language is the language of the file; nil if it is not known. before and after report whether the last lines of
	// the old and of the new file ended in a comment.
	language      *language
	before, after bool
}

// painted are the lines of a patch, without what only git needs; with files, it names each.
func painted(t *theme.Theme, patch string, files bool) []string {
	var lines []string
	p, header := painter{theme: t}, false
	for line := range strings.SplitSeq(strings.TrimRight(patch, "\n"), "\n") {
		switch {
		case strings.HasPrefix(line, "diff "):
			header = true
			if len(lines) > 0 {
				lines = append(lines, "")
			}
			continue
		case strings.HasPrefix(line, "@@"):
			header, p.before, p.after = false, false, false
			lines = append(lines, t.Style(theme.Accent).Render(clean(line)))
			continue
		case header:
			if file, is := strings.CutPrefix(line, "+++ b/"); is {
				p.language = languageOf(file)
			} else if file, is := strings.CutPrefix(line, "--- a/"); is {
				p.language = languageOf(file)
			}
			if name, is := named(line, files); is {
				lines = append(lines, t.Style(theme.Strong).Render(cells.Clean(name)))
			}
			continue
		}
		lines = append(lines, p.line(line))
	}
	return lines
}

func clean(line string) string { return cells.Clean(strings.ReplaceAll(line, "\t", "    ")) }

// line draws a line of a hunk: what was added and deleted on its own background or, where there is none, in its colour.
func (p *painter) line(line string) string {
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
	for _, part := range parts {
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
