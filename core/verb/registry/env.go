package registry

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"cupola/core"
	"cupola/core/text/report"
)

// Env is the environment of a program's verbs: what they work with, before it is opened.
// It embeds a Caller.
type Env interface {
	// Who returns the caller.
	Who() *Caller
	// Sessions returns the names of the sessions that exist; nil if they are not known.
	Sessions(ctx context.Context) []string
}

// Opens is the dependencies D of a verb, which are opened from an environment E right before
// the verb runs. Open is called on the zero value of D.
type Opens[D any, E Env] interface {
	Open(ctx context.Context, env E) (D, error)
}

// Caller is all that every verb may know of its caller, and ask of it. The zero value discards its input, and answers
// nothing.
type Caller struct {
	// Catalog lists the verbs, for those that describe them.
	Catalog *Catalog
	// Version is the program's, Self the path of its executable.
	Version string
	Self    string
	// Host is the name by which a caller on another host knows this one, which is put in front of the names of
	// sessions in answers; empty for a caller on this host.
	Host string
	// Border is the permission of the caller; nil is everything.
	Border *Border
	// Origin is the face of the caller, as the journal has it of prompts and answers; empty is the verb's.
	Origin string
	// Human is true if a person reads the answer on a terminal.
	Human bool
	// Stdin is read by verbs that take "-"; it returns everything at once, or IOError.
	Stdin func() (string, error)
	// Confirm asks a person a yes-or-no question; nil if there is no one to ask.
	Confirm func(question string) (bool, error)
	// Choose asks a person which of some things to do, and returns their names; nil
	// if there is no one to ask.
	Choose func(ctx context.Context, choices []Choice) ([]string, error)
	// Pick asks a person for one of several choices, the usual one first, and returns its name; empty
	// if they want none. It is nil if there is no one to ask.
	Pick func(ctx context.Context, question string, choices []Choice) (string, error)
	// Progress receives how far a long operation is; nil if nothing listens.
	Progress core.ProgressFunc
	// Log takes what must not get lost; nil discards it.
	Log *slog.Logger
	// Clock returns the time; nil is the machine's.
	Clock func() time.Time

	mu       sync.Mutex
	warnings []string
}

// Choice is something that a person may have done.
type Choice struct {
	Name            string
	Question, About string
	// Usual is true for what is done unless they say no.
	Usual bool
}

// Who returns the caller itself, for the environment that embeds it.
func (c *Caller) Who() *Caller { return c }

// Now is the time by the clock.
func (c *Caller) Now() time.Time {
	if c.Clock != nil {
		return c.Clock()
	}
	return time.Now()
}

// Warn adds to the warnings of the answer what else happened.
func (c *Caller) Warn(warning string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.warnings = append(c.warnings, warning)
}

// Warnings returns what Warn was given since the last call. The answer of a verb
// takes it along; what prints an answer for a person prints the warnings too.
func (c *Caller) Warnings() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	warnings := c.warnings
	c.warnings = nil
	return warnings
}

// AnsweredBy returns a verb that another program answers: its input is checked and its answer written as those of v.
func AnsweredBy(v *Verb, run func(ctx context.Context, in any, emit func(any) error) (*Reply, error)) *Verb {
	other := *v
	other.run = func(ctx context.Context, _ Env, in any, emit func(any) error) (*Reply, error) {
		return run(ctx, in, emit)
	}
	return &other
}

// Shown gives a reply what people see of it.
func (r *Reply) Shown(shown *report.Report) { r.human = func() *report.Report { return shown } }

// TakesOver gives a reply the command that takes over a person's terminal.
func (r *Reply) TakesOver(argv []string) {
	if len(argv) > 0 {
		r.plan = func() []string { return argv }
	}
}

// First is an input whose call on several hosts may end with the first that succeeds.
type First interface {
	// EndsWithFirst reports whether it does; the calls on the others are then cancelled.
	EndsWithFirst() bool
}

// Departing is an input that takes something of the caller's machine along when another host answers its verb.
type Departing interface {
	// Depart returns the input as the other host gets it. Env is the caller's.
	Depart(ctx context.Context, env Env) (any, error)
}
