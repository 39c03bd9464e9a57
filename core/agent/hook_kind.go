package agent

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"sync"

	"github.com/BurntSushi/toml"

	"cupola/core"
)

// hookSpec is the table hook of a kind's file.
type hookSpec struct {
	// Event and Session are the paths at which a payload may name its event and
	// the agent's session; the first that is there counts.
	Event, Session []string
	// Asks are the paths at which a report that the agent waits has the question, the most exact first.
	Asks []string
	// Edge is asked in its order. A user's own are before those that come with
	// Cupola.
	Edge []edgeSpec
	// Install is the way of hooks into the agent's own settings.
	Install Install
}

// Install is how Cupola's hooks are put into an agent's settings.
type Install struct {
	// Form is the form of the settings; empty where Cupola cannot install any.
	Form Form
	// File is the path of the settings relative to their folder. The environment variable Home names the folder, or
	// else it is Dir below the user's home.
	Home, Dir, File string
	// Events are the events that are reported.
	Events []string
	// Matcher and Name are written into every entry where they are not empty.
	Matcher, Name string
	// Timeout is how long the agent waits for a hook at most, in the unit that its
	// settings want; 0 leaves that to the agent.
	Timeout int
	// Off are values, by their path in the settings, that turn all hooks off.
	Off map[string]string
	// Note warns the user of side effects of the installation; empty where there are none.
	Note string
}

// Form is a form of settings.
type Form string

// Commands are entries in the object "hooks" of a JSON file: lists of matchers
// with lists of commands, by event. Script is a JavaScript file of Cupola's own, a plugin of
// OpenCode's form; Extension is a TypeScript file of pi's form.
const (
	Commands  Form = "commands"
	Script    Form = "script"
	Extension Form = "extension"
)

var forms = []Form{Commands, Script, Extension}

// Scripted reports whether the form is a file of Cupola's own.
func (f Form) Scripted() bool { return f == Script || f == Extension }

// Install returns how the kind's hooks are installed; ok is false if that is not known.
func (k *Kind) Install() (spec Install, ok bool) {
	hooks, err := k.hooks.read(k)
	if err != nil || hooks.spec.Install.Form == "" {
		return Install{}, false
	}
	return hooks.spec.Install, true
}

// kindHooks is the description of a kind's hooks, loaded on first use.
type kindHooks struct {
	// builtin makes the description that comes with Cupola; nil where there is none.
	builtin func() hookSpec
	own     hookSpec

	once  sync.Once
	spec  hookSpec
	edges []edge
	err   error
}

func (b *kindHooks) read(k *Kind) (*kindHooks, error) {
	b.once.Do(func() { b.err = b.load(k) })
	return b, b.err
}

// inherit makes a copy of another kind's hooks the kind's own, without how they are installed.
func (b *kindHooks) inherit() {
	if b.builtin != nil {
		spec := b.builtin()
		spec.override(&b.own)
		b.own, b.builtin = spec, nil
	}
	b.own.Install = Install{}
}

func (b *kindHooks) load(k *Kind) error {
	if b.builtin != nil {
		b.spec = b.builtin()
	}
	b.spec.override(&b.own)
	b.edges = make([]edge, 0, len(b.spec.Edge))
	for i := range b.spec.Edge {
		rule, err := b.spec.Edge[i].compile()
		if err != nil {
			return fmt.Errorf("hooks of %s: %w", k.ID, err)
		}
		b.edges = append(b.edges, rule)
	}
	return nil
}

// override puts a user's table over one that comes with Cupola.
func (s *hookSpec) override(own *hookSpec) {
	if len(own.Event) > 0 {
		s.Event = own.Event
	}
	if len(own.Session) > 0 {
		s.Session = own.Session
	}
	if len(own.Asks) > 0 {
		s.Asks = own.Asks
	}
	s.Edge = append(slices.Clone(own.Edge), s.Edge...)
	if own.Install.Form != "" {
		s.Install = own.Install
	}
}

func (s *edgeSpec) compile() (edge, error) {
	event, err := regexp.Compile("^(?:" + s.Event + ")$")
	if err != nil {
		return edge{}, err
	}
	compiled := edge{edgeSpec: s, event: event, when: make(map[string]*regexp.Regexp, len(s.When))}
	for path, expr := range s.When {
		if compiled.when[path], err = regexp.Compile(expr); err != nil {
			return edge{}, err
		}
	}
	return compiled, nil
}

// check holds a table to what states and reasons there are.
func (s *hookSpec) check(src source) error {
	var errs []error
	key := toml.Key{"hook", "edge"}
	for i := range s.Edge {
		e := &s.Edge[i]
		switch _, err := e.compile(); {
		case err != nil:
			errs = append(errs, src.errorf(key, "%w", err))
		case e.Event == "":
			errs = append(errs, src.errorf(key, "an edge without an event"))
		case e.Ignore == (e.State != ""):
			errs = append(errs, src.errorf(key, "%s needs either a state or ignore", e.Event))
		case e.State != "" && !slices.Contains(core.States, e.State):
			errs = append(errs, src.errorf(key, "%s: %q is none of %s", e.Event, e.State, core.Join(core.States, ", ")))
		case e.Reason != "" && !slices.Contains(core.ReasonsOf(e.State), e.Reason):
			errs = append(errs, src.errorf(key, "%s: %q is none of %s", e.Event, e.Reason, reasonsOf(e.State)))
		case e.Command != "" && e.Reason != core.ReasonApproval:
			errs = append(errs, src.errorf(key, "%s has a command, but is no approval", e.Event))
		case e.State == core.Waiting && e.Reason == "":
			errs = append(errs, src.errorf(key, "%s needs a reason: one of %s", e.Event, reasonsOf(e.State)))
		}
	}
	if form := s.Install.Form; form != "" && !slices.Contains(forms, form) {
		errs = append(
			errs, src.errorf(toml.Key{"hook", "install", "form"}, "%q is none of %s", form, core.Join(forms, ", ")),
		)
	}
	return errors.Join(errs...)
}
