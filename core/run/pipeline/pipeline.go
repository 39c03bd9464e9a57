package pipeline

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"cupola/core"
	"cupola/core/config/tomlfile"
	"cupola/core/text/near"
)

// Pipeline is a file of steps.
type Pipeline struct {
	// Name is the pipeline's name; by default that of the file.
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
	// Needs are the steps that must end before this one; Parse adds those whose answers it
	// uses.
	Needs []string `toml:"needs"`
	When  When     `toml:"when"`
	// Retries is how often it is tried again, Pause apart; Timeout bounds each try.
	Retries int           `toml:"retries"`
	Pause   time.Duration `toml:"pause"`
	Timeout time.Duration `toml:"timeout"`
	OnError OnError       `toml:"on_error"`
	// Repeatable is true if the step may be repeated after it was interrupted.
	Repeatable bool `toml:"repeatable"`

	// broken is true where its args cannot be read.
	broken bool
}

// When are the results after which a step runs.
type When string

// The values of When. OnSuccess, the default, runs a step if all its needs succeeded and no
// earlier step has stopped the pipeline. OnFailure runs it if one of its needs failed or,
// without needs, any earlier step.
const (
	OnSuccess When = "success"
	OnFailure When = "failure"
	Always    When = "always"
)

// OnError is the effect of a step's failure on the pipeline.
type OnError string

// The values of OnError. The zero value means Stop.
const (
	Stop     OnError = "stop"
	Continue OnError = "continue"
)

// maxRetries bounds how often a step is tried again.
const maxRetries = 100

