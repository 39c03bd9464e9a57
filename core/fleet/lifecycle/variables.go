package lifecycle

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/config/recipe"
	"cupola/core/engine"
	"cupola/core/fleet/rundir"
	"cupola/core/system/plainfile"
	"cupola/core/system/process"
	"cupola/core/system/textfile"
)

// variables are the environment of a pane.
type variables struct {
	// Asked is the requested environment, without the values of files.
	Asked recipe.Environment `json:"asked"`
	// Inherited are the variables that it inherits, and Given those that it is given besides, as NAME=VALUE.
	Inherited []string `json:"inherited"`
	Given     []string `json:"given"`
}

// loginVariables hold for one login of the user. A pane that is started again gets the values of its new starter.
var loginVariables = []string{
	"DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "SSH_AUTH_SOCK", "SSH_AGENT_PID", "SSH_CONNECTION", "SSH_CLIENT",
	"DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR", "XDG_SESSION_ID", "XDG_SESSION_TYPE", "KRB5CCNAME",
	"GPG_AGENT_INFO", "INVOCATION_ID", "JOURNAL_STREAM",
}

// basicVariables are the variables that programs cannot do without, also where they shall inherit nothing;
// basicPrefixes begin more of their names.
var (
	basicVariables = []string{"HOME", "USER", "LOGNAME", "SHELL", "PATH", "LANG", "LANGUAGE", "TZ", "TMPDIR"}
	basicPrefixes  = []string{"LC_", "XDG_", "CUPOLA_"}
)

// lookup returns a variable, and whether it is set.
func (e environment) lookup(name string) (string, bool) {
	has := slices.ContainsFunc(e, func(pair string) bool { return strings.HasPrefix(pair, name+"=") })
	return e.variable(name), has
}

// inherited returns what a pane inherits: this environment without what belongs to this terminal, this pane and the
// session of an agent that this program runs in.
func (n *planner) inherited() environment {
	return n.kinds.WithoutSessionVariables(engine.Portable(n.environ))
}

// basic returns the variables that programs cannot do without.
func (e environment) basic() environment {
	return slices.DeleteFunc(slices.Clone(e), func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		return !slices.Contains(basicVariables, name) &&
			!slices.ContainsFunc(basicPrefixes, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
	})
}

// login returns the variables of this login.
func (e environment) login() environment {
	return slices.DeleteFunc(slices.Clone(e), func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		return !slices.Contains(loginVariables, name)
	})
}

// variablesOf returns the environment of a unit: what it inherits, then what its kind, its preset and the request give.
// Relative paths of files begin at the plan's folder. Names without a value are added to the plan's unset.
func (n *planner) variablesOf(p *plan, u *unit, request *recipe.Environment) (variables, error) {
	var v variables
	parts := []recipe.Environment{u.asked, *request}
	if u.known != nil {
		of := recipe.Environment{Env: u.known.Launch.Env, InheritEnv: u.known.Launch.InheritEnv}
		parts = slices.Insert(parts, 0, of)
	}
	base := n.inherited()
	for i := range parts {
		part := &parts[i]
		if part.InheritEnv != nil {
			v.Asked.InheritEnv = part.InheritEnv
		}
		lookup := n.environ.lookup
		if part.Environ != nil {
			recorded, unset := recipe.Values(part.Environ, lookup)
			p.unset = append(p.unset, unset...)
			base = process.Merged(recorded, n.environ.login())
			lookup = base.lookup
		}
		pairs, unset, err := part.Resolved(p.dir, lookup)
		if err != nil {
			return v, err
		}
		p.unset = append(p.unset, unset...)
		v.Given = process.Merged(v.Given, pairs)
		for _, file := range part.EnvFile {
			v.Asked.EnvFile = append(v.Asked.EnvFile, absolute(p.dir, file))
		}
		v.Asked.Env = append(v.Asked.Env, part.Env...)
	}
	if !v.Asked.Inherits() {
		base = base.basic()
	}
	v.Inherited = base
	slices.Sort(p.unset)
	p.unset = slices.Compact(p.unset)
	return v, nil
}

