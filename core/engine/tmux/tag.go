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
	for _, tag := range tags {
		known, gone := engine.PaneTags, checkPane(tag.Pane)
		if tag.Pane == "" {
			known, gone = engine.SessionTags, checkSession(tag.Session)
		}
		if err := cmp.Or(gone, engine.CheckTag(tag.Name, known)); err != nil {
			return fmt.Errorf("tag: %w", err)
		}
	}
	if len(tags) == 0 {
		return nil
	}
	_, err := s.ask(ctx, "tag", writes, tagging(tags)...)
	return err
}

// tagging returns the commands that set tags or, where a value is empty, remove them.
func tagging(tags []engine.Tag) []command {
	commands := make([]command, 0, len(tags)+1)
	marked := make(map[core.PaneID]bool)
	for _, tag := range tags {
		if tag.Pane != "" && tag.Value != "" && !marked[tag.Pane] {
			marked[tag.Pane] = true
			commands = append(commands, command{"set-option", "-p", "-t", string(tag.Pane), tagged, "1"})
		}
		id, set := string(tag.Pane), command{"set-option", "-p"}
		if id == "" {
			id, set = string(tag.Session), command{"set-option"}
		}
		if tag.Value == "" {
			commands = append(commands, append(set, "-u", "-t", id, option(tag.Name)))
		} else {
			commands = append(commands, append(set, "-t", id, option(tag.Name), stamp(id, tag.Value)))
		}
	}
	return commands
}