// nameForm matches names of steps and pipelines that are valid in references and as
// names of folders.
var nameForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$`) })

// Parse reads a pipeline and sees that its steps fit together. Origin names the
// text in errors, which are ConfigInvalid and name every line that is wrong. Verbs and
// their arguments are checked by Load.
func Parse(origin, text string) (*Pipeline, error) {
	p, faults := parse(origin, text)
	if len(faults) > 0 {
		return nil, failedFaults(origin, faults)
	}
	return p, nil
}

// Load reads a pipeline as Parse does, and checks all of it against the verbs there are
// before anything runs: every verb, argument and reference, so far as they are known. It
// returns one error for all that is wrong; its details are Faults.
func Load(origin, text string, verbs Verbs, session string, vars map[string]string) (*Pipeline, error) {
	p, faults := parse(origin, text)
	if p != nil {
		faults = append(faults, p.plan(text, verbs, session, vars)...)
	}
	if len(faults) > 0 {
		return nil, failedFaults(origin, faults)
	}
	return p, nil
}

// parse reads what it can of a pipeline, and returns what is wrong beside it; the
// pipeline is nil where the text is no TOML.
func parse(origin, text string) (*Pipeline, []Fault) {
	p, faults := &Pipeline{}, []Fault{}
	for _, problem := range tomlfile.Check(text, p) {
		fault := Fault{
			Line: problem.Line, Code: core.ConfigInvalid, Message: problem.What, Hint: problem.Hint,
			Suggestions: problem.Suggestions,
		}
		if strings.HasPrefix(problem.Name, "step.") && problem.N < len(p.Steps) {
			s := &p.Steps[problem.N]
			fault.Step, s.broken = s.Name, s.broken || problem.Name == "step.args"
		}
		faults = append(faults, fault)
	}
	if len(p.Steps) == 0 && len(faults) > 0 {
		return nil, faults
	}
	if p.Name == "" {
		p.Name = nameOf(origin)
	}
	if !nameForm().MatchString(p.Name) {
		faults = append(faults,
			misfit(max(1, tomlfile.LineOf(text, "name")), "",
				fmt.Errorf("the name %q takes letters, digits, dashes and underscores", p.Name)))
	}
	if len(p.Steps) == 0 {
		faults = append(faults, misfit(1, "", errors.New("there is no [[step]]")))
	}
	names := p.names()
	for i := range p.Steps {
		s := &p.Steps[i]
		for _, key := range s.faults() {
			faults = append(faults, misfit(p.line(text, i, key.name), s.Name, key.err))
		}
		if s.Name != "" && slices.Index(names, s.Name) < i {
			faults = append(faults, misfit(p.line(text, i, ""), "", fmt.Errorf("two steps are named %q", s.Name)))
		}
		s.usual()
		for _, key := range s.bind(names) {
			faults = append(faults, misfit(p.line(text, i, key.name), s.Name, key.err))
		}
	}
	for _, cycle := range p.cycles() {
		at := slices.Index(names, cycle[0])
		faults = append(faults,
			misfit(p.line(text, at, ""), "", errors.New("steps wait for each other: "+strings.Join(cycle, " needs "))))
	}
	return p, faults
}

// line is where a file says something of a step, or begins it.
func (p *Pipeline) line(text string, step int, key string) int {
	if key == "" {
		return tomlfile.ElementLine(text, "step", step)
	}
	return tomlfile.LineIn(text, "step", step, "step."+key)
}

// keyFault is the fault of a step's key.
type keyFault struct {
	name string
	err  error
}

// names returns the names of the steps, in order.
func (p *Pipeline) names() []string {
	return core.Map(p.Steps, func(s Step) string { return s.Name })
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

// faults returns the faults of a step by itself.
func (s *Step) faults() []keyFault {
	faults := slices.Concat(
		oneOf("when", string(s.When), string(OnSuccess), string(OnFailure), string(Always)),
		oneOf("on_error", string(s.OnError), string(Stop), string(Continue)),
	)
	add := func(key, format string, args ...any) {
		faults = append(faults, keyFault{key, fmt.Errorf(format, args...)})
	}
	if s.Name == "" {
		add("", "the step has no name")
	} else if !nameForm().MatchString(s.Name) {
		add("name", "the name %q takes letters, digits, dashes and underscores", s.Name)
	}
	if s.Verb == "" {
		add("", "the step has no verb")
	}
	if s.Retries < 0 || s.Retries > maxRetries {
		add("retries", "retries is %d; it must be 0 to %d", s.Retries, maxRetries)
	}
	if s.Pause < 0 {
		add("pause", "pause must be 0 or more")
	}
	if s.Timeout < 0 {
		add("timeout", "timeout must be 0 or more")
	}
	return faults
}

// oneOf checks a word of a step, which may be missing, against those that it may be.
func oneOf(key, word string, words ...string) []keyFault {
	if word == "" || slices.Contains(words, word) {
		return nil
	}
	return []keyFault{{key, unknown(fmt.Sprintf("%s is %q; it must be %s", key, word, strings.Join(words, ", ")), word,
		words)}}
}

// bind sees that what a step needs and refers to is there, and adds the steps
// that it refers to to those that it needs.
func (s *Step) bind(names []string) []keyFault {
	var faults []keyFault
	for _, need := range s.Needs {
		if !slices.Contains(names, need) {
			faults = append(faults,
				keyFault{"needs", unknown(fmt.Sprintf("it needs %q, and no step has that name", need), need, names)})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Args)) {
		refs, errs := referencesIn(s.Args[name])
		for _, ref := range refs {
			switch {
			case ref[0] != "steps":
			case !slices.Contains(names, ref[1]):
				errs = append(errs,
					unknown(fmt.Sprintf("it refers to ${%s}, and no step is named %q", strings.Join(ref, "."), ref[1]),
						ref[1], names))
			case !slices.Contains(s.Needs, ref[1]):
				s.Needs = append(s.Needs, ref[1])
			}
		}
		for _, err := range errs {
			faults = append(faults, keyFault{"args." + name, fmt.Errorf("%s: %w", name, err)})
		}
	}
	s.Needs = slices.DeleteFunc(s.Needs, func(need string) bool { return !slices.Contains(names, need) })
	return faults
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

// cycles returns lists of steps; each needs the next, and the last is the first. Of
// cycles that share a step it returns only one.
func (p *Pipeline) cycles() [][]string {
	stuck := map[string]*Step{}
	for i := range p.Steps {
		stuck[p.Steps[i].Name] = &p.Steps[i]
	}
	for _, i := range p.order() {
		delete(stuck, p.Steps[i].Name)
	}
	waits := func(name string) bool { return stuck[name] != nil }
	var cycles [][]string
	for {
		// Steps that wait for none of the others are behind a cycle that was reported.
		for dropped := true; dropped; {
			dropped = false
			for name, step := range stuck {
				if !slices.ContainsFunc(step.Needs, waits) {
					delete(stuck, name)
					dropped = true
				}
			}
		}
		if len(stuck) == 0 {
			return cycles
		}
		at := p.Steps[slices.IndexFunc(p.Steps, func(s Step) bool { return waits(s.Name) })].Name
		var path []string
		for !slices.Contains(path, at) {
			path = append(path, at)
			needs := stuck[at].Needs
			at = needs[slices.IndexFunc(needs, waits)]
		}
		cycle := slices.Concat(path[slices.Index(path, at):], []string{at})
		cycles = append(cycles, cycle)
		for _, name := range cycle {
			delete(stuck, name)
		}
	}
}

// unknown is the error of a word that is none of those that there are.
func unknown(message, word string, words []string) *core.Error {
	e := &core.Error{Code: core.InvalidInput, Message: message, Suggestions: near.Words(word, words)}
	if len(e.Suggestions) > 0 {
		e.Hint = "Did you mean " + e.Suggestions[0] + "?"
	}
	return e
}
