package demo

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/engine/tmux"
	"cupola/core/fleet"
	"cupola/core/fleet/lifecycle"
)

// playing is the kind that plays the agents.
const playing = "scripted"

// raise starts the server with all scenes and returns the fleet to be shown.
// What it made before it fails is left to end.
func (s *stage) raise(ctx context.Context, opts *Options) (*fleet.Fleet, error) {
	for i := range scenes {
		if err := s.play(ctx, opts, &scenes[i]); err != nil {
			return nil, err
		}
	}
	return s.fleet(opts, opts.Kinds)
}

// play makes the session of a scene, one agent after another, since each is
// started in its own way.
func (s *stage) play(ctx context.Context, opts *Options, sc *scene) error {
	dir := s.path(sc.session)
	if err := os.Mkdir(dir, 0o700); err != nil {
		return broken(err)
	}
	for i := range sc.cast {
		r := &sc.cast[i]
		kinds, err := s.casting(sc, r)
		if err != nil {
			return broken(err)
		}
		f, err := s.fleet(opts, kinds)
		if err != nil {
			return err
		}
		launch := lifecycle.LaunchRequest{Wishes: []lifecycle.Wish{{Kind: playing, Count: 1, Model: r.model}}, Dir: dir}
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

// casting returns the kinds with which an agent of a role is started: the
// scripted kind takes the role's script, and the short name of the kind that it
// is named like, which gets another one meanwhile.
func (s *stage) casting(sc *scene, r *role) (*agent.Kinds, error) {
	known, err := agent.Load()
	if err != nil {
		return nil, err
	}
	named, ok := known.Find(r.as)
	if !ok {
		return nil, core.Errorf(core.InternalError, "no kind %q", r.as)
	}
	part := sc.session + "-" + r.part
	folder := s.path(part)
	if err := os.Mkdir(folder, 0o700); err != nil {
		return nil, err
	}
	lines, err := scripts.ReadFile("scripts/" + part + ".txt")
	if err != nil {
		return nil, err
	}
	script := filepath.Join(folder, "script.txt")
	command := append([]string{agent.Self, playing, "--title", "--name", r.title, "--script", script}, r.flags...)
	player, err := toml.Marshal(map[string]any{"short": named.Short, "launch": map[string]any{"command": command}})
	if err != nil {
		return nil, err
	}
	// They are read in the order of their names: the short name is free when the
	// second takes it.
	for name, text := range map[string][]byte{
		"script.txt": lines, "1.toml": []byte("id = \"" + r.as + "\"\nshort = \"own-" + named.Short + "\"\n"),
		"2.toml": append([]byte("id = \""+playing+"\"\n"), player...),
	} {
		if err := os.WriteFile(filepath.Join(folder, name), text, 0o600); err != nil {
			return nil, err
		}
	}
	return agent.Load(os.DirFS(folder))
}

// fleet opens the stage's fleet with some kinds.
func (s *stage) fleet(opts *Options, kinds *agent.Kinds) (*fleet.Fleet, error) {
	server, err := tmux.Open(tmux.Options{
		Socket: s.socket(), ConfigFile: os.DevNull, Transport: opts.Transport, Environ: s.environ(opts),
	})
	if err != nil {
		return nil, core.Errorf(core.ConfigInvalid, "%w", err)
	}
	return fleet.Open(fleet.Options{
		Engine: server, Kinds: kinds, Runtime: s.path(runtimeName), Self: opts.Self, Environ: s.environ(opts),
		Log: opts.Log, Journal: opts.journal(server.SocketPath()),
	}), nil
}

// outer are what an environment says of the terminal and the pane that the demo
// was called from.
var outer = []string{"TMUX", "TMUX_PANE", "CUPOLA_SESSION", "CUPOLA_PANE_NAME", "CUPOLA_GIVEN", "CUPOLA_ENGINE_SOCKET"}

// environ is the environment of the server and its panes. In it, this program
// reaches the demo and can be found.
func (s *stage) environ(opts *Options) []string {
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
	return append(environ, "PATH="+path, "CUPOLA_ENGINE_SOCKET="+s.socket())
}
