package command

import (
	"fmt"
	"strconv"
	"strings"

	"cupola/robot/registry"
)

// pagination says which part of a list an answer holds; status, snapshot and
// history have it as an object too.
type pagination struct {
	// Limit is the most rows asked for; 0 is all.
	Limit   int  `json:"limit"`
	Offset  int  `json:"offset"`
	Count   int  `json:"count"`
	Total   int  `json:"total"`
	HasMore bool `json:"has_more"`
	// NextCursor is the next offset; absent on the last page.
	NextCursor string `json:"next_cursor,omitempty"`
}

// paged holds the page that every list reports.
type paged struct {
	// TotalMatches counts all rows that were found, Count those of this page.
	TotalMatches int  `json:"total_matches"`
	Offset       int  `json:"offset"`
	Count        int  `json:"count"`
	HasMore      bool `json:"has_more"`

	Pagination pagination `json:"-"`
}

// cut returns the rows of a page, never nil, and what they are of the whole.
func cut[T any](rows []T, page registry.Page) ([]T, paged) {
	total := len(rows)
	from := min(page.Offset, total)
	to := total
	if page.Limit > 0 {
		to = min(from+page.Limit, total)
	}
	p := pageOf(to-from, total, page)
	return append([]T{}, rows[from:to]...), paged{p.Total, p.Offset, p.Count, p.HasMore, p}
}

// pageOf says what part of the whole count rows are that were cut elsewhere.
func pageOf(count, total int, page registry.Page) pagination {
	to := min(page.Offset, total) + count
	p := pagination{Limit: page.Limit, Offset: page.Offset, Count: count, Total: total, HasMore: to < total}
	if p.HasMore {
		p.NextCursor = strconv.Itoa(to)
	}
	return p
}

// Hints say where the next page begins.
func (p paged) Hints() *registry.Hints { return pageHints(p.Pagination) }

// pageHints says where the next page begins; nothing on the last page.
func pageHints(p pagination) *registry.Hints {
	if !p.HasMore {
		return &registry.Hints{}
	}
	next, remaining := p.Offset+p.Count, 0
	if p.Limit > 0 {
		remaining = (p.Total - next + p.Limit - 1) / p.Limit
	}
	return &registry.Hints{NextOffset: &next, PagesRemaining: &remaining}
}

// counted is a number of something.
type counted struct {
	n    int
	what string
}

// listed names what there is at all: "2 bad, 14 ok".
func listed(all ...counted) string {
	var parts []string
	for _, part := range all {
		if part.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", part.n, part.what))
		}
	}
	return strings.Join(parts, ", ")
}

// plural counts things in words: "1 agent", "3 agents", "2 processes".
func plural(n int, what string) string {
	switch {
	case n == 1:
		return "1 " + what
	case strings.HasSuffix(what, "s"):
		what += "e"
	}
	return fmt.Sprintf("%d %ss", n, what)
}
