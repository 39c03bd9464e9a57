package agent

import (
	"fmt"
	"strings"
)

// Match is a rule that matches a screen, and the row that proves it.
type Match struct {
	Rule *Rule
	// Line is the row's text without its margins.
	Line string
	// Row indexes the screen's Lines; -1 for the title.
	Row int
}

// String returns the rule in the form that evidence uses.
func (m Match) String() string { return fmt.Sprintf("%s: %s", m.Rule.ID, m.Line) }

// match tries the rule on a reading.
func (sr *scopedRule) match(r *Reading) (Match, bool) {
	if sr.Title.given() && !sr.Title.MatchString(r.page.title) {
		return Match{}, false
	}
	if sr.Launch.given() && !sr.Launch.MatchString(r.page.launch) {
		return Match{}, false
	}
	if sr.Region == Title {
		m, ok := sr.proof(r, &seen{rows: []string{r.page.title}, span: onlyRow})
		m.Row = -1
		return m, ok
	}
	return sr.proof(r, r.see(sr.extent))
}

// onlyRow is the span of what has one row.
var onlyRow = span{0}

// proof checks the conditions on the rows of a region.
func (sr *scopedRule) proof(r *Reading, s *seen) (Match, bool) {
	if len(s.span) == 0 || !sr.footed(s) {
		return Match{}, false
	}
	shown := -1
	for _, re := range sr.All {
		at := s.last(re)
		if at < 0 {
			return Match{}, false
		}
		if shown < 0 {
			shown = at
		}
	}
	if len(sr.Any) > 0 {
		at := s.lastOfAny(sr.Any)
		if at < 0 {
			return Match{}, false
		}
		if shown < 0 {
			shown = at
		}
	}
	if s.lastOfAny(sr.None) >= 0 {
		return Match{}, false
	}
	if shown < 0 {
		shown = len(s.span) - 1
	}
	row := s.span[shown]
	return Match{Rule: sr.Rule, Line: strings.TrimSpace(s.rows[row]), Row: row + r.page.offset}, true
}

// footed reports whether one of the last two rows matches Foot.
func (sr *scopedRule) footed(s *seen) bool {
	if !sr.Foot.given() {
		return true
	}
	end := seen{rows: s.rows, span: s.span[max(0, len(s.span)-2):]}
	return end.last(sr.Foot) >= 0
}
