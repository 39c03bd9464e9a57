package cli

import (
	"context"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"cupola/cmd/dashboard"
	"cupola/cmd/demo"
	"cupola/cmd/look"
	"cupola/cmd/network"
	"cupola/cmd/records"
	"cupola/core"
	"cupola/core/agent"
	"cupola/core/agent/plugin"
	"cupola/core/alert"
	"cupola/core/alert/notify"
	"cupola/core/bridge"
	"cupola/core/bridge/bead"
	"cupola/core/config"
	"cupola/core/engine"
	"cupola/core/engine/engines"
	"cupola/core/engine/own"
	"cupola/core/engine/tmux"
	"cupola/core/fleet"
	"cupola/core/fleet/announce"
	"cupola/core/fleet/keeper"
	"cupola/core/fleet/rundir"
	"cupola/core/host"
	"cupola/core/record/budget"
	"cupola/core/record/store"
	"cupola/core/run/kinds"
	"cupola/core/system/process"
	"cupola/core/verb"
	"cupola/core/verb/guide"
	"cupola/core/verb/registry"
	"cupola/robot"
)

// wiring makes what verbs work with, opens each part when it is first needed, and closes what it opened.
type wiring struct {
	opts    *Options
	catalog *registry.Catalog
	bridges *bridge.Bridges
	// human is true if a person reads the answers, and timeout how long another host may take; zero is the usual.
	human   bool
	timeout time.Duration
	// proxied is the host without Cupola that this program answers for, over its tmux; nil for none.
	proxied *host.Host

	// env is the environment of verbs, network reaches other hosts, and records are the store and its records; nil
	// before wire.
	env     *verb.Env
	network *network.Network
	records *records.Records
	// notifier notifies the user of alerts; nil until there is a fleet.
	notifier *notify.Notifier
}

// socketVariable names the socket of the terminal server.
const socketVariable = "CUPOLA_ENGINE_SOCKET"

// wire makes the environment of the verbs. Nothing is opened before a verb needs it.
func (w *wiring) wire() {
	getenv := w.opts.Getenv
	paths := demo.Paths(config.PathsOf(getenv), getenv(socketVariable))
	dialer := host.Dialer{Dir: paths.Runtime, Proxy: []string{self(), remoteWord}}
	if w.proxied != nil {
		paths = paths.OfHost(w.proxied.Name)
	}
	env := &verb.Env{}
	w.env, env.Location = env, config.Location{Paths: paths, Getenv: getenv}
	env.Environ, env.Bridges = os.Environ(), w.bridges
	env.Catalog, env.Version, env.Self, env.Human = w.catalog, w.opts.Version, self(), w.human
	env.Log = slog.New(slog.NewTextHandler(&lateFile{dir: paths.State, name: "cupola.log"}, nil))
	if dir, err := os.Getwd(); err == nil {
		env.Dir = dir
	}
	env.BeadTool = func() (*bead.Tool, error) { return bead.FindTool(exec.LookPath, os.Environ()) }
	env.Serve, env.OpenPage, env.Hosts = servers{wiring: w}.serve, openPage, dialer
	w.network = &network.Network{
		Env: env, Timeout: w.timeout, Proxied: w.proxied, Watch: w.watch,
		Answer: func(progress core.ProgressFunc) (*robot.Face, func()) {
			one := w.forCall(progress)
			return faceOf(one.env, time.Now()), one.close
		},
	}
	w.network.Wire()
	env.CheckSetting = func(key string, settings *config.Config) error { return checkSetting(env, key, settings) }
	env.OwnKeyFaults = func() []string { return dashboard.OwnKeyFaults(env) }
	env.OpenFleet = w.openFleet
	env.Plugins = func() ([]*plugin.Plugin, error) {
		return plugin.All(env.Kinds(), self(), guide.Texts(w.catalog, w.opts.Version), getenv), nil
	}
	w.record(paths)
	env.OpenBudget = func() (*budget.Monitor, error) { return w.records.Budget(), nil }
	env.Afford = func(ctx context.Context, sessions ...string) error {
		guard := w.records.Guard()
		guard.Progress = env.Progress
		return guard.Afford(ctx, sessions)
	}
	env.Runs = kinds.Index(context.Background(), paths, func(ctx context.Context) {
		announce.RunsChanged(ctx, paths.Runtime)
	}, env.Log, env.Store)
	env.OpenStore = func(ctx context.Context) (*store.Store, error) { return w.records.ReadOnly(ctx) }
	env.OpenForWriting = func(ctx context.Context) (*store.Store, error) { return w.records.Writable(ctx) }
}

// record keeps records in some folders from now on.
func (w *wiring) record(paths config.Paths) {
	w.records = &records.Records{
		Paths: paths, Getenv: w.opts.Getenv, Log: w.env.Log, Warn: w.env.Warn,
		Settings: sync.OnceValue(w.env.Settings),
	}
}

// forCall makes what verbs work with in one call that comes to a server.
func (w *wiring) forCall(progress core.ProgressFunc) *wiring {
	one := &wiring{opts: w.opts, catalog: w.catalog, bridges: w.bridges, proxied: w.proxied}
	one.wire()
	one.env.Progress = progress
	one.env.Stdin = func() (string, error) {
		return "", core.Errorf(core.InvalidInput, "a server has no standard input: give the text itself")
	}
	return one
}

