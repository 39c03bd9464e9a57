package verb

import (
	"context"
	"errors"
	"path/filepath"
	"sync"

	"cupola/core"
	"cupola/core/agent/plugin"
	"cupola/core/bridge"
	"cupola/core/bridge/bead"
	"cupola/core/config"
	"cupola/core/fleet"
	"cupola/core/fleet/observe"
	"cupola/core/fleet/resolve"
	"cupola/core/host"
	"cupola/core/host/bus"
	"cupola/core/record/budget"
	"cupola/core/record/store"
	"cupola/core/record/undo"
	"cupola/core/run"
	"cupola/core/system/textfile"
	"cupola/core/verb/registry"
)

// Local is the environment of verbs that open nothing: the caller, and facts of this machine.
type Local struct {
	registry.Caller
	// Place is where the program was started, and where its settings are.
	config.Location
	// Environ is the environment of this process, for the programs that it starts.
	Environ []string
	// BeadTool finds the program that changes work items; ToolNotFound if there is
	// none.
	BeadTool func() (*bead.Tool, error)
	// Plugins returns the hooks of every agent kind that can have some.
	Plugins func() ([]*plugin.Plugin, error)
	// Serve serves HTTP until ctx ends, and reports the address once it listens.
	Serve func(ctx context.Context, request *ServeRequest, listening func(url string) error) error
	// OpenPage opens an address in the user's browser.
	OpenPage func(url string) error
	// CheckSetting returns an error for a setting whose value would be refused where it is used. The settings are all
	// settings with it; nil checks nothing.
	CheckSetting func(key string, settings *config.Config) error
	// OwnKeyFaults returns the faults of the keys of the user's own commands in the dashboard; nil is none.
	OwnKeyFaults func() []string
	// Bridges are other people's tools.
	Bridges *bridge.Bridges
	// Runs lists the runs of all kinds.
	Runs *run.Index

	// warnedOfSettings and warnedOfKinds are done once the caller was warned of the parts of these files that are not
	// used.
	warnedOfSettings, warnedOfKinds sync.Once
	// acted is the act that was recorded last.
	acted *undo.Act
}

// Env is the environment of the verbs: what is local, and what can be opened. The declaration of a verb names what its
// Run works with: an open fleet (OnFleet), the records too (OnRecords), the *Local alone or, where only some paths of a
// verb need the fleet, the store or the budget, the *Env, from which it opens them there.
type Env struct {
	Local
	// OpenFleet opens the door to the engine; it is called at most once.
	OpenFleet func() (*fleet.Fleet, error)
	// OpenStore opens the records to read from. One that does not exist yet is empty,
	// and is not made.
	OpenStore func(context.Context) (*store.Store, error)
	// OpenForWriting opens the records to write to, and makes those that do not exist yet.
	OpenForWriting func(context.Context) (*store.Store, error)
	// OpenBudget returns what compares the usage of this machine's agents with
	// ceilings.
	OpenBudget func() (*budget.Monitor, error)
	// Afford returns BudgetExceeded if a ceiling of some sessions, or one of all, is exceeded.
	Afford func(ctx context.Context, sessions ...string) error
	// OwnPane returns the pane of the fleet's server in which the caller runs, empty for none; nil where callers are
	// on another machine. It is no target of the caller's acts if an agent runs in it or, with OwnShell, any program.
	OwnPane  func(context.Context) core.PaneID
	OwnShell bool
	// Hosts reaches other machines by ssh, and Network all that the settings and the bus name.
	Hosts   host.Dialer
	Network Network

	once     sync.Once
	fleet    *fleet.Fleet
	fleetErr error

	mu    sync.Mutex
	store *store.Store
	// writing is the records, open for writing.
	writing   *store.Store
	directory *budget.Monitor
}

// Network reaches other hosts.
type Network interface {
	// Open connects to a host, by ssh or over the bus.
	Open(ctx context.Context, h *host.Host, access host.Access) (*host.Link, error)
	// Known returns the hosts of the settings, and with a bus the hosts of the bus; an error is one of the settings.
	Known(ctx context.Context) (host.Hosts, error)
	// Lost remembers hosts that did not answer.
	Lost() *host.Lost
	// Bus connects to the bus, once; nil if the settings name none.
	Bus(ctx context.Context) (*bus.Conn, error)
	// ServeBus answers on the bus until ctx ends, and reports the name of this machine there once it does.
	ServeBus(ctx context.Context, allow registry.Border, serving func(name string) error) error
}

// BorderAt is a border with the project of the folder where the program was started.
func BorderAt(place config.Location, border registry.Border) registry.Border {
	border.Dir, border.Project = place.Dir, registry.ProjectAt(place.Dir, place.Getenv)
	return border
}

// Open returns what is local in env.
func (*Local) Open(_ context.Context, env *Env) (*Local, error) { return &env.Local, nil }

// Open returns env, from which it opens nothing.
func (*Env) Open(_ context.Context, env *Env) (*Env, error) { return env, nil }

