package changes

import (
	"strings"

	"cupola/core/cells"
	"cupola/theme"
	"cupola/tui/screen"
)

// diff is a difference that is shown.
type diff struct {
	of     screen.Patch
	theme  *theme.Theme
	reader screen.Reader
}

// take lays a patch out if it is another than the one that is shown. The same file stays where it was.
func (d *diff) take(w *screen.World, patch *screen.Patch) {
	if d.of == *patch && d.theme == w.Theme && d.reader.Text.Lines() > 0 {
		return
	}
	top := 0
	if d.of.Root == patch.Root && d.of.Path == patch.Path {
		top = d.reader.Text.Top
	}
	d.of, d.theme = *patch, w.Theme
	var lines []string
	switch {
	case patch.Wrong != "":
		lines = []string{w.Theme.Style(theme.Danger).Render(cells.Clean(patch.Wrong))}
	case strings.TrimSpace(patch.Text) == "":
		lines = []string{w.Theme.Style(theme.Dim).Render("no line differs")}
	default:
		lines = painted(w.Theme, patch.Text, patch.Path == "")
	}
	if patch.Cut {
		lines = append(lines, w.Theme.Style(theme.Warn).Render("(the rest is too long to be shown)"))
	}
	d.reader.Text.Set(lines, false, top)
}

// painted are the lines of a patch, without what only git needs; with files, it names each.
func painted(t *theme.Theme, patch string, files bool) []string {
	var lines []string
	header := false
	for line := range strings.SplitSeq(strings.TrimRight(patch, "\n"), "\n") {
		token := theme.Text
		switch {
		case strings.HasPrefix(line, "diff "):
			header = true
			if len(lines) > 0 {
				lines = append(lines, "")
			}
			continue
		case strings.HasPrefix(line, "@@"):
			token, header = theme.Accent, false
		case header:
			if name, is := named(line, files); is {
				lines = append(lines, t.Style(theme.Strong).Render(cells.Clean(name)))
			}
			continue
		case strings.HasPrefix(line, "+"):
			token = theme.Good
		case strings.HasPrefix(line, "-"):
			token = theme.Danger
		case strings.HasPrefix(line, "\\"):
			token = theme.Dim
		}
		text := cells.Clean(strings.ReplaceAll(line, "\t", "    "))
		lines = append(lines, t.Style(token).Render(text))
	}
	return lines
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
