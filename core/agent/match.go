package agent

import (
	"fmt"
	"strings"
)

// Match is a rule that holds, and the row that shows it.
type Match struct {
	Rule *Rule
	// Line is the row's text without its margins.
	Line string
	// Row indexes the screen's Lines; -1 for the title.
	Row int
}

// String names the rule as evidence does.
func (m Match) String() string { return fmt.Sprintf("%s: %s", m.Rule.ID, m.Line) }

// match tries the rule on a reading.
func (c *compiled) match(r *Reading) (Match, bool) {
	if c.title != nil && !c.title.MatchString(r.page.title) {
		return Match{}, false
	}
	if c.Region == Title {
		m, ok := c.proof(r, &seen{rows: []string{r.page.title}, span: onlyRow})
		m.Row = -1
		return m, ok
	}
	return c.proof(r, r.see(c.extent))
}

// onlyRow is the span of what has one row.
var onlyRow = span{0}

// proof checks the conditions on the rows of a region.
func (c *compiled) proof(r *Reading, s *seen) (Match, bool) {
	if len(s.span) == 0 || !c.footed(s) {
		return Match{}, false
	}
	shown := -1
	for _, re := range c.all {
		at := s.last(re)
		if at < 0 {
			return Match{}, false
		}
		if shown < 0 {
			shown = at
		}
	}
	if len(c.any) > 0 {
		at := s.lastOfAny(c.any)
		if at < 0 {
			return Match{}, false
		}
		if shown < 0 {
			shown = at
		}
	}
	if s.lastOfAny(c.none) >= 0 {
		return Match{}, false
	}
	if shown < 0 {
		shown = len(s.span) - 1
	}
	row := s.span[shown]
	return Match{Rule: c.Rule, Line: strings.TrimSpace(s.rows[row]), Row: row + r.page.offset}, true
}

// footed reports whether one of the last two rows matches Foot.
func (c *compiled) footed(s *seen) bool {
	if c.foot == nil {
		return true
	}
	end := seen{rows: s.rows, span: s.span[max(0, len(s.span)-2):]}
	return end.last(c.foot) >= 0
}
