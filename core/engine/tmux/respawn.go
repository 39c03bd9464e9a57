package tmux

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

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
	surplus, err := s.surplus(ctx, string(pane), launch)
	if err != nil {
		return fail(err)
	}
	loc, err := launched(ctx, s, respawn(pane, launch, surplus, len(launch.Argv) > 0), launch)
	if err != nil {
		return fail(err)
	}
	return loc.Location, nil
}

// respawn returns the commands that set what must be there before the program is heard, start it, and say where. The
// pane of one that stays is kept when it ends.
func respawn(pane core.PaneID, launch engine.Launch, surplus []string, stays bool) []command {
	target := string(pane)
	var commands []command
	if stays {
		commands = append(commands, command{"set-option", "-p", "-t", target, "remain-on-exit", "on"})
		launch.Env = append([]string{engine.Colours}, launch.Env...)
	}
	tags := core.Map(slices.Sorted(maps.Keys(launch.Tags)), func(name string) engine.Tag {
		return engine.Tag{Pane: pane, Name: name, Value: launch.Tags[name]}
	})
	commands = append(commands, tagging(tags)...)
	return append(commands, started(command{"respawn-pane", "-k", "-t", target}, launch, surplus),
		command{"display-message", "-p", "-t", target, format(madeFields...)})
}

// surplus returns the names of the variables that a program would inherit from the server, although its own environment
// has none of them. Without an environment of its own it inherits all.
func (s *Server) surplus(ctx context.Context, target string, launch engine.Launch) ([]string, error) {
	if launch.Environ == nil {
		return nil, nil
	}
	out, err := s.ask(ctx, "show the environment", reads,
		command{"show-environment", "-g"}, command{"show-environment", "-t", target})
	if err != nil {
		return nil, err
	}
	has := map[string]bool{}
	for _, name := range setByTmux {
		has[name] = true
	}
	for _, pair := range slices.Concat(launch.Environ, launch.Env) {
		name, _, _ := strings.Cut(pair, "=")
		has[name] = true
	}
	var names []string
	for line := range strings.Lines(string(out)) {
		// A further line of a value may look like a variable, which is then not there to be removed.
		name, _, is := strings.Cut(line, "=")
		if is && !has[name] && !strings.ContainsAny(name, " \t'\"") && name != "" {
			has[name] = true
			names = append(names, name)
		}
	}
	return names, nil
}

// setByTmux are the variables that tmux sets for each pane.
var setByTmux = []string{"TERM", "TERM_PROGRAM", "TERM_PROGRAM_VERSION", "TMUX", "TMUX_PANE", "SHELL", "PWD"}
