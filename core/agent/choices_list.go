package agent

import (
	"slices"
	"strconv"
	"strings"
)

// numbered reads the last list whose options have numbers from 1 on. It counts only with a mark before one of them, a
// row that says which keys choose, or a prompt for the number.
func (s *sketch) numbered() *choices {
	var run []Option
	column := 0
	for i := s.end - 1; i >= 0; i-- {
		row := s.rows[i]
		at := numberedRow().FindStringSubmatch(row.text)
		if at == nil {
			if len(run) > 0 && row.text != "" && row.at < column {
				run = nil
			}
			continue
		}
		n, _ := strconv.Atoi(at[2] + at[3])
		digit := row.at + len([]rune(at[1]))
		label, detail := parted(strings.TrimPrefix(at[4], "> ")) // the mark of a field that is open
		o := Option{N: n, Label: label, Detail: detail, Selected: at[1] != "", numbered: true, row: i}
		switch {
		case len(run) > 0 && precedes(n, i, &run[0]) && digit >= column-1 && digit <= column+1:
			run, column = slices.Insert(run, 0, o), min(column, digit)
		default:
			run, column = []Option{o}, digit
		}
		if n == 1 && len(run) > 1 {
			return s.numberedFrom(run, column)
		}
	}
	return nil
}

// precedes reports whether a number in a row can be that of the option before another one.
func precedes(n, row int, next *Option) bool {
	return n == next.N-1 || n < next.N && row == next.row-1
}

func (s *sketch) numberedFrom(run []Option, column int) *choices {
	c := &choices{options: run, keys: &answerSpec{Pick: pickMove}}
	last := run[len(run)-1]
	hint, ask, ok := s.below(last.row+1, column)
	if !ok && last.row == s.end-2 && barePrompt().MatchString(s.rows[s.end-1].text) {
		ask = slices.ContainsFunc(run, func(o Option) bool { return defaultOne().MatchString(o.Label) })
		ok = ask
	}
	if !ok {
		return nil
	}
	for i := range run {
		end := s.end
		if i+1 < len(run) {
			end = run[i+1].row
		}
		run[i].Detail = strings.TrimSpace(run[i].Detail + " " + s.page.under(run[i], end))
	}
	marked := 0
	for _, o := range run {
		if o.Selected {
			marked++
		}
	}
	if marked == 0 {
		s.page.lit(run)
		if slices.ContainsFunc(run, func(o Option) bool { return o.Selected }) {
			marked = 1
		}
	}
	switch {
	case marked > 1:
		return nil
	case marked == 1:
	case ask:
		for i := range run {
			run[i].typed = strconv.Itoa(run[i].N)
		}
		c.line, c.row = s.rows[s.end-1].text, s.end-1
		return s.complete(c, run[0].row)
	case hint:
		c.keys.Pick = pickDigit
	default:
		return nil
	}
	c.line, c.row = s.rows[last.row].text, last.row
	return s.complete(c, run[0].row)
}

// list reads options without numbers: a row that is pointed at, and those above and below it whose text begins in the
// same column.
func (s *sketch) list() *choices {
	for i := s.end - 1; i >= 0; i-- {
		at := pointedRow().FindStringSubmatch(s.rows[i].text)
		if at == nil {
			continue
		}
		column := s.rows[i].at + len([]rune(s.rows[i].text)) - len([]rune(at[2]))
		c := &choices{keys: &answerSpec{Pick: pickMove}, line: s.rows[i].text, row: i}
		first, last := s.level(i, -1, column), s.level(i, 1, column)
		for row := first; row <= last; row++ {
			text := s.rows[row]
			label, detail := parted(text.text)
			switch {
			case row == i:
				label, detail = parted(at[2])
			case text.at > column:
				o := &c.options[len(c.options)-1]
				o.Detail = strings.TrimSpace(o.Detail + " " + text.text)
				continue
			}
			label = ringed().ReplaceAllString(label, "")
			c.options = append(c.options, Option{
				N: len(c.options) + 1, Label: label, Detail: detail, Selected: row == i, row: row,
			})
		}
		hint, _, ok := s.below(last+1, column)
		asks := hint || s.introduced(first) || keyed(c.options) || s.decides(c.options, last+1)
		if len(c.options) < 2 || !ok || !asks || s.multiple(first, last) {
			return nil
		}
		return s.complete(c, first)
	}
	return s.radio()
}

// decides reports whether a list offers a yes and a no, and a row from one on names a key.
func (s *sketch) decides(options []Option, from int) bool {
	has := func(labels []*Pattern) bool {
		return slices.ContainsFunc(options, func(o Option) bool { return matchesAny(labels, o.Label) })
	}
	return has(approveLabels) && has(denyLabels) &&
		slices.ContainsFunc(s.rows[from:s.end], func(row bareRow) bool { return hintRow().MatchString(row.text) })
}

// keyed reports whether at least two options name a key that chooses them too.
func keyed(options []Option) bool {
	n := 0
	for _, o := range options {
		if keyLabel().MatchString(o.Label) {
			n++
		}
	}
	return n > 1
}

// level returns the last row in a direction that belongs to a list: its text begins in a column or, below another one,
// further in.
func (s *sketch) level(from, step, column int) int {
	last := from
	for row := from + step; row >= 0 && row < s.end && s.rows[row].text != ""; row += step {
		switch at := s.rows[row].at; {
		case at == column:
			last = row
		case at < column || step > 0 && row != last+1:
			return last
		case step > 0:
			last = row
		}
	}
	return last
}

// radio reads a list in which a filled circle is before the selected option and empty ones are before the others.
func (s *sketch) radio() *choices {
	c := &choices{keys: &answerSpec{Pick: pickMove}}
	first, last := -1, -1
	for i := s.end - 1; i >= 0; i-- {
		at := radioRow().FindStringSubmatch(s.rows[i].text)
		switch {
		case at != nil && (first < 0 || first == i+1):
			first, last = i, max(last, i)
			label, detail := parted(at[2])
			o := Option{Label: label, Detail: detail, Selected: at[1] == "●" || at[1] == "◉", row: i}
			c.options = slices.Insert(c.options, 0, o)
		case first >= 0:
			i = 0
		}
	}
	marked := 0
	for i := range c.options {
		if c.options[i].N = i + 1; c.options[i].Selected {
			marked++
		}
	}
	if len(c.options) < 2 || marked != 1 || s.multiple(first, last) {
		return nil
	}
	if _, _, ok := s.below(last+1, s.rows[last].at); !ok {
		return nil
	}
	c.line, c.row = s.rows[last].text, last
	return s.complete(c, first)
}

// multiple reports whether more than one option of a list can be ticked, so that Enter takes none alone.
func (s *sketch) multiple(first, last int) bool {
	for i := max(0, first-2); i < min(s.end, last+4); i++ {
		if tickRow().MatchString(s.rows[i].text) {
			return true
		}
	}
	return false
}

// introduced reports whether the row above a list asks for a choice.
func (s *sketch) introduced(first int) bool {
	for i := first - 1; i >= max(0, first-3); i-- {
		if text := s.rows[i].text; text != "" {
			return strings.HasSuffix(text, "?") || introduction().MatchString(text)
		}
	}
	return false
}
