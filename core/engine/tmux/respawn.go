package tmux

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"cupola/core"
	"cupola/core/engine"
)

// Respawn starts another program in a pane. The old program gets SIGHUP, as when its
// terminal closes; processes that ignore it continue without a terminal.
func (s *Server) Respawn(ctx context.Context, pane core.PaneID, launch engine.Launch) (engine.Location, error) {
	fail := func(err error) (engine.Location, error) {
		return engine.Location{}, fmt.Errorf("respawn pane: %w", err)
	}
	if err := checkPane(pane); err != nil {
		return fail(err)
	}
	if err := engine.CheckProgram(launch); err != nil {
		return fail(err)
	}
	loc, err := launched(ctx, s, respawn(pane, launch), launch)
	if err != nil {
		return fail(err)
	}
	return loc.Location, nil
}

// respawn returns the commands that set what must be there before the program is
// heard, start it, and say where.
func respawn(pane core.PaneID, launch engine.Launch) []command {
	target := string(pane)
	var commands []command
	if len(launch.Argv) > 0 {
		commands = append(commands, command{"set-option", "-p", "-t", target, "remain-on-exit", "on"})
		launch.Env = append([]string{engine.Colours}, launch.Env...)
	}
	commands = append(commands, tagging(pane, launch.Tags)...)
	return append(commands, started(command{"respawn-pane", "-k", "-t", target}, launch), saying(pane))
}

// tagging returns the commands that set tags on a pane or, where a value is empty, remove them.
func tagging(pane core.PaneID, tags map[string]string) []command {
	target := string(pane)
	var commands []command
	if len(tags) > 0 {
		commands = append(commands, command{"set-option", "-p", "-t", target, tagged, "1"})
	}
	for _, name := range slices.Sorted(maps.Keys(tags)) {
		tag := command{"set-option", "-p", "-t", target, option(name), stamp(target, tags[name])}
		if tags[name] == "" {
			tag = command{"set-option", "-p", "-u", "-t", target, option(name)}
		}
		commands = append(commands, tag)
	}
	return commands
}

// saying returns the command that says where a pane is.
func saying(pane core.PaneID) command {
	return command{"display-message", "-p", "-t", string(pane), format(madeFields...)}
}
