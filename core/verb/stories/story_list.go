package stories

import (
	"context"
	"time"

	"cupola/core/run/story"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

type changeFilters struct {
	Open bool `json:"open,omitempty" help:"Only changes with tasks that are not done"`
}

type storyListIn struct {
	Repo registry.ReadPath `help:"The directory of the project; the current one without it"`
	changeFilters
	registry.Page
}

type storyListOut struct {
	Dir     string        `json:"dir"`
	Filters changeFilters `json:"filters,omitzero"`
	// Changes has a row for each change that is not archived, the one that was changed last first.
	Changes []changeRow `json:"changes" empty:"there is no change" filtered:"all tasks of all changes are done"`
	verb.Paged
}

// changeRow is one change.
type changeRow struct {
	_            struct{}  `minimal:"name,tasks_done,tasks_total" standard:"name,tasks_done,tasks_total,stories_done,stories_total,modified_at,run,state"`
	_            struct{}  `table:"CHANGE,TASKS,OF,STORIES,AGE,RUN,STATE,WHAT"`
	Name         string    `json:"name" table:"CHANGE,strong"`
	TasksDone    int       `json:"tasks_done" table:"TASKS"`
	TasksTotal   int       `json:"tasks_total" table:"OF"`
	StoriesDone  int       `json:"stories_done"`
	StoriesTotal int       `json:"stories_total" table:"STORIES"`
	ModifiedAt   time.Time `json:"modified_at" table:"AGE,dim,ago"`
	// Run is the newest run of the change, with its state; absent if there was none.
	Run     string      `json:"run,omitempty" table:"RUN,dim"`
	State   story.State `json:"state,omitempty" table:"STATE,word"`
	Problem string      `json:"problem,omitempty" table:"WHAT,dim,flex"`
}

var storyList = registry.Define(registry.Spec[*verb.Local, storyListIn, storyListOut]{
	Name: "story-list", Group: verb.GroupStory, Short: "List the changes of a project, and how much of each is done",
	Aliases: []string{"stories"},
	Long: "The changes are the folders in openspec/changes. No other program is needed. 'story run --tasks=FILE' " +
		"works on a plain Markdown file with check boxes too.",
	Scope: registry.Global, Effect: registry.Reads, List: "changes",
	Examples: []string{"", "--open"},
	Errors:   changeCodes, Run: runStoryList,
}).SeeAlso("run-list")

// Next shows the change that was changed last and has tasks that are not done.
func (o storyListOut) Next() []registry.Action {
	for i := range o.Changes {
		if c := &o.Changes[i]; c.TasksDone < c.TasksTotal {
			return []registry.Action{
				verb.NextAction("show", "See its stories and tasks", "story-show", c.Name, "--repo="+o.Dir),
			}
		}
	}
	return nil
}

func runStoryList(_ context.Context, env *verb.Local, in storyListIn) (storyListOut, error) {
	out := storyListOut{Dir: dirOf(env, in.Repo), Filters: in.changeFilters, Changes: []changeRow{}}
	all, err := story.Changes(out.Dir)
	if err != nil {
		return out, err
	}
	runs, err := Directory(env).All()
	if err != nil {
		return out, err
	}
	rows := []changeRow{}
	for i := range all {
		c := &all[i]
		if in.Open && c.TasksDone == c.TasksTotal {
			continue
		}
		row := changeRow{
			Name: c.Name, TasksDone: c.TasksDone, TasksTotal: c.TasksTotal, StoriesDone: c.StoriesDone,
			StoriesTotal: c.StoriesTotal, ModifiedAt: c.Modified, Problem: c.Problem,
		}
		for j := range runs {
			if runs[j].IsOf(story.OpenSpec, c.Path) {
				row.Run, row.State = runs[j].ID, runs[j].State
				break
			}
		}
		rows = append(rows, row)
	}
	out.Changes, out.Paged = verb.Cut(rows, in.Page)
	return out, nil
}
