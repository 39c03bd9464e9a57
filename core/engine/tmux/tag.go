package tmux

import (
	"cmp"
	"context"
	"fmt"

	"cupola/core"
	"cupola/core/engine"
)

// Tag sets or removes tags, in one request if they fit. It returns an error, and sets
// nothing, for a tag that listings do not read on its kind of target. tmux stops at the
// first target that does not exist.
func (s *Server) Tag(ctx context.Context, tags ...engine.Tag) error {
	commands := make([]command, 0, len(tags))
	marked := make(map[core.PaneID]bool)
	for _, tag := range tags {
		set, err := setTag(tag)
		if err != nil {
			return fmt.Errorf("tag: %w", err)
		}
		if tag.Pane != "" && tag.Value != "" && !marked[tag.Pane] {
			marked[tag.Pane] = true
			commands = append(commands, command{"set-option", "-p", "-t", string(tag.Pane), tagged, "1"})
		}
		commands = append(commands, set)
	}
	if len(commands) == 0 {
		return nil
	}
	_, err := s.ask(ctx, "tag", writes, commands...)
	return err
}

func setTag(tag engine.Tag) (command, error) {
	id, known, set := string(tag.Pane), engine.PaneTags, command{"set-option", "-p"}
	gone := checkPane(tag.Pane)
	if id == "" {
		id, known, set = string(tag.Session), engine.SessionTags, command{"set-option"}
		gone = checkSession(tag.Session)
	}
	if err := cmp.Or(gone, engine.CheckTag(tag.Name, known)); err != nil {
		return nil, err
	}
	if tag.Value == "" {
		return append(set, "-u", "-t", id, option(tag.Name)), nil
	}
	return append(set, "-t", id, option(tag.Name), stamp(id, tag.Value)), nil
}
