package agent

import (
	"slices"
	"strconv"
	"strings"

	"cupola/core"
)

// choices is a dialog that was read without the rules of a kind: by how programs draw what can be chosen, and by the
// words that they ask with.
type choices struct {
	options []Option
	// text are the rows of the dialog above the options, about is what they ask about.
	text   []string
	about  string
	reason core.Reason
	// line is the row that proves the dialog, row its number on the page.
	line string
	row  int
	// keys says how the options are chosen and what their labels mean.
	keys *answerSpec
}

// GeneralRule is the id of the rule by which a dialog was found that no rule of its kind knows.
const GeneralRule = "choices"

// match returns the dialog as a match, of a rule that no file holds.
func (c *choices) match(p *page) Match {
	rule := &Rule{ID: GeneralRule, State: core.Waiting, Reason: c.reason, Region: Dialog}
	return Match{Rule: rule, Line: strings.TrimSpace(c.line), Row: c.row + p.offset}
}

// bareRow is a row without its frame, and the column in which its text begins.
type bareRow struct {
	text string
	at   int
}

// sketch is the end of a page as the general reader sees it.
type sketch struct {
	page *page
	rows []bareRow
	end  int // behind the last row with a text
}

func newSketch(p *page) *sketch {
	s := &sketch{page: p, rows: make([]bareRow, len(p.rows))}
	for i := max(0, len(p.rows)-dialogLines); i < len(p.rows); i++ {
		text := unframed(p.rows[i])
		s.rows[i] = bareRow{text, labelColumn(p.rows[i], text)}
		if text != "" {
			s.end = i + 1
		}
	}
	return s
}

// readChoices reads the dialog at the end of a page.
func readChoices(p *page) (*choices, bool) {
	s := newSketch(p)
	if s.end == 0 {
		return nil, false
	}
	for _, read := range []func() *choices{s.asked, s.numbered, s.buttons, s.list, s.pressed} {
		if c := read(); c != nil {
			return c, true
		}
	}
	return nil, false
}

// complete fills in what surrounds options that begin in a row.
func (s *sketch) complete(c *choices, first int) *choices {
	rows := s.above(first)
	c.text = make([]string, 0, len(rows))
	for _, i := range rows {
		c.text = append(c.text, s.rows[i].text)
	}
	var labels []string
	for i := range c.options {
		o := &c.options[i]
		if labels = append(labels, o.Label); o.press == nil && escaped().MatchString(o.Label) {
			o.press = []string{"Escape"}
		}
	}
	c.reason = reasonOf(c.text, labels)
	c.keys = keysOf(c.reason, c.text, c.keys)
	if c.about = aboutOf(c.text, s.fenced(rows), c.reason); c.about == "" {
		c.about = oneLine([]string{c.line})
	}
	return c
}

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
		case len(run) > 0 && (n == run[0].N-1 || n < run[0].N && i == run[0].row-1) && digit >= column-1 && digit <= column+1:
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
		if len(c.options) < 2 || !ok || !hint && !s.introduced(first) && !keyed(c.options) && !s.decides(c.options, last+1) || s.multiple(first, last) {
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

// radio reads options of which one has a filled circle before it, and the others empty ones.
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
			o.Label, o.press, keyed = at[2], []string{at[1]}, true
		} else if keyed || !button().MatchString(part) {
			break
		}
		options = append(options, o)
	}
	return options
}

// pressedUp is how far above the end of a page, in rows with a text, two keys may be named of which any goes on; what
// names one alone is among the last two.
const pressedUp = 8

// pressed reads the rows that say which key goes on.
func (s *sketch) pressed() *choices {
	for i, seen := s.end-1, 0; i >= 0 && seen < pressedUp; i-- {
		row := s.rows[i]
		if row.text == "" {
			continue
		}
		seen++
		if caret := s.page.caret; caret.visible && caret.column == 0 && caret.row > i && caret.row < len(s.rows) && s.rows[caret.row].text == "" {
			return nil // the line was ended, so nothing waits behind it
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
		label := strings.TrimSpace(at[2])
		if label == "" {
			label = "continue"
		}
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

// still reports whether nothing but a bare prompt follows from a row on.
func (s *sketch) still(from int) bool {
	for i := from; i < s.end; i++ {
		if text := s.rows[i].text; text != "" && !barePrompt().MatchString(text) {
			return false
		}
	}
	return true
}

// mostBelow is how many rows may follow the options of a dialog that neither say which keys choose nor that it waits.
const mostBelow = 4

// below looks at what follows the options of a dialog. It returns whether a row says which keys choose, and whether
// the last asks for the choice in writing; ok is false where something follows that no dialog has there.
func (s *sketch) below(from, column int) (hint, ask, ok bool) {
	others, details := 0, true
	for i := from; i < s.end; i++ {
		row := s.rows[i]
		if row.text == "" {
			details = false
			continue
		}
		switch {
		case details && row.at > column:
		case i == s.end-1 && numberAsked().MatchString(row.text):
			ask = true
		case choosing().MatchString(row.text) && !steering().MatchString(row.text):
			hint = true
		case waitingRow().MatchString(row.text), hintRow().MatchString(row.text) && !spinnerRow().MatchString(row.text):
		case promptRow().MatchString(row.text), spinnerRow().MatchString(row.text):
			return false, false, false
		default:
			if others++; others > mostBelow {
				return false, false, false
			}
		}
	}
	return hint, ask, true
}

// above returns the rows of a dialog over a row that have a text.
func (s *sketch) above(first int) []int {
	from := min(first, len(s.rows)-1)
	framed, beside := s.barred(from), s.rows[from].at+besideColumn
	var rows []int
	for i := first - 1; i >= 0 && len(rows) < textLines; i-- {
		row := s.page.rows[i]
		edge, head := edgeRow().MatchString(row), headRow().MatchString(row)
		if !edge && !head && (framed && !s.barred(i) || !framed && itemRow().MatchString(row)) ||
			edge && s.rows[i].text == "" {
			break
		}
		if bare := s.rows[i]; Squeeze(bare.text) != "" && bare.at < beside {
			rows = append(rows, i)
		}
		if edge || head {
			break
		}
	}
	slices.Reverse(rows)
	return rows
}

// around returns the text of the box that a row is in, up to that row; none where it is in no box.
func (s *sketch) around(row int) []string {
	if row > 0 && row < len(s.rows) && footRow().MatchString(s.page.rows[row]) {
		row--
	}
	if row < 0 || row >= len(s.rows) || !s.barred(row) {
		return nil
	}
	var text []string
	for _, i := range append(s.above(row), row) {
		if s.rows[i].text != "" {
			text = append(text, s.rows[i].text)
		}
	}
	return text
}

// fenced returns the text of those rows of a dialog that have a frame of their own or dashed rules around them; none
// where no rows have.
func (s *sketch) fenced(rows []int) []string {
	var text []string
	for n, i := range rows {
		opened := i > 0 && s.rows[i-1].text == "" && fenceRow().MatchString(s.page.rows[i-1])
		if len(text) == 0 && !opened || n > 0 && len(text) > 0 && i != rows[n-1]+1 {
			if len(text) > 0 {
				break
			}
			continue
		}
		text = append(text, s.rows[i].text)
	}
	return text
}

// besideColumn is how much further right than the options a text begins that is beside the dialog.
const besideColumn = 40

// barred reports whether a row begins with the side of a frame.
func (s *sketch) barred(i int) bool {
	row := strings.TrimLeft(s.page.rows[i], " ")
	return row != "" && strings.ContainsRune("│┃║", []rune(row)[0])
}
