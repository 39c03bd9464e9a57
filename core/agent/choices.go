package agent

import (
	"slices"
	"strings"

	"cupola/core"
)

// choices is a dialog that was read without the rules of a kind, from the usual ways in which programs draw options and
// ask questions.
type choices struct {
	options []Option
	// text are the rows of the dialog above the options, about is its subject.
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

// match returns the dialog as the match of a rule that is in no file.
func (c *choices) match(p *page) Match {
	rule := &Rule{ID: GeneralRule, State: core.Waiting, Reason: c.reason, Region: Dialog}
	return Match{Rule: rule, Line: strings.TrimSpace(c.line), Row: c.row + p.offset}
}

// bareRow is a row without its frame, and the column in which its text begins.
type bareRow struct {
	text string
	at   int
}

// sketch is the end of a page, prepared for readers that know no kind.
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
	rows := s.above(first, nil)
	c.text = s.texts(rows)
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
		case saidRow().MatchString(row.text):
			return false, false, false
		case i == s.end-1 && numberAsked().MatchString(row.text):
			ask = true
		case choosing().MatchString(row.text) && !steering().MatchString(row.text):
			hint = true
		case waitingRow().MatchString(row.text), hintRow().MatchString(row.text) && !spinnerRow().MatchString(row.text):
		case promptRow().MatchString(row.text), spinnerRow().MatchString(row.text):
			return false, false, false
		default:
			others++
			if others > mostBelow {
				return false, false, false
			}
		}
	}
	return hint, ask, true
}

// above returns the rows of a dialog over a row that have a text; what matches top, which may be nil, is above the
// first.
func (s *sketch) above(first int, top *Pattern) []int {
	from := min(first, len(s.rows)-1)
	if from < 0 { // the title shows the dialog
		return nil
	}
	framed, beside := s.barred(from), s.rows[from].at+besideColumn
	var rows []int
	for i := first - 1; i >= 0 && len(rows) < textLines; i-- {
		row := s.page.rows[i]
		edge, head := EdgeRow(row) || titledEdge().MatchString(row), headRow().MatchString(row)
		beyond := framed && !s.barred(i) || !framed && itemRow().MatchString(row)
		if top.given() && top.MatchString(row) || !edge && !head && beyond || edge && s.rows[i].text == "" {
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

// texts returns the text of rows.
func (s *sketch) texts(rows []int) []string {
	text := make([]string, len(rows))
	for n, i := range rows {
		text[n] = s.rows[i].text
	}
	return text
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
	for _, i := range append(s.above(row, nil), row) {
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

// barred reports whether a row begins with the side of a frame.
func (s *sketch) barred(i int) bool {
	row := strings.TrimLeft(s.page.rows[i], " ")
	return row != "" && strings.ContainsRune("│┃║", []rune(row)[0])
}
