package story

import (
	"cmp"
	"slices"
	"strings"

	"cupola/core"
)

// Problem is a fault that a user should correct in a change before agents work on it.
type Problem struct {
	_ struct{} `minimal:"severity,message" standard:"severity,line,message"`
	// Severity is error for what keeps stories from being worked on, else warning or info.
	Severity core.Severity `json:"severity" table:"SEVERITY,word"`
	// Line is the number of the line in the file of tasks, from 1; 0 for a finding without a line.
	Line    int    `json:"line,omitempty" table:"LINE"`
	Message string `json:"message" table:"PROBLEM,flex"`
}

// Validate returns the problems of a change, in the order of its lines; errors are before others of the same line.
func Validate(change *Change) []Problem {
	var problems []Problem
	add := func(severity core.Severity, line int, message string) {
		problems = append(problems, Problem{Severity: severity, Line: line, Message: message})
	}
	if _, total := change.Counts(); total == 0 {
		add(core.SeverityError, 0, "there are no tasks")
	}
	for _, d := range change.Dropped {
		add(core.SeverityWarning, d.Line, d.Why+": "+d.Text)
	}
	stories, tasks := map[string]bool{}, map[string]bool{}
	for i := range change.Stories {
		s := &change.Stories[i]
		if len(s.Tasks) == 0 {
			add(core.SeverityWarning, s.Line, "story "+s.ID+" has no tasks, and counts as done")
		}
		if stories[s.ID] {
			add(core.SeverityError, s.Line, "another story has the id "+s.ID)
		}
		stories[s.ID] = true
		for j := range s.Tasks {
			if id := s.Tasks[j].ID; tasks[id] {
				add(core.SeverityError, s.Tasks[j].Line, "another task has the id "+id)
			}
			tasks[s.Tasks[j].ID] = true
		}
		for _, id := range s.After {
			if change.Story(id) == nil {
				add(core.SeverityError, s.Line, "story "+s.ID+" depends on "+id+", which is no story")
			}
		}
	}
	for _, circle := range circles(change) {
		first := change.Story(circle[0])
		way := strings.Join(append(circle, circle[0]), " -> ")
		add(core.SeverityError, first.Line, "stories depend on each other: "+way)
	}
	if change.Dir != "" && len(change.Scenarios) == 0 {
		add(core.SeverityInfo, 0, "the specs of the change have no scenarios")
	}
	slices.SortStableFunc(problems, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), a.Severity.Compare(b.Severity))
	})
	return problems
}

// circles returns dependencies that lead back to where they begin, each as the ids on its way. No story is in two of
// them.
func circles(change *Change) (found [][]string) {
	// A story is on the way while what it depends on is followed, and then seen.
	const onTheWay, seen = 1, 2
	states := map[string]int{}
	var way []string
	var follow func(s *Story)
	follow = func(s *Story) {
		states[s.ID] = onTheWay
		way = append(way, s.ID)
		for _, id := range s.After {
			next := change.Story(id)
			switch {
			case next == nil:
			case states[id] == onTheWay:
				found = append(found, slices.Clone(way[slices.Index(way, id):]))
			case states[id] != seen:
				follow(next)
			}
		}
		way = way[:len(way)-1]
		states[s.ID] = seen
	}
	for i := range change.Stories {
		if states[change.Stories[i].ID] == 0 {
			follow(&change.Stories[i])
		}
	}
	return found
}