// Fleet returns the fleet, opened at the first call.
func (e *Env) Fleet() (*fleet.Fleet, error) {
	e.once.Do(func() { e.fleet, e.fleetErr = e.OpenFleet() })
	return e.fleet, e.fleetErr
}

// Opened reports whether the fleet was opened.
func (e *Env) Opened() bool { return e.fleet != nil }

// Store returns the records to read from, opened at the first call that succeeds.
func (e *Env) Store(ctx context.Context) (*store.Store, error) {
	return kept(e, &e.store, func() (*store.Store, error) { return e.OpenStore(ctx) })
}

// WriteStore returns the records to write to, opened at the first call that succeeds.
func (e *Env) WriteStore(ctx context.Context) (*store.Store, error) {
	return kept(e, &e.writing, func() (*store.Store, error) { return e.OpenForWriting(ctx) })
}

// Budget returns the record of ceilings and usage, opened at the first call that succeeds.
func (e *Env) Budget() (*budget.Monitor, error) { return kept(e, &e.directory, e.OpenBudget) }

// kept returns what is in place or else opens it, and keeps it there.
func kept[T any](e *Env, place **T, open func() (*T, error)) (*T, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if *place != nil {
		return *place, nil
	}
	opened, err := open()
	if err == nil {
		*place = opened
	}
	return opened, err
}

// Brief returns a snapshot for names; nil if there is none.
func (e *Env) Brief(ctx context.Context) *core.Snapshot {
	f, err := e.Fleet()
	if err != nil {
		return nil
	}
	snapshot, err := f.Overview.Snapshot(ctx, observe.View{Brief: true})
	if err != nil {
		return nil
	}
	return snapshot
}

// Sessions returns the names of the sessions that exist; nil if they are unknown.
func (e *Env) Sessions(ctx context.Context) []string {
	if e.OpenFleet == nil {
		return nil
	}
	snapshot := e.Brief(ctx)
	if snapshot == nil {
		return nil
	}
	return core.Map(snapshot.Sessions, func(s core.Session) string { return s.Name })
}

// Close closes what was opened.
func (e *Env) Close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	var err error
	for _, opened := range []*store.Store{e.store, e.writing} {
		if opened != nil {
			err = errors.Join(err, opened.Close())
		}
	}
	if e.fleet != nil {
		err = errors.Join(err, e.fleet.Close())
	}
	if e.Runs != nil {
		err = errors.Join(err, e.Runs.Close())
	}
	return err
}

// OnFleet is the environment of verbs that need the fleet.
type OnFleet struct {
	Env   *Env
	Fleet *fleet.Fleet
}

// Open opens the fleet.
func (OnFleet) Open(_ context.Context, env *Env) (OnFleet, error) {
	f, err := env.Fleet()
	return OnFleet{env, f}, err
}

// Chosen takes a snapshot and finds the panes that a target names.
func (d OnFleet) Chosen(ctx context.Context, target resolve.Target) (*core.Snapshot, []*core.Pane, error) {
	return d.Fleet.Overview.Chosen(ctx, target, observe.View{Brief: true})
}

// Acting is a target of an act, or of a wait, without the panes that the caller must not act on. Types says that the
// act types something, which runs as a command where no agent takes it.
func (d OnFleet) Acting(ctx context.Context, target resolve.Target, types bool) resolve.Target {
	if d.Env.OwnPane != nil {
		target.Kept = resolve.Kept{Own: d.Env.OwnPane(ctx), OwnShell: d.Env.OwnShell}
	}
	target.Kept.Shells = types && d.Env.Border != nil && !d.Env.Border.Commands
	return target
}

// OnRecords is the environment of verbs that need the fleet and its records.
type OnRecords struct {
	OnFleet
	Records *store.Store
	// server is the path of the terminal server's socket, under which things are on record; kept
	// is true while a process keeps the snapshot, and so records events.
	Server string
	Kept   bool
}

// Open opens the fleet and the records.
func (OnRecords) Open(ctx context.Context, env *Env) (on OnRecords, err error) {
	if on.OnFleet, err = on.OnFleet.Open(ctx, env); err != nil {
		return on, err
	}
	if on.Records, err = env.Store(ctx); err != nil {
		return on, err
	}
	on.Server, on.Kept, err = on.Fleet.Dir.Kept(ctx)
	return on, err
}

// Absolute is a path as it is seen from a directory; that directory for an empty one.
func Absolute[Path ~string](dir string, path Path) string {
	if filepath.IsAbs(string(path)) {
		return filepath.Clean(string(path))
	}
	return filepath.Join(dir, string(path))
}

// WriteFile writes a text that a user asked for. It returns AlreadyExists for a file with another
// text, unless force is given.
func WriteFile(path, text string, force bool) error {
	before, err := textfile.Read(path)
	if err != nil {
		return err
	}
	if before != nil && !force && string(before) != text {
		return &core.Error{
			Code: core.AlreadyExists, Message: path + " exists",
			Hint: "Give another --output, or --force to replace it.",
		}
	}
	return (&textfile.Change{File: path, Before: before, After: []byte(text)}).Apply()
}
