package cli

import (
	"context"
	"log/slog"
	"os"
	"os/exec"

	"cupola/cmd/demo"
	"cupola/cmd/look"
	"cupola/cmd/network"
	"cupola/cmd/records"
	"cupola/core"
	"cupola/core/agent/plugin"
	"cupola/core/alert"
	"cupola/core/alert/notify"
	"cupola/core/bridge/bead"
	"cupola/core/config"
	"cupola/core/engine"
	"cupola/core/engine/engines"
	"cupola/core/engine/own"
	"cupola/core/engine/tmux"
	"cupola/core/fleet"
	"cupola/core/fleet/rundir"
	"cupola/core/host"
	"cupola/core/record/budget"
	"cupola/core/record/store"
	"cupola/core/verb"
	"cupola/core/verb/guide"
	"cupola/robot"
)

// wiring opens what the environment of the verbs promises.
type wiring struct{ program *program }

// wire makes the environment of the verbs. Nothing is opened before a verb needs it.
func (p *program) wire() *verb.Env {
	paths := demo.Paths(config.PathsOf(p.Getenv), p.Getenv("CUPOLA_ENGINE_SOCKET"))
	dialer := host.Dialer{Dir: paths.Runtime, Proxy: []string{self(), remoteWord}}
	if p.proxied != nil {
		paths = paths.OfHost(p.proxied.Name)
	}
	log := slog.New(slog.NewTextHandler(&lateFile{dir: paths.State, name: "cupola.log"}, nil))
	deps := &verb.Env{
		Bridges: p.bridges, Place: config.Place{Paths: paths, Getenv: p.Getenv}, Environ: os.Environ(),
	}
	deps.Catalog, deps.Version, deps.Self, deps.Log = p.catalog, p.Version, self(), log
	deps.Human, deps.Stdin, deps.Progress = !p.robotic, p.readStdin, wiring{p}.progress()
	if dir, err := os.Getwd(); err == nil {
		deps.Dir = dir
	}
	deps.BeadTool = func() (*bead.Tool, error) { return bead.FindTool(exec.LookPath, os.Environ()) }
	deps.Serve, deps.OpenPage = servers{program: p}.serve, openPage
	deps.Hosts, deps.OwnPane = dialer, wiring{p}.ownPane
	p.network = &network.Network{
		Env: deps, Timeout: p.globals.HostTimeout, Proxied: p.proxied, Watch: p.watch,
		Answer: func(progress core.ProgressFunc) (*robot.Face, func()) {
			one := p.forCall(progress)
			return one.face(), one.close
		},
	}
	p.network.Wire()
	p.look = &look.Look{Env: deps, Getenv: p.Getenv, Stdin: p.Stdin, Stdout: p.Stdout, Robotic: p.robotic}
	deps.CheckSetting = wiring{p}.checkSetting
	deps.OpenFleet = func() (*fleet.Fleet, error) { return wiring{p}.openFleet(paths, log) }
	deps.Plugins = func() ([]*plugin.Plugin, error) {
		kinds := deps.Kinds()
		return plugin.All(kinds, self(), guide.Texts(p.catalog, p.Version), p.Getenv), nil
	}
	p.records = &records.Records{Paths: paths, Getenv: p.Getenv, Log: log, Warn: deps.Warn}
	deps.OpenBudget = func() (*budget.Book, error) {
		settings := deps.Settings()
		return p.records.Book(settings), nil
	}
	deps.Afford = func(ctx context.Context, sessions ...string) error {
		settings := deps.Settings()
		guard := p.records.Guard(settings)
		guard.Progress = deps.Progress
		return guard.Afford(ctx, sessions)
	}
	deps.OpenStore = p.records.ReadOnly
	deps.OpenForWriting = func(ctx context.Context) (*store.Store, error) {
		settings := deps.Settings()
		return p.records.Writable(ctx, settings)
	}
	if !p.robotic && look.Terminal(p.Stdin) && look.Terminal(p.Stdout) {
		deps.Confirm, deps.Choose, deps.Pick = prompter{p}.confirm, prompter{p}.choose, prompter{p}.pick
	}
	return deps
}

