package tmux

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/system/process"
)

// The size of a session without clients, in cells.
const defaultWidth, defaultHeight = 200, 50

// endsWithin is how long a server may take to end once it has lost its last session.
const endsWithin = time.Second

// Create makes a session, window or pane. The first one starts the server. When a program
// of the launch ends, its pane stays as a dead pane, so that its exit status can be read;
// the pane of a shell closes.
//
// One call makes the pane and says its id; another one, which names that id, tags it and starts the program. A hook
// of the user that runs in between may make other panes, in any place.
func (s *Server) Create(ctx context.Context, launch engine.Launch) (engine.Location, error) {
	op := "create " + part(launch)
	fail := func(err error) (engine.Location, error) {
		return engine.Location{}, fmt.Errorf("%s: %w", op, err)
	}
	if err := engine.CheckEngine(launch, engine.Tmux); err != nil {
		return fail(err)
	}
	if launch.Record != "" {
		return fail(fmt.Errorf("%w: tmux records no panes", engine.ErrNoEngine))
	}
	head, err := creation(launch)
	if err != nil {
		return fail(err)
	}
	if launch.Into == "" {
		if err := mayStart(s); err != nil {
			return fail(err)
		}
	}
	version, err := s.process.release(ctx)
	if err != nil {
		return fail(err)
	}
	if launch.Into == "" && s.made {
		// tmux makes this folder only for sockets that it was given by label.
		if err := os.Mkdir(filepath.Dir(s.path), 0o700); err != nil && !errors.Is(err, os.ErrExist) {
			return fail(err)
		}
	}
	made, err := launchedAnew(ctx, s, head, launch)
	if err == nil && launch.Into == "" {
		err = keeps(ctx, s, made)
	}
	var surplus []string
	if err == nil {
		surplus, err = s.surplus(ctx, string(made.Session), launch)
	}
	loc := made
	if err == nil {
		resize := strings.HasPrefix(version, "3.2") && launch.Into == ""
		loc, err = launched(ctx, s, furnished(made, launch, surplus, resize), launch)
	}
	if err != nil {
		if made.Pane != "" {
			if gone(err) {
				err = fmt.Errorf("%w: its first program ended at once: %w", engine.ErrEnded, err)
			}
			undo(ctx, s, launch, made.Location)
		}
		return fail(err)
	}
	if launch.Into == "" && s.seeks != nil {
		s.seeks.note.Write(s.seeks.at)
	}
	return loc.Location, nil
}

// launchedAnew is launched, as often as a server that has just lost its last session
// takes the call and ends before it answers.
func launchedAnew(ctx context.Context, s *Server, head command, launch engine.Launch) (answer, error) {
	end := time.Now().Add(endsWithin)
	for wait := time.Millisecond; ; wait *= 2 {
		loc, err := launched(ctx, s, append([]command{head}, owned(launch)...), launch)
		if launch.Into != "" || loc.Pane != "" || !errors.Is(err, engine.ErrNoServer) || time.Now().After(end) {
			return loc, err
		}
		if err := core.Sleep(ctx, wait); err != nil {
			return answer{}, err
		}
	}
}

// answer is a place as tmux says it.
type answer struct {
	engine.Location
	// destroys and exits are the options with which tmux ends a session, or itself, that no terminal shows.
	destroys, exits bool
	// shell is the program that tmux starts in a pane that is asked for without one.
	shell []string
}

// keeps returns engine.ErrUnattached if tmux ends what was made as soon as it is made, because no terminal shows it.
func keeps(ctx context.Context, s *Server, loc answer) error {
	ends := func(option string) error {
		return fmt.Errorf("%w: its option %s is on", engine.ErrUnattached, option)
	}
	switch {
	case loc.destroys:
		return ends("destroy-unattached")
	case loc.exits:
		clients, err := s.ask(ctx, "list clients", reads, command{"list-clients", "-F", "#{client_session}"})
		if errors.Is(err, engine.ErrNoServer) || err == nil && len(bytes.TrimSpace(clients)) == 0 {
			return ends("exit-unattached")
		}
		return err
	}
	return nil
}

// gone reports whether an error says that what was made is no more.
func gone(err error) bool {
	return errors.Is(err, engine.ErrNoPane) || errors.Is(err, engine.ErrNoSession) ||
		errors.Is(err, engine.ErrNoServer)
}

// launched runs the commands that start a program and returns its place. With an error, the place holds what was made
// before the failure.
func launched(ctx context.Context, s *Server, commands []command, launch engine.Launch) (answer, error) {
	p := processes{
		binary: s.process.binary, socket: s.process.socket, config: s.process.config, over: s.process.over,
		environ: clientEnvironment(s, launch),
	}
	var stdin []byte
	if slices.ContainsFunc(commands, func(c command) bool { return slices.Contains(c, "-e") }) {
		// Everybody could read arguments while the process runs.
		commands, stdin = []command{{"source-file", "-"}}, script(commands)
	}
	// A server that is started reads its user's own settings first, which may take long.
	r, err := answered(ctx, 12*s.timeout,
		func(ctx context.Context) (reply, error) { return p.run(ctx, commands, stdin) })
	if err != nil {
		return answer{}, err
	}
	loc, is := readLocation(string(r.stdout))
	switch {
	case r.exit == 0 && is:
		return loc, nil
	case r.exit == 0:
		return answer{}, explain(ctx, s, anomaly{fmt.Sprintf("%.60q", r.stdout)})
	}
	return loc, explain(ctx, s, refusal(r))
}

