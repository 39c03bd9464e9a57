package verb

import (
	"strconv"

	"cupola/core/run"
	"cupola/core/verb/registry"
)

// Pagination is the part of a list that an answer holds; status, snapshot and
// history have it as an object too.
type Pagination struct {
	// Limit is the most rows asked for; 0 is all.
	Limit   int  `json:"limit"`
	Offset  int  `json:"offset"`
	Count   int  `json:"count"`
	Total   int  `json:"total"`
	HasMore bool `json:"has_more"`
	// NextCursor is the next offset; absent on the last page.
	NextCursor string `json:"next_cursor,omitempty"`
}

// Paged holds the page that every list reports.
type Paged struct {
	// TotalMatches counts all rows that were found, Count those of this page.
	TotalMatches int  `json:"total_matches"`
	Offset       int  `json:"offset"`
	Count        int  `json:"count"`
	HasMore      bool `json:"has_more"`

	Pagination Pagination `json:"-"`
}

// Cut returns the rows of a page, never nil, and what they are of the whole.
func Cut[T any](rows []T, page registry.Page) ([]T, Paged) {
	total := len(rows)
	from := min(page.Offset, total)
	to := total
	if page.Limit > 0 {
		to = min(from+page.Limit, total)
	}
	p := PageOf(to-from, total, page)
	return append([]T{}, rows[from:to]...), Paged{p.Total, p.Offset, p.Count, p.HasMore, p}
}

// PageOf describes the part of the whole that count rows are, which were cut before.
func PageOf(count, total int, page registry.Page) Pagination {
	to := min(page.Offset, total) + count
	p := Pagination{Limit: page.Limit, Offset: page.Offset, Count: count, Total: total, HasMore: to < total}
	if p.HasMore {
		p.NextCursor = strconv.Itoa(to)
	}
	return p
}

// Hints say where the next page begins.
func (p Paged) Hints() *registry.Hints { return PageHints(p.Pagination) }

// PageHints says where the next page begins; nothing on the last page.
func PageHints(p Pagination) *registry.Hints {
	if !p.HasMore {
		return &registry.Hints{}
	}
	next, remaining := p.Offset+p.Count, 0
	if p.Limit > 0 {
		remaining = (p.Total - next + p.Limit - 1) / p.Limit
	}
	return &registry.Hints{NextOffset: &next, PagesRemaining: &remaining}
}

// AtLimit is the input of verbs that begin a run whose backends can meet a usage limit.
type AtLimit struct {
	OnLimit  string   `enum:"wait,switch,stop" help:"What happens at a usage limit: wait until it resets, switch to the next backend of --fallback, or stop; the settings say it without this"`
	Fallback []string `lister:"backends" help:"The backends that take over at a usage limit, in this order, separated by commas; implies --on-limit=switch"`
}

// Policy returns what the flags ask for, over the settings. It fails if it switches to nothing, or in panes, where an
// agent stays what it is.
func (o AtLimit) Policy(settings run.LimitPolicy, panes bool) (run.LimitPolicy, error) {
	policy := run.LimitPolicy{OnLimit: run.OnLimit(o.OnLimit), Fallback: o.Fallback}.Or(settings)
	if panes && policy.OnLimit == run.SwitchBackend {
		if o.OnLimit != "" || len(o.Fallback) > 0 {
			return policy, registry.Conflict("--on-limit=switch", "--stage=panes",
				"The agent of a pane stays what it is: it can wait.")
		}
		policy.OnLimit = run.WaitForReset
	}
	if policy.OnLimit == run.SwitchBackend && len(policy.Fallback) == 0 {
		return policy, registry.Missing("--on-limit=switch needs backends to switch to",
			"Name them with --fallback=codex,gemini.", "--fallback")
	}
	return policy, nil
}
