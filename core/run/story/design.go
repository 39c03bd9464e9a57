package story

import (
	"slices"
	"strings"

	"cupola/core"
)

// design is a text in lines with their ends, and the section of what was learned.
type design struct {
	lines []string
	// end is the end of the lines: "\n" or "\r\n".
	end string
	// from and to are the lines below the heading of the section.
	from, to int
	// code says which lines are code; nil if that is to be found out.
	code []bool
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
		line = strings.TrimRight(strings.TrimPrefix(line, "\uFEFF"), " \t\r\n")
		if !code[i] && learningsHeading().MatchString(line) {
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
	if d.code == nil {
		d.code = fenced(d.lines)
	}
	for i := from; i < to; i++ {
		if level := headingLevel(d.lines[i]); level > 0 && level <= most && !d.code[i] {
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
	if len(lines) == 0 {
		return
	}
	if at > 0 && !strings.HasSuffix(d.lines[at-1], "\n") {
		d.lines[at-1] += d.end
	}
	ended := core.Map(lines, func(line string) string { return line + d.end })
	d.lines = slices.Insert(d.lines, at, ended...)
	d.to += len(lines)
	d.code = nil
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
	said := core.Map(entry, func(line string) string { return strings.TrimRightFunc(line, isBlank) })
	if len(said) > 0 {
		said[0] = ofTask().ReplaceAllString(said[0], "")
	}
	return strings.Join(said, "\n")
}