func (w wiring) openFleet(paths config.Paths, log *slog.Logger) (*fleet.Fleet, error) {
	settings := w.program.deps.Settings()
	kinds := w.program.deps.Kinds()
	options := engines.Options{
		Kind: settings.Engine.Kind,
		Tmux: tmux.Options{
			Socket: settings.Engine.Socket, Transport: settings.Engine.Transport,
			Note: paths.TmuxServer(),
		},
		Own: ownOptions(w.program.Version, engines.SocketIn(paths.Runtime)),
	}
	options.Own.Note = paths.OwnServer()
	if w.program.proxied != nil {
		options = engines.Options{Kind: engine.Tmux, Tmux: tmux.Options{Over: w.program.overSSH}}
	}
	server, err := engines.Open(options)
	if err != nil {
		return nil, core.Errorf(core.ConfigInvalid, "%w", err)
	}
	journal, guard := w.program.records.Journal(settings, server.SocketPath()), w.program.records.Guard(settings)
	guard.Progress = w.program.deps.Progress
	w.program.notifier = w.notifies(settings.Notify, log)
	guard.Fleet = fleet.Open(fleet.Options{
		Engine: server, Kinds: kinds, Runtime: paths.Runtime, Self: self(), Environ: os.Environ(),
		HideForeign: settings.Sessions.HideForeign,
		// A project's settings may hide sessions, but suppress no notification.
		TellForeign: settings.Origin("sessions.hide_foreign").Layer == config.Project,
		Journal:     journal, Log: log,
		Thresholds: settings.Alerts.Thresholds(),
		Notify:     func(c alert.Change) { w.program.notifier.Changed(context.Background(), c) }, Afford: guard.Afford,
		Spends: guard.Spends, Passed: guard.Passed,
		Outside: withLost(own.Usual(options.Own.Socket, options.Own.Note), records.Outside(paths)),
		Renamed: func(ctx context.Context, from, to string) error { return guard.Renamed(ctx, journal, from, to) },
	})
	if err := rundir.CheckRuntime(paths.Runtime); err != nil {
		w.program.deps.Warn(core.AsError(err).Error() + ", and is not used: " + core.AsError(err).Hint)
	}
	if lost, _ := own.Lost(options.Own.Socket); lost != "" && options.Own.Socket != "" {
		w.program.deps.Warn(lost +
			". 'cupola checkpoint-list' names the checkpoints that 'cupola restore' can start again")
	}
	return guard.Fleet, nil
}

// withLost adds what was lost with Cupola's own server at a socket.
func withLost(
	socket string, outside func(context.Context) ([]alert.Outside, error),
) func(context.Context) ([]alert.Outside, error) {
	return func(ctx context.Context) ([]alert.Outside, error) {
		all, err := outside(ctx)
		if lost, at := own.Lost(socket); lost != "" {
			all = append(all, alert.Outside{
				Type: core.AlertEngineLost, Severity: core.SeverityCritical, Subject: "engine", Message: lost,
				Since: at,
			})
		}
		return all, err
	}
}

// notifies returns the notifier that the settings describe. It rings the bell if a person
// sees the terminal.
func (w wiring) notifies(s config.Notify, log *slog.Logger) *notify.Notifier {
	opts := notify.Options{
		Desktop: s.Desktop, Command: s.Command, Least: core.Severity(s.Severity), Every: s.Every,
		Log: log,
	}
	if s.Bell && !w.program.robotic && look.Terminal(w.program.Stdout) {
		opts.Bell = w.program.Stdout
	}
	return notify.New(opts)
}

// self returns the path of this program.
func self() string {
	path, err := os.Executable()
	if err != nil {
		return os.Args[0]
	}
	return path
}
