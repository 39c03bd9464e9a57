package stories

import (
	"context"
	"fmt"
	"strings"

	"cupola/core"
	"cupola/core/run/story"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

type storyShowIn struct {
	ofChange
	Validate bool `help:"List its problems too, and fail if it cannot be worked on"`
	Next     bool `help:"Only the first story that is not done"`
}

// changeOut is a change with all that is known of it.
type changeOut struct {
	*story.Change
	TasksDone    int `json:"tasks_done"`
	TasksTotal   int `json:"tasks_total"`
	StoriesDone  int `json:"stories_done"`
	StoriesTotal int `json:"stories_total"`
	// Problems are there only if they were asked for.
	Problems []problemRow `json:"problems,omitempty"`

	// again is how a command names the change.
	again again
}

var storyShow = registry.Define(registry.Spec[*verb.Local, storyShowIn, changeOut]{
	Name: "story-show", Group: verb.GroupStory, Short: "Show the stories and tasks of a change",
	Long: "A story is a heading of level 2 in tasks.md, as '## 1. Title', with the tasks below it. Lines that " +
		"look like a task or a story and are none are listed.",
	Scope: registry.Global, Effect: registry.Reads, List: "stories",
	Examples: []string{"add-login", "--tasks=tasks.md"},
	Errors:   append([]core.Code{core.HealthFailed}, changeCodes...),
	Run: func(_ context.Context, env *verb.Local, in storyShowIn) (changeOut, error) {
		change, err := in.read(env)
		if err != nil {
			return changeOut{}, err
		}
		out := outOfChange(change, in.again(change))
		if in.Next {
			shown := *change
			shown.Stories = nil
			if next := change.Next(); next != nil {
				shown.Stories = []story.Story{*next}
			}
			out.Change = &shown
		}
		if in.Validate {
			checked, err := validate(change)
			out.Problems = checked.Problems
			return out, err
		}
		return out, nil
	},
}).SeeAlso("story-list")

func outOfChange(change *story.Change, again again) changeOut {
	out := changeOut{Change: change, StoriesTotal: len(change.Stories), again: again}
	out.TasksDone, out.TasksTotal = change.Counts()
	for i := range change.Stories {
		if change.Stories[i].Complete() {
			out.StoriesDone++
		}
	}
	return out
}

// Hints warns of the lines that were dropped.
func (o changeOut) Hints() *registry.Hints {
	if o.Change == nil || len(o.Dropped) == 0 {
		return nil
	}
	h := &registry.Hints{}
	for _, d := range o.Dropped {
		h.Warnings = append(h.Warnings, fmt.Sprintf("line %d: %s: %s", d.Line, d.Why, strings.TrimSpace(d.Text)))
	}
	return h
}

// Next says how to work on it.
func (o changeOut) Next() []registry.Action {
	if o.Change == nil {
		return nil
	}
	validate := verb.NextAction("validate", "Check it before work starts",
		o.again.words("story-validate")...)
	if o.TasksDone == o.TasksTotal {
		return []registry.Action{validate}
	}
	return []registry.Action{
		verb.NextAction("plan", "See how its stories would be worked on",
			o.again.words("story-run", "--dry-run")...),
		validate,
	}
}

// Report shows a person the stories with their tasks.
func (o changeOut) Report() *report.Report {
	r := report.Say(report.Toned(report.Strong, o.Name), report.Text(fmt.Sprintf(
		"  %d of %d tasks, %d of %d stories are done", o.TasksDone, o.TasksTotal, o.StoriesDone, o.StoriesTotal)))
	for i := range o.Stories {
		r.Add(storyBlock(&o.Stories[i]))
	}
	return r
}

// storyBlock shows a story with its tasks.
func storyBlock(s *story.Story) report.Block {
	block := report.Block{Heading: "Story " + s.ID + ": " + s.Title}
	for i := range s.Tasks {
		task := &s.Tasks[i]
		mark, tone := "○ ", report.Plain
		if task.Done {
			mark, tone = "● ", report.Dim
		}
		block.Lines = append(block.Lines, report.Line{
			report.Toned(tone, strings.Repeat("  ", task.Depth)+mark+task.ID+" "+task.Text),
		})
	}
	if len(s.After) > 0 {
		block.Lines = append(block.Lines,
			report.Line{report.Toned(report.Dim, "depends on "+strings.Join(s.After, ", "))})
	}
	return block
}
