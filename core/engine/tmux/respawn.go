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
func (s *Server) Respawn(ctx context.Context, pane core.PaneID, launch engine.Launch) (engine.Place, error) {
	fail := func(err error) (engine.Place, error) {
		return engine.Place{}, fmt.Errorf("respawn pane: %w", err)
	}
	if err := checkPane(pane); err != nil {
		return fail(err)
	}
	if err := engine.CheckProgram(launch); err != nil {
		return fail(err)
	}
	place, err := launched(ctx, s, respawn(pane, launch), launch)
	if err != nil {
		return fail(err)
	}
	return place, nil
}

// respawn returns the commands that set what must be there before the program is
// heard, start it, and say where.
func respawn(pane core.PaneID, launch engine.Launch) []command {
	target := string(pane)
	var commands []command
	if len(launch.Argv) > 0 {
		commands = append(commands, command{"set-option", "-p", "-t", target, "remain-on-exit", "on"})
	}
	if len(launch.Tags) > 0 {
		commands = append(commands, command{"set-option", "-p", "-t", target, tagged, "1"})
	}
	for _, name := range slices.Sorted(maps.Keys(launch.Tags)) {
		tag := command{"set-option", "-p", "-t", target, option(name), stamp(target, launch.Tags[name])}
		if launch.Tags[name] == "" {
			tag = command{"set-option", "-p", "-u", "-t", target, option(name)}
		}
		commands = append(commands, tag)
	}
	return append(commands,
		started(command{"respawn-pane", "-k", "-t", target}, launch),
		command{"display-message", "-p", "-t", target, format("session_id", "window_id", "pane_id", "pane_pid")})
}
