package story

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"

	"cupola/core"
	"cupola/core/system/textfile"
)

// AddLearnings writes what was learned into a design: under the heading "Learnings", by day (UTC) and story. The
// heading and the file are made if they are missing, but the folder is not. What the section holds already for the same
// day and story is not written again. Errors are as those of Tick, with NotFound for a missing folder.
func (f Files) AddLearnings(ctx context.Context, path string, learnings []Learning) error {
	if len(groupsOf(learnings, false)) == 0 {
		return nil
	}
	return f.change(ctx, path, func(path string) (*textfile.Change, error) {
		before, err := textfile.Read(path)
		if err != nil {
			return nil, err
		}
		if before == nil {
			if info, err := os.Stat(filepath.Dir(path)); err != nil || !info.IsDir() {
				return nil, core.Errorf(core.NotFound, "there is no folder %s", filepath.Dir(path))
			}
		}
		after := learned(before, groupsOf(learnings, false))
		if string(learned(after, groupsOf(learnings, false))) != string(after) {
			// The design has code without an end, which the code of a learning would end.
			after = learned(before, groupsOf(learnings, true))
		}
		return &textfile.Change{File: path, Before: before, After: after, Mode: 0o644}, nil
	})
}

// learned returns a design with what was learned.
func learned(text []byte, groups []*group) []byte {
	d := readDesign(text)
	for _, g := range groups {
		d.add(g)
	}
	return []byte(strings.Join(d.lines, ""))
}

// group holds the learnings of a day in a story.
type group struct {
	heading string
	// entries are the lines of each learning.
	entries [][]string
}

// groupsOf sorts learnings by day and story. Those without a text are left out. Plain leaves out the fences of code.
func groupsOf(learnings []Learning, plain bool) (groups []*group) {
	sorted := slices.Clone(learnings)
	for i := range sorted {
		if sorted[i].At.IsZero() {
			sorted[i].At = time.Now()
		}
	}
	day := func(l *Learning) string { return l.At.UTC().Format(time.DateOnly) }
	slices.SortStableFunc(sorted, func(a, b Learning) int {
		return cmp.Or(strings.Compare(day(&a), day(&b)), strings.Compare(a.Story, b.Story), a.At.Compare(b.At))
	})
	for i := range sorted {
		entry := entryOf(&sorted[i], plain)
		if entry == nil {
			continue
		}
		heading := "### " + day(&sorted[i]) + " - General"
		if of := oneLine(sorted[i].Story); of != "" {
			heading = "### " + day(&sorted[i]) + " - Story " + of
		}
		if len(groups) == 0 || groups[len(groups)-1].heading != heading {
			groups = append(groups, &group{heading: heading})
		}
		last := groups[len(groups)-1]
		last.entries = append(last.entries, entry)
	}
	return groups
}

// entryOf returns the lines of a learning; nil if it has no text.
func entryOf(l *Learning, plain bool) []string {
	text := strings.ReplaceAll(strings.ReplaceAll(valid([]byte(l.Text)), "\r\n", "\n"), "\r", "\n")
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, text)
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		if line = strings.TrimRightFunc(line, isBlank); len(lines) == 0 {
			line = strings.TrimLeftFunc(line, isBlank)
		}
		if plain && readFence(line).mark != 0 || len(lines) == 0 && line == "" {
			continue
		}
		lines = append(lines, line)
	}
	for len(lines) > 0 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	if len(lines) == 0 {
		return nil
	}
	lines = append(lines, openFence(lines)...)
	lines[0] = "- " + lines[0]
	if of := oneLine(l.Task); of != "" {
		lines[0] += " (Task " + of + ")"
	}
	for i := range lines[1:] {
		if lines[i+1] != "" {
			lines[i+1] = "  " + lines[i+1]
		}
	}
	return lines
}

// openFence returns the line that ends the code that a text leaves open, if it does: it would swallow what follows.
func openFence(lines []string) []string {
	var started fence
	for _, line := range lines {
		switch f := readFence(line); {
		case started.mark == 0 && !f.inline:
			started = f
		case started.mark != 0 && f.ends(started):
			started = fence{}
		}
	}
	if started.mark == 0 {
		return nil
	}
	return []string{strings.Repeat(string(started.mark), started.long)}
}

// isBlank reports whether a character is a space, here or in JavaScript.
func isBlank(r rune) bool { return unicode.IsSpace(r) || isSpace(r) }

// oneLine returns a text as words with a blank between them.
func oneLine(text string) string {
	return strings.Join(strings.FieldsFunc(valid([]byte(text)), func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r)
	}), " ")
}
