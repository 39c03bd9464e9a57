package agent

import "cmp"

// extent is the part of a screen that a rule looks at. Rules that agree about it
// share it, for most of them ask about the same end of the same transcript.
type extent struct {
	extentKey
	number         int
	from, preceded *Pattern
}

// extentKey has the fields in which two extents must agree to be the same.
type extentKey struct {
	region              Region
	lines               int
	fromText, aboveText string
	paragraph           bool
}

// seen are the rows of an extent in one reading; there are none where nothing
// matches the beginning.
type seen struct {
	rows  []string // of the whole page
	span  span
	known bool
}

// extent returns the extent of a rule, shared with the rules before it.
func (r *reader) extent(rule *Rule) *extent {
	key := extentKey{rule.Region, rule.Lines, rule.From.expr(), rule.Preceded.expr(), rule.Paragraph}
	for _, rules := range [][]scopedRule{r.rules, r.failures} {
		for i := range rules {
			if rules[i].extent.extentKey == key {
				return rules[i].extent
			}
		}
	}
	e := &extent{extentKey: key, number: r.extents, from: rule.From, preceded: rule.Preceded}
	r.extents++
	return e
}

// see returns the rows of an extent; they are looked for once a reading.
func (r *Reading) see(e *extent) *seen {
	if r.seen == nil {
		r.seen = make([]seen, r.kind.reader.extents)
	}
	s := &r.seen[e.number]
	if !s.known {
		*s = e.find(r)
		s.known = true
	}
	return s
}

func (e *extent) find(r *Reading) seen {
	page := r.page
	if e.region == Above {
		page = r.column()
	}
	all := seen{rows: page.rows, span: e.bounds(r, page)}
	if !e.from.given() {
		return all
	}
	s, start := all.span, all.last(e.from)
	if start < 0 {
		return seen{}
	}
	for e.paragraph && start > 0 && s[start-1] == s[start]-1 {
		start--
	}
	above := ""
	if start > 0 {
		above = page.rows[s[start-1]]
	}
	if e.preceded.given() && !e.preceded.MatchString(above) {
		return seen{}
	}
	return seen{rows: page.rows, span: s[start:]}
}

// last returns the last row that matches, an index of the span; -1 if none does.
func (s *seen) last(re *Pattern) int {
	for i := len(s.span) - 1; i >= 0; i-- {
		if re.MatchString(s.rows[s.span[i]]) {
			return i
		}
	}
	return -1
}

// lastOfAny returns the last row that the first matching pattern matches.
func (s *seen) lastOfAny(list []*Pattern) int {
	for _, re := range list {
		if at := s.last(re); at >= 0 {
			return at
		}
	}
	return -1
}

// bounds returns the rows of the extent's region.
func (e *extent) bounds(r *Reading, page *page) span {
	n, end := e.lines, len(page.rows)-1
	n = cmp.Or(n, defaultLines)
	switch e.region {
	case Dialog:
		if r.found {
			return nil
		}
		return page.upward(end, n)
	case Above:
		if !r.found {
			return nil
		}
		return page.upward(r.composer.frame.top-1, n)
	case Below:
		if !r.found {
			return nil
		}
		return page.downward(r.composer.frame.bottom+1, n)
	case Caret:
		if at := page.caret; at.known && at.row >= 0 && at.row < len(page.rows) {
			return span{at.row}
		}
		return nil
	case Whole:
		return page.upward(end, len(page.rows))
	default:
		return page.upward(end, n)
	}
}
