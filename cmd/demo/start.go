package demo

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/BurntSushi/toml"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/engine"
	"cupola/core/engine/engines"
	"cupola/core/engine/tmux"
	"cupola/core/fleet"
	"cupola/core/fleet/lifecycle"
)

// scriptedKind is the kind of all agents.
const scriptedKind = "scripted"

// start starts the server with all sessions and returns the fleet to be shown.
// If it fails, end removes what it made.
func (d *demoDir) start(ctx context.Context, opts *Options) (*fleet.Fleet, error) {
	for i := range sessions {
		if err := d.startSession(ctx, opts, &sessions[i]); err != nil {
			return nil, err
		}
	}
	f, err := d.fleet(opts, opts.Kinds)
	if err != nil {
		return nil, err
	}
	if err := recordPast(ctx, f, opts.journal(d.socket())); err != nil { // a demo without a past is one, too
		opts.Log.Warn("record what the agents were asked before", "error", err)
	}
	if opts.Spent != nil {
		if err := opts.Spent(ctx, d.socket(), spent(time.Now())); err != nil {
			opts.Log.Warn("record what the agents used before", "error", err)
		}
	}
	return f, nil
}

// startSession makes a session, one agent after another, since each is
// started in its own way.
func (d *demoDir) startSession(ctx context.Context, opts *Options, sc *sessionSpec) error {
	dir := d.path(sc.session)
	if err := os.Mkdir(dir, 0o700); err != nil {
		return folderError(err)
	}
	if err := newProject(ctx, sc.session, dir, d.environ(opts)); err != nil { // a demo without changes is one, too
		opts.Log.Warn("make a project for the demo", "session", sc.session, "error", err)
	}
	for i := range sc.agents {
		r := &sc.agents[i]
		kinds, err := d.loadKinds(sc, r)
		if err != nil {
			return folderError(err)
		}
		f, err := d.fleet(opts, kinds)
		if err != nil {
			return err
		}
		counts := []lifecycle.AgentCount{{Kind: scriptedKind, Count: 1, Model: r.model}}
		launch := lifecycle.LaunchRequest{Agents: counts, Dir: dir}
		if i == 0 {
			_, err = f.Launcher.Spawn(ctx,
				lifecycle.SpawnRequest{Session: sc.session, Launch: launch, NoUserPane: !sc.shell})
		} else {
			_, err = f.Launcher.Add(ctx, lifecycle.AddRequest{Session: sc.session, Launch: launch})
		}
		if err := errors.Join(err, f.Close()); err != nil {
			return err
		}
	}
	return nil
}

// loadKinds returns the kinds with which an agent is started: the
// scripted kind takes the agent's script, and the short name of the kind that it
// imitates, which gets another one.
func (d *demoDir) loadKinds(sc *sessionSpec, r *agentSpec) (*agent.Kinds, error) {
	known, err := agent.Load()
	if err != nil {
		return nil, err
	}
	named, ok := known.Find(r.as)
	if !ok {
		return nil, core.Errorf(core.InternalError, "no kind %q", r.as)
	}
	base := sc.session + "-" + r.script
	folder := d.path(base)
	if err := os.Mkdir(folder, 0o700); err != nil {
		return nil, err
	}
	lines, err := scripts.ReadFile("scripts/" + base + ".txt")
	if err != nil {
		return nil, err
	}
	script := filepath.Join(folder, "script.txt")
	command := append([]string{agent.Self, scriptedKind, "--title", "--name", r.title, "--script", script}, r.flags...)
	settings, err := toml.Marshal(map[string]any{"short": named.Short, "launch": map[string]any{"command": command}})
	if err != nil {
		return nil, err
	}
	// They are read in the order of their names: the short name is free when the
	// second takes it.
	for name, text := range map[string][]byte{
		"script.txt": lines, "1.toml": []byte("id = \"" + r.as + "\"\nshort = \"own-" + named.Short + "\"\n"),
		"2.toml": append([]byte("id = \""+scriptedKind+"\"\n"), settings...),
	} {
		if err := os.WriteFile(filepath.Join(folder, name), text, 0o600); err != nil {
			return nil, err
		}
	}
	return agent.Load(os.DirFS(folder))
}

// fleet opens the demo's fleet with some kinds.
func (d *demoDir) fleet(opts *Options, kinds *agent.Kinds) (*fleet.Fleet, error) {
	environ := d.environ(opts)
	server, err := engines.Open(engines.Options{
		Kind: d.engine(opts), Own: opts.Own,
		Tmux: tmux.Options{
			Socket: d.socket(), ConfigFile: os.DevNull, Transport: opts.Transport, Environ: environ,
		},
	})
	if err != nil {
		return nil, core.Errorf(core.ConfigInvalid, "%w", err)
	}
	return fleet.Open(fleet.Options{
		Engine: server, Kinds: kinds, Runtime: d.path(runtimeName), Self: opts.Self, Environ: environ,
		Log: opts.Log, Journal: opts.journal(server.SocketPath()),
	}), nil
}

// engine is the kind of the one terminal server that a demo has.
func (d *demoDir) engine(opts *Options) string {
	if opts.Engine == "" || opts.Engine == engines.Auto {
		return engines.Usual(tmux.Options{Socket: d.socket(), Environ: opts.Environ})
	}
	return opts.Engine
}

// outer are the variables that describe the terminal and the pane that the demo was called from.
var outer = []string{
	"TMUX",
	"TMUX_PANE",
	engine.PaneVariable,
	engine.SocketVariable,
	"CUPOLA_SESSION",
	"CUPOLA_PANE_NAME",
	"CUPOLA_ENGINE_SOCKET",
	"CUPOLA_ENGINE_KIND",
}

// environ is the environment of the server and its panes. In it, this program
// reaches the demo and can be found.
func (d *demoDir) environ(opts *Options) []string {
	environ := slices.DeleteFunc(slices.Clone(opts.Environ), func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		return slices.Contains(outer, name)
	})
	path := filepath.Dir(opts.Self)
	for _, pair := range environ {
		if value, ok := strings.CutPrefix(pair, "PATH="); ok {
			path = value + string(filepath.ListSeparator) + filepath.Dir(opts.Self)
		}
	}
	return append(environ, "PATH="+path, "CUPOLA_ENGINE_SOCKET="+d.socket(), "CUPOLA_ENGINE_KIND="+d.engine(opts))
}
