package agent

import (
	"cmp"
	"strings"
)

// buttonsUp is how far above the end of a page, in rows with a text, buttons may be.
const buttonsUp = 6

// buttons reads options that are side by side in one row.
func (s *sketch) buttons() *choices {
	seen := 0
	for i := s.end - 1; i >= 0 && seen < buttonsUp; i-- {
		if s.rows[i].text == "" {
			continue
		}
		seen++
		options := buttonsIn(s.rows[i].text, i)
		if len(options) < 2 {
			continue
		}
		if _, _, ok := s.below(i+1, s.rows[i].at); !ok {
			return nil
		}
		c := &choices{options: options, line: s.rows[i].text, row: i}
		c.keys = &answerSpec{Pick: pickMove, Next: []string{"Right"}, Previous: []string{"Left"}}
		if options[0].press == nil {
			s.page.lit(c.options)
		}
		return s.complete(c, i)
	}
	return nil
}

// buttonsIn returns the buttons with which a row begins.
func buttonsIn(text string, row int) []Option {
	var options []Option
	keyed := false
	for n, part := range apart().Split(text, -1) {
		if at := angled().FindStringSubmatch(part); at != nil {
			part = at[1]
		}
		o := Option{N: n + 1, Label: part, row: row}
		if at := keyedButton().FindStringSubmatch(part); at != nil && (n == 0 || keyed) {
			o.Label, o.press, keyed = at[2], []string{strings.Replace(at[1], "Esc", "Escape", 1)}, true
		} else if keyed || !button().MatchString(part) {
			break
		}
		options = append(options, o)
	}
	return options
}

// pressedUp is how far above the end of a page, in rows with a text, a row may offer two keys that continue; a row that
// offers one alone is among the last two.
const pressedUp = 8

// pressed reads the rows that name the key to continue.
func (s *sketch) pressed() *choices {
	for i, seen := s.end-1, 0; i >= 0 && seen < pressedUp; i-- {
		row := s.rows[i]
		if row.text == "" {
			continue
		}
		seen++
		if s.ended(i) {
			return nil // nothing waits behind it
		}
		at, other := pressRow().FindStringSubmatch(row.text), otherKey().FindStringSubmatch(row.text)
		switch {
		case seen > 2 && other == nil, seen > 1 && other == nil && !s.still(i+1):
			continue
		case tickRow().MatchString(row.text), quotedRow().MatchString(row.text):
			continue
		case at == nil && choosing().MatchString(row.text) && !steering().MatchString(row.text):
			return s.complete(&choices{line: row.text, row: i, keys: &answerSpec{}}, i)
		case at == nil:
			continue
		}
		key := "Enter"
		if strings.EqualFold(at[1], "space") {
			key = "Space"
		}
		label := cmp.Or(strings.TrimSpace(at[2]), "continue")
		c := &choices{line: row.text, row: i, keys: &answerSpec{}}
		c.options = []Option{{N: 1, Label: label, press: []string{key}, row: i}}
		if other != nil {
			c.options = append(c.options, Option{N: 2, Label: other[1], press: []string{"Escape"}, row: i})
		}
		s.complete(c, i).about = oneLine([]string{row.text})
		return c
	}
	return nil
}

// ended reports whether the cursor is at the start of an empty line below a row, as where that was only printed.
func (s *sketch) ended(row int) bool {
	at := s.page.caret
	return at.visible && at.column == 0 && at.row > row && at.row < len(s.rows) && s.rows[at.row].text == ""
}

// still reports whether nothing but a bare prompt follows from a row on.
func (s *sketch) still(from int) bool {
	for i := from; i < s.end; i++ {
		if text := s.rows[i].text; text != "" && !barePrompt().MatchString(text) {
			return false
		}
	}
	return true
}
