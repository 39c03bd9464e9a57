package tmux

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/engine"
)

// The size of a session without clients, in cells.
const defaultWidth, defaultHeight = 200, 50

// ownVariables begins the names of the variables that say to which pane a program belongs.
const ownVariables = "CUPOLA_"

// endsWithin is how long a server may take to end once it has lost its last session.
const endsWithin = time.Second

// Create makes a session, window or pane. The first one starts the server. When a program
// of the launch ends, its pane stays as a dead pane, so that its exit status can be read;
// the pane of a shell closes.
func (s *Server) Create(ctx context.Context, launch engine.Launch) (engine.Place, error) {
	op := "create " + part(launch)
	fail := func(err error) (engine.Place, error) {
		return engine.Place{}, fmt.Errorf("%s: %w", op, err)
	}
	if err := engine.CheckEngine(launch, engine.Tmux); err != nil {
		return fail(err)
	}
	if launch.Record != "" {
		return fail(fmt.Errorf("%w: tmux records no panes", engine.ErrNoEngine))
	}
	commands, err := creation(launch)
	if err != nil {
		return fail(err)
	}
	version, err := s.release(ctx)
	if err != nil {
		return fail(err)
	}
	if strings.HasPrefix(version, "3.2") && launch.Into == "" {
		commands = append(commands, resized(launch)...)
	}
	if launch.Into == "" && s.made {
		// tmux makes this folder only for sockets that it was given by label.
		if err := os.Mkdir(filepath.Dir(s.path), 0o700); err != nil && !errors.Is(err, os.ErrExist) {
			return fail(err)
		}
	}
	place, err := launchedAnew(ctx, s, commands, launch)
	if err != nil {
		if place.Pane != "" {
			undo(ctx, s, launch, place)
		}
		return fail(err)
	}
	return place, nil
}

// launchedAnew is launched, as often as a server that has just lost its last session
// takes the call and ends before it answers.
func launchedAnew(ctx context.Context, s *Server, commands []command, launch engine.Launch) (engine.Place, error) {
	end := time.Now().Add(endsWithin)
	for wait := time.Millisecond; ; wait *= 2 {
		place, err := launched(ctx, s, commands, launch)
		if launch.Into != "" || place.Pane != "" || !errors.Is(err, engine.ErrNoServer) || time.Now().After(end) {
			return place, err
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return engine.Place{}, ctx.Err()
		}
	}
}

// launched runs the commands that start a program and say where. With an error,
// the place is what was made before it.
func launched(ctx context.Context, s *Server, commands []command, launch engine.Launch) (engine.Place, error) {
	p := *s.process
	p.environ = withPath(p.environ, launch.Env)
	// A server that is started reads its user's own settings first, which may take long.
	r, err := answered(ctx, 12*s.timeout,
		func(ctx context.Context) (reply, error) { return p.run(ctx, commands, nil) })
	if err != nil {
		return engine.Place{}, err
	}
	place, made := readPlace(string(r.stdout))
	switch {
	case r.exit == 0 && made:
		return place, nil
	case r.exit == 0:
		return engine.Place{}, s.explain(ctx, anomaly{fmt.Sprintf("%.60q", r.stdout)})
	}
	return place, s.explain(ctx, refusal(r))
}

// undo removes what a creation that failed half-way had made.
func undo(ctx context.Context, s *Server, launch engine.Launch, place engine.Place) {
	kill := command{"kill-pane", "-t", string(place.Pane)}
	if launch.Into == "" {
		kill = command{"kill-session", "-t", string(place.Session)}
	}
	s.ask(ctx, "undo", writes, kill) //nolint:errcheck // the first error counts
}

func part(launch engine.Launch) string {
	switch {
	case launch.Into == "":
		return "session"
	case launch.Split == "":
		return "window"
	}
	return "pane"
}

// creation returns the commands of a launch: one that makes, and those that set
// what must be there before the program is heard. tmux runs them without
// looking at the program in between.
func creation(launch engine.Launch) ([]command, error) {
	if err := checkLaunch(launch); err != nil {
		return nil, err
	}
	var head command
	// target finds what was just made: the only pane of a new session, that of the
	// last window, and the lower half of the pane in the corner, which was split.
	// tmux would count ".+" from the pane that the client looks at, in any window.
	var target string
	switch part(launch) {
	case "session":
		width, height := dimensions(launch)
		head = command{"new-session", "-d", "-s", literal(launch.Session), "-x", width, "-y", height}
		target = "=" + launch.Session + ":"
	case "window":
		target = string(launch.Into) + ":{end}"
		head = command{"new-window", "-d", "-a", "-t", target}
	case "pane":
		target = string(launch.Split) + ".{bottom-right}"
		head = command{"split-window", "-d", "-t", target}
	}
	commands := []command{program(head, launch)}
	if len(launch.Argv) > 0 {
		commands = append(commands, command{"set-option", "-p", "-t", target, "remain-on-exit", "on"})
	}
	return append(commands, arrangement(launch, target)...), nil
}

