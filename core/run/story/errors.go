package story

import (
	"fmt"
	"slices"
	"strings"

	"cupola/core"
	"cupola/core/text/near"
)

// Given returns an id that a program was given, and nothing where it was given none: programs write "null", "nil",
// "none" and "undefined" for a variable that is not set.
func Given(id string) string {
	id = strings.TrimSpace(id)
	if slices.Contains([]string{"null", "nil", "none", "undefined"}, strings.ToLower(id)) {
		return ""
	}
	return id
}

// Find returns a story by its id. It returns StoryRequired for no id, and StoryNotFound.
func (c *Change) Find(id string) (*Story, error) {
	if id = Given(id); id == "" {
		return nil, core.Errorf(core.StoryRequired, "no story is given")
	}
	if s := c.Story(id); s != nil {
		return s, nil
	}
	known := core.Map(c.Stories, func(s Story) string { return s.ID })
	return nil, &core.Error{
		Code: core.StoryNotFound, Message: fmt.Sprintf("%s has no story %s", c.Name, id),
		Suggestions: near.Words(id, known), Slip: core.Slip{Word: id},
	}
}

// FindTask returns a task by its exact id. If a story is named, it must be one of its tasks. It returns StoryNotFound,
// TaskNotFound, and ScopeError for a task of another story.
func (c *Change) FindTask(id, story string) (*Story, *Task, error) {
	var scope *Story
	if story != "" {
		s, err := c.Find(story)
		if err != nil {
			return nil, nil, err
		}
		scope = s
	}
	s, task := c.Task(id)
	if task == nil {
		return nil, nil, c.noTask(id, scope)
	}
	if scope != nil && scope != s {
		return nil, nil, core.Errorf(core.ScopeError, "task %s belongs to story %s, not to %s", id, s.ID, scope.ID)
	}
	return s, task, nil
}

// noTask returns TaskNotFound. It suggests tasks of the scope alone if there is one.
func (c *Change) noTask(id string, scope *Story) error {
	var known []string
	for i := range c.Stories {
		if scope != nil && scope != &c.Stories[i] {
			continue
		}
		for j := range c.Stories[i].Tasks {
			known = append(known, c.Stories[i].Tasks[j].ID)
		}
	}
	return &core.Error{
		Code: core.TaskNotFound, Message: fmt.Sprintf("%s has no task %s", c.Name, id),
		Suggestions: near.Words(id, known), Slip: core.Slip{Word: id},
	}
}
