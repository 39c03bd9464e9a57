package kindfile

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"cupola/core"
	"cupola/core/agent"
)

// box is an input box as one screen shows it.
type box struct {
	top, bottom, prompt, more, placeholder string
	skipTop, skipBottom, below             int
	// cursor is true if the terminal's cursor is in it.
	cursor bool
}

// boxOf derives the table composer from the idle screens.
func boxOf(samples []sample) (text, note string) {
	var found []box
	visible, placeholders := true, []string{}
	for i := range samples {
		s := &samples[i]
		if s.State != core.Idle {
			continue
		}
		one, ok := boxIn(s)
		if !ok {
			return "", "the input box was not found on an idle screen: write [composer] by hand"
		}
		found = append(found, one)
		visible = visible && s.Cursor.Visible
		if p := one.placeholder; p != "" && !slices.Contains(placeholders, p) {
			placeholders = append(placeholders, p)
		}
	}
	if len(found) == 0 {
		return "", "no idle screen was recorded, so the input box is not known"
	}
	one, below, cursor := found[0], 0, true
	for _, each := range found {
		below, cursor = max(below, each.below), cursor && each.cursor
	}
	var b strings.Builder
	b.WriteString("\n[composer]\n")
	for _, part := range []struct {
		key string
		of  func(box) string
	}{
		{"bottom", func(b box) string { return b.bottom }},
		{"top", func(b box) string { return b.top }},
		{"prompt", func(b box) string { return b.prompt }},
		{"more", func(b box) string { return b.more }},
	} {
		if pattern := anyOf(found, part.of); pattern != "" {
			fmt.Fprintf(&b, "%s = %s\n", part.key, literal(pattern))
		}
	}
	if one.skipTop > 0 {
		fmt.Fprintf(&b, "skip_top = %d\n", one.skipTop)
	}
	if one.skipBottom > 0 {
		fmt.Fprintf(&b, "skip_bottom = %d\n", one.skipBottom)
	}
	fmt.Fprintf(&b, "below = %d\n", below+3)
	switch {
	case cursor && visible:
		b.WriteString("cursor = \"visible\"\n")
	case cursor:
		b.WriteString("cursor = \"inside\"\n")
	}
	if len(placeholders) > 0 {
		fmt.Fprintf(&b, "placeholders = %s\n", listOf(literal, placeholders))
	}
	return b.String(), ""
}

// anyOf returns a pattern that matches the edge or sign of each of the boxes, which of returns.
func anyOf(found []box, of func(box) string) string {
	var patterns []string
	for _, one := range found {
		if p := of(one); p != "" && !slices.Contains(patterns, p) {
			patterns = append(patterns, p)
		}
	}
	if len(patterns) < 2 {
		return strings.Join(patterns, "")
	}
	return "(" + strings.Join(patterns, "|") + ")"
}

// tallestBox bounds how far from the cursor the edges are looked for.
const tallestBox = 5

func boxIn(s *sample) (found box, ok bool) {
	at := s.Cursor.Y - (s.Height - len(s.rows))
	if s.Height > 0 && at >= 0 && at < len(s.rows) {
		runes := []rune(s.rows[at] + strings.Repeat(" ", s.Cursor.X))
		before := string(runes[:s.Cursor.X])
		// The cursor may be behind a draft, or parked at the start of the row.
		sign := cmp.Or(agent.PromptSign(s.rows[at]), before)
		if found, ok = s.boxAt(at, sign); ok {
			found.cursor = s.Cursor.X >= utf8.RuneCountInString(strings.TrimRight(sign, " "))
			return found, true
		}
	}
	// Some programs hide the cursor and draw one of their own.
	for i := s.last; i > 0 && i > s.last-bottomRows; i-- {
		if sign := agent.PromptSign(s.rows[i]); sign != "" && agent.EdgeRow(s.rows[i-1]) {
			return s.boxAt(i, sign)
		}
	}
	return box{}, false
}

// boxAt returns the box whose draft begins in a row, behind a sign; ok is false if there is none.
func (s *sample) boxAt(at int, before string) (found box, ok bool) {
	sign := strings.TrimRight(before, " ")
	bottom := -1
	for i := at + 1; i <= min(s.last, at+tallestBox) && bottom < 0; i++ {
		if agent.EdgeRow(s.rows[i]) {
			bottom = i
		}
	}
	if rest := strings.Trim(strings.TrimPrefix(s.rows[at], sign), " │┃|█"); rest != "" {
		found.placeholder = "^" + regexp.QuoteMeta(rest) + `\s*[│┃]?$`
	}
	found.prompt, found.more = "^"+regexp.QuoteMeta(sign), indented(before)
	if strings.TrimSpace(sign) != "" {
		found.prompt += " ?"
	}
	if bottom < 0 {
		found.bottom = "^$"
		return found, strings.TrimSpace(sign) != "" // without edges and sign, any row would match
	}
	found.bottom = edgePattern(s.rows[bottom])
	for i := bottom + 1; i <= s.last; i++ {
		if s.rows[i] != "" {
			found.below++
		}
	}
	for i := at + 1; i < bottom && found.skipBottom == 0; i++ {
		if strings.Trim(s.rows[i], " │┃|█") != "" {
			found.skipBottom = bottom - i // what is below the draft inside the box
		}
	}
	ok = s.upper(&found, at, sign, strings.Index(s.rows[bottom], strings.TrimSpace(s.rows[bottom])))
	return found, ok
}

// upper finds the upper edge: a line in the column of the lower one or, where the box has a side, a row without that.
func (s *sample) upper(found *box, at int, sign string, column int) bool {
	for i := at - 1; i >= max(0, at-tallestBox); i-- {
		row := s.rows[i]
		if agent.EdgeRow(row) && strings.Index(row, strings.TrimSpace(row)) == column {
			found.top, found.skipTop = edgePattern(row), at-i-1
			return true
		}
	}
	side := strings.TrimSpace(sign)
	if side == "" || !strings.ContainsAny(side[:min(len(side), len("│"))], "│┃|") {
		return false
	}
	first := string([]rune(side)[0])
	for i := at - 1; i >= max(0, at-tallestBox); i-- {
		if !strings.Contains(s.rows[i], first) {
			found.top, found.skipTop = "^[^"+first+"]*$", at-i-1
			return true
		}
	}
	return false
}

// indented is a pattern for what begins the further rows of a draft: the side of the box, and blanks in the place of
// the sign.
func indented(sign string) string {
	text := strings.TrimLeft(sign, " │┃|")
	side := strings.TrimRight(sign[:len(sign)-len(text)], " ")
	blanks := utf8.RuneCountInString(sign) - utf8.RuneCountInString(side)
	switch {
	case blanks == 0:
		return "^" + regexp.QuoteMeta(side)
	case side == "":
		return fmt.Sprintf("^ {%d}", blanks)
	}
	return fmt.Sprintf("^%s( {%d}|$)", regexp.QuoteMeta(side), blanks)
}

// edgePattern matches an edge by how it begins, whatever its width.
func edgePattern(row string) string {
	rest := strings.TrimLeft(row, " ")
	runes := []rune(rest)
	pattern := "^" + strings.Repeat(" ", len(row)-len(rest)) + regexp.QuoteMeta(string(runes[0]))
	return pattern + regexp.QuoteMeta(string(runes[1])) + "+"
}