// clientEnvironment returns the environment of a tmux process that starts a program: a server that it starts keeps it
// for all panes, and the program gets its PATH.
func clientEnvironment(s *Server, launch engine.Launch) []string {
	environ := launch.Environ
	if environ == nil {
		environ = s.process.environ
	}
	environ = engine.Portable(environ)
	if path := process.Variable(launch.Env, "PATH"); path != "" {
		environ = process.Merged(environ, []string{"PATH=" + path})
	}
	return environ
}

// undo removes what a creation that failed half-way had made.
func undo(ctx context.Context, s *Server, launch engine.Launch, loc engine.Location) {
	kill := command{"kill-pane", "-t", string(loc.Pane)}
	if launch.Into == "" {
		kill = command{"kill-session", "-t", string(loc.Session)}
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

// creation returns the command that makes the place of a launch, with what waits for its program.
func creation(launch engine.Launch) (command, error) {
	if err := checkLaunch(launch); err != nil {
		return nil, err
	}
	var head command
	switch part(launch) {
	case "session":
		width, height := dimensions(launch)
		head = command{"new-session", "-d", "-s", literal(launch.Session), "-x", width, "-y", height}
	case "window":
		head = command{"new-window", "-d", "-a", "-t", string(launch.Into) + ":{end}"}
	case "pane":
		head = command{"split-window", "-d", "-t", string(launch.Split) + ".{bottom-right}"}
	}
	head = append(head, "-P", "-F", format(madeFields...))
	if launch.Window != "" && launch.Split == "" {
		head = append(head, "-n", literal(launch.Window))
	}
	return started(head, engine.Launch{Dir: launch.Dir, Argv: waits}, nil), nil
}

// waits is a program that prints nothing and waits until another one takes its place.
var waits = []string{"/bin/sh", "-c", "sleep 60 2>/dev/null || read x"}

// owned returns the commands that tag a new session, together with the one that makes it: who watches never sees it
// without its tags.
func owned(launch engine.Launch) []command {
	var commands []command
	for _, name := range slices.Sorted(maps.Keys(launch.SessionTags)) {
		value := stamp("#{session_id}", launch.SessionTags[name])
		commands = append(commands, command{"set-option", "-F", "-t", "=" + launch.Session + ":", option(name), value})
	}
	return commands
}

// layoutForm is the form of tmux's layouts.
var layoutForm = regexp.MustCompile(`^[0-9a-f]{4},[0-9x,\[\]{}]+$`)

// furnished returns the commands that tag what was made, lay it out, start its program, and say where. They name it
// by the ids that tmux gave it.
func furnished(made answer, launch engine.Launch, surplus []string, resize bool) []command {
	window := string(made.Window)
	var commands []command
	if resize {
		commands = append(commands, resized(launch, window)...)
	}
	switch {
	case launch.Split != "" && layoutForm.MatchString(launch.Layout):
		commands = append(commands, command{"select-layout", "-t", window, launch.Layout})
	case launch.Split != "" && launch.Tile:
		commands = append(commands, command{"select-layout", "-t", window, "tiled"})
	}
	if launch.Into == "" {
		// A server that was started inside a pane would give that pane's to all of its own.
		for _, name := range engine.PaneVariables() {
			commands = append(commands, command{"set-environment", "-g", "-u", name})
		}
	}
	if len(launch.Argv) == 0 {
		launch.Argv = made.shell
		return append(commands, respawn(made.Pane, launch, surplus, false)...)
	}
	return append(commands, respawn(made.Pane, launch, surplus, true)...)
}

// started adds what is to be started: its folder, environment and arguments. The program inherits none of the variables
// that surplus names.
func started(c command, launch engine.Launch, surplus []string) command {
	if launch.Dir != "" {
		c = append(c, "-c", literal(launch.Dir))
	}
	for _, pair := range process.Merged(engine.Portable(launch.Environ), launch.Env) {
		c = append(c, "-e", pair)
	}
	argv := launch.Argv
	switch {
	case len(argv) > 0 && len(surplus) > 0:
		clean := []string{"/usr/bin/env"}
		for _, name := range surplus {
			clean = append(clean, "-u", name)
		}
		argv = append(clean, argv...)
	case len(argv) == 1:
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

// madeFields are the fields that readLocation reads.
var madeFields = []string{
	"session_id", "window_id", "pane_id", "pane_pid", "destroy-unattached", "exit-unattached", "default-shell",
	"default-command",
}

func readLocation(out string) (answer, bool) {
	v := make([]string, len(madeFields))
	in := records{out: out}
	if in.next(v) != nil {
		return answer{}, false
	}
	set := func(value string) bool { return value == "1" || value == "on" }
	shell := []string{cmp.Or(v[6], "/bin/sh"), "-l"}
	if v[7] != "" {
		shell = []string{shell[0], "-c", v[7]}
	}
	return answer{Location: engine.Location{
		Session: core.SessionID(v[0]), Window: core.WindowID(v[1]), Pane: core.PaneID(v[2]), PID: number(v[3]),
	}, destroys: set(v[4]), exits: set(v[5]), shell: shell}, true
}

// resized gives a new session its size once more, which tmux 3.2 forgets, and
// then lets it follow the terminals that show it again.
func resized(launch engine.Launch, window string) []command {
	width, height := dimensions(launch)
	return []command{
		{"resize-window", "-t", window, "-x", width, "-y", height},
		{"set-option", "-w", "-u", "-t", window, "window-size"},
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
