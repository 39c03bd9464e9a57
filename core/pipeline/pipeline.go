package pipeline

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"cupola/core"
	"cupola/core/near"
	"cupola/core/tomlfile"
)

// Pipeline is a file of steps.
type Pipeline struct {
	// Name is that of the file where the pipeline says none.
	Name        string            `toml:"name"`
	Description string            `toml:"description"`
	Vars        map[string]string `toml:"vars"`
	Steps       []Step            `toml:"step"`
}

// Step is one call of a verb.
type Step struct {
	Name string         `toml:"name"`
	Verb string         `toml:"verb"`
	Args map[string]any `toml:"args"`
	// Needs are steps that must be over before; those whose answers it uses are
	// added.
	Needs []string `toml:"needs"`
	When  When     `toml:"when"`
	// Retries is how often it is tried again, Pause apart; Timeout bounds each try.
	Retries int           `toml:"retries"`
	Pause   time.Duration `toml:"pause"`
	Timeout time.Duration `toml:"timeout"`
	OnError OnError       `toml:"on_error"`
	// Repeatable says that it does no harm to run it again where it was cut off.
	Repeatable bool `toml:"repeatable"`
}

// When says after what a step runs.
type When string

// A step without a word runs after success: when all that it needs succeeded
// and no step before has stopped the pipeline. Failure means that one of those
// that it needs failed, or any before it where it needs none.
const (
	OnSuccess When = "success"
	OnFailure When = "failure"
	Always    When = "always"
)

// OnError says what a step's failure does to the pipeline.
type OnError string

// A step without a word stops the pipeline.
const (
	Stop     OnError = "stop"
	Continue OnError = "continue"
)

// maxRetries bounds how often a step is tried again.
const maxRetries = 100

