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
		return c.proof(r, []string{r.page.title}, nil)
	}
	s := r.see(c.extent)
	return c.proof(r, s.rows, s.span)
}

// proof checks the conditions on the rows of a region; s says where they are,
// and is nil for the title.
func (c *compiled) proof(r *Reading, rows []string, s span) (Match, bool) {
	if len(rows) == 0 || !c.footed(rows) {
		return Match{}, false
	}
	shown := -1
	for _, re := range c.all {
		at := lastMatch(re, rows)
		if at < 0 {
			return Match{}, false
		}
		if shown < 0 {
			shown = at
		}
	}
	if len(c.any) > 0 {
		at := lastOfAny(c.any, rows)
		if at < 0 {
			return Match{}, false
		}
		if shown < 0 {
			shown = at
		}
	}
	if lastOfAny(c.none, rows) >= 0 {
		return Match{}, false
	}
	if shown < 0 {
		shown = len(rows) - 1
	}
	m := Match{Rule: c.Rule, Line: strings.TrimSpace(rows[shown]), Row: -1}
	if s != nil {
		m.Row = s[shown] + r.page.offset
	}
	return m, true
}

// footed reports whether one of the last two rows matches Foot.
func (c *compiled) footed(rows []string) bool {
	if c.foot == nil {
		return true
	}
	return lastMatch(c.foot, rows[max(0, len(rows)-2):]) >= 0
}

// lastMatch returns the last row that matches, -1 if none does.
func lastMatch(re *sign, rows []string) int {
	for i := len(rows) - 1; i >= 0; i-- {
		if re.MatchString(rows[i]) {
			return i
		}
	}
	return -1
}

// lastOfAny returns the last row that the first matching pattern matches.
func lastOfAny(list []*sign, rows []string) int {
	for _, re := range list {
		if at := lastMatch(re, rows); at >= 0 {
			return at
		}
	}
	return -1
}
