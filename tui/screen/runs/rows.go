package runs

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"cupola/core/run"
	"cupola/core/term/cells"
	"cupola/core/text/filter"
	"cupola/theme"
	"cupola/tui/screen"
	"cupola/tui/widget"
)

// gather lists the runs that the filters show, and finds the selected one again. If it is gone, the one in its place is
// selected.
func (s *Screen) gather(w *screen.World) {
	all := readAll.In(w).Value.Runs
	if some := readSome.In(w); readAll.In(w).Value.Total > len(all) && some.Wrong == "" &&
		some.Question == (SomeQuestion{Kind: s.kind, Dir: s.project}) {
		all = some.Value.Runs
	}
	var rows []run.Head
	s.projects = nil
	for i := range all {
		h := &all[i]
		if h.Dir != "" && !slices.Contains(s.projects, h.Dir) {
			s.projects = append(s.projects, h.Dir)
		}
		if (s.kind == "" || h.Kind == s.kind) && (s.project == "" || h.Dir == s.project) && s.contains(w, h) {
			rows = append(rows, *h)
		}
	}
	slices.Sort(s.projects)
	slices.SortStableFunc(rows, func(a, b run.Head) int {
		return cmp.Or(rank(&a, w.Now)-rank(&b, w.Now), b.Started.Compare(a.Started))
	})
	s.list.Take(rows, func(h *run.Head) string { return h.ID })
}

// urgentFor is how long a run that failed, or needs the user, is above all others.
const urgentFor = 24 * time.Hour

// rank is 0 for runs that failed or need the user since urgentFor, 1 for those that have not ended, 2 for others.
func rank(h *run.Head, now time.Time) int {
	switch {
	case (h.State == run.Failed || h.State == run.NeedsYou) && now.Sub(h.Ended) < urgentFor:
		return 0
	case !h.State.Ended():
		return 1
	}
	return 2
}

// Fields are the fields that the filter may name.
func (s *Screen) Fields() []filter.Field {
	return []filter.Field{{Name: "state"}, {Name: "kind"}, {Name: "dir"}, {Name: "backend"}}
}

// contains reports whether the filter shows a run.
func (s *Screen) contains(w *screen.World, h *run.Head) bool {
	if s.list.Filter == "" {
		return true
	}
	texts := []string{
		h.ID, string(h.Kind), h.Name, h.Title, h.Dir, word(h.State), h.Reason, h.Awaits(w.Now), h.Backend, h.Error,
	}
	return filter.Of(s.list.Filter, s.Fields()...).Matches(texts, func(name string) []string {
		return map[string][]string{
			"state": {string(h.State), word(h.State)}, "kind": {string(h.Kind)}, "dir": {h.Dir}, "backend": {h.Backend},
		}[name]
	})
}

// word is a state as people read it.
func word(state run.State) string { return strings.ReplaceAll(string(state), "_", " ") }

// nameOf is how a run is called: by its name, else by what works on it.
func nameOf(h *run.Head) string { return cmp.Or(h.Name, h.Backend, h.ID) }

// projectOf is the name of a run's project.
func projectOf(h *run.Head) string {
	if h.Dir == "" {
		return ""
	}
	return filepath.Base(h.Dir)
}

// about returns the text of a run in its row: what it needs or waits for, else the reason of its failure, else its
// subject.
func about(w *screen.World, h *run.Head) widget.Span {
	switch {
	case h.Awaits(w.Now) != "":
		return widget.Span{Token: theme.Ask, Text: screen.OneLine(h.Awaits(w.Now), 300)}
	case h.Error != "":
		return widget.Span{Token: screen.RunToken(h.State), Text: screen.OneLine(h.Error, 300)}
	}
	return widget.Span{Token: theme.Text, Text: screen.OneLine(h.Title, 300)}
}

// progress counts the parts of a run that are done; empty for one without parts.
func progress(h *run.Head) string {
	if h.Total == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", h.Done, h.Total)
}

// costOf is the cost of a run in cents; empty where that is not known, or less than one.
func costOf(h *run.Head) string {
	const least = 0.005
	if h.CostUSD < least {
		return ""
	}
	return fmt.Sprintf("$%.2f", h.CostUSD)
}

const (
	// From wide on a row has how far it is, from broad on the cost, and the project where there are several, in cells.
	wide, broad = 100, 76
	// stateWidth and kindWidth hold the longest of their words, widestName and widestProject are the most of these
	// columns.
	stateWidth, kindWidth, widestName, widestProject = 11, 8, 18, 14
)

// table is the list in lines of some width.
func table(rows []run.Head, w *screen.World, width int) widget.Rows {
	drawn := widget.Rows{Empty: "nothing matches; Esc, ] and P show more"}
	var names, projects, parts, costs int
	several := slices.ContainsFunc(rows, func(h run.Head) bool { return h.Dir != rows[0].Dir })
	kinds := slices.ContainsFunc(rows, func(h run.Head) bool { return h.Kind != rows[0].Kind })
	for i := range rows {
		h := &rows[i]
		names = max(names, min(widestName, width/4, cells.Width(cells.Clean(nameOf(h)))))
		if width >= broad && several {
			projects = max(projects, min(widestProject, cells.Width(cells.Clean(projectOf(h)))))
		}
		if width >= wide {
			parts = max(parts, len(progress(h)))
		}
		if width >= broad {
			costs = max(costs, len(costOf(h)))
		}
	}
	for i := range rows {
		h := &rows[i]
		left := widget.Line{
			{Token: screen.RunToken(h.State), Text: widget.Fit(w.Theme, word(h.State), stateWidth) + "  "},
		}
		if kinds {
			kind := widget.Fit(w.Theme, string(h.Kind), kindWidth) + "  "
			left = append(left, widget.Span{Token: theme.Dim, Text: kind})
		}
		left = append(left, widget.Span{Token: theme.Strong, Text: widget.Fit(w.Theme, nameOf(h), names) + "  "})
		if projects > 0 {
			left = append(left, widget.Span{Token: theme.Dim, Text: widget.Fit(w.Theme, projectOf(h), projects) + "  "})
		}
		if parts > 0 {
			left = append(left, widget.Span{Token: theme.Dim, Text: fmt.Sprintf("%*s  ", parts, progress(h))})
		}
		left = append(left, about(w, h))
		numbers := ""
		if costs > 0 {
			numbers = fmt.Sprintf("  %*s", costs, costOf(h))
		}
		drawn.Left = append(drawn.Left, left)
		drawn.Right = append(drawn.Right, widget.Styled(theme.Dim, numbers+fmt.Sprintf("  %3s", w.Age(h.Started))))
	}
	return drawn
}