// onSocket is the wiring of a terminal server with a socket of its own, such as that of a demo.
func (w *wiring) onSocket(socket string) *wiring {
	opts := *w.opts
	opts.Getenv = func(name string) string {
		if name == socketVariable {
			return socket
		}
		return w.opts.Getenv(name)
	}
	return &wiring{opts: &opts, catalog: w.catalog, bridges: w.bridges}
}

func (w *wiring) close() {
	w.network.Close()
	_ = w.env.Close()
	if w.notifier != nil {
		w.notifier.Wait()
	}
	_ = w.records.Close()
}

// person reports whether a person sees the answers, and has a terminal to type on.
func (w *wiring) person() bool {
	return w.human && look.Terminal(w.opts.Stdin) && look.Terminal(w.opts.Stdout)
}

// namesWithin is how long the terminal server may take to list names; a shell waits for a completion at every key.
const namesWithin = 500 * time.Millisecond

func (w *wiring) snapshot(ctx context.Context) *core.Snapshot {
	if ctx == nil {
		ctx = context.Background()
	}
	ctx, cancel := context.WithTimeout(ctx, namesWithin)
	defer cancel()
	return w.env.Brief(ctx)
}

func (w *wiring) kinds() *agent.Kinds { return verb.Kinds(w.env.Paths) }

func (w *wiring) hostNames() []string { return host.Of(w.env.Settings().Hosts).Names() }

// watch streams the fleet, which stays open while the server runs, so that the server is the keeper if none is there.
func (w *wiring) watch(ctx context.Context) (*keeper.Live, error) {
	f, err := w.env.Fleet()
	if err != nil {
		return nil, err
	}
	return f.Streams.Live(ctx, false)
}

func (w *wiring) openFleet() (*fleet.Fleet, error) {
	paths, settings := w.env.Paths, w.env.Settings()
	options := engines.Options{
		Kind: settings.Engine.Kind,
		Tmux: tmux.Options{
			Socket: settings.Engine.Socket, Transport: settings.Engine.Transport,
			Note: paths.TmuxServer(),
		},
		Own: ownOptions(w.opts.Version, engines.SocketIn(paths.Runtime)),
	}
	options.Own.Note = paths.OwnServer()
	if w.proxied != nil {
		options = engines.Options{Kind: engine.Tmux, Tmux: tmux.Options{
			Over: w.overSSH, Processes: process.NewListed(w.listProcesses),
		}}
	}
	server, err := engines.Open(options)
	if err != nil {
		return nil, core.Errorf(core.ConfigInvalid, "%w", err)
	}
	journal, guard := w.records.Journal(server.SocketPath()), w.records.Guard()
	guard.Progress = w.env.Progress
	w.notifier = w.notifies(settings.Notify, paths)
	guard.Fleet = fleet.Open(fleet.Options{
		Engine: server, Kinds: w.env.Kinds(), Runtime: paths.Runtime,
		Lasting: filepath.Join(paths.State, "running"), Self: self(), Environ: os.Environ(),
		Sandboxes: verb.SandboxesOf(&w.env.Local), Trees: verb.Trees(&w.env.Local),
		HideForeign: settings.Sessions.HideForeign,
		Recording:   rundir.Recording{Off: !settings.Restore.Record, Lines: settings.Restore.Lines},
		// A project's settings may hide sessions, but suppress no notification.
		NotifyForeign: settings.Origin("sessions.hide_foreign").Layer == config.Project,
		Journal:       journal, Log: w.env.Log,
		Thresholds: settings.Alerts.Thresholds(),
		Notify:     func(c alert.Change) { w.notifier.Changed(context.Background(), c) }, Afford: guard.Afford,
		Spends: guard.Spends, Passed: guard.Passed,
		Notices: notices(options.Own, sync.OnceValue(func() noticesFunc { return records.Runs(paths, w.env.Runs) })),
		Renamed: func(ctx context.Context, from, to string) error { return guard.Renamed(ctx, journal, from, to) },
	})
	if err := rundir.CheckRuntime(paths.Runtime); err != nil {
		w.env.Warn(core.AsError(err).Error() + ", and is not used: " + core.AsError(err).Hint)
	}
	if lost, at := own.Lost(options.Own.Socket); lost != "" && options.Own.Socket != "" && !dismissed(journal, at) {
		w.env.Warn(lost + ". 'cupola restore' brings back what can be")
	}
	return guard.Fleet, nil
}

// dismissed reports whether the alert of a server that was seen last at a time was dismissed.
func dismissed(journal *records.Journal, seen time.Time) bool {
	known, err := journal.Alerts(context.Background())
	return err == nil && slices.ContainsFunc(known, func(a core.Alert) bool {
		return a.Type == core.AlertEngineLost && a.DismissedAt.After(seen)
	})
}

// noticesFunc returns the notices of work without panes.
type noticesFunc = func(context.Context) ([]alert.Notice, error)

// notices returns the notices on record, and those of sessions lost with Cupola's own server. The records are opened
// when it is called.
func notices(server own.Options, recorded func() noticesFunc) noticesFunc {
	return func(ctx context.Context) ([]alert.Notice, error) {
		all, err := recorded()(ctx)
		if lost, at := own.Lost(own.Usual(server.Socket, server.Note)); lost != "" {
			all = append(all, alert.Notice{
				Type: core.AlertEngineLost, Severity: core.SeverityCritical, Subject: "engine", Message: lost,
				Since: at,
			})
		}
		return all, err
	}
}

// self returns the path of this program.
func self() string {
	path, err := os.Executable()
	if err != nil {
		return os.Args[0]
	}
	return path
}
