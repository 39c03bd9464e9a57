package agent

import (
	"fmt"
	"strings"
)

// Trace is the match of one rule with a screen, or the reason that there is none.
type Trace struct {
	Rule    *Rule
	Matched bool
	// Row is the index in the screen's Lines of the row that proves a match, Line its text. Row is -1 for the title
	// and where nothing matched.
	Row  int
	Line string
	// Why is the condition that failed; empty for a match.
	Why string
}

// Trace returns the trace of each rule, in the order in which they are tried.
func (r *Reading) Trace() []Trace {
	var traces []Trace
	for _, rules := range [][]scopedRule{r.kind.reader.rules, r.kind.reader.failures} {
		for i := range rules {
			rule := &rules[i]
			t := Trace{Rule: rule.Rule, Row: -1}
			if m, ok := rule.match(r); ok {
				t.Matched, t.Row, t.Line = true, m.Row, m.Line
			} else {
				t.Why = rule.failing(r)
			}
			traces = append(traces, t)
		}
	}
	return traces
}

// failing names the first condition of a rule that fails; empty if none does.
func (sr *scopedRule) failing(r *Reading) string {
	if sr.Title.given() && !sr.Title.MatchString(r.page.title) {
		return fmt.Sprintf("title: %q does not match %s", r.page.title, sr.Title.Expr)
	}
	if sr.Launch.given() && !sr.Launch.MatchString(r.page.launch) {
		return fmt.Sprintf("launch: %q does not match %s", r.page.launch, sr.Launch.Expr)
	}
	s := &seen{rows: []string{r.page.title}, span: onlyRow}
	if sr.Region != Title {
		s = r.see(sr.extent)
	}
	switch {
	case len(s.span) == 0 && sr.Region == Dialog && r.found:
		return "region: the input box is drawn, and dialog looks only at screens without one"
	case len(s.span) == 0 && (sr.Region == Above || sr.Region == Below) && !r.found:
		return "region: no input box is drawn"
	case len(s.span) == 0 && sr.From.given():
		return "region: it has no rows from one that matches from on"
	case len(s.span) == 0:
		return "region: it has no rows"
	case !sr.footed(s):
		return "foot: neither of the last two rows matches " + sr.Foot.Expr
	}
	for _, re := range sr.All {
		if s.last(re) < 0 {
			return "all: no row of the region matches " + re.Expr
		}
	}
	if len(sr.Any) > 0 && s.lastOfAny(sr.Any) < 0 {
		return "any: no row of the region matches any of them"
	}
	if at := s.lastOfAny(sr.None); at >= 0 {
		return fmt.Sprintf("none: row %d matches: %s", s.span[at]+1, strings.TrimSpace(s.rows[s.span[at]]))
	}
	return ""
}

// Unfound says why no input box was found; empty if one was.
func (r *Reading) Unfound() string {
	c := r.kind.reader.composer
	switch {
	case c == nil:
		return "the kind has no composer.prompt: its screens are not read"
	case r.found:
		return ""
	}
	if _, open := r.Blocked(); open && !c.Top.given() && !r.page.caret.known {
		return "a dialog is open"
	}
	return c.unfound(r.page)
}

// unfound names the key of the composer that fails, at the lowest row that may be the box's lower edge.
func (c *composerSpec) unfound(p *page) string {
	last := len(p.rows) - 1
	for last >= 0 && p.rows[last] == "" {
		last--
	}
	below := 0
	for i := last; i >= 0 && below <= c.Below; i-- {
		if f, ok := c.lowerEdge(p, i, last); ok {
			return c.unfoundIn(p, f)
		}
		if p.rows[i] != "" {
			below++
		}
	}
	return fmt.Sprintf("composer.bottom: none of the last %d rows that are not blank matches %s (composer.below is %d)",
		below, c.Bottom.Expr, c.Below)
}

func (c *composerSpec) unfoundIn(p *page, f frame) string {
	edge := fmt.Sprintf("the lower edge is row %d", f.bottom+1)
	if !c.upperEdge(p, &f) {
		if c.Top.given() {
			return "composer.top: no row above matches " + c.Top.Expr + "; " + edge
		}
		return "composer.prompt: no row above matches " + c.Prompt.Expr + "; " + edge
	}
	first, end := f.top+1+c.SkipTop, f.bottom-1-c.SkipBottom
	if first > end {
		return "composer.skip_top, skip_bottom: nothing is left between the edges; " + edge
	}
	if !c.hasKeyboard(p.caret, first, f.bottom-1) && !c.draws(p, f, first) {
		return fmt.Sprintf("composer.cursor: the cursor is in row %d (visible: %v), the box is rows %d to %d",
			p.caret.row+1, p.caret.visible, first+1, f.bottom)
	}
	for i := first; i <= end; i++ {
		row := f.cut(p.rows[i])
		if begin := c.More; row != "" && !begin.MatchString(row) && (i > first || !c.begins(row)) {
			return fmt.Sprintf("composer.prompt, more: row %d matches neither: %s", i+1, row)
		}
	}
	return "composer: " + edge
}
