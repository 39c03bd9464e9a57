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
	"cupola/core/textfile"
)

// AddLearnings writes what was learned into a design: under the heading "Learnings", by day (UTC) and story. The
// heading and the file are made if they are missing, but the folder is not. What the section holds already for the same
// day and story is not written again. Errors are as those of Tick, with NotFound for a missing folder.
func (f Files) AddLearnings(ctx context.Context, path string, learnings []Learning) error {
	groups := groupsOf(learnings)
	if len(groups) == 0 {
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
		d := readDesign(before)
		for _, g := range groups {
			d.add(g)
		}
		after := []byte(d.text())
		if before != nil && string(after) == string(before) {
			return nil, nil
		}
		return &textfile.Change{File: path, Before: before, After: after, Mode: 0o644}, nil
	})
}

// group is what was learned on a day in a story.
type group struct {
	heading string
	// entries are the lines of each learning.
	entries [][]string
}

// groupsOf sorts learnings by day and story. Those without a text are left out.
func groupsOf(learnings []Learning) (groups []*group) {
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
		entry := entryOf(&sorted[i])
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
func entryOf(l *Learning) []string {
	text := strings.ReplaceAll(strings.ReplaceAll(valid([]byte(l.Text)), "\r\n", "\n"), "\r", "\n")
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, text)
	var lines []string
	for line := range strings.SplitSeq(strings.TrimFunc(text, unicode.IsSpace), "\n") {
		lines = append(lines, strings.TrimRightFunc(line, unicode.IsSpace))
	}
	if len(lines) == 1 && lines[0] == "" {
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
	var begun fence
	for _, line := range lines {
		switch f := readFence(line); {
		case begun.mark == 0 && !f.inline:
			begun = f
		case begun.mark != 0 && f.ends(begun):
			begun = fence{}
		}
	}
	if begun.mark == 0 {
		return nil
	}
	return []string{strings.Repeat(string(begun.mark), begun.long)}
}

func oneLine(text string) string {
	return strings.Join(strings.FieldsFunc(valid([]byte(text)), func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r)
	}), " ")
}

// design is a text in lines with their ends, and the section of what was learned.
type design struct {
	lines []string
	// end is that of the lines: "\n" or "\r\n".
	end string
	// from and to are the lines below the heading of the section.
	from, to int
}

var learningsHeading = pattern(`(?i)^##[ \t]+Learnings[ \t]*#*$`)

// readDesign finds the section, and adds it where it is missing.
func readDesign(text []byte) *design {
	d := &design{end: "\n"}
	if len(text) > 0 {
		d.lines = strings.SplitAfter(string(text), "\n")
		if strings.HasSuffix(d.lines[0], "\r\n") {
			d.end = "\r\n"
		}
		if last := len(d.lines) - 1; d.lines[last] == "" {
			d.lines = d.lines[:last]
		}
	}
	code := fenced(d.lines)
	d.from = -1
	for i, line := range d.lines {
		if !code[i] && learningsHeading().MatchString(strings.TrimRight(strings.TrimPrefix(line, "\uFEFF"), " \t\r\n")) {
			d.from = i + 1
			break
		}
	}
	if d.from < 0 {
		d.insert(len(d.lines), d.apart(len(d.lines), "## Learnings"))
		d.from, d.to = len(d.lines), len(d.lines)
		return d
	}
	d.to = d.next(d.from, len(d.lines), 2)
	return d
}

// next returns the next line from one on that has a heading of a level or above it; to if there is none.
func (d *design) next(from, to, most int) int {
	code := fenced(d.lines)
	for i := from; i < to; i++ {
		if level := headingLevel(d.lines[i]); level > 0 && level <= most && !code[i] {
			return i
		}
	}
	return to
}

// headingLevel returns the level of a heading that is not indented; 0 for any other line.
func headingLevel(line string) int {
	if !strings.HasPrefix(line, "#") {
		return 0
	}
	level, _ := heading(strings.TrimRight(line, "\r\n"))
	return level
}

// insert puts lines before a line. What is before them ends its line first.
func (d *design) insert(at int, lines []string) {
	if at > 0 && !strings.HasSuffix(d.lines[at-1], "\n") {
		d.lines[at-1] += d.end
	}
	ended := make([]string, len(lines))
	for i, line := range lines {
		ended[i] = line + d.end
	}
	d.lines = slices.Insert(d.lines, at, ended...)
	d.to += len(lines)
}

// apart returns a heading, with a blank line before it if none is there.
func (d *design) apart(at int, heading string) []string {
	if at > 0 && trim(d.lines[at-1]) != "" {
		return []string{"", heading}
	}
	return []string{heading}
}

// trimmed returns a line behind the last one that is not blank, from one on and before another.
func (d *design) trimmed(from, to int) int {
	for to > from && trim(d.lines[to-1]) == "" {
		to--
	}
	return to
}

// add writes a group: below its heading, or at the end of the section.
func (d *design) add(g *group) {
	for i := d.from; i < d.to; i++ {
		i = d.next(i, d.to, 3)
		if i == d.to || strings.TrimRight(d.lines[i], " \t\r\n") != g.heading {
			continue
		}
		end := d.trimmed(i+1, d.next(i+1, d.to, 3))
		known := d.bullets(i+1, end)
		d.insert(end, lines(g.unknown(known)))
		return
	}
	entries := lines(g.unknown(nil))
	at := d.trimmed(d.from, d.to)
	block := append([]string{"", g.heading, ""}, entries...)
	if at < len(d.lines) && trim(d.lines[at]) != "" {
		block = append(block, "")
	}
	d.insert(at, block)
}

// lines returns the lines of all entries.
func lines(entries [][]string) []string { return slices.Concat(entries...) }

// unknown returns the entries whose text is not known, each once.
func (g *group) unknown(known map[string]bool) (entries [][]string) {
	seen := map[string]bool{}
	for _, entry := range g.entries {
		if said := saidBy(entry); !known[said] && !seen[said] {
			seen[said] = true
			entries = append(entries, entry)
		}
	}
	return entries
}

// bullets returns what the items of a list say.
func (d *design) bullets(from, to int) map[string]bool {
	known := map[string]bool{}
	for i := from; i < to; {
		end := i + 1
		for end < to && (trim(d.lines[end]) == "" || strings.HasPrefix(d.lines[end], "  ")) {
			end++
		}
		known[saidBy(d.lines[i:d.trimmed(i, end)])] = true
		i = end
	}
	return known
}

var ofTask = pattern(` \(Task [^()]*\)$`)

// saidBy returns the text of an entry, without its task.
func saidBy(entry []string) string {
	said := make([]string, len(entry))
	for i, line := range entry {
		said[i] = strings.TrimRightFunc(line, unicode.IsSpace)
	}
	if len(said) > 0 {
		said[0] = ofTask().ReplaceAllString(said[0], "")
	}
	return strings.Join(said, "\n")
}

func (d *design) text() string { return strings.Join(d.lines, "") }