// nameForm is what names of steps and pipelines look like, so that they can stand
// in references and in names of folders.
var nameForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$`) })

// Parse reads a pipeline and sees that its steps fit together. Origin names the
// text in errors, which are ConfigInvalid and name the line. Verbs and their
// arguments are checked by Plan.
func Parse(origin, text string) (*Pipeline, error) {
	p := &Pipeline{}
	if err := tomlfile.Decode(origin, text, p); err != nil {
		return nil, err
	}
	if p.Name == "" {
		p.Name = nameOf(origin)
	}
	if !nameForm().MatchString(p.Name) {
		return nil, tomlfile.Wrong(origin, 1, fmt.Sprintf("the name %q takes letters, digits, dashes and underscores", p.Name))
	}
	if len(p.Steps) == 0 {
		return nil, tomlfile.Wrong(origin, 1, "there is no [[step]]")
	}
	names := p.names()
	for i := range p.Steps {
		s, line := &p.Steps[i], tomlfile.ElementLine(text, "step", i)
		if fault := s.fault(); fault != "" {
			return nil, tomlfile.Wrong(origin, line, fault)
		}
		if slices.Index(names, s.Name) < i {
			return nil, tomlfile.Wrong(origin, line, fmt.Sprintf("two steps are named %q", s.Name))
		}
		s.usual()
		if err := s.bind(names); err != nil {
			return nil, suggesting(tomlfile.Wrong(origin, line, err.Error()), err)
		}
	}
	if cycle := p.cycle(); len(cycle) > 0 {
		line := tomlfile.ElementLine(text, "step", slices.Index(names, cycle[0]))
		return nil, tomlfile.Wrong(origin, line, "steps wait for each other: "+strings.Join(cycle, " needs "))
	}
	return p, nil
}

// names are those of the steps, in order.
func (p *Pipeline) names() []string {
	names := make([]string, len(p.Steps))
	for i := range p.Steps {
		names[i] = p.Steps[i].Name
	}
	return names
}

// usual fills what a step does not say.
func (s *Step) usual() {
	if s.When == "" {
		s.When = OnSuccess
	}
	if s.OnError == "" {
		s.OnError = Stop
	}
	if s.Args == nil {
		s.Args = map[string]any{}
	}
}

// fault says what is wrong with a step by itself; empty if nothing is.
func (s *Step) fault() string {
	switch {
	case s.Name == "":
		return "the step has no name"
	case !nameForm().MatchString(s.Name):
		return fmt.Sprintf("the name %q takes letters, digits, dashes and underscores", s.Name)
	case s.Verb == "":
		return fmt.Sprintf("step %s has no verb", s.Name)
	case !slices.Contains([]When{"", OnSuccess, OnFailure, Always}, s.When):
		return fmt.Sprintf("step %s: when is %q; it must be success, failure or always", s.Name, s.When)
	case !slices.Contains([]OnError{"", Stop, Continue}, s.OnError):
		return fmt.Sprintf("step %s: on_error is %q; it must be stop or continue", s.Name, s.OnError)
	case s.Retries < 0 || s.Retries > maxRetries:
		return fmt.Sprintf("step %s: retries is %d; it must be 0 to %d", s.Name, s.Retries, maxRetries)
	case s.Pause < 0 || s.Timeout < 0:
		return fmt.Sprintf("step %s: pause and timeout must be 0 or more", s.Name)
	}
	return ""
}

// bind sees that what a step needs and refers to is there, and adds the steps
// that it refers to to those that it needs.
func (s *Step) bind(names []string) error {
	for _, need := range s.Needs {
		if !slices.Contains(names, need) {
			return unknown(fmt.Sprintf("step %s needs %q, and no step has that name", s.Name, need), need, names)
		}
	}
	refs, err := references(s.Args)
	if err != nil {
		return fmt.Errorf("step %s: %w", s.Name, err)
	}
	for _, ref := range refs {
		if ref[0] != "steps" {
			continue
		}
		if !slices.Contains(names, ref[1]) {
			return unknown(fmt.Sprintf("step %s refers to ${%s}, and no step is named %q", s.Name, strings.Join(ref, "."), ref[1]), ref[1], names)
		}
		if !slices.Contains(s.Needs, ref[1]) {
			s.Needs = append(s.Needs, ref[1])
		}
	}
	return nil
}

// order is the order in which steps run: that of the file, each behind those
// that it needs. Of steps in a cycle it has none.
func (p *Pipeline) order() []int {
	var order []int
	done := map[string]bool{}
	for len(order) < len(p.Steps) {
		next := slices.IndexFunc(p.Steps, func(s Step) bool {
			return !done[s.Name] && !slices.ContainsFunc(s.Needs, func(need string) bool { return !done[need] })
		})
		if next < 0 {
			break
		}
		done[p.Steps[next].Name] = true
		order = append(order, next)
	}
	return order
}

// cycle is a row of steps of which each needs the next, and the last is the
// first; nil if there is none.
func (p *Pipeline) cycle() []string {
	stuck := map[string]*Step{}
	for i := range p.Steps {
		stuck[p.Steps[i].Name] = &p.Steps[i]
	}
	for _, i := range p.order() {
		delete(stuck, p.Steps[i].Name)
	}
	if len(stuck) == 0 {
		return nil
	}
	at := p.Steps[slices.IndexFunc(p.Steps, func(s Step) bool { return stuck[s.Name] != nil })].Name
	var path []string
	for !slices.Contains(path, at) {
		path = append(path, at)
		needs := stuck[at].Needs
		at = needs[slices.IndexFunc(needs, func(need string) bool { return stuck[need] != nil })]
	}
	return append(path[slices.Index(path, at):], at)
}

// unknown is the error of a word that is none of those that there are.
func unknown(message, word string, words []string) *core.Error {
	e := &core.Error{Code: core.InvalidInput, Message: message, Suggestions: near.Words(word, words)}
	if len(e.Suggestions) > 0 {
		e.Hint = "Did you mean " + e.Suggestions[0] + "?"
	}
	return e
}

// suggesting gives an error the suggestions of another.
func suggesting(e *core.Error, from error) *core.Error {
	if known := core.AsError(from); len(known.Suggestions) > 0 {
		e.Suggestions, e.Hint = known.Suggestions, known.Hint
	}
	return e
}
