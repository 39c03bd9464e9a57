package textfile

import (
	"fmt"
	"strings"
)

// context is how many lines are shown around a change.
const context = 2

// Diff shows what would change, line by line, as "diff -u" does for one place;
// empty if nothing would.
func (c *Change) Diff() string {
	if !c.Changes() {
		return ""
	}
	before, after := lines(c.Before), lines(c.After)
	head := 0
	for head < len(before) && head < len(after) && before[head] == after[head] {
		head++
	}
	foot := 0
	for foot < len(before)-head && foot < len(after)-head && before[len(before)-1-foot] == after[len(after)-1-foot] {
		foot++
	}
	first, last := max(0, head-context), max(0, foot-context)
	var b strings.Builder
	name := func(mark string, text []byte) string {
		if text == nil {
			return mark + " /dev/null\n"
		}
		return mark + " " + c.File + "\n"
	}
	b.WriteString(name("---", c.Before) + name("+++", c.After))
	fmt.Fprintf(&b, "@@ -%s +%s @@\n", span(first, len(before)-last), span(first, len(after)-last))
	write := func(mark string, part []string) {
		for _, line := range part {
			b.WriteString(mark + strings.TrimSuffix(line, "\n") + "\n")
			if !strings.HasSuffix(line, "\n") {
				b.WriteString("\\ No newline at end of file\n")
			}
		}
	}
	write(" ", before[first:head])
	write("-", before[head:len(before)-foot])
	write("+", after[head:len(after)-foot])
	write(" ", before[len(before)-foot:len(before)-last])
	return b.String()
}

// lines are the lines of a text with their ends.
func lines(text []byte) []string {
	parts := strings.SplitAfter(string(text), "\n")
	if parts[len(parts)-1] == "" {
		parts = parts[:len(parts)-1]
	}
	return parts
}

func span(first, end int) string {
	if end == first {
		return fmt.Sprintf("%d,0", first)
	}
	return fmt.Sprintf("%d,%d", first+1, end-first)
}
