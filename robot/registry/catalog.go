package registry

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"cupola/core"
	"cupola/core/bead"
	"cupola/core/bridge"
	"cupola/core/budget"
	"cupola/core/config"
	"cupola/core/fleet"
	"cupola/core/plugin"
	"cupola/core/store"
)

// Deps is what verbs work with. Verbs that need no fleet never open one.
type Deps struct {
	// Place is where the program was started, and where its settings are.
	config.Place
	// OpenFleet opens the door to the engine; it is called at most once.
	OpenFleet func() (*fleet.Fleet, error)
	// OpenStore opens the records to read from; it is called at most once. One
	// that does not exist yet is empty, and is not made.
	OpenStore func(context.Context) (*store.Store, error)
	// BeadTool finds the program that changes work items; ToolNotFound if there is
	// none.
	BeadTool func() (*bead.Tool, error)
	// OpenBudget returns what compares the usage of this machine's agents with
	// ceilings.
	OpenBudget func() (*budget.Book, error)
	// Plugins returns the hooks of every agent kind that can have some.
	Plugins func() ([]*plugin.Plugin, error)
	// Bridges are other people's tools.
	Bridges *bridge.Bridges
	// Catalog lists the verbs, for those that describe them.
	Catalog *Catalog
	// Version is the program's, Self the path of its executable.
	Version string
	Self    string
	// Human is true where a person reads the answer on a terminal.
	Human bool
	// Stdin is read by verbs that take "-"; it returns everything at once, or IOError.
	Stdin func() (string, error)
	// Confirm asks a person a yes-or-no question; nil where nobody can answer.
	Confirm func(question string) (bool, error)
	// Choose asks a person which of some things to do, and returns their names; nil
	// where nobody can answer.
	Choose func(ctx context.Context, choices []Choice) ([]string, error)
	// Progress is told how far a long operation is; nil where nobody listens.
	Progress core.ProgressFunc
	// Log takes what must not get lost; nil discards it.
	Log *slog.Logger
	// Clock tells the time; nil is that of the machine.
	Clock func() time.Time

	door door
	kept kept
}

// Choice is something that a person may have done.
type Choice struct {
	Name            string
	Question, About string
	// Usual is true for what is done unless they say no.
	Usual bool
}

// Now is the time by the clock.
func (d *Deps) Now() time.Time {
	if d.Clock != nil {
		return d.Clock()
	}
	return time.Now()
}

// kept is what verbs opened, and what they warned of.
type kept struct {
	mu       sync.Mutex
	store    *store.Store
	book     *budget.Book
	warnings []string
}

// door is the fleet, once it was opened, or why it could not be.
type door struct {
	once  sync.Once
	fleet *fleet.Fleet
	err   error
}

// Fleet returns the fleet, opened at the first call.
func (d *Deps) Fleet() (*fleet.Fleet, error) {
	d.door.once.Do(func() { d.door.fleet, d.door.err = d.OpenFleet() })
	return d.door.fleet, d.door.err
}

// Opened reports whether the fleet was opened.
func (d *Deps) Opened() bool { return d.door.fleet != nil }

// Store returns the records to read from, opened at the first call that
// succeeds.
func (d *Deps) Store(ctx context.Context) (*store.Store, error) {
	d.kept.mu.Lock()
	defer d.kept.mu.Unlock()
	if d.kept.store != nil {
		return d.kept.store, nil
	}
	opened, err := d.OpenStore(ctx)
	if err == nil {
		d.kept.store = opened
	}
	return opened, err
}

// Budget returns the book of ceilings and usage, opened at the first call that
// succeeds.
func (d *Deps) Budget() (*budget.Book, error) {
	d.kept.mu.Lock()
	defer d.kept.mu.Unlock()
	if d.kept.book != nil {
		return d.kept.book, nil
	}
	opened, err := d.OpenBudget()
	if err == nil {
		d.kept.book = opened
	}
	return opened, err
}

// Warn adds to the warnings of the answer what happened beside it.
func (d *Deps) Warn(warning string) {
	d.kept.mu.Lock()
	defer d.kept.mu.Unlock()
	d.kept.warnings = append(d.kept.warnings, warning)
}

// Warnings returns what Warn was given since the last call. The answer of a verb
// takes it along; a person is told by whoever prints the answer.
func (d *Deps) Warnings() []string {
	d.kept.mu.Lock()
	defer d.kept.mu.Unlock()
	warnings := d.kept.warnings
	d.kept.warnings = nil
	return warnings
}

// Close closes what was opened.
func (d *Deps) Close() error {
	d.kept.mu.Lock()
	defer d.kept.mu.Unlock()
	var err error
	if d.kept.store != nil {
		err = d.kept.store.Close()
	}
	if d.door.fleet != nil {
		err = errors.Join(err, d.door.fleet.Close())
	}
	return err
}

// Plan is a verb that is known but does not exist yet.
type Plan struct {
	Name  string `json:"name"`
	Short string `json:"description"`
}

// Catalog is the list of verbs.
type Catalog struct {
	// Verbs are in the order in which help shows them.
	Verbs []*Verb
	// Planned are known names that answer NOT_IMPLEMENTED.
	Planned []Plan
}

// Find returns the verb with a name or alias; nil if there is none.
func (c *Catalog) Find(name string) *Verb {
	for _, verb := range c.Verbs {
		if verb.Name == name || slices.Contains(verb.Aliases, name) {
			return verb
		}
	}
	return nil
}

// IsPlanned reports whether a verb of that name is planned.
func (c *Catalog) IsPlanned(name string) bool { return c.Plan(name) != nil }

// Plan returns the planned verb of a name; nil if there is none.
func (c *Catalog) Plan(name string) *Plan {
	for i := range c.Planned {
		if c.Planned[i].Name == name {
			return &c.Planned[i]
		}
	}
	return nil
}

// Missing is the error of a verb that is planned.
func (p *Plan) Missing() *core.Error {
	return &core.Error{
		Code: core.NotImplemented, Message: p.Name + " is planned and does not exist yet",
		Details: map[string]any{"verb": p.Name, "description": p.Short},
	}
}

// Names returns the names of all verbs, then of the planned ones.
func (c *Catalog) Names() []string {
	var names []string
	for _, verb := range c.Verbs {
		names = append(names, verb.Name)
	}
	for _, plan := range c.Planned {
		names = append(names, plan.Name)
	}
	return names
}

// TakenBy returns the names of the verbs that take a flag.
func (c *Catalog) TakenBy(flag string) []string {
	var names []string
	for _, verb := range c.Verbs {
		if verb.Field(flag) != nil {
			names = append(names, verb.Name)
		}
	}
	return names
}

// Groups returns the groups of the verbs, in the order of the verbs.
func (c *Catalog) Groups() []string {
	var groups []string
	for _, verb := range c.Verbs {
		if !slices.Contains(groups, verb.Group) {
			groups = append(groups, verb.Group)
		}
	}
	return groups
}