// arrangement tags what was made and lays it out.
func arrangement(launch engine.Launch, target string) []command {
	var commands []command
	if len(launch.Tags) > 0 {
		commands = append(commands, command{"set-option", "-p", "-t", target, tagged, "1"})
	}
	for _, name := range slices.Sorted(maps.Keys(launch.Tags)) {
		commands = append(commands,
			command{"set-option", "-p", "-F", "-t", target, option(name), stamp("#{pane_id}", launch.Tags[name])})
	}
	if launch.Into != "" {
		if launch.Split != "" && launch.Tile {
			commands = append(commands, command{"select-layout", "-t", string(launch.Split), "tiled"})
		}
		return commands
	}
	for _, name := range slices.Sorted(maps.Keys(launch.SessionTags)) {
		commands = append(commands,
			command{"set-option", "-F", "-t", target, option(name), stamp("#{session_id}", launch.SessionTags[name])})
	}
	for _, pair := range launch.Env {
		// new-session gives its environment to later panes of the session, too.
		name, _, _ := strings.Cut(pair, "=")
		commands = append(commands, command{"set-environment", "-u", "-t", target, name})
		if strings.HasPrefix(name, ownVariables) {
			// A server that was started inside a pane would give that pane's to all of its own.
			commands = append(commands, command{"set-environment", "-g", "-u", name})
		}
	}
	return commands
}

// program adds what all three ways of creating share.
func program(head command, launch engine.Launch) command {
	c := append(slices.Clip(head), "-P", "-F", format("session_id", "window_id", "pane_id", "pane_pid"))
	if launch.Window != "" && launch.Split == "" {
		c = append(c, "-n", literal(launch.Window))
	}
	return started(c, launch)
}

// started adds what is to be started: its folder, environment and arguments.
func started(c command, launch engine.Launch) command {
	if launch.Dir != "" {
		c = append(c, "-c", literal(launch.Dir))
	}
	for _, pair := range launch.Env {
		c = append(c, "-e", pair)
	}
	argv := launch.Argv
	if len(argv) == 1 {
		// tmux gives a single word to the user's shell.
		argv = []string{"/bin/sh", "-c", `exec "$0"`, argv[0]}
	}
	if len(argv) > 0 {
		c = append(append(c, "--"), argv...)
	}
	return c
}

func checkLaunch(launch engine.Launch) error {
	var err error
	switch part(launch) {
	case "session":
		err = checkName(launch.Session)
	case "window":
		err = checkSession(launch.Into)
	case "pane":
		err = cmp.Or(checkSession(launch.Into), checkWindow(launch.Split))
	}
	if err != nil {
		return err
	}
	for name := range launch.SessionTags {
		if err := engine.CheckTag(name, engine.SessionTags); err != nil {
			return err
		}
	}
	return engine.CheckProgram(launch)
}

// withPath replaces PATH: tmux takes a new pane's from the process that creates
// it and ignores the one in the pane's own environment.
func withPath(environ, env []string) []string {
	for _, pair := range slices.Backward(env) {
		if strings.HasPrefix(pair, "PATH=") {
			return append(slices.Clone(environ), pair)
		}
	}
	return environ
}

func readPlace(out string) (engine.Place, bool) {
	var v [4]string
	in := records{out: out}
	if in.next(v[:]) != nil {
		return engine.Place{}, false
	}
	return engine.Place{
		Session: core.SessionID(v[0]), Window: core.WindowID(v[1]), Pane: core.PaneID(v[2]), PID: number(v[3]),
	}, true
}

// resized gives a new session its size once more, which tmux 3.2 forgets, and
// then lets it follow the terminals that show it again.
func resized(launch engine.Launch) []command {
	width, height := dimensions(launch)
	target := "=" + launch.Session + ":"
	return []command{
		{"resize-window", "-t", target, "-x", width, "-y", height},
		{"set-option", "-w", "-u", "-t", target, "window-size"},
	}
}

func dimensions(launch engine.Launch) (width, height string) {
	w, h := launch.Width, launch.Height
	if w <= 0 {
		w = defaultWidth
	}
	if h <= 0 {
		h = defaultHeight
	}
	return strconv.Itoa(w), strconv.Itoa(h)
}