func absolute(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// environs gives panes their environments, and keeps them.
type environs struct {
	opts    *Options
	planner *planner
}

// of returns the environment to give to an engine, and what to add to it, for a unit in a session. Panes on another
// machine inherit that of the server there.
func (e *environs) of(session string, u *unit) (inherited, added []string) {
	added = slices.Concat(u.variables.Given, u.forPane(session))
	if !e.opts.Engine.Processes().Local() {
		return nil, added
	}
	if inherited = u.variables.Inherited; inherited == nil {
		inherited = e.planner.inherited()
	}
	return inherited, added
}

// keptVariables is the file of a pane's environment. It holds values as they are: it is in the runtime directory, which
// the user alone can read, and goes with the pane.
type keptVariables struct {
	rundir.Environment
	variables
}

// staleAfter is how old the file of a pane must be that is not known, to be removed: it may be of another server.
const staleAfter = 24 * time.Hour

// path returns the path of the file of a pane's environment; empty without a runtime directory.
func (e *environs) path(ctx context.Context, pane core.PaneID) string {
	return e.opts.Dir.Found(ctx).EnvironmentPath(pane)
}

// keep records the environment of a pane, so that it can be started again with the same one.
func (e *environs) keep(ctx context.Context, at engine.Location, v *variables) {
	path := e.path(ctx, at.Pane)
	if path == "" || !e.opts.Engine.Processes().Local() {
		return
	}
	err := e.opts.Dir.Found(ctx).Prepare()
	if err == nil {
		err = os.MkdirAll(filepath.Dir(path), 0o700)
	}
	if err == nil {
		removeStale(filepath.Dir(path), e.opts.Now())
		err = textfile.WriteJSON(path, keptVariables{rundir.Environment{PID: at.PID, Record: v.record()}, *v})
	}
	if err != nil {
		e.opts.Log.Warn("the environment of a pane cannot be kept for its restart", "pane", at.Pane, "error", err)
	}
}

func removeStale(folder string, now time.Time) {
	entries, _ := os.ReadDir(folder)
	for _, entry := range entries {
		path := filepath.Join(folder, entry.Name())
		var kept keptVariables
		info, err := entry.Info()
		if err != nil || now.Sub(info.ModTime()) < staleAfter {
			continue
		}
		text, err := plainfile.Read(path, plainfile.Text)
		if err == nil && json.Unmarshal(text, &kept) == nil {
			_, err = process.Find(kept.PID)
		}
		if err != nil {
			_ = os.Remove(path)
		}
	}
}

// forget removes the file of a pane's environment.
func (e *environs) forget(ctx context.Context, pane core.PaneID) {
	if path := e.path(ctx, pane); path != "" {
		_ = os.Remove(path)
	}
}

// recall returns the environment that a pane was started with, as it is on record or in its process; known is false if
// neither has it.
func (e *environs) recall(ctx context.Context, pane *core.Pane) (v variables, known bool) {
	if path := e.path(ctx, pane.ID); path != "" {
		var kept keptVariables
		text, err := plainfile.Read(path, plainfile.Text)
		if err == nil && json.Unmarshal(text, &kept) == nil && kept.PID == pane.Process.PID {
			return kept.variables, true
		}
	}
	if pane.Process.Dead {
		return v, false
	}
	has := engine.Portable(e.opts.Engine.Processes().Environ(pane.Process.PID))
	v.Inherited = process.Merged(has, // its shell may have changed PATH
		[]string{"PATH=" + e.planner.environ.variable("PATH")})
	return v, len(has) > 0
}

// again returns the environment for a pane that is started again: what it had, with the variables of this login.
func (e *environs) again(ctx context.Context, pane *core.Pane) variables {
	v, known := e.recall(ctx, pane)
	if !known {
		v.Inherited = e.planner.inherited()
		return v
	}
	if v.Asked.Inherits() {
		v.Inherited = process.Merged(v.Inherited, e.planner.environ.login())
	}
	return v
}

// record returns the environment of a pane as records on disk have it: without the values of credentials.
func (v *variables) record() recipe.Environment {
	asked := v.Asked
	asked.Env = recipe.Unsecret(asked.Env)
	var lasting []string
	for _, pair := range v.Inherited {
		if name, _, _ := strings.Cut(pair, "="); !slices.Contains(loginVariables, name) {
			lasting = append(lasting, pair)
		}
	}
	for _, name := range asked.Env {
		if value, is := environment(v.Given).lookup(name); is { // an entry without a value had that of the caller
			lasting = process.Merged(lasting, []string{name + "=" + value})
		}
	}
	asked.Environ = recipe.Unsecret(lasting)
	return asked
}
